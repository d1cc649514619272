// quantised_unary: operators on one tensor that may hold quantised values - what they share, the rules about scales,
// and two ways to compute.
// Flow: infer and reference of relu, sigmoid and their like; their bindings make tables of what these give.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/unary.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// What an operator on real numbers takes: floats, and the integers that can stand for them.
inline constexpr dtype_set real_or_quantised = types::floating | types::stored;

/// An output like x, quantised as wanted; x and y have one scale each.
template <class Rule> constexpr verdict infer_quantised(const tensor_desc& x, array_ref<const tensor_desc> wanted) {
  if (auto v = require_one_scale(Rule::quantised_input_must_have_one_scale, x); !v) return v;
  if (auto v = require_one_scale(Rule::quantised_output_must_have_one_scale, wish_of(wanted)); !v) return v;
  return ok(tensor_desc{x.type, x.layout, x.shape, wanted[0].quantised});
}

/// The same for operators on real numbers: floats need no scale, integers do.
template <class Rule> constexpr verdict infer_real(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  const tensor_desc& x = in[0].desc;
  if (types::floating.contains(x.type)) return ok(x);
  return infer_quantised<Rule>(x, wanted);
}

/// The rules of functions of one real number.
enum class real_function_rule { quantised_input_must_have_one_scale, quantised_output_must_have_one_scale };
void shared_by_operators(real_function_rule);

/// What operators y = f(x) on floats or quantised values have in common that compute real numbers: y is like x and may
/// take its place; of quantised values it has the scale that is wanted.
struct real_function {
  static constexpr operand_spec inputs[] = {{"x", real_or_quantised}};
  static constexpr operand_spec outputs[] = {{"y", real_or_quantised}};
  static constexpr operator_traits traits{
      .result = storage::in_place, .quantised = quantised_values::computed, .rounds_to_even = true};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  template <class Attrs>
  static constexpr verdict infer(const Attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    return infer_real<real_function_rule>(in, wanted);
  }
  static constexpr auto macs = no_macs;
};

/// The rules of operators on one tensor of any numbers, plain or stored.
enum class number_function_rule {
  quantised_type_must_be_i8_u8_or_i16,
  quantised_input_must_have_one_scale,
  quantised_output_must_have_one_scale,
};
void shared_by_operators(number_function_rule);

/// What such operators have in common: plain numbers are taken as they are; of stored ones y has the scale that is
/// wanted.
struct number_function {
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{
      .result = storage::in_place, .quantised = quantised_values::computed, .rounds_to_even = true};
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

/// y = f(x - zero point) brought to the scale of y in fixed point, where f gives steps of x.
template <class T, class F> constexpr void rescale_quantised(arguments in, results out, F f) {
  const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
  const fixed_point factor = factor_to(to, double{from.scale});
  const quantised_range range = quantised_range_of<T>(to, activation::none);
  for_each_element<T>(in, out,
                      [&](T x) { return requantise<T>(f(std::int64_t{x} - from.zero_point), factor, to, range); });
}

/// y = f(x) on quantised values: f takes the real number that is meant, as a float, and gives one; the nearest step of
/// y is stored, halves away from zero. Source: the tables of 256 that TFLite's kernels make for 8 bits.
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

/// y = the activation of x on quantised values: brought to the scale of y in fixed point, then clamped. Source:
/// TFLite's RELU and RELU6.
template <class T> constexpr void activate_quantised(arguments in, results out, activation fused) {
  const quantisation &from = in[0].desc->quantised, &to = out[0].desc->quantised;
  const fixed_point factor = factor_to(to, double{from.scale});
  const quantised_range range = quantised_range_of<T>(to, fused);
  for_each_element<T>(in, out,
                      [&](T x) { return requantise<T>(std::int64_t{x} - from.zero_point, factor, to, range); });
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
