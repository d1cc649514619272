// quantised_binary: operators on two quantised tensors - rules about scales, and TFLite's fixed-point arithmetic.
// Flow: used by infer and reference of add, sub, mul, div, maximum and similar operators; their bindings run the
// functions over rows.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/binary.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Requires two quantised operands with dtypes that elementwise arithmetic supports, and a scale for the result.
template <class Rule>
constexpr verdict check_quantised_pair(const tensor_desc& a, const tensor_desc& b,
                                       array_ref<const tensor_desc> wanted) {
  if (auto v = require(Rule::operands_must_both_be_quantised_or_both_plain, b.quantised ? 1 : 0, a.quantised ? 1 : 0);
      !v)
    return v;
  if (!types::stored.contains(a.type)) return require(Rule::quantised_types_must_be_i8_u8_or_i16, a.type, i8);
  if (auto v = require(Rule::quantised_types_must_be_equal, b.type, a.type); !v) return v;
  for (const tensor_desc& x : {a, b})
    if (auto v = require_one_scale(Rule::quantised_operands_must_have_one_scale, x); !v) return v;
  return require_one_scale(Rule::quantised_output_must_have_one_scale, wish_of(wanted));
}

/// infer_arithmetic() with quantised values: the result is quantised as declared.
template <class Rule>
constexpr verdict infer_quantised_arithmetic(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  const tensor_desc &a = in[0].desc, &b = in[1].desc;
  if (!a.quantised && !b.quantised) return infer_arithmetic<Rule>(in);
  if (auto v = check_quantised_pair<Rule>(a, b, wanted); !v) return v;
  verdict v = infer_broadcast<Rule>(in, a.type);
  if (v) v.outputs[0].quantised = wanted[0].quantised;
  return v;
}

/// Rules of arithmetic operators on two tensors.
enum class arithmetic_rule {
  types_must_have_a_common_type,
  operands_must_not_both_be_boolean,
  extents_must_be_equal_or_1,
  operands_must_both_be_quantised_or_both_plain,
  quantised_types_must_be_i8_u8_or_i16,
  quantised_types_must_be_equal,
  quantised_operands_must_have_one_scale,
  quantised_output_must_have_one_scale,
};
void shared_by_operators(arithmetic_rule);

/// Common part of arithmetic operators on two tensors a and b: shapes broadcast as in NumPy, y has the common dtype;
/// with quantised a and b it has the declared scale.
template <bool RoundsToEven, meaning Computes = meaning::other> struct arithmetic_function {
  static constexpr operand_spec inputs[] = {{"a", arithmetic}, {"b", arithmetic}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .computes = Computes,
                                          .typed_in_common = types::number,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = RoundsToEven,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr auto macs = no_macs;

  template <class Attrs>
  static constexpr verdict infer(const Attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    return infer_quantised_arithmetic<arithmetic_rule>(in, wanted);
  }
};

/// Descs and activation of an operation on quantised values.
struct quantised_pair {
  const quantisation &a, &b, &y;
  activation fused = activation::none;

  constexpr quantised_pair(const quantisation& of_a, const quantisation& of_b, const quantisation& of_y)
      : a(of_a), b(of_b), y(of_y) {}
  constexpr quantised_pair(arguments in, results out, activation fuse)
      : a(in[0].desc->quantised), b(in[1].desc->quantised), y(out[0].desc->quantised), fused(fuse) {}
};

/// Zero point and range of results of an operation on quantised values. Products of 8-bit values fit into 32 bits;
/// those of 16-bit values with zero points may not.
template <class T> struct quantised_result {
  std::int32_t zero_point;
  quantised_range range;
  bool is_to_even = false;

  constexpr quantised_result(const quantisation& y, activation fused)
      : zero_point(y.zero_point),
        range(quantised_range_of<T>(y, fused)),
        is_to_even(nnrt::is_half_to_even(y.rounding)) {}
  constexpr T operator()(std::int64_t sum, fixed_point factor) const {
    if (is_to_even) return requantised<rounding::zero_point_then_half_to_even>(sum, factor);
    return requantised<rounding::double_rounding>(sum, factor);
  }
  /// For numbers that have y's scale.
  constexpr T at(std::int64_t steps) const {
    return static_cast<T>(nnrt::detail::clamped(zero_point + steps, range.low, range.high));
  }

 private:
  template <class Rounding> constexpr T requantised(std::int64_t sum, fixed_point factor) const {
    if constexpr (sizeof(T) == 1) return requantise<T, Rounding>(sum, factor, zero_point, range);
    else return requantise_exactly<T, Rounding>(sum, factor, zero_point, range);
  }
};

/// a + b or a - b: both are shifted left as far as 32 bits allow, rescaled to twice the larger scale, added, and
/// rescaled to y. Source: TFLite's ADD and SUB; i16 as TFLite computes it for scales that are no powers of two.
/// If y rounds half to even: both are multiplied by the mantissas of their factors to y (the smaller one's shifted to
/// the larger one's exponent, rounded half away from zero), added, and rounded once.
template <class T> struct quantised_sum {
  std::int32_t zero_a, zero_b;
  fixed_point factor_a, factor_b, factor_y;
  quantised_result<T> result;
  static constexpr int left_shift = sizeof(T) == 1 ? 20 : 15;

  constexpr quantised_sum(const quantised_pair& of, int sign)
      : zero_a(of.a.zero_point), zero_b(of.b.zero_point), result(of.y, of.fused) {
    const double twice = 2 * double{std::max(of.a.scale, of.b.scale)};
    factor_a = fixed_point_of(double{of.a.scale} / twice);
    factor_b = fixed_point_of(double{of.b.scale} / twice);
    // The sign is applied here, not after rounding: ties go toward plus infinity.
    factor_b.mantissa *= sign;
    factor_y = fixed_point_of(twice / ((1 << left_shift) * double{of.y.scale}));
    if (result.is_to_even) set_to_even(of, sign);
  }
  constexpr T operator()(T a, T b) const {
    if (result.is_to_even) {
      const std::int64_t exact =
          std::int64_t{a - zero_a} * factor_a.mantissa + std::int64_t{b - zero_b} * factor_b.mantissa;
      return result.at(
          rounding::zero_point_then_half_to_even::rounded(exact, 31 - factor_y.exponent, result.zero_point));
    }
    return result(brought(a - zero_a, factor_a) + brought(b - zero_b, factor_b), factor_y);
  }

 private:
  static constexpr std::int64_t brought(std::int32_t x, fixed_point factor) {
    return rounding::double_rounding::scale(x * (1 << left_shift), factor);
  }
  constexpr void set_to_even(const quantised_pair& of, int sign) {
    const double a = double{of.a.scale} / double{of.y.scale}, b = double{of.b.scale} / double{of.y.scale},
                 larger = std::max(a, b);
    factor_y = fixed_point_of(larger);
    const auto mantissa = [&](double factor) {
      return static_cast<std::int32_t>(math::round_half_away(factor / larger * static_cast<double>(factor_y.mantissa)));
    };
    factor_a = {mantissa(a), 0};
    factor_b = {mantissa(b) * sign, 0};
  }
};

/// (a - b)^2: both are shifted left by 7 bits and rescaled to twice the larger scale; the square of their difference is
/// rescaled to y, in 64 bits for i16. Source: TFLite's SQUARED_DIFFERENCE, which has i8.
template <class T> struct quantised_squared_difference {
  std::int32_t zero_a, zero_b;
  fixed_point factor_a, factor_b, factor_y;
  quantised_result<T> result;
  static constexpr int left_shift = 7;

  constexpr explicit quantised_squared_difference(const quantised_pair& of)
      : zero_a(of.a.zero_point), zero_b(of.b.zero_point), result(of.y, of.fused) {
    const double twice = 2 * double{std::max(of.a.scale, of.b.scale)};
    factor_a = fixed_point_of(double{of.a.scale} / twice);
    factor_b = fixed_point_of(double{of.b.scale} / twice);
    factor_y = fixed_point_of(twice * twice / ((1 << 2 * left_shift) * double{of.y.scale}));
  }
  constexpr T operator()(T a, T b) const {
    const std::int64_t difference = brought(a - zero_a, factor_a) - brought(b - zero_b, factor_b);
    if constexpr (sizeof(T) == 1) return result(difference * difference, factor_y);
    else return requantise_wide<T>(difference * difference, factor_y, result.zero_point, result.range);
  }

 private:
  static constexpr std::int64_t brought(std::int32_t x, fixed_point factor) {
    return rounding::double_rounding::scale(x * (1 << left_shift), factor);
  }
};

/// a * b, with the product of the scales, in float. Source: TFLite's MUL.
template <class T> struct quantised_product {
  std::int32_t zero_a, zero_b;
  fixed_point factor;
  quantised_result<T> result;

  constexpr explicit quantised_product(const quantised_pair& of)
      : zero_a(of.a.zero_point),
        zero_b(of.b.zero_point),
        factor(factor_to(of.y, product_of_tensor_scales(of.a.scale, of.b.scale))),
        result(of.y, of.fused) {}
  constexpr T operator()(T a, T b) const { return result(std::int64_t{a - zero_a} * (b - zero_b), factor); }
};

/// a, or slope * a for a < 0: factors of scales in float. Source: TFLite's PRELU.
template <class T> struct quantised_slope {
  std::int32_t zero_x, zero_slope;
  fixed_point passed, multiplied;
  quantised_result<T> result;

  constexpr explicit quantised_slope(const quantised_pair& of)
      : zero_x(of.a.zero_point),
        zero_slope(of.b.zero_point),
        passed(factor_to(of.y, double{of.a.scale})),
        multiplied(factor_to(of.y, product_of_tensor_scales(of.a.scale, of.b.scale))),
        result(of.y, activation::none) {}
  constexpr T operator()(T x, T slope) const {
    const std::int64_t real = x - zero_x;
    return real >= 0 ? result(real, passed) : result(real * (slope - zero_slope), multiplied);
  }
};

/// y = Op::element(a, b) with broadcasting; for quantised values by the function Op::stored().
template <class Op, class T>
constexpr void compute_pairs(const typename Op::attrs& attributes, arguments in, results out,
                             activation fused = activation::none) {
  if constexpr (can_be_quantised<T>)
    if (in[0].desc->quantised) return for_each_pair<T>(in, out, Op::template stored<T>({in, out, fused}));
  for_each_pair<T>(in, out, [&](T a, T b) { return Op::element(attributes, a, b); });
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
