// fixed_logarithm: logarithms of sums of exponentials in 32-bit fixed point, with the bits of TFLite's.
// Flow: used by the reference of quantised log_softmax; kernels must give the same bits.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/ops/detail/fixed_exponential.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail::fixed {

/// A number as 2^power * rest / 2^(-1/4). The power has 25 fraction bits; the rest, in [2^(-1/2), 1), has 31.
struct reduced_number {
  std::int32_t power = 0, rest = 0;
};
/// Reduces x >= 1 with 19 fraction bits. Of the powers a quarter above and below an integer, one gives a rest in range;
/// the other's is 1, saturated.
constexpr reduced_number reduced(std::int32_t x) {
  constexpr std::int32_t root_of_half = 1518500250, quarter = 1 << 23;
  const int a = std::countl_zero(static_cast<std::uint32_t>(x));
  const std::int32_t rest_a = shifted_left(high_product(shifted_left(x, a - 1), root_of_half), 1);
  const int b = std::countl_zero(static_cast<std::uint32_t>(high_product(x, root_of_half))) - 1;
  const std::int32_t rest_b = shifted_left(x, b);
  const std::int32_t power_a = (12 - a) * (1 << 25) + quarter, power_b = (12 - b) * (1 << 25) - quarter;
  return {std::max(power_a, power_b), std::min(rest_a, rest_b)};
}

/// Logarithm of x >= 1 with 19 fraction bits; the result has 5 integer bits. A rational function around 2^(-1/4).
/// Source: log_x_for_x_greater_than_or_equal_to_1 of TFLite's reference kernels.
constexpr std::int32_t logarithm(std::int32_t x) {
  constexpr std::int32_t log_2 = 1488522236, middle = 1805811301;  // 2^(-1/4)
  constexpr std::int32_t cubed = 117049297, squared = 127690142, constant = 1057819769, linear = 638450708;
  const auto [power, rest] = reduced(x);
  const std::int64_t sum = std::int64_t{rest} + middle;
  const auto p = static_cast<std::int32_t>((sum + 1) / 2);  // both are positive
  const std::int32_t q = 2 * (rest - middle), q_2 = high_product(q, q);
  const std::int32_t numerator = high_product(q, rest) + high_product(high_product(q, q_2), cubed);
  const std::int32_t denominator = high_product(p, constant + q + high_product(squared, q_2)) + high_product(linear, q);
  const std::int32_t quotient = high_product(shifted_right(numerator, 6), reciprocal_of_one_plus(denominator));
  return shifted_left(std::int64_t{high_product(power, log_2)} + quotient, 1);
}

/// Logarithm of a sum that may exceed 32 bits. (TFLite's sums have 32 bits and overflow from 4096 on.)
constexpr std::int64_t logarithm_of(std::int64_t sum) {
  constexpr std::int64_t log_2 = 46516320;  // with 26 fraction bits
  const int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(sum)), beyond = bits > 31 ? bits - 31 : 0;
  return logarithm(static_cast<std::int32_t>(sum >> beyond)) + beyond * log_2;
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail::fixed
