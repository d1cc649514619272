// expect: graph_rejected<.*signature_rule::quantised_operands_must_be_accepted_by_the_operator
// Which quantised value stands for 0 depends on scale and zero point: nonzero takes no quantised operand.
#include <nnrt/ops/nonzero.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& b) {
#ifdef NNRT_FIXED
  auto x = b.input<nnrt::i8, nnrt::shape<2, 3>>("x");
#else
  auto x = b.input<nnrt::i8, nnrt::shape<2, 3>, nnrt::nd, nnrt::quant{0.5F, 3}>("x");
#endif
  auto found = nonzero(x);  // here
  b.output("indices", get<0>(found));
};

int main() {
  nnrt::builder b;
  network(b);
}
