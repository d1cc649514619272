// math_parts: building blocks of elementary functions - bits of doubles, double-double sums, argument reductions,
// polynomials.
// Flow: core/math.hpp has the functions; references use product() through it where products must be rounded before an
// addition.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace math {

/// Infinity and quiet NaN of float, double or float16, for which the standard library may lack numeric_limits.
template <class T> inline constexpr T infinity = static_cast<T>(std::numeric_limits<float>::infinity());
template <class T> inline constexpr T nan = static_cast<T>(std::numeric_limits<float>::quiet_NaN());

/// a * b, rounded: the compiler must not fuse it with an addition, which is its default with FMA. For reference
/// functions whose results must have the same bits everywhere, and for double arguments of elementary functions.
/// Integers are multiplied.
template <class Real> constexpr Real product(Real a, std::type_identity_t<Real> b) {
#if defined(__clang__)
#pragma clang fp contract(off)
  return a * b;
#else
  Real rounded = a * b;
#if defined(__FP_FAST_FMA)
  // An opaque instruction: the vectoriser of g++ 12 drops __builtin_assoc_barrier, and then fuses.
  if constexpr (std::is_floating_point_v<Real>)
    if (!__builtin_is_constant_evaluated()) asm("" : NNRT_REGISTER_OF_REALS(rounded));
#endif
  return rounded;
#endif
}

// product() without a call, as clang counts calls in constant evaluation. For the innermost loops of references, and
// for exact products: fusing them changes no bit, but a test looks for fused instructions in references. Put
// NNRT_UNFUSED first in the block of the loop.
#if defined(__clang__)
#define NNRT_UNFUSED _Pragma("clang fp contract(off)")
#define NNRT_PRODUCT(a, b) ((a) * (b))
#else
#define NNRT_UNFUSED
#define NNRT_PRODUCT(a, b) nnrt::math::product(a, b)
#endif

namespace detail {

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;
inline constexpr std::uint64_t infinity_bits = std::uint64_t{2047} << 52U;
inline constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 52U) - 1;

// The built-in function: std::bit_cast is a call, which clang counts in constant evaluation.
constexpr std::uint64_t bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
constexpr double from_bits(std::uint64_t word) { return __builtin_bit_cast(double, word); }

/// Polynomial in x by Horner's scheme; coefficients from the highest power down.
template <class... Rest> constexpr double polynomial(double x, double highest, Rest... rest) {
  NNRT_UNFUSED
  double sum = highest;
  // calls of product() would take half of exp's steps in constant evaluation
  ((sum = NNRT_PRODUCT(sum, x) + rest), ...);
  return sum;
}

/// 2^exponent for -1022 <= exponent <= 1023.
constexpr double power_of_two(int exponent) { return from_bits(static_cast<std::uint64_t>(exponent + 1023) << 52U); }

/// x * 2^exponent, rounded once, for 0.5 <= |x| < 2 or an exact result. Infinity on overflow.
constexpr double scaled(double x, int exponent) {
  if (exponent > 1023 && (exponent > 1024 || x >= 1.0)) return infinity<double>;
  if (exponent < -1200) return 0.0;
  const int half = exponent / 2;
  return NNRT_PRODUCT(NNRT_PRODUCT(x, power_of_two(half)), power_of_two(exponent - half));
}

/// A finite x >= 0 as mantissa * 2^exponent; the mantissa is an integer below 2^53.
struct integral {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

constexpr integral as_integral(double x) {
  const std::uint64_t word = bits(x);
  return word <= mantissa_mask
             ? integral{word, -1074}
             : integral{(word & mantissa_mask) | (mantissa_mask + 1), static_cast<int>(word >> 52U) - 1075};
}

/// An unevaluated sum of two doubles (double-double): about 106 bits.
struct wide {
  double high = 0.0, low = 0.0;
};

constexpr wide sum_of(double a, double b) {
  const double high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

/// Product of two doubles; the error of `low` is below 2^-105 of the product. Halves are split by masks, so that
/// nothing overflows unless a * b does.
constexpr wide product_of(double a, double b) {
  constexpr std::uint64_t upper_half = ~((std::uint64_t{1} << 27U) - 1);
  const double a_high = from_bits(bits(a) & upper_half), a_low = a - a_high;
  const double b_high = from_bits(bits(b) & upper_half), b_low = b - b_high;
  const double high = product(a, b);
  return {high, (NNRT_PRODUCT(a_high, b_high) - high + NNRT_PRODUCT(a_high, b_low) + NNRT_PRODUCT(a_low, b_high)) +
                    product(a_low, b_low)};
}

constexpr wide product_of(wide a, wide b) {
  const wide p = product_of(a.high, b.high);
  const double mixed = product(a.high, b.low) + product(a.low, b.high);
  return sum_of(p.high, p.low + NNRT_PRODUCT(1.0, mixed));  // g++ turns x + x into 2 * x and fuses that
}

// ln 2 = ln2_high + ln2_low. ln2_high has 42 bits, so that its product with an exponent is exact.
inline constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45, log2_e = 0x1.71547652b82fep+0;

constexpr std::int64_t nearest(double x) { return static_cast<std::int64_t>(x < 0.0 ? x - 0.5 : x + 0.5); }

/// The number (high + low) * 2^exponent.
struct exponential {
  double high = 0.0, low = 0.0;
  int exponent = 0;
};

/// Reduces e^x to (1 + high + low) * 2^exponent with |high| < 0.35.
constexpr exponential reduced_exponential(wide x) {
  const int k = static_cast<int>(nearest(product(x.high, log2_e)));
  const double high = x.high - NNRT_PRODUCT(ln2_high, k), low = x.low - product(ln2_low, k), r = high + low;
  // Taylor series of (e^r - 1 - r) / r^2; with |r| < 0.35 the first omitted term is below 2^-58.
  const double series = polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                   1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
  return {high, low + product(product(r, r), series), k};
}

/// e^(high + low) for |high| < 2^30; the result may be 0 or infinity.
constexpr double exp(wide x) {
  const exponential e = reduced_exponential(x);
  const wide whole = sum_of(1.0, e.high);
  return scaled(whole.high + (whole.low + e.low), e.exponent);
}

/// e^x - 1 for -40 <= x <= 710.
constexpr exponential wide_expm1(double x) {
  const exponential e = reduced_exponential({x, 0.0});
  const wide one = sum_of(1.0, e.exponent > 200 ? 0.0 : -power_of_two(-e.exponent)), whole = sum_of(one.high, e.high);
  const wide sum = sum_of(whole.high, whole.low + (one.low + e.low));
  return {sum.high, sum.low, e.exponent};
}

/// A positive finite x as 2^exponent * mantissa with sqrt(1/2) <= mantissa < sqrt(2).
struct binary {
  double mantissa = 1.0;
  int exponent = 0;
};

constexpr binary split(double x) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdU;
  const bool subnormal = bits(x) <= mantissa_mask;
  const std::uint64_t offset = bits(subnormal ? x * 0x1p54 : x) - sqrt_half;
  const int exponent = static_cast<int>(static_cast<std::int64_t>(offset) >> 52);
  return {from_bits((offset & mantissa_mask) + sqrt_half), subnormal ? exponent - 54 : exponent};
}

/// log x to about 65 bits, for pow. With s = (m - 1) / (m + 1): log m = 2 atanh(s) = 2s (1 + s^2 (1/3 + ...)).
constexpr wide wide_log(double x) {
  const binary b = split(x);
  const double f = b.mantissa - 1.0, divisor = 2.0 + f, divisor_low = f - (divisor - 2.0), quotient = f / divisor;
  const wide back = product_of(quotient, divisor);
  const wide s{quotient, ((f - back.high) - back.low - product(quotient, divisor_low)) / divisor};
  const wide z = product_of(s, s);
  const double series = polynomial(z.high, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                   1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5);
  const wide factor = sum_of(0x1.5555555555555p-2, product(z.high, series));
  const wide rest = product_of(product_of(z, {factor.high, factor.low + 0x1.5555555555555p-56}),
                               {NNRT_PRODUCT(2.0, s.high), NNRT_PRODUCT(2.0, s.low)});
  const wide mantissa = sum_of(NNRT_PRODUCT(2.0, s.high), rest.high);
  const wide whole = sum_of(NNRT_PRODUCT(ln2_high, b.exponent), mantissa.high);
  return sum_of(whole.high,
                whole.low + (mantissa.low + rest.low + NNRT_PRODUCT(2.0, s.low) + product(ln2_low, b.exponent)));
}

/// An angle x = (4 j + quadrant) * pi/2 + (high + low), with an integer j and |high| <= pi/4.
struct angle {
  double high = 0.0, low = 0.0;
  int quadrant = 0;
};

inline constexpr wide half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// The fraction of 2/pi in binary, after 64 zeros.
inline constexpr std::uint32_t two_over_pi[41] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b,
    0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};

/// 32 bits of 2/pi from bit `first` of the table.
constexpr std::uint32_t two_over_pi_bits(int first) {
  const std::uint64_t pair = std::uint64_t{two_over_pi[first / 32]} << 32U | two_over_pi[first / 32 + 1];
  return static_cast<std::uint32_t>(pair >> static_cast<unsigned>(32 - first % 32));
}

/// Reduces |x| >= 2^20 (Payne and Hanek, 1983). With x = M * 2^e, bits of 2/pi that contribute multiples of 4 to M *
/// 2^e * 2/pi are skipped; the next 224 are multiplied by M modulo 2^224. The remainder is the quadrant (2 bits) and
/// its fraction (222 bits).
constexpr angle large_angle(double x) {
  const auto [mantissa, exponent] = as_integral(x);
  const int first = exponent - 2 + 64;
  std::uint32_t words[7] = {};
  std::uint64_t low = 0, high = 0;  // sums of products with the low and the high half of M, with carries
  for (int i = 6; i >= 0; --i) {
    const std::uint64_t word = two_over_pi_bits(first + 32 * i);
    low = word * (mantissa & 0xffffffffU) + (low >> 32U);
    const std::uint64_t column = (low & 0xffffffffU) + (high & 0xffffffffU);
    words[i] = static_cast<std::uint32_t>(column);
    high = word * (mantissa >> 32U) + (high >> 32U) + (column >> 32U);
  }
  const auto pair = [&](int i) { return std::uint64_t{words[i]} << 32U | words[i + 1]; };
  std::uint64_t fraction = pair(0) << 2U | pair(2) >> 62U, rest = pair(2) << 2U | pair(4) >> 62U;
  const bool beyond_half = fraction >> 63U != 0;
  if (beyond_half) {  // nearest multiple is the next one: use the negative distance
    rest = ~rest + 1;
    fraction = ~fraction + (rest == 0 ? 1U : 0U);
  }
  const double upper = NNRT_PRODUCT(static_cast<double>(fraction >> 11U), 0x1p-53),
               lower = NNRT_PRODUCT(static_cast<double>(fraction << 53U | rest >> 11U), 0x1p-117);
  const wide r = product_of(sum_of(upper, lower), half_pi);
  return {beyond_half ? -r.high : r.high, beyond_half ? -r.low : r.low,
          static_cast<int>((pair(0) >> 62U) + (beyond_half ? 1U : 0U)) & 3};
}

/// Reduces a finite x >= 0. Up to 2^20, pi/2 has three parts, of which two have 33 bits and thus exact products (Cody
/// and Waite, 1980).
constexpr angle reduced_angle(double x) {
  if (x < 0x1.921fb54442d18p-1) return {x, 0.0, 0};
  if (x >= 0x1p20) return large_angle(x);
  const auto n = nearest(product(x, 0x1.45f306dc9c883p-1));
  const auto count = static_cast<double>(n);
  const wide second = sum_of(x - NNRT_PRODUCT(count, 0x1.921fb544p+0), -NNRT_PRODUCT(count, 0x1.0b4611a6p-34));
  const wide third = sum_of(second.high, -product(count, 0x1.3198a2e037073p-69));
  const wide r = sum_of(third.high, third.low + second.low);
  return {r.high, r.low, static_cast<int>(n & 3)};
}

constexpr double sin_of(const angle& r) {
  const double z = product(r.high, r.high);
  const double series = polynomial(z, 1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                                   1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  return r.high + (product(r.low, 1.0 - NNRT_PRODUCT(0.5, z)) + product(product(r.high, z), series));
}

constexpr double cos_of(const angle& r) {
  const double z = product(r.high, r.high), half = NNRT_PRODUCT(0.5, z), leading = 1.0 - half;
  const double series = polynomial(z, -1.0 / 6402373705728000, 1.0 / 20922789888000, -1.0 / 87178291200,
                                   1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24);
  return leading + (((1.0 - leading) - half) + (product(product(z, z), series) - product(r.high, r.low)));
}

/// 1 - erf(x) for 1 <= x < 6, to 2^-56, by a Chebyshev interpolant per interval (mpmath.chebyfit, 400 bits).
constexpr double erfc_of(double x) {
  if (x < 1.5) {
    return polynomial(x - 1.25, 0x1.6b00eb2cb6fdap-19, -0x1.c7dbbabc9602cp-15, 0x1.baa412d8caf14p-15,
                      0x1.538c382602086p-12, -0x1.a0077eba0fde4p-11, -0x1.cc2172222da51p-11, 0x1.75672d12391f6p-8,
                      -0x1.db43cae5db126p-9, -0x1.5d0003af90ad9p-6, 0x1.8281ce0b82f08p-5, 0x1.93a9a7bb7f98dp-8,
                      -0x1.571d01c5c588cp-3, 0x1.2ebf3dcc9f22fp-2, -0x1.e4652fadcb6b1p-3, 0x1.3bcd133aa0ffcp-4);
  }
  if (x < 2.25) {
    return polynomial(x - 1.875, 0x1.40a1ada2a00b7p-21, -0x1.34b5c106e53c5p-19, -0x1.aebb77566e7d3p-21,
                      0x1.5cbb72588ddfdp-16, -0x1.2ea05ee5a4a37p-15, -0x1.353c6ba6bb364p-14, 0x1.991c294fa710bp-12,
                      -0x1.7bda854cfb4bap-12, -0x1.76ff57f2b0888p-10, 0x1.42fcbab069747p-8, -0x1.0d099c7b085d1p-8,
                      -0x1.779b1e571b48p-7, 0x1.5a316520b810dp-5, -0x1.143d1c6f4f01dp-4, 0x1.01a1c847fa207p-4,
                      -0x1.12ceb37ff9bc4p-5, 0x1.0678442cc256fp-7);
  }
  if (x < 3.25) {
    return polynomial(x - 2.75, 0x1.06744613ff9bp-25, -0x1.c12075f398940p-24, -0x1.9d53b771897abp-31,
                      0x1.eaa54f58beec4p-21, -0x1.68c7aecc51234p-19, 0x1.1f9458e21181fp-20, 0x1.09d0ead76075bp-16,
                      -0x1.cd5933b90de98p-15, 0x1.2abb3b12b3372p-14, 0x1.75577311c4375p-14, -0x1.52b6263c8426fp-11,
                      0x1.b2755bfce9ebep-10, -0x1.6935960668c89p-9, 0x1.ab0c273ac413cp-9, -0x1.69cf466ccdecap-9,
                      0x1.a6a519a114ceep-10, -0x1.3360ccd23db3bp-11, 0x1.a609f7584d32fp-14);
  }
  return polynomial(x - 4.625, 0x1.ebb2314f7b8dbp-44, -0x1.2fd70f6e50249p-42, -0x1.4118413377709p-40,
                    0x1.a231557323ce7p-38, -0x1.8e62e7003a377p-37, 0x1.e36681da47a23p-38, 0x1.046c778304de9p-34,
                    -0x1.a3b36df137221p-32, 0x1.8399c04f4256bp-30, -0x1.0bed6b5c0cb58p-28, 0x1.2ecd3314e8391p-27,
                    -0x1.219d6b943d6ap-26, 0x1.da89a28d5f3e7p-26, -0x1.4e25a0b681c4dp-25, 0x1.93e25efbd201ep-25,
                    -0x1.a06e89ce887f2p-25, 0x1.6a3a9ebfb3d45p-25, -0x1.055664af12524p-25, 0x1.30fd0c32b6fd7p-26,
                    -0x1.1508e8dd46516p-27, 0x1.6fffa808bb993p-29, -0x1.3e44e95146deap-31, 0x1.0d3b35021d695p-34);
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::math
