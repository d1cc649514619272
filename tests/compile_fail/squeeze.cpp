// expect: graph_rejected<.*squeeze::rule::squeezed_extent_must_be_1.*actual<3L?>.*expected<1L?>
// An axis with more than one element.
#include <nnrt/ops/squeeze.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 3, 5>>("x");
#ifdef NNRT_FIXED
  g.output("y", squeeze(x, nnrt::axes<0>));
#else
  g.output("y", squeeze(x, nnrt::axes<0, 1>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
