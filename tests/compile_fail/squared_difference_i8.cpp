// expect: graph_rejected<.*arithmetic_rule::quantised_output_must_have_one_scale.*actual<0.*expected<1.*in_operator<.*squared_difference
// The scale of a quantised result is not guessed.
#include <nnrt/ops/squared_difference.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  constexpr nnrt::quant stored{.scale = 0.05F, .zero_point = 3};
  auto a = g.input<nnrt::i8, nnrt::shape<10, 32>, nnrt::nd, stored>("a");
  auto b = g.input<nnrt::i8, nnrt::shape<32>, nnrt::nd, stored>("b");
#ifdef NNRT_FIXED
  g.output("y", squared_difference(a, b, nnrt::into<nnrt::quant{.scale = 0.1F, .zero_point = -128}>));
#else
  g.output("y", squared_difference(a, b));  // here
#endif
};

int main() {
  nnrt::builder b;
  network(b);
}
