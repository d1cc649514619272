// quantised_unary: operators on one tensor, possibly quantised - common parts, rules about scales, and two ways to
// compute.
// Flow: used by infer and reference of relu, sigmoid and similar operators; their bindings make tables with it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Dtypes of operators on real numbers: floats, and integers that may be quantised.
inline constexpr dtype_set real_or_quantised = types::floating | types::stored;

/// An output like x, quantised as declared; x and y have one scale each.
template <class Rule> constexpr verdict infer_quantised(const tensor_desc& x, array_ref<const tensor_desc> wanted) {
  if (auto v = require_one_scale(Rule::quantised_input_must_have_one_scale, x); !v) return v;
  if (auto v = require_one_scale(Rule::quantised_output_must_have_one_scale, wish_of(wanted)); !v) return v;
  return ok(tensor_desc{x.type, x.layout, x.shape, wanted[0].quantised});
}

/// infer_quantised() for operators on real numbers: floats need no scale, integers do.
template <class Rule> constexpr verdict infer_real(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  const tensor_desc& x = in[0].desc;
  if (types::floating.contains(x.type)) return ok(x);
  return infer_quantised<Rule>(x, wanted);
}

/// Rules of functions of one real number.
enum class real_function_rule { quantised_input_must_have_one_scale, quantised_output_must_have_one_scale };
void shared_by_operators(real_function_rule);

/// Common part of operators y = f(x) that compute real numbers on floats or quantised values: y is like x and may
/// overwrite it; quantised, it has the declared scale.
struct real_function {
  static constexpr operand_spec inputs[] = {{"x", real_or_quantised}};
  static constexpr operand_spec outputs[] = {{"y", real_or_quantised}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .axes = axis_role::elementwise};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  template <class Attrs>
  static constexpr verdict infer(const Attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    return infer_real<real_function_rule>(in, wanted);
  }
  static constexpr auto macs = no_macs;
};

/// Rules of operators on one tensor of any numbers, plain or quantised.
enum class number_function_rule {
  quantised_type_must_be_i8_u8_or_i16,
  quantised_input_must_have_one_scale,
  quantised_output_must_have_one_scale,
};
void shared_by_operators(number_function_rule);

/// Common part of such operators: plain numbers need no scale; a quantised y has the declared scale.
struct number_function {
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .axes = axis_role::elementwise};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    if (!x.quantised) return ok(x);
    constexpr auto quantised_type = number_function_rule::quantised_type_must_be_i8_u8_or_i16;
    if (!types::stored.contains(x.type)) return require(quantised_type, x.type, i8);
    return infer_quantised<number_function_rule>(x, wanted);
  }
  static constexpr auto macs = no_macs;
};

/// y = f(x - zero point) rescaled to y in fixed point; f returns steps of x.
template <class T, class F> constexpr void rescale_quantised(arguments in, results out, F f) {
  const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
  const fixed_point factor = factor_to(to, double{from.scale});
  const quantised_range range = quantised_range_of<T>(to, activation::none);
  for_each_element<T>(in, out,
                      [&](T x) { return requantise<T>(f(std::int64_t{x} - from.zero_point), factor, to, range); });
}

/// y = f(x) on quantised values: f takes and returns the real number as a float; y is the nearest quantised value, half
/// away from zero. Source: the 256-entry tables of TFLite's kernels for 8 bits.
template <class T, class F> constexpr void for_each_quantised(arguments in, results out, F f) {
  const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
  const float steps = float_quotient(1.0F, to.scale);
  constexpr float largest = std::numeric_limits<float>::max();
  for_each_element<T>(in, out, [&](T x) {
    const float real = real_of(x, from);
    const float y = f(real > largest ? largest : real < -largest ? -largest : real);
    return quantised_at<T>(double{float_product(y, steps)}, to);
  });
}

/// y = the activation of x on quantised values: rescaled to y in fixed point, then clamped. Source: TFLite's RELU and
/// RELU6.
template <class T> constexpr void activate_quantised(arguments in, results out, activation fused) {
  const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
  const fixed_point factor = factor_to(to, double{from.scale});
  const quantised_range range = quantised_range_of<T>(to, fused);
  for_each_element<T>(in, out,
                      [&](T x) { return requantise<T>(std::int64_t{x} - from.zero_point, factor, to, range); });
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
