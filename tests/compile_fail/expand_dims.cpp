// expect: graph_rejected<.*expand_dims::rule::axis_must_be_an_axis_of_the_output.*actual<-4L?>.*expected<2L?>
// A place before the front.
#include <nnrt/ops/expand_dims.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<2, 3>>("x");
#ifdef NNRT_FIXED
  g.output("y", expand_dims(x, nnrt::axis<-3>));
#else
  g.output("y", expand_dims(x, nnrt::axis<-4>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
