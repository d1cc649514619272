// expect: graph_rejected<.*number_function_rule::quantised_output_must_have_one_scale.*actual<0>.*expected<1>.*in_operator<.*ops::neg>
// A result of quantised values needs its scale. Operators share the rule, and the error says which one it
// was.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/neg.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::i8, nnrt::shape<2, 3>, nnrt::nhwc, nnrt::quant{.scale = 0.1F}>("x");
#ifdef NNRT_FIXED
  g.output("y", neg(x, nnrt::into<nnrt::quant{.scale = 0.2F}>));
#else
  g.output("y", neg(x));  // here
#endif
};

int main() {
  nnrt::builder b;
  network(b);
}
