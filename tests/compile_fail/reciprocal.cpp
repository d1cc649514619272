// expect: graph_rejected<.*signature_rule::operand_type_must_be_accepted_by_the_operator.*in_operator<.*ops::reciprocal>
// One over an integer is none: cast<...>(x) comes first.
#include <nnrt/ops/reciprocal.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::i32;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<type, nnrt::shape<2, 3>>("x");
  b.output("y", nnrt::reciprocal(x));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
