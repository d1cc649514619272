// less_equal: whether a <= b, element by element.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Comparison of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, of booleans: whether a <= b
///
/// Elements are compared in the dtype of higher precision of the two: floats before integers before booleans, of which
/// false is the smaller one. Nothing is less than, or equal to, a NaN. Broken rules: see `rule`; extents are counted
/// from the innermost. Source: NNRt OH_NN_OPS_LESS_EQUAL.
struct less_equal {
  static constexpr op_code code{18};
  static constexpr std::string_view name = "less_equal";
  static constexpr operand_spec inputs[] = {{"a", types::any}, {"b", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::logical}};
  static constexpr operator_traits traits{.typed_in_common = types::any};
  static constexpr foreign_numbers foreign{.nnrt = 18, .hdi = 78};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { types_must_have_a_common_type, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const dtype a = in[0].desc.type, b = in[1].desc.type;
    if (common_type(a, b) == dtype::none) return require(rule::types_must_have_a_common_type, b, a);
    return detail::infer_broadcast<rule>(in, boolean);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr bool element(const attrs&, T a, T b) { return a <= b; }
  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::for_each_pair<T, bool>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }
};

}  // namespace ops

/// less_equal(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto less_equal(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::less_equal>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
