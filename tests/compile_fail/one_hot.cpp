// expect: graph_rejected<.*one_hot::rule::axis_must_be_an_axis_of_the_output.*actual<2L?>.*expected<1L?>
// The axis after the last one.
#include <nnrt/ops/one_hot.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto i = g.input<nnrt::i32, nnrt::shape<3>>("i");
#ifdef NNRT_FIXED
  g.output("y", one_hot(i, nnrt::depth<10>, nnrt::axis<1>));
#else
  g.output("y", one_hot(i, nnrt::depth<10>, nnrt::axis<2>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
