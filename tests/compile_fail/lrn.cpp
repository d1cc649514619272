// expect: graph_rejected<.*lrn::rule::radius_must_not_be_negative.*actual<-2L?>.*expected<0L?>
// A radius counts channels on both sides.
#include <nnrt/ops/lrn.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int radius = 2;
#else
inline constexpr int radius = -2;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<1, 4, 4, 8>>("x");
  b.output("y", lrn(x, nnrt::depth_radius<radius>, nnrt::with_bias<1>, nnrt::beta<0.75>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
