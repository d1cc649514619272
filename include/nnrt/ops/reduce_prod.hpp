// reduce_prod: the product along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds f32 to the folds of reduce.hpp.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/reduction.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Product of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: the extents of the other axes; with keep_dims the reduced axes remain with extent 1
///
/// reduce_to_end: all axes from the first of the list on, with the product multiplied by `coefficient` unless it is 0
/// (NNRt's default, which means none). A full reduction without keep_dims has rank 0. Axes count from the end when
/// negative. The product of no elements is 1. Floating-point products do not overflow on the way to a finite result.
/// Integers wrap around in their width; times the coefficient they are truncated toward zero and saturated.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. After each element the
/// product of (x - zero point) is scaled by scale of x / (scale of y)^(1 / number of elements), in 64 bits, and by the
/// coefficient at the end.
///
/// Broken rules: see `rule`; values: axes, numbers of scales. Source: NNRt OH_NN_OPS_REDUCE_PROD; quantised: the
/// reference kernel of TFLite's REDUCE_PROD, which has i8 and i16 (and no coefficient).
struct reduce_prod {
  static constexpr op_code code{50};
  static constexpr std::string_view name = "reduce_prod";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .axes = axis_role::reduced};
  static constexpr error_bound errors[] = {
      {types_of(f32), 1, error_unit::result, 1}, {types_of(f16), 0.51}, {types_of(f64), 1, error_unit::result, 1}};
  static constexpr foreign_numbers foreign{.nnrt = 50, .hdi = 118};
  static constexpr auto hdi_fields = hdi_reduction(3);
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 70, boolean}, {"reduce_to_end", 119, boolean}, {"coefficient", 120, f32}};

  using attrs = detail::reduction_attributes;

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    coefficient_of_a_quantised_product_must_be_finite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const bool is_quantised = bool(in[0].desc.quantised);
    if (is_quantised)
      if (auto v = check_quantisation(a, in[0].desc, wanted); !v) return v;
    verdict v = detail::infer_reduction<Rule>(a, in);
    if (v && is_quantised) v.outputs[0].quantised = wanted[0].quantised;
    return v;
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return multiply_quantised<T>(a, in, out);
    const auto finish = [factor = a.factor()](auto product, std::int64_t) {
      return detail::times_factor<T>(product, factor);
    };
    if constexpr (std::is_integral_v<T>) {
      const auto step = [](std::uint64_t& product, T element) { product *= static_cast<std::uint64_t>(element); };
      detail::reduce<T>(a, in, out, std::uint64_t{1}, step, finish);
    } else {
      const auto step = [](detail::wide_product& product, T element) {
        product.multiply(math::convert<double>(element));
      };
      detail::reduce<T>(
          a, in, out, detail::wide_product{}, step,
          [&](const detail::wide_product& product, std::int64_t count) { return finish(product.value(), count); });
    }
  }

 private:
  static constexpr verdict check_quantisation(const attrs& a, const tensor_desc& x,
                                              array_ref<const tensor_desc> wanted) {
    constexpr float most = std::numeric_limits<float>::max();
    if (!types::stored.contains(x.type)) return require(rule::quantised_type_must_be_i8_u8_or_i16, x.type, i8);
    if (auto v = detail::require_one_scale(rule::quantised_input_must_have_one_scale, x); !v) return v;
    if (auto v = detail::require_one_scale(rule::quantised_output_must_have_one_scale, detail::wish_of(wanted)); !v)
      return v;
    return require_real_between(rule::coefficient_of_a_quantised_product_must_be_finite, a.factor(), -most, most);
  }

  /// Each factor gets its share of y's scale, so that products do not exceed it.
  template <class T> static constexpr void multiply_quantised(const attrs& a, arguments in, results out) {
    const quantisation &x = in[0].desc->quantised, &y = out[0].desc->quantised;
    const double coefficient = a.factor(), size = coefficient < 0 ? -coefficient : coefficient;
    const std::int64_t results = out[0].elements(), count = results > 0 ? in[0].elements() / results : 0;
    const double share = count > 0 ? math::pow(double{y.scale}, 1 / static_cast<double>(count)) : 1;
    const fixed_point factor = fixed_point_of(double{x.scale} / share);
    const fixed_point last = fixed_point_of(math::product(double{x.scale} / share, size));
    struct product {
      std::int32_t steps = 0;
      bool is_begun = false;
    };
    const auto step = [&](product& so_far, T element) {
      const std::int64_t steps = std::int64_t{element} - x.zero_point;
      so_far.steps = so_far.is_begun ? rounding::double_rounding::scale_wide(so_far.steps * steps, factor)
                                     : static_cast<std::int32_t>(steps);
      so_far.is_begun = true;
    };
    const quantised_range range = quantised_range_of<T>(y, activation::none);
    detail::reduce<T>(a, in, out, product{}, step, [&](const product& all, std::int64_t) {
      if (!all.is_begun) return quantised_as<T>(coefficient, y);
      const std::int64_t steps = all.steps;
      return requantise_wide<T>(coefficient < 0 ? -steps : steps, last, y.zero_point, range);
    });
  }
};

}  // namespace ops

/// `reduce_prod(x, axes<1, 2>, keep_dims)` or `reduce_prod(x, axis<-1>)`; without axes the product of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_prod(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_prod>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
