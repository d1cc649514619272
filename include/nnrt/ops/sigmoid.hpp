// sigmoid: 1 / (1 + exp(-x)).
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/interpolated.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Logistic function, element by element.
///
///   x: any shape      y: the same shape, 1 / (1 + exp(-x))
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`, for i8 usually 1/256 with
/// zero point -128. Each quantised value is nearest to the real result, computed in float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_SIGMOID; quantised: the tables of
/// TFLite's LOGISTIC for 8 bits (only with scale 1/256). i16 without zero points and y's scale 1/32768 interpolate in
/// TFLite's table, whose values differ in the last bits.
struct sigmoid : detail::real_function {
  static constexpr op_code code{28};
  static constexpr std::string_view name = "sigmoid";
  static constexpr error_bound errors[] = {
      {types_of(f32), 2.5, error_unit::result, 0, true}, {types_of(f16), 0.51}, {types_of(f64), 2.5}};
  static constexpr foreign_numbers foreign{.nnrt = 28, .hdi = 2};
  static constexpr auto hdi_fields = hdi_activation(2);
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (std::is_same_v<T, std::int16_t>) {
      const quantisation& from = in[0].desc->quantised;
      if (!is_half_to_even(out[0].desc->quantised.rounding) && detail::is_interpolated(from, out[0].desc->quantised)) {
        const detail::sigmoid_argument argument(from.scale, false);
        return detail::for_each_element<T>(in, out, [&](T x) { return detail::sigmoid_of(argument(x)); });
      }
    }
    if constexpr (can_be_quantised<T>) {
      // Steps of TFLite's float code, each rounded to float.
      detail::for_each_quantised<T>(
          in, out, [](float x) { return float_quotient(1.0F, static_cast<float>(1.0 + double{math::exp(-x)})); });
    } else {
      detail::for_each_real<T>(in, out, [](double x) {
        const double e = math::exp(-math::abs(x));  // at most 1, so that the sum is accurate for both signs
        return (x < 0 ? e : 1.0) / (1.0 + e);
      });
    }
  }
};

}  // namespace ops

/// sigmoid(x).
struct sigmoid_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::sigmoid>(x, keywords...);
  }
};
inline constexpr sigmoid_t sigmoid{};

}}  // namespace nnrt::NNRT_ISA
