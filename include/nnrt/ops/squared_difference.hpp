// squared_difference: (a - b)^2 with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Square of the difference of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, (a - b) * (a - b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Integers wrap around. Broken rules: see `rule`; extents are counted from the innermost.
/// Source: NNRt OH_NN_OPS_SQUARED_DIFFERENCE.
struct squared_difference {
  static constexpr op_code code{34};
  static constexpr std::string_view name = "squared_difference";
  static constexpr operand_spec inputs[] = {{"a", detail::arithmetic}, {"b", detail::arithmetic}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .typed_in_common = types::number};
  static constexpr foreign_numbers foreign{.nnrt = 34, .hdi = 149};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { types_must_have_a_common_type, operands_must_not_both_be_boolean, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_arithmetic<rule>(in);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T a, T b) {
    using wide = detail::wrapping_t<T>;
    const wide difference = static_cast<wide>(a) - static_cast<wide>(b);
    return static_cast<T>(difference * difference);
  }
  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }
};

}  // namespace ops

/// squared_difference(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto squared_difference(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::squared_difference>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
