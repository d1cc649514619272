// select: one of two tensors, element by element, as a tensor of booleans says.
// Flow: front ends call infer(); kernels/bind/ has the fast form.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/choice.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Choice between two tensors, element by element.
///
///   condition: booleans      a, b: of one dtype; all three shapes broadcast as NumPy's do
///   y: the common shape, condition ? a : b
///
/// Quantised a and b have one quantisation, which y keeps. Broken rules: see `rule`; extents are counted from the
/// innermost. Source: NNRt OH_NN_OPS_SELECT.
struct select : detail::choice {
  static constexpr op_code code{62};
  static constexpr std::string_view name = "select";
  static constexpr foreign_numbers foreign{.nnrt = 62, .hdi = 170};
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_choice<Rule>(in);
  }
};

}  // namespace ops

/// select(condition, a, b): a where the condition is true, b elsewhere.
template <tensor_desc Condition, tensor_desc A, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto select(tensor<Condition> condition, tensor<A> a, tensor<B> b, Keywords... keywords) {
  return dsl::apply<ops::select>(condition, a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
