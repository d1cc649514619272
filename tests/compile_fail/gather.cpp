// expect: graph_rejected<.*gather::rule::axis_must_be_an_axis_of_the_input.*actual<2L?>.*expected<1L?>
// The axis after the last one.
#include <nnrt/ops/gather.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4, 8>>("x");
  auto i = g.input<nnrt::i32, nnrt::shape<3>>("i");
#ifdef NNRT_FIXED
  g.output("y", gather(x, i, nnrt::axis<1>));
#else
  g.output("y", gather(x, i, nnrt::axis<2>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
