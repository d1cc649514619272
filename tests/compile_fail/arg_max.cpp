// expect: graph_rejected<.*arg_max::rule::k_must_not_exceed_the_extent.*actual<11L?>.*expected<10L?>
// One more than there are.
#include <nnrt/ops/arg_max.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<3, 10>>("x");
#ifdef NNRT_FIXED
  g.output("y", arg_max(x, nnrt::k<10>));
#else
  g.output("y", arg_max(x, nnrt::k<11>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
