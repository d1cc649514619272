// atan2: angle of a point, as a constexpr function.
// Flow: ops/atan2.hpp computes each element with it; core/math.hpp has the other elementary functions.
#pragma once

#include <nnrt/core/math.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace math {

namespace detail {

/// atan(i / 8), from mpmath with 300 bits.
inline constexpr wide arctangents[] = {{0.0, 0.0},
                                       {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                       {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                       {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                       {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                       {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                       {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                       {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                       {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/// atan(y / x) for 2^-30 x <= y <= x, if products of the two do not leave the range of doubles. With c = i / 8 near y /
/// x: atan(y / x) = atan(c) + atan(r), r = (y - c x) / (x + c y), |r| < 1/15.
constexpr wide wide_atan(double y, double x) {
  const auto i = static_cast<int>(nearest(NNRT_PRODUCT(8.0, y / x)));
  const double c = 0.125 * i;
  const wide cx = product_of(c, x), cy = product_of(c, y), difference = sum_of(y, -cx.high), sum = sum_of(x, cy.high);
  const double low = difference.low - cx.low, divisor_low = sum.low + cy.low;
  const wide numerator = sum_of(difference.high, low);
  const double r = numerator.high / sum.high;
  const wide back = product_of(r, sum.high);
  const double r_low =
      (((numerator.high - back.high) - back.low) + (numerator.low - product(r, divisor_low))) / sum.high;
  // Taylor series; the first omitted term is below 2^-66 of r.
  const double z = product(r, r);
  const double series = polynomial(z, 1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3);
  const wide whole = sum_of(arctangents[i].high, r);
  return {whole.high, whole.low + (arctangents[i].low + (r_low + product(product(r, z), series)))};
}

/// atan(y / x) for 0 < y <= x; both may be infinite.
constexpr wide wide_angle(double y, double x) {
  if (is_inf(x)) return is_inf(y) ? arctangents[8] : wide{};
  const double quotient = y / x;
  if (quotient < 0x1p-30) return {quotient, 0.0};
  const double unit = x > 0x1p900 ? 0x1p-200 : x < 0x1p-600 ? 0x1p400 : 1.0;
  return wide_atan(product(y, unit), product(x, unit));
}

}  // namespace detail

/// Angle of the point (x, y) from the x axis, in radians from -pi to pi, with the sign of y.
/// Domain: all numbers. y = 0 gives 0 or pi by the sign of x, also of a zero; infinities give multiples of pi/4; NaN
/// gives NaN.
/// Error: at most 0.51 ULP (test: core/atan2).
constexpr double atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return nan<double>;
  const bool is_left = detail::bits(x) >> 63U != 0, is_steep = abs(y) > abs(x);
  const double longer = is_steep ? abs(y) : abs(x), shorter = is_steep ? abs(x) : abs(y);
  const detail::wide a = shorter == 0.0 ? detail::wide{} : detail::wide_angle(shorter, longer);
  if (!is_steep && !is_left) return copysign(a.high + a.low, y);
  // pi - a, pi/2 - a or pi/2 + a
  const double times = is_steep ? 1.0 : 2.0, sign = is_steep && is_left ? 1.0 : -1.0;
  const detail::wide sum = detail::sum_of(NNRT_PRODUCT(times, detail::half_pi.high), NNRT_PRODUCT(sign, a.high));
  return copysign(sum.high + (sum.low + (NNRT_PRODUCT(times, detail::half_pi.low) + NNRT_PRODUCT(sign, a.low))), y);
}
constexpr float atan2(float y, float x) { return static_cast<float>(atan2(double{y}, double{x})); }

}}}  // namespace nnrt::NNRT_ISA::math
