// pow: (scale * x + shift) to the power of y, with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Power of two tensors, element by element.
///
///   x, y: shapes that broadcast as in NumPy      z: the common shape, (scale * x + shift) ^ y
///
/// scale is 1 and shift is 0 by default. z has the dtype of higher precision of the two: floats before integers before
/// booleans, which count as 0 and 1. Floats are computed in f64, including the base (scale * x + shift), and rounded
/// once. Special values are those of C's pow: any number to the power of 0 is 1; a negative number to a non-integer
/// power is NaN.
///
/// Integers with scale 1 and shift 0 are multiplied exactly and wrap around; 0 to the power of 0 is 1. With a negative
/// power 1 gives 1, -1 gives 1 or -1, and others, including 0, give 0. With another scale or shift they are computed in
/// f64 and converted as by cast.
///
/// Quantised: x and y i8, u8 or i16 with one scale each, z with the scale given by `into<quant{…}>`. Each quantised
/// value is nearest to the real result, rounded to float. NaN is the zero point.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_POW, with open cases decided by this library.
struct pow : detail::arithmetic_function<false> {
  static constexpr op_code code{25};
  static constexpr std::string_view name = "pow";
  static constexpr operand_spec inputs[] = {{"x", detail::arithmetic}, {"y", detail::arithmetic}};
  static constexpr operand_spec outputs[] = {{"z", types::number}};
  // With u = 2^-53 and b = scale x + shift, the product has an error of u |scale x| and the sum one of u |b|: b has a
  // relative error of d = u (|scale x / b| + 1), and b^y one of |y| d, where (1 + d)^y - 1 < 1.01 |y| d as long as d
  // and y d are below 2^-8. u z is at most 1 ULP of z; 2^-29 ULP for f32 and 2^-42 for f16.
  static constexpr std::string_view rounded = "|y| * (|scale * x / base| if scale is not 1, + 1 if shift is not 0)";
  static constexpr std::string_view too_far =
      "n or |scale * x / base| is above 2^45, or scale is not 1 and scale * x no normal number of f64";
  static constexpr error_bound errors[] = {{types_of(f32), 0.51, error_unit::result, 2e-9, false, rounded, too_far},
                                           {types_of(f16), 0.51, error_unit::result, 2.4e-13, false, rounded, too_far},
                                           {types_of(f64), 1.1, error_unit::result, 1.01, false, rounded, too_far}};
  static constexpr foreign_numbers foreign{.nnrt = 25, .hdi = 110};
  static constexpr nnrt_parameter parameters[] = {{"scale", 107, f32}, {"shift", 108, f32}};
  using rule = detail::arithmetic_rule;

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, scale), (float, shift));
    constexpr attrs() : scale(1), shift(0) {}
  };

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& a, T x, T y) {
    if constexpr (std::is_integral_v<T>)
      if (leaves_the_base(a)) return power(x, y);
    return math::convert<T>(power_of_reals(a, math::convert<double>(x), math::convert<double>(y)));
  }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) {
        const quantisation &of_x = in[0].desc->quantised, &of_y = in[1].desc->quantised;
        const detail::storing<T> store(out[0]);
        return detail::for_each_pair<T>(in, out, [&](T x, T y) {
          return store(
              power_of_reals(a, detail::finite(double{real_of(x, of_x)}), detail::finite(double{real_of(y, of_y)})));
        });
      }
    detail::for_each_pair<T>(in, out, [&](T x, T y) { return element(a, x, y); });
  }

 private:
  static constexpr bool leaves_the_base(const attrs& a) { return a.scale == 1 && a.shift == 0; }
  static constexpr double power_of_reals(const attrs& a, double x, double y) {
    // -0 + 0 is 0
    return math::pow(leaves_the_base(a) ? x : math::product(x, double{a.scale}) + double{a.shift}, y);
  }
  template <class T> static constexpr T power(T x, T y) {
    if constexpr (std::is_signed_v<T>)
      if (y < 0) return x == 1 || (x == -1 && y % 2 == 0) ? T{1} : x == -1 ? T{-1} : T{0};
    std::uint64_t result = 1, square = static_cast<std::uint64_t>(x);
    for (auto left = static_cast<std::uint64_t>(y); left != 0; left >>= 1U, square *= square)
      if ((left & 1U) != 0) result *= square;
    return static_cast<T>(result);
  }
};

}  // namespace ops

/// pow(x, y), one of which may be a number, with `scaled_by<…>` and `shifted_by<…>`.
template <class X, class Y, dsl::keyword_argument... Keywords>
  requires dsl::operand_pair<X, Y>
constexpr auto pow(X x, Y y, Keywords... keywords) {
  dsl::check_scalar<X, Y>();
  return dsl::apply<ops::pow>(x, y, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
