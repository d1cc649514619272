// relu6: min(max(x, 0), 6), as an operator and as the keyword that other operators fuse.
// Flow: front ends call infer(); passes fuse it into the layer before; what is left runs in the elementwise kernel.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Rectified linear unit with a ceiling of 6, element by element.
///
///   x: any shape      y: the same shape, min(max(x, 0), 6); a NaN stays one
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_RELU6.
struct relu6 {
  static constexpr op_code code{48};
  static constexpr std::string_view name = "relu6";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::relu6};
  static constexpr foreign_numbers foreign{.nnrt = 48, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_element<T>(in, out, [](T x) { return activate(x, activation::relu6); });
  }
};

}  // namespace ops

/// relu6(x), or relu6 beside the operands of an operator that fuses an activation.
struct relu6_t : keyword::value<keyword::fused_slot, activation::relu6> {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::relu6>(x, keywords...);
  }
};
inline constexpr relu6_t relu6{};

}  // namespace nnrt::inline NNRT_ISA
