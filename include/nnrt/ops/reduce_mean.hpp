// reduce_mean: the mean along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds f32 to the folds of reduce.hpp, bytes to those of
// pooling/int8.hpp.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/reduction.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <bit>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Mean of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: the extents of the other axes; with keep_dims the reduced axes remain with extent 1
///
/// reduce_to_end: all axes from the first of the list on, with the mean multiplied by `coefficient` unless it is 0
/// (NNRt's default, which means none). A full reduction without keep_dims has rank 0. Axes count from the end when
/// negative.
///
/// dtypes: f16, f32, f64, with a finite mean for finite elements; the mean of no elements is NaN. i32 and i64: sums
/// wrap around in 64 bits; quotients and products with the coefficient are truncated toward zero; 0 for no elements.
///
/// Quantised: i8, u8 or i16, y with the scale given by `into<quant{…}>`. Sums of (x - zero point) are exact integers;
/// requantise_exactly() scales them by scale of x * coefficient / (scale of y * their number). If y rounds half to
/// even, the exact means are rounded. The mean of no elements is 0.
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_REDUCE_MEAN; quantised: the reference kernel of
/// TFLite's MEAN in TensorFlow 2.14.
struct reduce_mean {
  static constexpr op_code code{42};
  static constexpr std::string_view name = "reduce_mean";
  static constexpr operand_spec inputs[] = {{"x", types::floating | detail::layered | types::index},
                                            {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::layered | types::index}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::computed, .rounds_to_even = true, .axes = axis_role::reduced};
  static constexpr error_bound errors[] = {{types_of(f32), 66, error_unit::terms, 0.016},
                                           {types_of(f16), 0.51, error_unit::terms},
                                           {types_of(f64), 1, error_unit::terms, 1}};
  static constexpr foreign_numbers foreign{.nnrt = 42, .hdi = 118};
  static constexpr auto hdi_fields = hdi_reduction(0);
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 60, boolean}, {"reduce_to_end", 117, boolean}, {"coefficient", 118, f32}};

  using attrs = detail::reduction_attributes;

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    coefficient_of_a_quantised_mean_must_be_finite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const bool is_quantised = detail::layered.contains(in[0].desc.type);
    if (is_quantised) {
      if (auto v = check_quantisation(a, in, wanted); !v) return v;
    } else if (in[0].desc.quantised) {
      return require(Rule::quantised_type_must_be_i8_u8_or_i16, in[0].desc.type, i8);
    }
    verdict v = detail::infer_reduction<Rule>(a, in);
    if (v && is_quantised) v.outputs[0].quantised = wanted[0].quantised;
    return v;
  }

  static constexpr auto macs = no_macs;

  /// Factor of sums of quantised values before the division; the coefficient's sign is applied to the sums.
  static constexpr fixed_point scale_of_sums(double coefficient, const quantisation& x, const quantisation& y) {
    return fixed_point_of(math::abs(coefficient) * double{x.scale} / double{y.scale});
  }
  /// factor / count with the mantissa rounded toward zero; it keeps as many bits as count has, if the exponent allows.
  static constexpr fixed_point shared_out(fixed_point factor, std::int64_t count) {
    if (count == 0) return {};
    const int bits = 63 - std::countl_zero(static_cast<std::uint64_t>(count));
    const int most = factor.exponent < 1 ? 31 + factor.exponent : 32, shift = std::min(bits, most);
    const std::int64_t mantissa = (std::int64_t{factor.mantissa} << shift) / count;
    return {static_cast<std::int32_t>(mantissa), factor.exponent - shift};
  }

  template <class T, class Rounding = rounding::double_rounding>
  static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (detail::is_layered<T>) {
      const auto add = [](std::int64_t& sum, T element) { sum += element; };
      const quantisation &x = in[0].desc->quantised, &y = out[0].desc->quantised;
      const double coefficient = a.factor();
      const fixed_point factor = scale_of_sums(coefficient, x, y);
      detail::reduce<T>(a, in, out, std::int64_t{0}, add, [&](std::int64_t sum, std::int64_t count) {
        const std::int64_t away = sum - x.zero_point * count, steps = coefficient < 0 ? -away : away;
        const quantised_range range = quantised_range_of<T>(y, activation::none);
        if (is_half_to_even(y.rounding)) return shared_to_even<T>(steps, factor, count, y.zero_point, range);
        return requantise_exactly<T, Rounding>(steps, shared_out(factor, count), y.zero_point, range);
      });
    } else if constexpr (std::is_integral_v<T>) {
      const double factor = double{a.factor()};
      const auto add_up = [](std::uint64_t& sum, T element) { sum += static_cast<std::uint64_t>(element); };
      detail::reduce<T>(a, in, out, std::uint64_t{0}, add_up, [&](std::uint64_t sum, std::int64_t count) {
        const std::int64_t mean = count == 0 ? 0 : static_cast<std::int64_t>(sum) / count;
        return factor == 1 ? static_cast<T>(mean) : math::convert<T>(math::convert<double>(mean) * factor);
      });
    } else {
      const auto add_up = [](detail::wide_sum<T>& sum, T element) { sum.add(math::convert<double>(element)); };
      detail::reduce<T>(a, in, out, detail::wide_sum<T>{}, add_up,
                        [factor = a.factor()](const detail::wide_sum<T>& sum, std::int64_t count) {
                          return detail::times_factor<T>(count == 0 ? math::nan<double> : sum.mean(count), factor);
                        });
    }
  }

 private:
  /// The exact quotient: with a truncated factor every tie would round to one side.
  template <class T>
  static constexpr T shared_to_even(std::int64_t steps, fixed_point factor, std::int64_t count, std::int32_t zero_point,
                                    quantised_range range) {
    const std::int64_t mean =
        count == 0 ? 0 : nnrt::detail::exact_product(steps, factor).shared_out(count).rounded_to_even(zero_point);
    return static_cast<T>(nnrt::detail::clamped(zero_point + mean, range.low, range.high));
  }
  static constexpr verdict check_quantisation(const attrs& a, array_ref<const operand> in,
                                              array_ref<const tensor_desc> wanted) {
    constexpr float most = std::numeric_limits<float>::max();
    if (auto v = detail::require_one_scale(rule::quantised_input_must_have_one_scale, in[0].desc); !v) return v;
    if (auto v = detail::require_one_scale(rule::quantised_output_must_have_one_scale, detail::wish_of(wanted)); !v)
      return v;
    return require_real_between(rule::coefficient_of_a_quantised_mean_must_be_finite, a.factor(), -most, most);
  }
};

}  // namespace ops

/// `reduce_mean(x, axes<1, 2>, keep_dims)` or `reduce_mean(x, axis<-1>)`; without axes the mean of all elements. For a
/// quantised result `into<quant{…}>`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_mean(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_mean>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
