// expect: graph_rejected<.*scale::rule::parameter_extents_must_equal_input_extents.*actual<3L?>.*expected<4L?>
// The factors of channels first lie along axis 1, not along the last one.
#include <nnrt/ops/scale.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr auto along = nnrt::axis<1>;
#else
inline constexpr auto along = nnrt::axis<-1>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3, 5, 4>, nnrt::nchw>("x");
  // here
  b.output("y", scale(x, b.weight<nnrt::f32, nnrt::shape<3>>("s"), b.weight<nnrt::f32, nnrt::shape<3>>("o"), along));
};

int main() {
  nnrt::builder b;
  network(b);
}
