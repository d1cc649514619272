// reduce_l2: the Euclidean norm along some axes of a tensor.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/reduction.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Euclidean norm, the root of the sum of squares, of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: the extents of the other axes; with keep_dims the reduced axes remain with extent 1
///
/// reduce_to_end: all axes from the first of the list on, with the result multiplied by `coefficient` unless it is 0
/// (NNRt's default, which means none). A full reduction without keep_dims has rank 0. Axes count from the end when
/// negative. The norm of no elements is 0.
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_REDUCE_L2.
struct reduce_l2 : detail::plain_reduction<types::floating> {
  static constexpr op_code code{106};
  static constexpr std::string_view name = "reduce_l2";
  static constexpr error_bound errors[] = {{types_of(f32), 26, error_unit::result, 0.006},
                                           {types_of(f16), 0.51},
                                           {types_of(f64), 2, error_unit::result, 0.36}};
  static constexpr foreign_numbers foreign{.nnrt = 106, .hdi = 118, .hdi_since = 21};
  static constexpr auto hdi_fields = hdi_reduction(8);
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 160, boolean}, {"reduce_to_end", 161, boolean}, {"coefficient", 162, f32}};
  enum class rule { axes_must_be_a_list_or_one_number, axes_must_be_known, axis_must_be_an_axis_of_the_input };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_reduction<Rule>(a, in);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using squares = detail::square_sum<T>;
    detail::reduce<T>(
        a, in, out, squares{}, [](squares& sum, T element) { sum.add(math::convert<double>(element)); },
        [factor = a.factor()](const squares& sum, std::int64_t) {
          return detail::times_factor<T>(sum.root(), factor);
        });
  }
};

}  // namespace ops

/// `reduce_l2(x, axes<1, 2>, keep_dims)` or `reduce_l2(x, axis<-1>)`; without axes the Euclidean norm of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_l2(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_l2>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
