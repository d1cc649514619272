// mod: the remainder of a / b, element by element.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Remainder of a division, element by element.
///
///   a, b: shapes that broadcast as in NumPy      y: the common shape, a - floor(a / b) * b, with the sign of b
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Integers: 0 for b = 0. Floats: a zero has the sign of b, too; NaN for b = 0 or an infinite a; for a finite a and an
/// infinite b, a if their signs are equal, else b.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on). Source: NNRt OH_NN_OPS_MOD, which leaves the
/// sign open; it is NumPy's and Python's.
struct mod {
  static constexpr op_code code{83};
  static constexpr std::string_view name = "mod";
  static constexpr operand_spec inputs[] = {{"a", detail::arithmetic}, {"b", detail::arithmetic}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .typed_in_common = types::number,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 83, .hdi = 98};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { types_must_have_a_common_type, operands_must_not_both_be_boolean, extents_must_be_equal_or_1 };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_arithmetic<Rule>(in);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T a, T b) {
    if constexpr (std::is_unsigned_v<T>) return b == 0 ? T{0} : static_cast<T>(a % b);
    else return static_cast<T>(math::floor_mod(static_cast<math::compute_t<T>>(a), static_cast<math::compute_t<T>>(b)));
  }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T x, T y) { return element(a, x, y); });
  }
};

}  // namespace ops

/// mod(a, b), one of which may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<A, B>
constexpr auto mod(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::mod>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
