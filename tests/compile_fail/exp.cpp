// expect: graph_rejected<.*exp::rule::base_must_be_positive_or_minus_1_for_e
// Powers of a negative number.
#include <nnrt/ops/exp.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int base = 2;
#else
inline constexpr int base = -2;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", exp(x, nnrt::with_base<base>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
