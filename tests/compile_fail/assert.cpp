// expect: graph_rejected<.*signature_rule::operand_type_must_be_accepted_by_the_operator.*in_operator<.*ops::assert>
// A condition is a boolean.
#include <nnrt/ops/assert.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::boolean;
#else
inline constexpr nnrt::dtype type = nnrt::f32;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto condition = b.input<type, nnrt::shape<1>>("condition");
  b.output("y", asserted(condition, b.input<nnrt::f32, nnrt::shape<4>>("x")));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
