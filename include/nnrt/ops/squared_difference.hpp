// squared_difference: (a - b)^2 with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Square of the difference of two tensors, element by element.
///
///   a, b: shapes that broadcast as in NumPy      y: the common shape, (a - b) * (a - b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Integers wrap around.
///
/// Quantised: a and b i8, u8 or i16 with one scale each, y with the scale given by `into<quant{…}>`. Both are shifted
/// left by 7 bits, rescaled to twice the larger scale and subtracted; the square is rescaled to y.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_SQUARED_DIFFERENCE; quantised: the reference kernel of TFLite's SQUARED_DIFFERENCE, which has i8.
struct squared_difference : detail::arithmetic_function<false> {
  static constexpr op_code code{34};
  static constexpr std::string_view name = "squared_difference";
  static constexpr error_bound errors[] = {{types_of(f32), 2}, {types_of(f16), 0.51}, {types_of(f64), 2}};
  static constexpr foreign_numbers foreign{.nnrt = 34, .hdi = 149, .tells_quantisation = 0};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using rule = detail::arithmetic_rule;
  using attrs = no_attributes;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T a, T b) {
    using wide = detail::wrapping_t<T>;
    const wide difference = static_cast<wide>(a) - static_cast<wide>(b);
    return static_cast<T>(difference * difference);
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const detail::quantised_pair& of) {
    return detail::quantised_squared_difference<T>(of);
  }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::compute_pairs<squared_difference, T>(attributes, in, out);
  }
};

}  // namespace ops

/// squared_difference(a, b), one of which may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<A, B>
constexpr auto squared_difference(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::squared_difference>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
