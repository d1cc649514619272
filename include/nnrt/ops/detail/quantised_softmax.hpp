// quantised_softmax: the two methods of quantised softmax, for one group of elements.
// Flow: ops/softmax.hpp's reference uses it for powers, their sum and shares; kernels store powers in a table.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/fixed_exponential.hpp>
#include <nnrt/ops/detail/interpolated.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Whether softmax's result has TFLite's quantisation: 1/256 from the lowest value for 8 bits, 1/32768 with zero point
/// 0 for i16.
template <class T> constexpr bool are_usual_shares(const quantisation& y) {
  if constexpr (sizeof(T) == 2) return y.scale == 0x1p-15F && y.zero_point == 0;
  else return y.scale == 0x1p-8F && y.zero_point == std::numeric_limits<T>::min();
}

/// In 32-bit fixed point. Source: the reference kernel of TFLite's SOFTMAX for 8 bits. Other scales of y than 1/256 are
/// this library's: requantise() rescales the 31-bit share.
template <class T> struct fixed_softmax {
  fixed::exponent_scale exponent;
  quantisation to;

  constexpr fixed_softmax(const quantisation& x, const quantisation& y, float beta)
      : exponent(double{x.scale} * double{beta}), to(y) {}

  /// e^(scale * difference), for x minus the largest x.
  constexpr std::int32_t power(std::int64_t difference) const { return exponent.exp(difference); }
  /// A power's addend in the sum.
  static constexpr std::int64_t addend(std::int32_t power) { return nnrt::detail::shifted_right(power, 12); }

  /// Converts a power to the quantised value of its share of the sum.
  struct share {
    fixed::reciprocal reciprocal;
    fixed_point factor;
    quantisation to;
    bool is_usual;

    constexpr T operator()(std::int32_t power) const {
      constexpr std::int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
      const std::int32_t fraction = nnrt::detail::high_product(reciprocal.fraction, power);
      if (!is_usual) return requantise<T>(fraction, factor, to.zero_point, {int{least}, int{most}});
      const auto bits = static_cast<int>(nnrt::detail::clamped(reciprocal.bits + 23, 0, 62));
      return static_cast<T>(nnrt::detail::clamped(least + nnrt::detail::shifted_right(fraction, bits), least, most));
    }
  };
  constexpr share share_of(std::int64_t sum) const {
    const fixed::reciprocal one = fixed::reciprocal_of(sum);
    if (sizeof(T) == 1 && are_usual_shares<T>(to)) return {one, {}, to, true};
    const double unit = 0x1p-31 / static_cast<double>(std::int64_t{1} << one.bits);
    return {one, fixed_point_of(unit / double{to.scale}), to, false};
  }
};

/// By 16-bit tables, for results with scale 1/32768. Source: TFLite's SOFTMAX on i16.
struct interpolated_softmax {
  fixed_point factor;  // of differences: 65535 means 10

  constexpr interpolated_softmax(const quantisation& x, float beta) {
    const float scale = float_product(x.scale, beta);
    constexpr float most = std::numeric_limits<float>::max();
    factor = fixed_point_of(double{std::min(scale, most)} / (10.0 / 65535.0));
  }

  static constexpr table_of_steps exponentials{[](double x) { return math::exp(x); }, -10.0, 0.0};

  /// Table position of the exponential of x minus the largest x.
  constexpr std::int32_t place_of(std::int64_t difference) const {
    const std::int64_t place =
        std::int64_t{32767} + rounding::double_rounding::scale(static_cast<std::int32_t>(difference), factor);
    return static_cast<std::int32_t>(nnrt::detail::clamped(place, -32768, 32767));
  }
  constexpr std::int32_t power(std::int64_t difference) const { return exponentials(place_of(difference)); }
  static constexpr std::int64_t addend(std::int32_t power) { return power; }

  struct share {
    std::int64_t reciprocal;
    int bits;
    constexpr std::int16_t operator()(std::int32_t power) const {
      const std::int64_t part = (power * reciprocal + (std::int64_t{1} << (bits - 2))) >> (bits - 1);
      return static_cast<std::int16_t>(nnrt::detail::clamped(part, 0, 32767));
    }
  };
  /// For a sum >= 32767: its leading 17 bits give the position in the table of 1 / (1 + x).
  static constexpr share share_of(std::int64_t sum) {
    constexpr table_of_steps table{[](double x) { return 1.0 / (1.0 + x); }, 0.0, 1.0};
    const int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(sum));
    const std::int64_t leading = bits <= 31 ? sum << (31 - bits) : sum >> (bits - 31);
    const std::int64_t place = ((leading + (1 << 13)) >> 14) - (1 << 15) - (1 << 16);
    return {table(static_cast<std::int32_t>(nnrt::detail::clamped(place, -32768, 32767))), bits};
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
