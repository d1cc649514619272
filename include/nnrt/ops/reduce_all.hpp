// reduce_all: whether all elements along some axes of a tensor are true.
// Flow: front ends call infer(); kernels/select.hpp binds it to a search for false elements.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/reduction.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Logical "and" of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: the extents of the other axes; with keep_dims the reduced axes remain with extent 1
///
/// reduce_to_end: all axes from the first of the list on. NNRt's coefficient, a factor of the result, has no effect on
/// booleans. A full reduction without keep_dims has rank 0. Axes count from the end when negative. The result for no
/// elements is true.
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_REDUCE_ALL.
struct reduce_all {
  static constexpr op_code code{51};
  static constexpr std::string_view name = "reduce_all";
  static constexpr operand_spec inputs[] = {{"x", types::logical}, {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 51, .hdi = 118, .tells_quantisation = 0};
  static constexpr auto hdi_fields = hdi_reduction(7);
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 71, boolean}, {"reduce_to_end", 121, boolean}, {"coefficient", 122, f32}};

  using attrs = detail::reduction_attributes;

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_reduction<Rule>(a, in);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::reduce_truths<bool>(a, in, out);
  }
};

}  // namespace ops

/// `reduce_all(x, axes<1, 2>, keep_dims)` or `reduce_all(x, axis<-1>)`; without axes over all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_all(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_all>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
