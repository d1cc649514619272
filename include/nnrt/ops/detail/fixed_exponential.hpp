// fixed_exponential: powers of e and reciprocals in 32-bit fixed point, with the bits of TFLite's.
// Flow: used by the reference of quantised softmax; kernels must give the same bits.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/requantise.hpp>

#include <bit>
#include <limits>

/// A fixed-point number with `n` integer bits holds value * 2^(31 - n) in 32 bits. A product (high_product) has the
/// integer bits of both factors. Source of methods and constants: gemmlowp's fixedpoint.h, used by TFLite's reference
/// kernels.
namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail::fixed {

using nnrt::detail::high_product, nnrt::detail::shifted_left, nnrt::detail::shifted_right;

/// e^x for -1/4 <= x < 0; x and the result have no integer bits. Taylor series around -1/8, up to the fourth power.
constexpr std::int32_t exp_of_quarter(std::int32_t x) {
  constexpr std::int32_t middle = 1895147668;  // e^(-1/8)
  constexpr std::int32_t third = 715827883;    // 1/3
  const std::int32_t d = x + (1 << 28), square = high_product(d, d), cube = high_product(square, d);
  const std::int32_t fourth = shifted_right(high_product(square, square), 2);
  const std::int32_t rest = shifted_right(high_product(fourth + cube, third) + square, 1);  // d^2/2 + d^3/6 + d^4/24
  return middle + high_product(middle, d + rest);
}

/// e^x for -32 < x <= 0 with 5 integer bits. The result has no integer bits, and is 1 - 2^-31 for 0.
constexpr std::int32_t exp(std::int32_t x) {
  if (x == 0) return std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t quarter = 1 << 24;
  constexpr std::int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const std::int32_t within = (x & (quarter - 1)) - quarter, quarters = (within - x) / quarter;
  std::int32_t result = exp_of_quarter(within * 32);
  for (int bit = 0; bit < 7; ++bit)  // powers are e^(-1/4), e^(-1/2), e^-1, … e^-16
    if ((quarters >> bit & 1) != 0) result = high_product(result, powers[bit]);
  return result;
}

/// 1 / (1 + x) for 0 <= x < 1; neither has integer bits. Three Newton-Raphson steps with 2 integer bits.
constexpr std::int32_t reciprocal_of_one_plus(std::int32_t x) {
  constexpr std::int32_t one = 1 << 29, first = 1515870810, slope = -1010580540;                 // 1, 48/17, -32/17
  const auto half = static_cast<std::int32_t>((std::int64_t{x} + (std::int64_t{1} << 31)) / 2);  // (1 + x) / 2
  std::int32_t y = first + high_product(half, slope);
  for (int step = 0; step < 3; ++step) y += shifted_left(high_product(y, one - high_product(half, y)), 2);
  return shifted_left(y, 1);
}

/// 1 / sum as fraction / 2^(31 + bits); the fraction has no integer bits.
struct reciprocal {
  std::int32_t fraction = 0;
  int bits = 0;
};
/// For a sum >= 1 with 19 fraction bits, in 64 bits. (TFLite's has 32 bits and overflows from 4096 on.)
constexpr reciprocal reciprocal_of(std::int64_t sum) {
  const int top = 63 - std::countl_zero(static_cast<std::uint64_t>(sum));
  const std::int64_t leading = top <= 31 ? sum << (31 - top) : sum >> (top - 31);
  return {reciprocal_of_one_plus(static_cast<std::int32_t>(leading - (std::int64_t{1} << 31))), top - 19};
}

/// Converts differences of quantised values to exponents of e, fixed-point numbers with 5 integer bits.
struct exponent_scale {
  fixed_point factor;
  std::int64_t least = 0;  // smaller differences count as minus infinity

  constexpr explicit exponent_scale(double scale) {
    constexpr double most = 0x1p31 - 1;
    const double steps = scale * 0x1p26;
    factor = fixed_point_of(std::min(steps, most));
    least = -((std::int64_t{31} << 26) >> (factor.exponent > 0 ? factor.exponent : 0));
  }
  /// scale * difference with 5 integer bits, saturated, for a difference of at most 0.
  constexpr std::int32_t exponent_of(std::int64_t difference) const {
    return rounding::double_rounding::scale(static_cast<std::int32_t>(difference), factor);
  }
  /// e^(scale * difference), without integer bits, for a difference of at most 0.
  constexpr std::int32_t exp(std::int64_t difference) const {
    if (difference < least) return 0;
    return fixed::exp(exponent_of(difference));
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail::fixed
