// select: chooses between two tensors, element by element, by a boolean tensor.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/choice.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Choice between two tensors, element by element.
///
///   condition: booleans      a, b: of one dtype; all three shapes broadcast as in NumPy
///   y: the common shape, condition ? a : b
///
/// Quantised: a and b i8, u8, i16 or i32 with one scale each, y with the scale given by `into<quant{…}>`; chosen
/// elements are rescaled in fixed point. If a and b have one quantisation and no other is declared, y keeps it.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_SELECT.
struct select : detail::choice {
  static constexpr op_code code{62};
  static constexpr std::string_view name = "select";
  static constexpr foreign_numbers foreign{.nnrt = 62, .hdi = 170};
  enum class rule {
    types_must_be_equal,
    extents_must_be_equal_or_1,
    operands_must_both_be_quantised_or_both_plain,
    quantised_operands_must_have_one_scale,
    quantised_output_must_have_one_scale,  // must be given if the scales of a and b differ
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    return detail::infer_choice<Rule>(in, wanted);
  }
};

}  // namespace ops

/// select(condition, a, b): a where the condition is true, b elsewhere.
template <tensor_desc Condition, tensor_desc A, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto select(tensor<Condition> condition, tensor<A> a, tensor<B> b, Keywords... keywords) {
  return dsl::apply<ops::select>(condition, a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
