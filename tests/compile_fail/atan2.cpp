// expect: graph_rejected<.*atan2::rule::extents_must_be_equal_or_1.*actual<3L?>.*expected<4L?>
// Points have as many first coordinates as second ones.
#include <nnrt/ops/atan2.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int points = 4;
#else
inline constexpr int points = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto y = b.input<nnrt::f32, nnrt::shape<2, 4>>("y");
  auto x = b.input<nnrt::f32, nnrt::shape<2, points>>("x");
  b.output("angle", atan2(y, x));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
