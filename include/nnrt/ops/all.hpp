// all: whether all elements along some axes of a tensor are true.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/reduction.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Logical "and" of the elements along `axes`: reduce_all without its NNRt attributes.
///
///   x: any shape; booleans, or plain numbers, of which all but 0 are true
///   axes: a list of axes, constant; missing or empty: all; repeated axes count once
///   y: booleans; the extents of the other axes; unless keep_dims is 0, the reduced axes remain with extent 1
///
/// A full reduction without keep_dims has rank 0. Axes count from the end when negative. The result for no elements is
/// true.
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_ALL.
struct all : detail::plain_reduction<types::any> {
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr op_code code{77};
  static constexpr std::string_view name = "all";
  static constexpr foreign_numbers foreign{.nnrt = 77, .hdi = 9};
  static constexpr nnrt_parameter parameters[] = {{"keep_dims", 105, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, keep_dims));
    constexpr attrs() : keep_dims(0) {}

    constexpr detail::reduction_attributes as_reduction() const {
      detail::reduction_attributes a;
      a.keep_dims = keep_dims != 0;
      return a;
    }
  };
  enum class rule { axes_must_be_a_list_or_one_number, axes_must_be_known, axis_must_be_an_axis_of_the_input };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    verdict v = detail::infer_reduction<Rule>(a.as_reduction(), in);
    if (v) v.outputs[0].type = boolean;
    return v;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::reduce_truths<T>(a.as_reduction(), in, out);
  }
};

}  // namespace ops

/// `all(x, axes<1, 2>, keep_dims)` or `all(x, axis<-1>)`; without axes over all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto all(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::all>(x, keyword::as_axes(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
