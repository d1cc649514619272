// expect: graph_rejected<.*max_unpool::rule::indices_must_have_the_shape_of_the_input.*actual<3L?>.*expected<4L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/max_unpool.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t columns = 4;
#else
constexpr std::int64_t columns = 3;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4, 4, 1>>("x");
  auto indices = g.input<nnrt::i32, nnrt::shape<1, 4, columns, 1>>("indices");
  g.output("y", max_unpool(x, indices, nnrt::kernel<2, 2>, nnrt::stride<2, 2>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
