// expect: graph_rejected<.*eltwise::rule::types_must_be_equal.*actual<.*(i8|2).*expected<.*(f32|11)
// Its result has the first operand's dtype: what the second one has is not converted silently.
#include <nnrt/ops/eltwise.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::i8;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  auto w = b.weight<type, nnrt::shape<3>>("w");
  b.output("y", eltwise(x, w, nnrt::mode<nnrt::eltwise_mode::sum>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
