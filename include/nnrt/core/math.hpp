// math: elementary functions with the same results in constant evaluation and at run time.
// Flow: every operator's reference() uses these functions; tests compare kernels with them.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/dtype.hpp>
#include <nnrt/core/math_parts.hpp>

#include <bit>
#include <cstdint>

/// Elementary functions on double and float, without `<cmath>`.
///
/// Error on double, against the exact value: sqrt, fmod and all rounding functions are exact or correctly rounded. exp,
/// log, pow, tanh, sin and cos have at most 1 ULP, expm1, log1p and erf 1.5, erfc 12, over the full range; 0.5 ULP more
/// for subnormal results.
/// A float overload computes in double and rounds once: at most 0.51 ULP. The test core/math measures these errors.
/// Domain: all numbers. Special values (zeros, infinities, NaN) follow IEEE 754 and C's annex F; no argument is an
/// error, even in constant evaluation.
///
/// Results have the same bits at compile time and at run time, for all -m and -O flags: products are not contracted
/// with additions. A double argument that is a product must be computed by product(); otherwise g++ with FMA passes it
/// unrounded. (Float arguments are rounded by their conversion.)
/// Flags that give up IEEE arithmetic (-ffast-math, clang's -ffp-contract=fast, x87) void this.
namespace nnrt { inline namespace NNRT_ISA { namespace math {

// --- signs, classes --------------------------------------------------------

/// |x|. For the most negative integer, that integer (two's complement).
constexpr double abs(double x) { return detail::from_bits(detail::bits(x) & ~detail::sign_bit); }
constexpr float abs(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffU); }
constexpr std::int64_t abs(std::int64_t x) {
  return x < 0 ? static_cast<std::int64_t>(~static_cast<std::uint64_t>(x) + 1) : x;
}

constexpr double copysign(double magnitude, double sign) {
  return detail::from_bits((detail::bits(magnitude) & ~detail::sign_bit) | (detail::bits(sign) & detail::sign_bit));
}
constexpr float copysign(float magnitude, float sign) {
  return static_cast<float>(copysign(double{magnitude}, double{sign}));
}

// These read bits: with -ffast-math x != x is always false.
constexpr bool is_nan(double x) { return (detail::bits(x) & ~detail::sign_bit) > detail::infinity_bits; }
constexpr bool is_nan(float x) { return is_nan(double{x}); }
constexpr bool is_inf(double x) { return (detail::bits(x) & ~detail::sign_bit) == detail::infinity_bits; }
constexpr bool is_inf(float x) { return is_inf(double{x}); }
constexpr bool is_finite(double x) { return (detail::bits(x) & ~detail::sign_bit) < detail::infinity_bits; }
constexpr bool is_finite(float x) { return is_finite(double{x}); }

// --- rounding --------------------------------------------------------------
// Doubles from 2^52 on are integers. Zero results keep the sign of x.

constexpr double trunc(double x) {
  return abs(x) < 0x1p52 ? copysign(static_cast<double>(static_cast<std::int64_t>(x)), x) : x;
}

constexpr double floor(double x) {
  const double whole = trunc(x);
  return whole > x ? whole - 1.0 : whole;
}

constexpr double ceil(double x) {
  const double whole = trunc(x);
  return whole < x ? copysign(whole + 1.0, x) : whole;
}

/// Nearest integer, half away from zero.
constexpr double round_half_away(double x) {
  const double whole = trunc(x);
  return abs(x) < 0x1p52 && abs(x - whole) >= 0.5 ? whole + copysign(1.0, x) : whole;
}

/// Nearest integer, half to even.
constexpr double round_half_even(double x) {
  if (!(abs(x) < 0x1p52)) return x;
  const double whole = trunc(x), rest = abs(x - whole);
  const bool is_odd = (static_cast<std::int64_t>(whole) & 1) != 0;
  return rest > 0.5 || (rest == 0.5 && is_odd) ? whole + copysign(1.0, x) : whole;
}

constexpr float trunc(float x) { return static_cast<float>(trunc(double{x})); }
constexpr float floor(float x) { return static_cast<float>(floor(double{x})); }
constexpr float ceil(float x) { return static_cast<float>(ceil(double{x})); }
/// a / b for positive b, rounded to the nearest integer, half to even.
constexpr std::int64_t quotient_to_even(std::int64_t a, std::int64_t b) {
  std::int64_t below = a / b, rest = a % b;
  if (rest < 0) rest += b, --below;
  return below + (2 * rest > b || (2 * rest == b && (below & 1) != 0) ? 1 : 0);
}
constexpr float round_half_away(float x) { return static_cast<float>(round_half_away(double{x})); }
constexpr float round_half_even(float x) { return static_cast<float>(round_half_even(double{x})); }

// --- remainders ------------------------------------------------------------

/// Remainder of x / y with the sign of x.
/// Domain: all numbers; NaN for y = 0 or infinite x.
/// Error: exact (test: core/math).
constexpr double fmod(double x, double y) {
  if (is_nan(x) || is_nan(y) || is_inf(x) || y == 0.0) return nan<double>;
  if (abs(x) < abs(y)) return x;
  const detail::integral dividend = detail::as_integral(abs(x)), divisor = detail::as_integral(abs(y));
  std::uint64_t rest = dividend.mantissa % divisor.mantissa;
  for (int left = dividend.exponent - divisor.exponent; left > 0; left -= 11) {  // 53 bits and 11 fill a word
    rest = (rest << static_cast<unsigned>(left < 11 ? left : 11)) % divisor.mantissa;
  }
  return copysign(detail::scaled(static_cast<double>(rest), divisor.exponent), x);
}
constexpr float fmod(float x, float y) { return static_cast<float>(fmod(double{x}, double{y})); }

/// Remainder with the sign of y, also for a zero: x - floor(x / y) * y. NaN where fmod is NaN.
constexpr double floor_mod(double x, double y) {
  const double rest = fmod(x, y);
  if (is_nan(rest)) return rest;
  if (rest == 0.0) return copysign(0.0, y);
  return (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}
constexpr float floor_mod(float x, float y) { return static_cast<float>(floor_mod(double{x}, double{y})); }

/// For integers; 0 for y = 0.
constexpr std::int64_t floor_mod(std::int64_t x, std::int64_t y) {
  if (y == 0 || y == -1) return 0;
  const std::int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// --- powers ----------------------------------------------------------------

/// Square root.
/// Domain: all numbers; NaN below zero.
/// Error: correctly rounded (test: core/math).
constexpr double sqrt(double x) {
  if (is_nan(x) || x == 0.0 || x == infinity<double>) return x;
  if (x < 0.0) return nan<double>;
  const bool subnormal = x < 0x1p-1022;
  const detail::integral n = detail::as_integral(subnormal ? x * 0x1p54 : x);
  // scaled by an even power of two
  const std::uint64_t square = n.mantissa << (static_cast<unsigned>(n.exponent) & 1U);
  const double m = static_cast<double>(square) * 0x1p-52;  // 1 <= m < 4
  double y = NNRT_PRODUCT(0.34, m) + 0.68;
  y = 0.5 * (y + m / y);
  y = 0.5 * (y + m / y);
  y = 0.5 * (y + m / y);
  y = 0.5 * (y + m / y);
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): an error of one is corrected below.
  auto root = static_cast<std::int64_t>(NNRT_PRODUCT(y, 0x1p52) + 0.5);
  // The root is the integer nearest to sqrt(square * 2^52): -root < rest <= root. The rest is small, so that arithmetic
  // modulo 2^64 suffices.
  const auto rest = [&] {
    return static_cast<std::int64_t>((square << 52U) -
                                     static_cast<std::uint64_t>(root) * static_cast<std::uint64_t>(root));
  };
  while (rest() > root) ++root;
  while (rest() <= -root) --root;
  return static_cast<double>(root) * detail::power_of_two((n.exponent >> 1) - 26 - (subnormal ? 27 : 0));
}
constexpr float sqrt(float x) { return static_cast<float>(sqrt(double{x})); }

/// e^x.
/// Domain: all numbers; x > 710 gives infinity, x < -746 gives 0, NaN gives NaN.
/// Error: at most 1 ULP (test: core/math).
constexpr double exp(double x) {
  if (is_nan(x)) return x;
  if (x > 710.0) return infinity<double>;
  return x < -746.0 ? 0.0 : detail::exp({x, 0.0});
}
constexpr float exp(float x) { return static_cast<float>(exp(double{x})); }

/// e^x - 1, accurate near zero.
/// Domain: all numbers; x > 710 gives infinity, x < -40 gives -1, NaN gives NaN.
/// Error: at most 1.5 ULP (test: core/math).
constexpr double expm1(double x) {
  if (is_nan(x) || abs(x) < 0x1p-54) return x;
  if (x > 710.0) return infinity<double>;
  if (x < -40.0) return -1.0;
  const detail::exponential e = detail::wide_expm1(x);
  return detail::scaled(e.high, e.exponent);
}
constexpr float expm1(float x) { return static_cast<float>(expm1(double{x})); }

/// Natural logarithm.
/// Domain: all numbers; 0 gives -infinity, negative x and NaN give NaN.
/// Error: at most 1 ULP (test: core/math).
constexpr double log(double x) {
  if (is_nan(x) || x == infinity<double>) return x;
  if (x == 0.0) return -infinity<double>;
  if (x < 0.0) return nan<double>;
  const detail::binary b = detail::split(x);
  const double f = b.mantissa - 1.0, s = f / (2.0 + f), z = product(s, s), half = product(0.5 * f, f);
  // log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + 2 s^2/3 + 2 s^4/5 + ...)); the large terms are exact.
  const double series = detail::polynomial(z, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                           2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3);
  const double tail = product(s, half + product(z, series)) + product(detail::ln2_low, b.exponent);
  return NNRT_PRODUCT(detail::ln2_high, b.exponent) + (f - (half - tail));
}
constexpr float log(float x) { return static_cast<float>(log(double{x})); }

/// log(1 + x), accurate near zero.
/// Domain: all numbers; -1 gives -infinity, x < -1 and NaN give NaN.
/// Error: at most 1.5 ULP (test: core/math).
constexpr double log1p(double x) {
  if (is_nan(x) || x == infinity<double> || abs(x) < 0x1p-54) return x;
  if (x <= -1.0) return x < -1.0 ? nan<double> : -infinity<double>;
  const detail::wide sum = detail::sum_of(1.0, x);
  return log(sum.high) + sum.low / sum.high;
}
constexpr float log1p(float x) { return static_cast<float>(log1p(double{x})); }

/// x to the power of y.
/// Domain: all numbers; special values as in C's annex F.10.4.4: pow(x, 0) = pow(1, y) = 1 even for NaN; NaN for
/// negative x and non-integer y.
/// Error: at most 1 ULP (test: core/math).
constexpr double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (is_nan(x)) return x;
  if (is_nan(y)) return y;
  const double base = abs(x);
  const bool whole = trunc(y) == y, odd = whole && abs(y) < 0x1p53 && (static_cast<std::int64_t>(y) & 1) != 0;
  const double sign = odd ? copysign(1.0, x) : 1.0;
  if (base == 1.0 && is_inf(y)) return 1.0;
  if (base == 0.0 || is_inf(base)) return (base == 0.0) == (y < 0.0) ? sign * infinity<double> : sign * 0.0;
  if (x < 0.0 && !whole) return nan<double>;
  if (base == 1.0) return sign;
  if (abs(y) > 0x1p64) return (base > 1.0) == (y > 0.0) ? infinity<double> : 0.0;
  const detail::wide logarithm = detail::wide_log(base), power = detail::product_of(y, logarithm.high);
  if (power.high > 710.0) return sign * infinity<double>;
  if (power.high < -746.0) return sign * 0.0;
  return sign * detail::exp({power.high, power.low + product(y, logarithm.low)});
}
constexpr float pow(float x, float y) { return static_cast<float>(pow(double{x}, double{y})); }

// --- activations -----------------------------------------------------------

/// Hyperbolic tangent.
/// Domain: all numbers; |x| > 20 gives ±1, NaN gives NaN.
/// Error: at most 1 ULP (test: core/math).
constexpr double tanh(double x) {
  const double size = abs(x);
  if (is_nan(x) || size < 0x1p-28) return x;
  if (size > 20.0) return copysign(1.0, x);
  // g / (g + 2) with g = e^2x - 1 to about 60 bits: the quotient of the leading parts plus its remainder over the
  // divisor.
  const detail::exponential g = detail::wide_expm1(2.0 * size);
  const double unit = detail::power_of_two(g.exponent), high = NNRT_PRODUCT(g.high, unit),
               low = NNRT_PRODUCT(g.low, unit);
  const detail::wide divisor = detail::sum_of(2.0, high);
  const double quotient = high / divisor.high;
  const detail::wide back = detail::product_of(quotient, divisor.high);
  const double rest = ((high - back.high) - back.low) + (low - product(quotient, divisor.low + low));
  return copysign(quotient + rest / divisor.high, x);
}
constexpr float tanh(float x) { return static_cast<float>(tanh(double{x})); }

/// Error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.
/// Domain: all numbers; |x| >= 6 gives ±1, NaN gives NaN.
/// Error: at most 1.5 ULP (test: core/math).
constexpr double erf(double x) {
  const double size = abs(x);
  if (is_nan(x)) return x;
  if (size >= 6.0) return copysign(1.0, x);
  if (size >= 1.0) return copysign(1.0 - detail::erfc_of(size), x);
  // Chebyshev interpolant of erf(x)/x - 1 in x^2, computed like those of erfc_of.
  const double series = detail::polynomial(
      product(x, x), 0x1.05ffd737fb32ep-34, -0x1.389d4f2641625p-30, 0x1.f7b4bf3b13964p-27, -0x1.5f1ecb6f0764cp-23,
      0x1.b9df224ca4b97p-20, -0x1.f4d1e3183f7aep-17, 0x1.f9a321d5b8e1ep-14, -0x1.c02db3dac435fp-11,
      0x1.565bcd0dbaa38p-8, -0x1.b82ce31284ep-6, 0x1.ce2f21a042b3p-4, -0x1.812746b0379e6p-2, 0x1.06eba8214db69p-3);
  return x + product(x, series);
}
constexpr float erf(float x) { return static_cast<float>(erf(double{x})); }

/// 1 - erf(x), without cancellation for positive x.
/// Domain: all numbers; x > 27.3 gives 0, NaN gives NaN.
/// Error: at most 12 ULP, plus at most half of the smallest subnormal below 2^-1022 (test: core/math).
constexpr double erfc(double x) {
  if (is_nan(x)) return x;
  if (x < 1.0) return 1.0 - erf(x);
  if (x < 1.5) return detail::erfc_of(x);
  if (x > 27.3) return 0.0;
  // e^(-x^2) / sqrt(pi) divided by the continued fraction x + (1/2) / (x + (2/2) / (x + (3/2) / ...)) (Laplace).
  double fraction = x;
  for (int k = 90; k > 0; --k) fraction = x + 0.5 * k / fraction;
  const detail::wide square = detail::product_of(x, x);
  return detail::exp({-square.high, -square.low}) * 0.56418958354775628695 / fraction;
}

constexpr float erfc(float x) { return static_cast<float>(erfc(double{x})); }

// --- angles, in radians ----------------------------------------------------

/// Sine.
/// Domain: all numbers; infinities and NaN give NaN.
/// Error: at most 1 ULP (test: core/math).
constexpr double sin(double x) {
  if (is_nan(x) || abs(x) < 0x1p-27) return x;
  if (is_inf(x)) return nan<double>;
  const detail::angle r = detail::reduced_angle(abs(x));
  const double value = r.quadrant % 2 == 0 ? detail::sin_of(r) : detail::cos_of(r);
  return (r.quadrant < 2) == (x > 0.0) ? value : -value;
}
constexpr float sin(float x) { return static_cast<float>(sin(double{x})); }

/// Cosine.
/// Domain: all numbers; infinities and NaN give NaN.
/// Error: at most 1 ULP (test: core/math).
constexpr double cos(double x) {
  if (is_nan(x)) return x;
  if (is_inf(x)) return nan<double>;
  const detail::angle r = detail::reduced_angle(abs(x));
  const double value = r.quadrant % 2 == 0 ? detail::cos_of(r) : detail::sin_of(r);
  return r.quadrant == 0 || r.quadrant == 3 ? value : -value;
}
constexpr float cos(float x) { return static_cast<float>(cos(double{x})); }

}}}  // namespace nnrt::NNRT_ISA::math
