// tanh: hyperbolic tangent.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/interpolated.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Hyperbolic tangent, element by element.
///
///   x: any shape      y: the same shape, (exp(x) - exp(-x)) / (exp(x) + exp(-x))
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`, for i8 usually 1/128 with
/// zero point 0. Each quantised value is nearest to the real result, computed in float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_TANH; quantised: the tables of TFLite's
/// TANH for 8 bits. i16 without zero points and y's scale 1/32768 interpolate in TFLite's table, whose values differ in
/// the last bits.
struct tanh : detail::real_function {
  static constexpr op_code code{39};
  static constexpr std::string_view name = "tanh";
  static constexpr error_bound errors[] = {{types_of(f32), 5}, {types_of(f16), 0.51}, {types_of(f64), 1.1}};
  static constexpr foreign_numbers foreign{.nnrt = 39, .hdi = 2};
  static constexpr auto hdi_fields = hdi_activation(10);
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (std::is_same_v<T, std::int16_t>) {
      const quantisation& from = in[0].desc->quantised;
      if (!is_half_to_even(out[0].desc->quantised.rounding) && detail::is_interpolated(from, out[0].desc->quantised)) {
        const detail::sigmoid_argument argument(from.scale, true);
        return detail::for_each_element<T>(in, out, [&](T x) { return detail::tanh_of(argument(x)); });
      }
    }
    if constexpr (can_be_quantised<T>) detail::for_each_quantised<T>(in, out, [](float x) { return math::tanh(x); });
    else detail::for_each_real<T>(in, out, [](double x) { return math::tanh(x); });
  }
};

}  // namespace ops

/// tanh(x). A function, unlike the other activations: an object with this name would hide, or clash with, `<cmath>`'s.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto tanh(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::tanh>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
