// expect: graph_rejected<.*signature_rule::operand_type_must_be_accepted_by_the_operator.*in_operator<.*ops::half_cast>
// A tensor of doubles. The operator has no function for users: passes make its nodes.
#include <nnrt/ops/half_cast.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f16;
#else
inline constexpr nnrt::dtype type = nnrt::f64;
#endif

constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::dsl::apply<nnrt::ops::half_cast>(g.input<type, nnrt::shape<3>>("x")));  // here
};

int main() {
  nnrt::builder g;
  network(g);
}
