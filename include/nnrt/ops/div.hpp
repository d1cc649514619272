// div: a / b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator /.
#pragma once

#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Quotient of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, fused(a / b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Quotients of integers are truncated toward zero; an integer over zero is 0, the most negative one over -1 wraps
/// around to itself. Floats follow IEEE 754, in constant evaluation too. Broken rules: see `rule`; extents are counted
/// from the innermost. Source: NNRt OH_NN_OPS_DIV, made definite in this library.
struct div {
  static constexpr op_code code{11};
  static constexpr std::string_view name = "div";
  static constexpr operand_spec inputs[] = {{"a", detail::arithmetic}, {"b", detail::arithmetic}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .typed_in_common = types::number};
  static constexpr foreign_numbers foreign{.nnrt = 11, .hdi = 47};
  static constexpr nnrt_parameter parameters[] = {{"fused", 29, i8}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_have_a_common_type, operands_must_not_both_be_boolean, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_arithmetic<rule>(in);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& attributes, T a, T b) {
    return detail::finished<T>(quotient(a, b), attributes.fused);
  }
  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T a, T b) { return element(attributes, a, b); });
  }

 private:
  template <class T> static constexpr auto quotient(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return T{0};
      if constexpr (std::is_signed_v<T>) {
        if (b == -1)
          return static_cast<T>(0 - static_cast<std::uint64_t>(a));  // a / b would trap for the most negative a
      }
      return static_cast<T>(a / b);
    } else {
      const auto x = static_cast<math::compute_t<T>>(a), y = static_cast<math::compute_t<T>>(b);
      return y == 0 ? over_zero(x, y) : x / y;
    }
  }
  // Constant evaluation refuses to divide by zero.
  template <class T> static constexpr T over_zero(T x, T zero) {
    if (x == 0 || math::is_nan(x)) return math::nan<T>;
    return math::copysign(math::infinity<T>, x) * math::copysign(T{1}, zero);
  }
};

}  // namespace ops

/// div(a, b), where one of the two may be a number, with a fused activation; a / b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto div(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::div>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator/(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::div>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA
