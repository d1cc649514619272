// expect: graph_rejected<.*slice::rule::size_must_not_exceed_what_is_left.*actual<3L?>.*expected<2L?>
// A box that ends after the tensor.
#include <nnrt/ops/slice.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4, 8>>("x");
#ifdef NNRT_FIXED
  g.output("y", slice(x, nnrt::begin<2, 0>, nnrt::size<2, 8>));
#else
  g.output("y", slice(x, nnrt::begin<2, 0>, nnrt::size<3, 8>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
