// hswish: x * relu6(x + 3) / 6, a cheap approximation of swish.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {
namespace detail {

/// A 16-bit fixed-point factor: mantissa * 2^(exponent - 15).
struct short_factor {
  static constexpr std::int32_t most = 32767;
  std::int32_t mantissa = 0;
  int exponent = 0;

  constexpr explicit short_factor(float factor) {
    const fixed_point wide = fixed_point_of(double{factor});
    const std::int64_t rounded = (std::int64_t{wide.mantissa} + (1 << 15)) >> 16;
    mantissa = static_cast<std::int32_t>(std::min<std::int64_t>(rounded, most));
    exponent = wide.exponent;
  }
};

/// Hard swish of an 8-bit quantised value, computed with 7 more bits: x times its factor to y's scale, times (x + 3) /
/// 6 in [0, 1]. Source: TFLite's HARD_SWISH; if x's scale is at least 128 times y's, which TFLite refuses, the product
/// is shifted left.
template <class T> struct quantised_hswish {
  std::int32_t zero_x, zero_y;
  short_factor to_y, to_share;

  constexpr quantised_hswish(const quantisation& x, const quantisation& y)
      : zero_x(x.zero_point),
        zero_y(y.zero_point),
        to_y(float_quotient(x.scale / 128, y.scale)),
        to_share(float_quotient(x.scale / 128, 3.0F / 32768)) {}

  constexpr T operator()(T stored) const {
    using limits = std::numeric_limits<T>;
    const std::int32_t x = (stored - zero_x) * 128;
    const std::int32_t product = share_of(x) * high_product(x, to_y.mantissa) / 32768;  // toward zero
    const std::int32_t y = zero_y + shifted(product, to_y.exponent);
    return static_cast<T>(nnrt::detail::clamped(y, limits::min(), limits::max()));
  }

 private:
  static constexpr std::int32_t saturated(std::int32_t x) {
    return static_cast<std::int32_t>(nnrt::detail::clamped(x, -short_factor::most - 1, short_factor::most));
  }
  /// Upper half of the doubled product of two 16-bit numbers, rounded to nearest, ties toward plus infinity.
  static constexpr std::int32_t high_product(std::int32_t a, std::int32_t b) {
    return saturated((a * b + (1 << 14)) >> 15);
  }
  static constexpr std::int32_t shifted(std::int32_t x, int left) {
    return left < 0 ? nnrt::detail::shifted_right(x, -left) : saturated(nnrt::detail::shifted_left(x, left));
  }
  /// (x + 3) / 6 in [0, 1], in steps of 2^-15. The last bit of a left shift follows the product: values that saturate
  /// before it saturate after it as well.
  constexpr std::int32_t share_of(std::int32_t x) const {
    const int left = to_share.exponent;
    if (left > 0) x = shifted(x, left - 1);
    x = high_product(x, to_share.mantissa);
    if (left != 0) x = shifted(x, left > 0 ? 1 : left);
    return (x + 32768) >> 1;
  }
};

}  // namespace detail

/// Hard swish, element by element.
///
///   x: any shape      y: the same shape, x * relu6(x + 3) / 6
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. 8 bits are computed in 16-bit
/// fixed point. i16, and y rounded half to even, get the quantised value nearest to the real result, rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_HSWISH; quantised: the reference kernel
/// of TFLite's HARD_SWISH, which has 8 bits.
struct hswish {
  static constexpr op_code code{17};
  static constexpr std::string_view name = "hswish";
  static constexpr operand_spec inputs[] = {{"x", detail::real_or_quantised}};
  static constexpr operand_spec outputs[] = {{"y", detail::real_or_quantised}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .axes = axis_role::elementwise};
  static constexpr error_bound errors[] = {{types_of(f32), 2.5}, {types_of(f16), 0.51}, {types_of(f64), 2.5}};
  static constexpr foreign_numbers foreign{.nnrt = 17, .hdi = 2};
  static constexpr auto hdi_fields = hdi_activation(12);
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule { quantised_input_must_have_one_scale, quantised_output_must_have_one_scale };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    return detail::infer_real<Rule>(in, wanted);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>) compute_quantised<T>(in, out);
    else detail::for_each_real<T>(in, out, [](double x) { return real(x); });
  }

 private:
  template <class T> static constexpr void compute_quantised(arguments in, results out) {
    const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
    if constexpr (sizeof(T) == 1)
      if (!is_half_to_even(to.rounding))
        return detail::for_each_element<T>(in, out, detail::quantised_hswish<T>(from, to));
    detail::for_each_quantised<T>(in, out, [](float x) { return static_cast<float>(real(double{x})); });
  }
  static constexpr double real(double x) { return x * (activate(x + 3, activation::relu6) / 6); }
};

}  // namespace ops

/// hswish(x).
struct hswish_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::hswish>(x, keywords...);
  }
};
inline constexpr hswish_t hswish{};

}}  // namespace nnrt::NNRT_ISA
