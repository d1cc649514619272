// expect: graph_rejected<.*concat::rule::extents_beside_the_axis_must_be_equal.*actual<5L?>.*expected<4L?>
// Tensors of different widths below each other.
#include <nnrt/ops/concat.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<3, 4>>("x");
#ifdef NNRT_FIXED
  g.output("y", concat(x, g.weight<nnrt::f32, nnrt::shape<3, 5>>("w"), nnrt::axis<1>));
#else
  g.output("y", concat(x, g.weight<nnrt::f32, nnrt::shape<3, 5>>("w"), nnrt::axis<0>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
