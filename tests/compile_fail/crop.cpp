// expect: graph_rejected<.*crop::rule::box_must_lie_in_the_input.*actual<3L?>.*expected<2L?>
// Two pixels are left after the offset.
#include <nnrt/ops/crop.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int height = 2;
#else
inline constexpr int height = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<1, 4, 4, 3>>("x");
  b.output("y", crop(x, nnrt::shape<1, height, 2, 3>, nnrt::axis<1>, nnrt::offsets<2, 0, 0>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
