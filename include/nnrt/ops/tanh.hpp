// tanh: hyperbolic tangent.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Hyperbolic tangent, element by element.
///
///   x: any shape      y: the same shape, (exp(x) - exp(-x)) / (exp(x) + exp(-x))
///
/// No rules beyond the signature's.
/// Source: NNRt OH_NN_OPS_TANH.
struct tanh {
  static constexpr op_code code{39};
  static constexpr std::string_view name = "tanh";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 39, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::tanh(x); });
  }
};

}  // namespace ops

/// tanh(x). A function, unlike the other activations: an object of this name would hide, or clash with, that of <cmath>.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto tanh(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::tanh>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
