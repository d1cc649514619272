// expect: graph_rejected<.*maximum::rule::types_must_be_equal.*actual<.*(f16|10).*expected<.*(f32|11)
// Nothing is converted silently: maximum wants one dtype, cast<...>(x) gives it.
#include <nnrt/ops/maximum.hpp>

#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::f16;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  auto w = b.weight<type, nnrt::shape<3>>("w");
  b.output("y", maximum(x, w));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
