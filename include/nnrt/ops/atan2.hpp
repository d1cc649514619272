// atan2: the angle of points whose coordinates are two tensors.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/atan2.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Angle of points from the x axis, element by element.
///
///   y, x: shapes that broadcast as in NumPy      angle: the common shape, in radians from -pi to pi
///
/// The point is (x, y): the angle has the sign of y and is atan(y / x) for positive x. Special values are those of C's
/// atan2: 0 or pi for y = 0, by the sign of x; multiples of pi/4 for infinities; NaN for NaN. `angle` has the dtype of
/// higher precision of the two.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on). Source: C's atan2; TFLite's ATAN2.
struct atan2 {
  static constexpr op_code code{1020};
  static constexpr std::string_view name = "atan2";
  static constexpr operand_spec inputs[] = {{"y", types::floating}, {"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"angle", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .typed_in_common = types::floating,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { extents_must_be_equal_or_1 };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_broadcast<Rule>(in, common_type(in[0].desc.type, in[1].desc.type));
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T y, T x) {
    return math::convert<T>(math::atan2(math::convert<double>(y), math::convert<double>(x)));
  }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T y, T x) { return element(a, y, x); });
  }
};

}  // namespace ops

/// atan2(y, x), one of which may be a number.
template <class Y, class X, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<Y, X>
constexpr auto atan2(Y y, X x, Keywords... keywords) {
  dsl::check_scalar<Y, X>();
  return dsl::apply<ops::atan2>(y, x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
