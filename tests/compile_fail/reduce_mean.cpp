// expect: graph_rejected<.*reduce_mean::rule::axis_must_be_an_axis_of_the_input.*actual<3L?>.*expected<2L?>
// A mean along an axis that the tensor does not have.
#include <nnrt/ops/reduce_mean.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<2, 3, 4>>("x");
#ifdef NNRT_FIXED
  g.output("y", reduce_mean(x, nnrt::axes<1, 2>));
#else
  g.output("y", reduce_mean(x, nnrt::axes<1, 3>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
