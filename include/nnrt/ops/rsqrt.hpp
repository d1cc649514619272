// rsqrt: one over the square root.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/fixed_root.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Reciprocal of the square root, element by element.
///
///   x: any shape      y: the same shape, 1 / sqrt(x); NaN below zero, an infinity of its sign at zero
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. 8 bits are computed in fixed
/// point; i16 gets the quantised value nearest to the real result, rounded to float. Zero gives the largest number,
/// numbers below zero the zero point.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_RSQRT, which requires x >= 0, with IEEE
/// 754's results for other numbers; quantised: the reference kernel of TFLite's RSQRT, which has i8 (and no numbers
/// below zero).
struct rsqrt : detail::real_function {
  static constexpr op_code code{44};
  static constexpr std::string_view name = "rsqrt";
  static constexpr operator_traits traits{
      .result = storage::in_place, .quantised = quantised_values::computed, .axes = axis_role::elementwise};
  static constexpr error_bound errors[] = {{types_of(f32), 1.5}, {types_of(f16), 0.51}, {types_of(f64), 1.5}};
  static constexpr foreign_numbers foreign{.nnrt = 44, .hdi = 126};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (detail::is_byte<T>) return detail::for_each_element<T>(in, out, quantised_root<T>(in, out));
    else if constexpr (can_be_quantised<T>)
      return detail::for_each_quantised<T>(in, out, [](float x) { return root(x); });
    else
      detail::for_each_real<T>(in, out, [](double x) {
        // Constant evaluation rejects division by zero.
        return x == 0 ? math::copysign(math::infinity<double>, x) : 1 / math::sqrt(x);
      });
  }

 private:
  static constexpr float root(float x) {
    if (x < 0) return math::nan<float>;
    if (x == 0) return math::infinity<float>;
    return static_cast<float>(1 / math::sqrt(double{x}));
  }

  /// Function of an 8-bit quantised value: the root of its distance from the zero point with 20 fraction bits, times
  /// the value of one step.
  template <class T> struct quantised_root {
    std::int32_t zero_x, zero_y;
    fixed_point factor;
    constexpr quantised_root(arguments in, results out)
        : zero_x(in[0].desc->quantised.zero_point), zero_y(out[0].desc->quantised.zero_point) {
      const auto of_step = static_cast<float>(math::sqrt(double{in[0].desc->quantised.scale}));
      const double step = double{float_product(of_step, out[0].desc->quantised.scale)};
      factor = fixed_point_of(step > 0 ? 1 / step : 0x1p100);  // beyond every number
      factor.exponent -= 20;
    }
    constexpr T operator()(T x) const {
      using limits = std::numeric_limits<T>;
      const std::int32_t steps = x - zero_x;
      if (steps == 0) return limits::max();
      if (steps < 0) return static_cast<T>(zero_y);
      fixed_point root = detail::fixed::inverse_root(steps);
      root.exponent += 20;
      const std::int32_t digits = rounding::double_rounding::scale(1, root);
      return requantise<T>(digits, factor, zero_y, {limits::min(), limits::max()});
    }
  };
};

}  // namespace ops

/// rsqrt(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto rsqrt(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::rsqrt>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
