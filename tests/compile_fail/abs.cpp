// expect: graph_rejected<.*signature_rule::operand_type_must_be_accepted_by_the_operator.*in_operator<.*ops::abs>
// Booleans have no sign.
#include <nnrt/ops/abs.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::boolean;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<type, nnrt::shape<2, 3>>("x");
  b.output("y", nnrt::abs(x));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
