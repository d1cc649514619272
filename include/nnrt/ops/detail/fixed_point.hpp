// fixed_point: integer roots, logarithms and gains of audio front ends, with TensorFlow Lite Micro's bits.
// Flow: used by fixed_signal's functions.
#pragma once

#include <nnrt/core/math.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Square root of x, rounded to nearest if the result fits into Root. Source: Sqrt32 and Sqrt64 of signal/src.
template <class Root, class Square> constexpr Root rounded_root(Square x) {
  Square root = 0, rest = x;
  const int width = static_cast<int>(8 * sizeof(Square));
  if (x == 0) return 0;
  for (Square bit = Square{1} << ((width - 1 - std::countl_zero(x)) & ~1); bit != 0; bit >>= 2U) {
    const bool is_set = rest >= root + bit;
    if (is_set) rest -= root + bit;
    root = (root >> 1U) + (is_set ? bit : 0);
  }
  if (rest > root && root != static_cast<Root>(-1)) ++root;
  return static_cast<Root>(root);
}
/// For squares below 2^32 the root has 16 bits and is not rounded up to 2^16.
constexpr std::uint32_t root_of_energy(std::uint64_t x) {
  if (x >> 32U == 0) return rounded_root<std::uint16_t>(static_cast<std::uint32_t>(x));
  return rounded_root<std::uint32_t>(x);
}

/// log2(1 + k / 128) - k / 128 in units of 2^-16.
inline constexpr std::array<std::int32_t, 129> log_table = [] {
  std::array<std::int32_t, 129> table{};
  for (std::size_t k = 0; k <= 128; ++k) {
    const double x = static_cast<double>(k) / 128;
    table[k] = static_cast<std::int32_t>(math::round_half_away(65536 * (math::log(1 + x) / math::log(2.0) - x)));
  }
  return table;
}();

/// ln(x) * scale for x > 0: the base-2 logarithm interpolated between 129 points, in units of 2^-16. Source: Log32 of
/// signal/src.
constexpr std::uint32_t scaled_log(std::uint32_t x, std::uint32_t scale) {
  constexpr std::uint32_t half = 1U << 15U, ln2 = 45426;
  const auto whole = static_cast<std::uint32_t>(31 - std::countl_zero(x));
  const std::uint32_t over = x - (1U << whole), fraction = whole < 16 ? over << (16 - whole) : over >> (whole - 16),
                      segment = fraction >> 9U;
  const std::int32_t here = log_table[segment], next = log_table[segment + 1];
  const std::int32_t between = ((next - here) * static_cast<std::int32_t>(fraction - (segment << 9U))) >> 16;
  const std::uint32_t log2 = (whole << 16U) + fraction + static_cast<std::uint32_t>(here + between);
  const auto natural = static_cast<std::uint32_t>((std::uint64_t{ln2} * log2 + half) >> 16U);
  return (scale * natural + half) >> 16U;
}

/// Size of a gain table: three numbers for each count of bits, which define a parabola.
inline constexpr std::int64_t gains = 4 * 32 - 3;

/// Gain for a noise estimate, by parabolas between powers of two. Source: WideDynamicFunction of signal/src.
template <class At> constexpr std::int16_t gain_of(std::uint32_t x, const At& table) {
  if (x <= 2) return table(x);
  const auto bits = static_cast<std::uint32_t>(32 - std::countl_zero(x)), first = 4 * bits - 6;
  const auto fraction = static_cast<std::int32_t>((bits < 11 ? x << (11 - bits) : x >> (bits - 11)) & 0x3FFU);
  const std::int32_t slope = ((std::int32_t{table(first + 2)} * fraction) >> 5) + std::int32_t{table(first + 1)} * 32;
  const auto rise = static_cast<std::int32_t>(static_cast<std::uint32_t>(slope) * static_cast<std::uint32_t>(fraction) +
                                              (1U << 14U)) >>
                    15;
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(rise + table(first)));
}

/// x^2 / 4 below 2, else x - 1; x has 12 fraction bits, the result 6. Source: PcanShrink of signal/src.
constexpr std::uint32_t shrunk(std::uint32_t x) { return x < (2U << 12U) ? (x * x) >> 20U : (x >> 6U) - (1U << 6U); }

}}}  // namespace nnrt::NNRT_ISA::ops::detail
