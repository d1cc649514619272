// reduce_sum: the sum along some axes of a tensor.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/reduction.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Sum of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; listed twice: once
///   y: the extents of the other axes; with keep_dims the folded axes stay, with extent 1
///
/// reduce_to_end: all axes from the first of the list on, and the result is multiplied by `coefficient`, unless that is
/// 0 (which is NNRt's default and means none). A full reduction without keep_dims has rank 0. Axes count from the end
/// when negative. A sum of no elements is 0. Floating point is added in row-major order in the type of
/// computation (float for float16). Integers wrap around in their own width; times the coefficient they are truncated
/// toward zero and saturated.
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_REDUCE_SUM.
struct reduce_sum : detail::plain_reduction<types::number> {
  static constexpr op_code code{101};
  static constexpr std::string_view name = "reduce_sum";
  static constexpr foreign_numbers foreign{.nnrt = 101, .hdi = 118};
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 157, boolean}, {"reduce_to_end", 158, boolean}, {"coefficient", 159, f32}};
  enum class rule { axes_must_be_a_list_or_one_number, axes_must_be_known, axis_must_be_an_axis_of_the_input };

  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_reduction<rule>(a, in);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;
    detail::reduce<T>(
        a, in, out, wide{0}, [](wide& sum, T element) { sum += static_cast<wide>(element); },
        [factor = a.factor()](wide sum, std::int64_t) { return detail::times_factor<T>(sum, factor); });
  }
};

}  // namespace ops

/// reduce_sum(x, axes<1, 2>, keep_dims) or reduce_sum(x, axis<-1>); without axes the sum of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_sum(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_sum>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
