// expect: graph_rejected<.*unsqueeze::rule::axis_must_be_an_axis_of_the_output.*actual<3L?>.*expected<2L?>
// A place after the end.
#include <nnrt/ops/unsqueeze.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<2, 3>>("x");
#ifdef NNRT_FIXED
  g.output("y", unsqueeze(x, nnrt::axis<2>));
#else
  g.output("y", unsqueeze(x, nnrt::axis<3>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
