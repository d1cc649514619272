// relu: max(x, 0), as an operator and as the keyword that other operators fuse.
// Flow: front ends call infer(); passes fuse it into the layer before; what is left runs in the elementwise kernel.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Rectified linear unit, element by element.
///
///   x: any shape      y: the same shape, max(x, 0); a NaN stays one
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_RELU.
struct relu {
  static constexpr op_code code{47};
  static constexpr std::string_view name = "relu";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::relu};
  static constexpr foreign_numbers foreign{.nnrt = 47, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_element<T>(in, out, [](T x) { return activate(x, activation::relu); });
  }
};

}  // namespace ops

/// relu(x), or relu beside the operands of an operator that fuses an activation.
struct relu_t : keyword::value<keyword::fused_slot, activation::relu> {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::relu>(x, keywords...);
  }
};
inline constexpr relu_t relu{};

}  // namespace nnrt::inline NNRT_ISA
