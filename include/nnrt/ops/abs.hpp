// abs: magnitude.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Magnitude, element by element.
///
///   x: any shape      y: the same shape, x without its sign
///
/// The most negative integer is unchanged, as its magnitude does not fit. NaN gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`; the distance from the zero
/// point is rescaled in fixed point.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_ABS; quantised: the reference kernel of
/// TFLite's ABS.
struct abs : detail::number_function {
  static constexpr op_code code{58};
  static constexpr std::string_view name = "abs";
  static constexpr foreign_numbers foreign{.nnrt = 58, .hdi = 2, .hdi_also = 1};
  static constexpr auto hdi_fields = hdi_activation(6);
  using rule = detail::number_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised)
        return detail::rescale_quantised<T>(in, out, [](std::int64_t x) { return x < 0 ? -x : x; });
    if constexpr (!std::is_integral_v<T>) detail::for_each_real<T>(in, out, [](double x) { return math::abs(x); });
    else
      detail::for_each_number<T>(in, out,
                                 [](std::uint64_t x) { return std::is_signed_v<T> && x >> 63U != 0 ? 0 - x : x; });
  }
};

}  // namespace ops

/// abs(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto abs(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::abs>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
