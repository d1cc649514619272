// expect: graph_rejected<.*softmax::rule::beta_must_be_positive_and_finite.*actual<
// Exponents are not turned around by beta.
#include <nnrt/ops/softmax.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
constexpr float sharpness = 2;
#else
constexpr float sharpness = -2;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", softmax(x, nnrt::beta<sharpness>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
