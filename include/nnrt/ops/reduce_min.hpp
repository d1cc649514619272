// reduce_min: the smallest element along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds f32 to the folds of reduce.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/reduction.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The smallest element along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: the extents of the other axes; with keep_dims the reduced axes remain with extent 1
///
/// reduce_to_end: all axes from the first of the list on, with the result multiplied by `coefficient` unless it is 0
/// (NNRt's default, which means none). A full reduction without keep_dims has rank 0. Axes count from the end when
/// negative. NaN counts as the smallest. The result for no elements is the highest number of the dtype, infinity for
/// floats. Integers times the coefficient are truncated toward zero and saturated.
///
/// Quantised values are compared, and y has the scale of x. Broken rules: see `rule`; values: axes. Source: NNRt
/// OH_NN_OPS_REDUCE_MIN.
struct reduce_min : detail::plain_reduction<types::any, quantised_values::kept> {
  static constexpr op_code code{100};
  static constexpr std::string_view name = "reduce_min";
  static constexpr foreign_numbers foreign{.nnrt = 100, .hdi = 118};
  static constexpr auto hdi_fields = hdi_reduction(2);
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 154, boolean}, {"reduce_to_end", 155, boolean}, {"coefficient", 156, f32}};
  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    coefficient_of_a_quantised_tensor_must_be_1
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    constexpr rule no_coefficient = Rule::coefficient_of_a_quantised_tensor_must_be_1;
    if (in[0].desc.quantised)
      if (auto v = require_real(no_coefficient, a.factor(), 1); !v) return v;
    return detail::infer_reduction<Rule>(a, in);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using wide = std::conditional_t<std::is_integral_v<T>, T, math::compute_t<T>>;
    constexpr wide none = [] {
      if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
      else return math::infinity<wide>;
    }();
    detail::reduce_to_first<T>(a, in, out, none, [](wide x, wide y) { return x < y; });
  }
};

}  // namespace ops

/// `reduce_min(x, axes<1, 2>, keep_dims)` or `reduce_min(x, axis<-1>)`; without axes the smallest of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_min(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_min>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
