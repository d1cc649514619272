// relu: max(x, 0), as an operator and as the keyword that other operators fuse.
// Flow: front ends call infer(); passes fuse it into the preceding layer; others run in the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Rectified linear unit, element by element.
///
///   x: any shape      y: the same shape, max(x, 0); NaN gives NaN
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Quantised values are rescaled
/// in fixed point and clamped; with equal scales they are only clamped.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_RELU; quantised: TFLite's RELU.
struct relu : detail::number_function {
  static constexpr op_code code{47};
  static constexpr std::string_view name = "relu";
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .computes = meaning::relu,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 47, .hdi = 2};
  static constexpr auto hdi_fields = hdi_activation(1);
  using rule = detail::number_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return detail::activate_quantised<T>(in, out, activation::relu);
    detail::for_each_element<T>(in, out, [](T x) { return activate(x, activation::relu); });
  }
};

}  // namespace ops

/// relu(x), or the keyword relu for an operator that fuses an activation.
struct relu_t : keyword::value<keyword::fused_slot, activation::relu> {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::relu>(x, keywords...);
  }
};
inline constexpr relu_t relu{};

}}  // namespace nnrt::NNRT_ISA
