// reduce_sum: the sum along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds f32 to the folds of reduce.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/reduction.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Sum of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: the extents of the other axes; with keep_dims the reduced axes remain with extent 1
///
/// reduce_to_end: all axes from the first of the list on, with the result multiplied by `coefficient` unless it is 0
/// (NNRt's default, which means none). A full reduction without keep_dims has rank 0. Axes count from the end when
/// negative. The sum of no elements is 0. Floating-point sums do not overflow on the way to a finite result. Integers
/// wrap around in their width; times the coefficient they are truncated toward zero and saturated.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Sums of (x - zero point) are
/// exact integers, scaled in fixed point by scale of x * coefficient / scale of y.
///
/// Broken rules: see `rule`; values: axes, numbers of scales. Source: NNRt OH_NN_OPS_REDUCE_SUM.
struct reduce_sum : detail::plain_reduction<types::number, quantised_values::computed> {
  static constexpr op_code code{101};
  static constexpr std::string_view name = "reduce_sum";
  static constexpr error_bound errors[] = {{types_of(f32), 34, error_unit::terms, 0.008},
                                           {types_of(f16), 0.51, error_unit::terms},
                                           {types_of(f64), 1, error_unit::terms, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 101, .hdi = 118};
  static constexpr auto hdi_fields = hdi_reduction(4);
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 157, boolean}, {"reduce_to_end", 158, boolean}, {"coefficient", 159, f32}};
  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    coefficient_of_a_quantised_sum_must_be_finite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    if (in[0].desc.quantised)
      if (auto v = check_quantisation(a, in[0].desc, wanted); !v) return v;
    verdict v = detail::infer_reduction<Rule>(a, in);
    if (v && in[0].desc.quantised) v.outputs[0].quantised = wanted[0].quantised;
    return v;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return add_quantised<T>(a, in, out);
    const auto finish = [factor = a.factor()](auto sum, std::int64_t) { return detail::times_factor<T>(sum, factor); };
    if constexpr (std::is_integral_v<T>) {
      detail::reduce<T>(
          a, in, out, std::uint64_t{0},
          [](std::uint64_t& sum, T element) { sum += static_cast<std::uint64_t>(element); }, finish);
    } else {
      detail::reduce<T>(
          a, in, out, detail::wide_sum<T>{},
          [](detail::wide_sum<T>& sum, T element) { sum.add(math::convert<double>(element)); },
          [&](const detail::wide_sum<T>& sum, std::int64_t count) { return finish(sum.value(), count); });
    }
  }

 private:
  static constexpr verdict check_quantisation(const attrs& a, const tensor_desc& x,
                                              array_ref<const tensor_desc> wanted) {
    constexpr float most = std::numeric_limits<float>::max();
    constexpr rule one_scale = rule::quantised_output_must_have_one_scale;
    if (!types::stored.contains(x.type)) return require(rule::quantised_type_must_be_i8_u8_or_i16, x.type, i8);
    if (auto v = detail::require_one_scale(rule::quantised_input_must_have_one_scale, x); !v) return v;
    if (auto v = detail::require_one_scale(one_scale, detail::wish_of(wanted)); !v) return v;
    return require_real_between(rule::coefficient_of_a_quantised_sum_must_be_finite, a.factor(), -most, most);
  }
  template <class T> static constexpr void add_quantised(const attrs& a, arguments in, results out) {
    const quantisation &x = in[0].desc->quantised, &y = out[0].desc->quantised;
    const double coefficient{a.factor()};
    const fixed_point factor = fixed_point_of(math::abs(coefficient) * double{x.scale} / double{y.scale});
    detail::reduce<T>(
        a, in, out, std::int64_t{0}, [&](std::int64_t& sum, T element) { sum += element - x.zero_point; },
        [&](std::int64_t sum, std::int64_t) {
          return requantise_exactly<T>(coefficient < 0 ? -sum : sum, factor, y.zero_point,
                                       quantised_range_of<T>(y, activation::none));
        });
  }
};

}  // namespace ops

/// `reduce_sum(x, axes<1, 2>, keep_dims)` or `reduce_sum(x, axis<-1>)`; without axes the sum of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_sum(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_sum>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
