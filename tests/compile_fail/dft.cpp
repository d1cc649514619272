// expect: graph_rejected<.*dft::rule::last_axis_must_have_one_or_two_parts.*actual<3L?>.*expected<2L?>
// Numbers of a transform have an axis of parts, real or real and imaginary. The operator has no function for users:
// readers of files make its nodes.
#include <nnrt/ops/dft.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int parts = 2;
#else
inline constexpr int parts = 3;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<16, parts>>("x");
  g.output("y", nnrt::dsl::apply<nnrt::ops::dft>(x, nnrt::axis<0>));  // here
};

int main() {
  nnrt::builder g;
  network(g);
}
