// sub: a - b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator -.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/fold_affine.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Difference of two tensors, element by element.
///
///   a, b: shapes that broadcast as in NumPy      y: the common shape, fused(a - b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Integers wrap around.
///
/// Quantised: a and b i8, u8 or i16 with one scale each, y with the scale given by `into<quant{…}>`. Both are shifted
/// left by 20 bits (i16: 15), rescaled to twice the larger scale, subtracted, rescaled to y and clamped by the
/// activation. For i16 this holds for all scales.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_SUB; quantised: the reference kernels of TFLite's SUB.
struct sub : detail::arithmetic_function<true, meaning::sub> {
  static constexpr op_code code{38};
  static constexpr std::string_view name = "sub";
  static constexpr foreign_numbers foreign{.nnrt = 38, .hdi = 152};
  static constexpr nnrt_parameter parameters[] = {{"fused", 59, i8}};
  using folded_as = fold_affine;
  using rule = detail::arithmetic_rule;
  using attrs = detail::fused_attribute;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& attributes, T a, T b) {
    using wide = detail::wrapping_t<T>;
    return detail::finished<T>(static_cast<wide>(a) - static_cast<wide>(b), attributes.fused);
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const detail::quantised_pair& of) {
    return detail::quantised_sum<T>(of, -1);
  }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::compute_pairs<sub, T>(attributes, in, out, attributes.fused);
  }
};

}  // namespace ops

/// sub(a, b), one of which may be a number, with a fused activation; a - b is the same without one.
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

}}  // namespace nnrt::NNRT_ISA
