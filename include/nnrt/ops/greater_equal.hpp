// greater_equal: whether a >= b, element by element.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_comparison.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Comparison of two tensors, element by element.
///
///   a, b: shapes that broadcast as in NumPy      y: the common shape, of booleans: whether a >= b
///
/// Elements are compared in the dtype of higher precision of the two: floats before integers before booleans; false is
/// less than true. Nothing is greater than, or equal to, a NaN.
///
/// Quantised: a and b both i8, u8 or i16, with one scale each; the real numbers are rescaled to multiples of 1/256 in
/// fixed point and compared; numbers that differ by less may count as equal.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_GREATER_EQUAL; quantised: the reference kernels of TFLite's GREATER_EQUAL, which has 8 bits.
struct greater_equal : detail::comparison {
  static constexpr op_code code{73};
  static constexpr std::string_view name = "greater_equal";
  static constexpr foreign_numbers foreign{.nnrt = 73, .hdi = 72, .tells_quantisation = 1};
  using rule = detail::comparison_rule;

  /// One element of the result.
  template <class T> static constexpr bool element(const attrs&, T a, T b) { return a >= b; }
  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compare<greater_equal, T>(in, out);
  }
};

}  // namespace ops

/// greater_equal(a, b), one of which may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<A, B>
constexpr auto greater_equal(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::greater_equal>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
