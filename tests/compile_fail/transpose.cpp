// expect: graph_rejected<.*transpose::rule::perm_must_name_every_axis.*actual<2L?>.*expected<3L?>
// An order that leaves an axis out.
#include <nnrt/ops/transpose.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<2, 3, 4>>("x");
#ifdef NNRT_FIXED
  g.output("y", transpose(x, nnrt::perm<1, 0, 2>));
#else
  g.output("y", transpose(x, nnrt::perm<1, 0>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
