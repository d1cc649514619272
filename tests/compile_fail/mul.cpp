// expect: graph_rejected<.*arithmetic_rule::types_must_have_a_common_type.*actual<.*(u32|8).*expected<.*(i32|4).*in_operator<.*mul
// Neither dtype holds the numbers of the other: cast<...>(x) says which ones are meant.
#include <nnrt/ops/mul.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::i32;
#else
inline constexpr nnrt::dtype type = nnrt::u32;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::i32, nnrt::shape<2, 3>>("x");
  auto w = b.weight<type, nnrt::shape<3>>("w");
  b.output("y", mul(x, w));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
