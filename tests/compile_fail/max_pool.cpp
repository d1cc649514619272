// expect: graph_rejected<.*max_pool::rule::padded_input_must_cover_kernel.*actual<8L?>.*expected<9L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/max_pool.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t rows = 3;
#else
constexpr std::int64_t rows = 9;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 1>>("x");
  g.output("y", max_pool(x, nnrt::kernel<rows, 1>));
};

int main() {
  nnrt::builder b;
  network(b);
}
