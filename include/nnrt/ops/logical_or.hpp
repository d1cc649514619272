// logical_or: whether a or b is true, element by element.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Disjunction of two boolean tensors, element by element.
///
///   a, b: booleans, of shapes that broadcast as in NumPy      y: the common shape, a or b
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on). Source: NNRt OH_NN_OPS_LOGICAL_OR.
struct logical_or : detail::connective {
  static constexpr op_code code{89};
  static constexpr std::string_view name = "logical_or";
  static constexpr foreign_numbers foreign{.nnrt = 89, .hdi = 83};
  enum class rule { extents_must_be_equal_or_1 };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_broadcast<Rule>(in, boolean);
  }

  /// One element of the result.
  template <class T> static constexpr bool element(const attrs&, T a, T b) { return a || b; }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::for_each_pair<bool>(in, out, [&](bool x, bool z) { return element(a, x, z); });
  }
};

}  // namespace ops

/// logical_or(a, b).
template <tensor_desc A, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto logical_or(tensor<A> a, tensor<B> b, Keywords... keywords) {
  return dsl::apply<ops::logical_or>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
