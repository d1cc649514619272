// expect: graph_rejected<.*reduce_prod::rule::axis_must_be_an_axis_of_the_input.*actual<-4L?>.*expected<2L?>
// An axis before the first.
#include <nnrt/ops/reduce_prod.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<2, 3, 4>>("x");
#ifdef NNRT_FIXED
  g.output("y", reduce_prod(x, nnrt::axes<1, 2>));
#else
  g.output("y", reduce_prod(x, nnrt::axes<1, -4>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
