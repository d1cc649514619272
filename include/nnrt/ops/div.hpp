// div: a / b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator /.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/fold_affine.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {
namespace detail {

/// 1 / divisor = mantissa * 2^(-31 - bits).
struct fixed_reciprocal {
  std::int32_t mantissa = 0;
  int bits = 0;
};

/// Reciprocal of a positive integer by three Newton-Raphson steps from 48/17 - 32/17 * d, where d in [1/2, 1) is the
/// divisor without its exponent. Values have 29 fraction bits, d has 31. Source: gemmlowp's
/// one_over_one_plus_x_for_x_in_0_1, called by TFLite's GetReciprocal.
constexpr fixed_reciprocal reciprocal_of(std::int32_t divisor) {
  using nnrt::detail::high_product;
  using nnrt::detail::shifted_left;
  constexpr std::int32_t start = 1515870810, slope = -1010580540, one = 1 << 29;  // 48/17, -32/17
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(divisor));
  const std::int64_t twice_d = std::int64_t{divisor} << zeros;
  const auto d = static_cast<std::int32_t>(twice_d / 2);  // (x + the largest number, which means 1, + 1) / 2
  std::int32_t x = start + high_product(d, slope);
  for (int step = 0; step < 3; ++step) x += shifted_left(high_product(x, one - high_product(d, x)), 2);
  return {shifted_left(x, 1), 31 - zeros};
}

/// a / b, with the quotient of the scales, in float. Source: TFLite's DIV. Where that shifts by more than 31 bits,
/// which is undefined, the result is 0; it is also 0 for b = 0.
template <class T> struct quantised_quotient {
  std::int32_t zero_a, zero_b;
  fixed_point factor;
  quantised_result<T> result;

  constexpr explicit quantised_quotient(const quantised_pair& of)
      : zero_a(of.a.zero_point),
        zero_b(of.b.zero_point),
        factor(fixed_point_of(rounded_scale(double{of.a.scale} / divisor_scale(of.b.scale, of.y.scale)))),
        result(of.y, of.fused) {}
  constexpr T operator()(T a, T b) const {
    const std::int32_t divisor = b - zero_b, x = divisor < 0 ? zero_a - a : a - zero_a;
    if (divisor == 0) return result.at(0);
    const fixed_reciprocal r = reciprocal_of(divisor < 0 ? -divisor : divisor);
    const int headroom = std::countl_zero(static_cast<std::uint32_t>(x < 0 ? ~x : x)) - 1;
    const int exponent = factor.exponent - r.bits - headroom;
    if (exponent < -31) return result.at(0);
    const auto whole = static_cast<std::int32_t>(x * (std::int64_t{1} << headroom));
    const std::int32_t quotient = nnrt::detail::high_product(whole, r.mantissa);
    return result.at(rounding::double_rounding::scale(quotient, {factor.mantissa, exponent}));
  }

 private:
  /// The product in float; in double if that overflows or underflows in float.
  static constexpr double divisor_scale(float b, float y) {
    const double product = product_of_tensor_scales(b, y);
    return product > 0 ? product : double{b} * double{y};
  }
};

}  // namespace detail

/// Quotient of two tensors, element by element.
///
///   a, b: shapes that broadcast as in NumPy      y: the common shape, fused(a / b)
///
/// y has the dtype of higher precision of the two: floats before integers before booleans, which count as 0 and 1.
/// Quotients of integers are truncated toward zero; an integer over zero is 0, the most negative one over -1 is itself.
/// Floats follow IEEE 754, also in constant evaluation.
///
/// Quantised: a and b i8, u8 or i16 with one scale each, y with the scale given by `into<quant{…}>`. Quotients of
/// (quantised value - zero point) are computed in fixed point, rescaled to y and clamped by the activation. A divisor
/// equal to its zero point, which means 0, gives 0.
///
/// Broken rules: see `rule`; values: extents (from the innermost axis on), numbers of scales. Source: NNRt
/// OH_NN_OPS_DIV, with open cases decided by this library; quantised: the reference kernel of TFLite's DIV, which has
/// u8, and since 2024 i8 and i16.
struct div : detail::arithmetic_function<false, meaning::div> {
  static constexpr op_code code{11};
  static constexpr std::string_view name = "div";
  static constexpr foreign_numbers foreign{.nnrt = 11, .hdi = 47, .hdi_also = 117};
  static constexpr nnrt_parameter parameters[] = {{"fused", 29, i8}};
  using folded_as = fold_affine;
  using rule = detail::arithmetic_rule;
  using attrs = detail::fused_attribute;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs& attributes, T a, T b) {
    return detail::finished<T>(quotient(a, b), attributes.fused);
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const detail::quantised_pair& of) {
    return detail::quantised_quotient<T>(of);
  }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::compute_pairs<div, T>(attributes, in, out, attributes.fused);
  }

 private:
  template <class T> static constexpr auto quotient(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return T{0};
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(a));  // a / b traps for the most negative a
      }
      return static_cast<T>(a / b);
    } else {
      const auto x = static_cast<math::compute_t<T>>(a), y = static_cast<math::compute_t<T>>(b);
      return y == 0 ? over_zero(x, y) : x / y;
    }
  }
  // Constant evaluation rejects division by zero.
  template <class T> static constexpr T over_zero(T x, T zero) {
    if (x == 0 || math::is_nan(x)) return math::nan<T>;
    return math::copysign(math::infinity<T>, x) * math::copysign(T{1}, zero);
  }
};

}  // namespace ops

/// div(a, b), one of which may be a number, with a fused activation; a / b is the same without one.
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

}}  // namespace nnrt::NNRT_ISA
