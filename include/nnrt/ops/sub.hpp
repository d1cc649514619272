// sub: a - b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator -.
#pragma once

#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Difference of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, fused(a - b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Integers wrap around. Broken rules: see `rule`; extents are counted from the innermost. Source: NNRt OH_NN_OPS_SUB.
struct sub {
  static constexpr op_code code{38};
  static constexpr std::string_view name = "sub";
  static constexpr operand_spec inputs[] = {{"a", detail::arithmetic}, {"b", detail::arithmetic}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .typed_in_common = types::number};
  static constexpr foreign_numbers foreign{.nnrt = 38, .hdi = 152};
  static constexpr nnrt_parameter parameters[] = {{"fused", 59, i8}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_have_a_common_type, operands_must_not_both_be_boolean, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_arithmetic<rule>(in);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& attributes, T a, T b) {
    using wide = detail::wrapping_t<T>;
    return detail::finished<T>(static_cast<wide>(a) - static_cast<wide>(b), attributes.fused);
  }
  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }
};

}  // namespace ops

/// sub(a, b), where one of the two may be a number, with a fused activation; a - b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto sub(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::sub>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator-(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::sub>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA
