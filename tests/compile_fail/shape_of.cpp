// expect: graph_rejected<.*shape_of::rule::extent_must_fit_into_32_bits.*actual<2147483648L?>.*expected<2147483647>
// The number of elements does not fit into the i32 that it shall become.
#include <nnrt/ops/shape_of.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
#ifdef NNRT_FIXED
  auto x = g.input<nnrt::i8, nnrt::shape<2147483647>>("x");
#else
  auto x = g.input<nnrt::i8, nnrt::shape<2147483648>>("x");
#endif
  g.output("y", shape_of(x));  // here
};

int main() {
  nnrt::builder g;
  network(g);
}
