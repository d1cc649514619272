// fixed_root: reciprocal square roots of 8-bit quantised values in fixed point, with the bits of TFLite's.
// Flow: used by the reference of rsqrt on i8 and u8; its binding makes a table of it.
#pragma once

#include <nnrt/core/requantise.hpp>

#include <bit>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail::fixed {

/// 1 / sqrt(x) of an integer x > 0 as mantissa * 2^(exponent - 31). Five Newton-Raphson steps with 3 integer bits, for
/// x scaled to [1/16, 1/4). Source: GetInvSqrtQuantizedMultiplierExp of TFLite.
constexpr fixed_point inverse_root(std::int32_t x) {
  using nnrt::detail::high_product, nnrt::detail::shifted_left, nnrt::detail::shifted_right;
  if (x <= 1) return {2147483647, 0};
  int right = 11;
  for (; x >= 1 << 29; ++right) x /= 4;
  const int pairs = (std::countl_zero(static_cast<std::uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  x <<= 2 * pairs;
  constexpr std::int32_t one = 1 << 28, three_halves = one + (one >> 1), half_of_root_2 = 1518500250;
  const std::int32_t half = shifted_right(x >> 1, 1);
  std::int32_t y = one;
  for (int step = 0; step < 5; ++step) {
    const std::int32_t cube = shifted_left(high_product(high_product(y, y), y), 6);
    y = shifted_left(high_product(three_halves, y) - high_product(half, cube), 3);
  }
  y = high_product(y, half_of_root_2);
  return right < 0 ? fixed_point{shifted_left(y, -right), 0} : fixed_point{y, -right};
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail::fixed
