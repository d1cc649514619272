// expect: graph_rejected<.*avg_pool::rule::pads_must_be_smaller_than_kernel.*actual<2L?>.*expected<1L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/avg_pool.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t pad = 1;
#else
constexpr std::int64_t pad = 2;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 1>>("x");
  g.output("y", avg_pool(x, nnrt::kernel<2, 2>, nnrt::padding<pad, pad, pad, pad>));
};

int main() {
  nnrt::builder b;
  network(b);
}
