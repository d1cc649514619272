// expect: graph_rejected<.*layer_norm::rule::parameter_types_of_a_quantised_input_must_be_its_type_or_f32.*actual<.*f16.*>.*expected<.*i8.*>
// Parameters of a quantised tensor are real numbers in f32, or quantised like it.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/layer_norm.hpp>

#ifdef NNRT_FIXED
constexpr nnrt::dtype parameters = nnrt::f32;
#else
constexpr nnrt::dtype parameters = nnrt::f16;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::i8, nnrt::shape<10, 32>, nnrt::nd, nnrt::quant{.scale = 0.05F, .zero_point = 3}>("x");
  auto gamma = g.weight<parameters, nnrt::shape<32>>("gamma"), beta = g.weight<parameters, nnrt::shape<32>>("beta");
  g.output("y", layer_norm(x, gamma, beta, nnrt::into<nnrt::quant{.scale = 0.02F}>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
