// expect: graph_rejected<.*comparison_rule::extents_must_be_equal_or_1.*actual<4>.*expected<3>.*in_operator<.*ops::greater_equal>
// Extents that are neither equal nor 1 do not broadcast.
#include <nnrt/ops/greater_equal.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int columns = 3;
#else
inline constexpr int columns = 4;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  auto w = b.weight<nnrt::f32, nnrt::shape<1, columns>>("w");
  b.output("y", greater_equal(x, w));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
