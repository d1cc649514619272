// leaky_relu: rectifier with a slope for negative numbers.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Rectifier that scales negative numbers, element by element.
///
///   x: any shape      y: the same shape, x where x > 0, negative_slope * x elsewhere
///
/// negative_slope is 0 by default. NaN gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Both branches are rescaled in
/// fixed point. The slope must be finite.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_LEAKY_RELU; quantised: the reference
/// kernel of TFLite's LEAKY_RELU.
struct leaky_relu : detail::real_function {
  static constexpr op_code code{74};
  static constexpr std::string_view name = "leaky_relu";
  static constexpr unlike_default to_be_said[] = {{"negative_slope", "0.01"}};
  static constexpr operator_traits traits = [] {
    operator_traits of_function = real_function::traits;
    of_function.to_be_said = to_be_said;
    return of_function;
  }();
  static constexpr foreign_numbers foreign{.nnrt = 74, .hdi = 2, .hdi_also = 76};
  static constexpr hdi_field hdi_fields[] = {
      hdi_field::choice("activationType", 5), hdi_field::named("alpha", "negative_slope"),
      hdi_field::always("minVal", 0), hdi_field::always("maxVal", 0), hdi_field::always("approximate", 0)};
  static constexpr nnrt_parameter parameters[] = {{"negative_slope", 92, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, negative_slope));
    constexpr attrs() : negative_slope(0) {}
  };

  enum class rule {
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    slope_of_a_quantised_input_must_be_finite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    constexpr float most = std::numeric_limits<float>::max();
    verdict v = detail::infer_real<Rule>(in, wanted);
    if (!v || types::floating.contains(in[0].desc.type)) return v;
    if (auto ok = require_real_between(Rule::slope_of_a_quantised_input_must_be_finite, a.negative_slope, -most, most);
        !ok)
      return ok;
    return v;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>) {
      // One step of a slope with its magnitude as scale: up from a zero point of 0, or down from 1, as u8 has no -1.
      const bool falls = a.negative_slope < 0;
      const float size = falls ? -a.negative_slope : a.negative_slope;
      const T step = falls ? 0 : 1;
      const quantisation of_slope = quant{.scale = size, .zero_point = falls ? 1 : 0};
      const detail::quantised_slope<T> f({in[0].desc->quantised, of_slope, out[0].desc->quantised});
      detail::for_each_element<T>(in, out, [&](T x) { return f(x, step); });
    } else {
      detail::for_each_real<T>(in, out, [slope = double{a.negative_slope}](double x) { return x > 0 ? x : slope * x; });
    }
  }
};

}  // namespace ops

/// `leaky_relu(x, negative_slope<0.1>)`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto leaky_relu(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::leaky_relu>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
