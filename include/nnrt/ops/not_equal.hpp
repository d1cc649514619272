// not_equal: whether a and b differ, element by element.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Comparison of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do      y: the common shape, of booleans: whether a != b
///
/// Elements are compared in the dtype of higher precision of the two: floats before integers before booleans, of which
/// false is the smaller one. A NaN differs from everything.
///
/// Broken rules: see `rule`; extents are counted from the innermost. Source: NNRt OH_NN_OPS_NOT_EQUAL.
struct not_equal : detail::comparison {
  static constexpr op_code code{72};
  static constexpr std::string_view name = "not_equal";
  static constexpr foreign_numbers foreign{.nnrt = 72, .hdi = 103};
  enum class rule { types_must_have_a_common_type, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_comparison<rule>(in);
  }

  /// One element of the result.
  template <class T> static constexpr bool element(const attrs&, T a, T b) { return a != b; }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::for_each_pair<T, bool>(in, out, [&](T x, T y) { return element(a, x, y); });
  }
};

}  // namespace ops

/// not_equal(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto not_equal(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::not_equal>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
