// expect: graph_rejected<.*stack::rule::extents_must_be_equal.*actual<4L?>.*expected<3L?>
// Rows of different lengths.
#include <nnrt/ops/stack.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto a = g.input<nnrt::f32, nnrt::shape<3>>("a");
#ifdef NNRT_FIXED
  auto b = g.input<nnrt::f32, nnrt::shape<3>>("b");
#else
  auto b = g.input<nnrt::f32, nnrt::shape<4>>("b");
#endif
  g.output("y", stack(a, b));  // here
};

int main() {
  nnrt::builder g;
  network(g);
}
