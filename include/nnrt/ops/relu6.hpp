// relu6: min(max(x, 0), 6), as an operator and as the keyword that other operators fuse.
// Flow: front ends call infer(); passes fuse it into the preceding layer; others run in the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Rectified linear unit with a ceiling of 6, element by element.
///
///   x: any shape      y: the same shape, min(max(x, 0), 6); NaN gives NaN
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Quantised values are rescaled
/// in fixed point and clamped; with equal scales they are only clamped.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_RELU6; quantised: TFLite's RELU6.
struct relu6 : detail::number_function {
  static constexpr op_code code{48};
  static constexpr std::string_view name = "relu6";
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .computes = meaning::relu6,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 48, .hdi = 2};
  static constexpr auto hdi_fields = hdi_activation(3);
  using rule = detail::number_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return detail::activate_quantised<T>(in, out, activation::relu6);
    detail::for_each_element<T>(in, out, [](T x) { return activate(x, activation::relu6); });
  }
};

}  // namespace ops

/// relu6(x), or the keyword relu6 for an operator that fuses an activation.
struct relu6_t : keyword::value<keyword::fused_slot, activation::relu6> {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::relu6>(x, keywords...);
  }
};
inline constexpr relu6_t relu6{};

}}  // namespace nnrt::NNRT_ISA
