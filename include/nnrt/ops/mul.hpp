// mul: a * b, element by element, with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator *.
#pragma once

#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Product of two tensors, element by element; for the product of matrices see matmul.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, fused(a * b)
///
/// Integers wrap around. Rules: the dtypes must be equal (cast one operand where they are not); extents, counted from
/// the innermost, must be equal or 1. Source: NNRt OH_NN_OPS_MUL.
struct mul {
  static constexpr op_code code{22};
  static constexpr std::string_view name = "mul";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 22, .hdi = 99};
  static constexpr nnrt_parameter parameters[] = {{"fused", 41, i8}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    using wide = detail::wrapping_t<T>;
    detail::for_each_pair<T>(in, out, [&](T a, T b) {
      return detail::finished<T>(static_cast<wide>(a) * static_cast<wide>(b), attributes.fused);
    });
  }
};

}  // namespace ops

/// mul(a, b), where one of the two may be a number, with a fused activation; a * b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto mul(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::mul>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator*(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::mul>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA
