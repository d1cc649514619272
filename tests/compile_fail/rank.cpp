// expect: graph_rejected<.*signature_rule::declared_output_type_must_match.*in_operator<.*ops::rank>
// Ranks are numbers of 32 bits.
#include <nnrt/ops/rank.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::i32;
#else
inline constexpr nnrt::dtype type = nnrt::i64;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", rank(x, nnrt::into<type>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
