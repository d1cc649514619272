// expect: graph_rejected<.*arithmetic_rule::operands_must_not_both_be_boolean.*actual<2.*expected<1.*in_operator<.*squared_difference
// Booleans count as 0 and 1 with numbers, but two of them have no difference.
#include <nnrt/ops/squared_difference.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::i32;
#else
inline constexpr nnrt::dtype type = nnrt::boolean;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::boolean, nnrt::shape<2, 3>>("x");
  auto w = b.weight<type, nnrt::shape<1, 3>>("w");
  b.output("y", squared_difference(x, w));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
