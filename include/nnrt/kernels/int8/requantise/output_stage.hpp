// output_stage: turns vectors of i32 accumulators into quantised values, with the bits of requantise().
// Flow: int8/gemm/pack.hpp and int8/depthwise/pack.hpp pack the scales with set_scales(). Their tiles apply the scales
// to accumulators.
//
// Nearly all channels are scaled by the FMAs of int8/requantise/fma.hpp. Channels without an FMA are scaled in 64 bits,
// and channels whose accumulators may leave 30 bits are scaled one by one.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/requantise/fma.hpp>

#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// How the accumulators of a vector of channels are scaled, from the fastest method to the most general.
enum class scale_method : std::int32_t {
  by_rising_line,  // FMA, for results clamped at the zero point; its offset includes the zero point
  by_line,
  rising_exactly,  // 64 bits, for such results and factors below 1/2; the addend includes the zero point
  exactly,
  one_by_one
};

/// Whether results of `method` occupy the lower halves of lanes. The upper halves then hold remains of the magic bias,
/// which must be subtracted unless all results fit into 16 bits.
constexpr bool makes_halves(scale_method method) {
  return lines_make_halves && (method == scale_method::by_rising_line || method == scale_method::by_line);
}

/// Scales of int_lanes channels, lane by lane, for one method. Holds the fields of that method alone, because tiles of
/// few rows read little besides the weights.
struct alignas(64) channel_scales {
  struct of_line {
    float slope[int_lanes], offset[int_lanes];
    // by_line: breakpoint, and the shifts of accumulators and results below it
    std::int32_t breakpoint[int_lanes], below_shift[int_lanes], below_offset[int_lanes];
  };
  struct of_rising {
    std::int32_t mantissa[int_lanes], upper_right[int_lanes];  // right shift of the upper 32 bits of a product
    std::int64_t even_addend[int_lanes / 2], odd_addend[int_lanes / 2];  // rounding constant plus zero point
  };
  struct of_exact {
    std::int32_t mantissa[int_lanes], left[int_lanes], right[int_lanes];
    std::int32_t half[int_lanes], sign[int_lanes];  // of the right shift: rounding constant, sign mask
  };
  struct of_single {
    std::int32_t mantissa[int_lanes], exponent[int_lanes];
    std::int32_t bias[int_lanes];                           // not included in accumulators, which might overflow
    std::int32_t is_to_even[int_lanes], parity[int_lanes];  // rounding of results
  };
  union {
    of_line line;
    of_rising rising;
    of_exact exact;
    of_single single;
  };
  scale_method method;
  // for the first vector of a panel of int8_packing: method that scales the whole panel in the tile, or one_by_one
  scale_method in_tile;
  // for an FMA: whether 16 bits hold all results of this vector and of the vectors scaled together with it
  std::int32_t in_halves;
};

/// Scales of int_lanes channels by every possible method, lane by lane, from which one method is chosen.
struct possible_scales {
  float rising_slope[int_lanes], rising_offset[int_lanes];
  std::int32_t rising_shift[int_lanes];  // by_rising_line: value that accumulators include besides the bias
  float slope[int_lanes], offset[int_lanes];
  std::int32_t shift[int_lanes];  // by_line, if it rounds once: likewise
  std::int32_t breakpoint[int_lanes], below_shift[int_lanes], below_offset[int_lanes];
  std::int32_t mantissa[int_lanes], exponent[int_lanes];
  std::int64_t rising_addend[int_lanes];
  std::int32_t upper_right[int_lanes];
  std::int32_t bias[int_lanes];
  std::int32_t is_to_even[int_lanes], parity[int_lanes];
  // Whether a lane allows a method.
  std::int32_t has_rising_line[int_lanes], has_line[int_lanes], stays_in_halves[int_lanes], rises_exactly[int_lanes],
      is_exact[int_lanes];
};

namespace detail {

inline bool fits_32_bits(sum_range r) {
  return r.low >= std::numeric_limits<std::int32_t>::min() && r.high <= std::numeric_limits<std::int32_t>::max();
}
/// Whether a channel can be scaled exactly: neither the left shift nor the rounding may leave 32 bits.
inline bool fits_30_bits(const int8_channel& channel) {
  const int left = std::max(0, channel.factor.exponent);
  const std::int64_t most = left < 30 ? (std::int64_t{1} << (30 - left)) - 1 : 0;
  return channel.reach.low >= -most && channel.reach.high <= most;
}

}  // namespace detail

/// Whether a channel has the same result for every input. Trained networks have many such channels: weights of 0, and a
/// 30-bit bias with a factor of 1e-9. Without this check they would need one_by_one.
inline bool is_constant(const int8_channel& channel, scaled_range range) {
  const auto limited = [&](std::int64_t sum) {
    return nnrt::detail::clamped(detail::scaled(sum, channel), range.low, range.high);
  };
  return limited(channel.reach.low) == limited(channel.reach.high);
}
/// Returns a channel without weights that has the same constant result. Every method can scale it.
inline int8_channel constant_channel(const int8_channel& channel, scaled_range range) {
  const auto twice = static_cast<std::int32_t>(
      2 * nnrt::detail::clamped(detail::scaled(channel.reach.low, channel), range.low, range.high));
  constexpr fixed_point one_quarter{1 << 30, -1};
  return {one_quarter, 2 * twice, {2 * twice, 2 * twice}};
}
/// Range of accumulators that only one_by_one accepts.
inline constexpr sum_range beyond_32_bits{-(std::int64_t{1} << 32), std::int64_t{1} << 32};
/// Returns a channel whose accumulators are kept unscaled. Its range selects one_by_one, and its possible addend keeps
/// it from being treated as constant. The factor is not used; any valid one will do.
inline int8_channel unscaled_channel(std::int32_t bias) {
  return {.factor = fixed_point_of(0x1p-24), .bias = bias, .reach = beyond_32_bits, .addend = {0, 1}};
}

/// Sets the fields for rising_exactly. One floor does both roundings unless the accumulator is negative, and negative
/// results are clamped. The constant must be below 2^62.
inline void set_rising_exactly(possible_scales& s, std::int64_t lane, fixed_point factor, scaled_range range) {
  const bool is_zero = factor.mantissa == 0;
  const int right = is_zero ? 1 : -factor.exponent;
  const std::int64_t half = std::int64_t{1} << (30 + nnrt::detail::clamped(right, 1, 20));
  s.rises_exactly[lane] = s.is_exact[lane] != 0 && range.low == 0 && right >= 1 && right <= 20;
  s.rising_addend[lane] = 2 * half * range.zero + (is_zero ? 0 : (std::int64_t{1} << 30) + half);
  s.upper_right[lane] = right - 1;
}

/// Sets the scales of one lane.
template <class Channel>
void set_lane(possible_scales& s, std::int64_t lane, const Channel& channel, scaled_range range) {
  const fixed_point factor = channel.factor;
  s.mantissa[lane] = factor.mantissa, s.exponent[lane] = factor.exponent;
  s.bias[lane] = channel.bias;
  const bool may_have_line = has_lines && detail::fits_32_bits(channel.reach);
  const detail::channel_lines<Channel> lines(may_have_line ? channel : Channel{}, range);
  s.rising_slope[lane] = lines.rising.slope, s.rising_offset[lane] = lines.rising.offset,
  s.rising_shift[lane] = lines.rising.shift;
  s.slope[lane] = lines.any.slope, s.offset[lane] = lines.any.offset, s.shift[lane] = lines.any.shift;
  s.breakpoint[lane] = lines.any.breakpoint;
  s.below_shift[lane] = lines.any.below_shift, s.below_offset[lane] = lines.any.below_offset;
  s.has_rising_line[lane] = may_have_line && lines.rising.found, s.has_line[lane] = may_have_line && lines.any.found;
  s.stays_in_halves[lane] = may_have_line && lines.stay_in_halves;
  // The exact methods round twice.
  s.is_exact[lane] = has_exact_scale && !is_half_to_even(channel.rounding) && detail::fits_30_bits(channel);
  s.is_to_even[lane] = is_half_to_even(channel.rounding) ? 1 : 0, s.parity[lane] = channel.parity;
  set_rising_exactly(s, lane, factor, range);
}

/// Copies the scales of another lane: computing them takes about a microsecond.
inline void copy_lane(possible_scales& s, std::int64_t lane, const possible_scales& from, std::int64_t from_lane) {
  s.rising_slope[lane] = from.rising_slope[from_lane], s.rising_offset[lane] = from.rising_offset[from_lane];
  s.slope[lane] = from.slope[from_lane], s.offset[lane] = from.offset[from_lane];
  s.rising_shift[lane] = from.rising_shift[from_lane], s.shift[lane] = from.shift[from_lane];
  s.breakpoint[lane] = from.breakpoint[from_lane];
  s.below_shift[lane] = from.below_shift[from_lane], s.below_offset[lane] = from.below_offset[from_lane];
  s.mantissa[lane] = from.mantissa[from_lane], s.exponent[lane] = from.exponent[from_lane];
  s.rising_addend[lane] = from.rising_addend[from_lane], s.upper_right[lane] = from.upper_right[from_lane];
  s.bias[lane] = from.bias[from_lane];
  s.is_to_even[lane] = from.is_to_even[from_lane], s.parity[lane] = from.parity[from_lane];
  s.has_rising_line[lane] = from.has_rising_line[from_lane], s.has_line[lane] = from.has_line[from_lane];
  s.stays_in_halves[lane] = from.stays_in_halves[from_lane];
  s.rises_exactly[lane] = from.rises_exactly[from_lane], s.is_exact[lane] = from.is_exact[from_lane];
}

/// Returns the fastest method that all lanes of `count` vectors of channels allow.
[[gnu::cold]] inline scale_method method_for(const possible_scales* scales, std::int64_t count) {
  std::int32_t rising = has_lines, lines = has_lines, rising_exact = has_exact_scale, exact = has_exact_scale;
  for (std::int64_t v = 0; v < count; ++v)
    for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
      rising &= scales[v].has_rising_line[lane], lines &= scales[v].has_line[lane];
      rising_exact &= scales[v].rises_exactly[lane], exact &= scales[v].is_exact[lane];
    }
  return rising != 0         ? scale_method::by_rising_line
         : lines != 0        ? scale_method::by_line
         : rising_exact != 0 ? scale_method::rising_exactly
         : exact != 0        ? scale_method::exactly
                             : scale_method::one_by_one;
}

/// Copies the scales of one method to `to`, which must be zero. Fields of other methods remain zero, so stored programs
/// are reproducible.
[[gnu::cold]] inline void choose_scales(const possible_scales& from, scale_method method, channel_scales& to) {
  to.method = method;
  to.in_halves = makes_halves(method);
  for (std::int64_t i = 0; i < int_lanes; ++i) {
    const std::int32_t right = from.exponent[i] < 0 ? -from.exponent[i] : 0;
    switch (method) {
      case scale_method::by_rising_line:
        to.line.slope[i] = from.rising_slope[i], to.line.offset[i] = from.rising_offset[i];
        to.in_halves &= from.stays_in_halves[i];
        break;
      case scale_method::by_line:
        to.line.slope[i] = from.slope[i], to.line.offset[i] = from.offset[i];
        to.line.breakpoint[i] = from.breakpoint[i], to.line.below_shift[i] = from.below_shift[i],
        to.line.below_offset[i] = from.below_offset[i];
        to.in_halves &= from.stays_in_halves[i];
        break;
      case scale_method::rising_exactly: {
        to.rising.mantissa[i] = from.mantissa[i], to.rising.upper_right[i] = from.upper_right[i];
        // Select the array first: with -fsanitize=shift, g++ 12 compiles (a ? b : c)[i] with an index that one branch
        // does not set.
        std::int64_t* const addends = i % 2 == 0 ? to.rising.even_addend : to.rising.odd_addend;
        addends[i / 2] = from.rising_addend[i];
        break;
      }
      case scale_method::exactly:
        to.exact.mantissa[i] = from.mantissa[i], to.exact.left[i] = std::max(0, from.exponent[i]),
        to.exact.right[i] = right;
        to.exact.half[i] = right > 0 ? 1 << (right - 1) : 0, to.exact.sign[i] = right > 0 ? -1 : 0;
        break;
      case scale_method::one_by_one:
        to.single.mantissa[i] = from.mantissa[i], to.single.exponent[i] = from.exponent[i];
        to.single.bias[i] = from.bias[i], to.single.is_to_even[i] = from.is_to_even[i],
        to.single.parity[i] = from.parity[i];
        break;
    }
  }
}

/// Sets in_halves of vectors that are scaled together: whether 16 bits hold the results of all of them.
inline void agree_on_halves(channel_scales* scales, std::int64_t count) {
  std::int32_t all = 1;
  for (std::int64_t v = 0; v < count; ++v) all &= scales[v].in_halves;
  for (std::int64_t v = 0; v < count; ++v) scales[v].in_halves = all;
}

/// Value that the accumulators of a lane must include: the bias (except for one_by_one), plus the shift of an FMA.
inline std::int64_t included_in_sums(const possible_scales& s, std::int64_t lane, scale_method method) {
  if (method == scale_method::one_by_one) return 0;
  const std::int64_t shift = method == scale_method::by_rising_line ? s.rising_shift[lane]
                             : method == scale_method::by_line      ? s.shift[lane]
                                                                    : 0;
  return s.bias[lane] + shift;
}

/// Sets the possible scales of `count` channels; other lanes get a default channel.
template <class Channel>
void set_scales(possible_scales& s, const Channel (&channels)[int_lanes], std::int64_t count, scaled_range range) {
  for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
    const bool is_used = lane < count;
    if (lane > 0 && is_used && channels[lane] == channels[lane - 1]) copy_lane(s, lane, s, lane - 1);
    else set_lane(s, lane, is_used ? channels[lane] : Channel{}, range);
  }
}

namespace detail {

/// Scales a vector of accumulators by one method. Pass it by value, so that its fields are held in registers.
template <scale_method Method> struct scaler {
  const channel_scales& scales;
  explicit scaler(const channel_scales& s) : scales(s) {}

  int_vector operator()(int_vector sums) const {
    std::int32_t each[int_lanes];
    store_vector(each, sums);
    for (std::int64_t i = 0; i < int_lanes; ++i) {
      const fixed_point factor{scales.single.mantissa[i], scales.single.exponent[i]};
      const std::int64_t sum = std::int64_t{each[i]} + scales.single.bias[i];
      each[i] =
          scales.single.is_to_even[i] != 0 ? scaled_to_even(sum, factor, scales.single.parity[i]) : scaled(sum, factor);
    }
    return load_vector<int_vector>(each);
  }
};
template <> struct scaler<scale_method::by_rising_line> {
  int_vector slope, offset;
  [[gnu::always_inline]] explicit scaler(const channel_scales& s)
      : slope(load_vector<int_vector>(s.line.slope)), offset(load_vector<int_vector>(s.line.offset)) {}

  [[gnu::always_inline]] int_vector operator()(int_vector sums) const {
    return scaled_by_rising_line(sums, slope, offset);
  }
};
template <> struct scaler<scale_method::by_line> {
  signed_line line;
  [[gnu::always_inline]] explicit scaler(const channel_scales& s)
      : line{load_vector<int_vector>(s.line.slope), load_vector<int_vector>(s.line.offset),
             load_vector<int_vector>(s.line.breakpoint), load_vector<int_vector>(s.line.below_shift),
             load_vector<int_vector>(s.line.below_offset)} {}

  [[gnu::always_inline]] int_vector operator()(int_vector sums) const { return scaled_by_line(sums, line); }
};
template <> struct scaler<scale_method::rising_exactly> {
  int_vector mantissa, even_addend, odd_addend, right;
  [[gnu::always_inline]] explicit scaler(const channel_scales& s)
      : mantissa(load_vector<int_vector>(s.rising.mantissa)),
        even_addend(load_vector<int_vector>(s.rising.even_addend)),
        odd_addend(load_vector<int_vector>(s.rising.odd_addend)),
        right(load_vector<int_vector>(s.rising.upper_right)) {}

  [[gnu::always_inline]] int_vector operator()(int_vector sums) const {
    return upper_halves(sums, mantissa, even_addend, odd_addend) >> right;
  }
};
template <> struct scaler<scale_method::exactly> {
  int_vector mantissa, left, right, half, sign;  // left + 1, so that the upper halves are products of 31 bits
  [[gnu::always_inline]] explicit scaler(const channel_scales& s)
      : mantissa(load_vector<int_vector>(s.exact.mantissa)),
        left(load_vector<int_vector>(s.exact.left) + 1),
        right(load_vector<int_vector>(s.exact.right)),
        half(load_vector<int_vector>(s.exact.half)),
        sign(load_vector<int_vector>(s.exact.sign)) {}
  /// One factor, which may be negative, for all lanes. With a left shift, products must be below 2^30 in magnitude.
  explicit scaler(fixed_point factor)
      : mantissa(int_lanes_of(factor.mantissa)),
        left(int_lanes_of(std::max(0, factor.exponent) + 1)),
        right(int_lanes_of(std::max(0, -factor.exponent))),
        half(int_lanes_of(factor.exponent < 0 ? 1 << (-factor.exponent - 1) : 0)),
        sign(int_lanes_of(factor.exponent < 0 ? -1 : 0)) {}

  [[gnu::always_inline]] int_vector operator()(int_vector sums) const {
    const int_vector high = upper_halves(sums << left, mantissa, half_in_pairs(), half_in_pairs());
    return (high + half + ((high >> 31) & sign)) >> right;
  }
};

/// Whether results of `method` include the zero point; otherwise narrowed() adds it.
constexpr bool includes_zero_point(scale_method method) {
  return method == scale_method::by_rising_line || method == scale_method::rising_exactly ||
         (lines_round_once && method == scale_method::by_line);
}

/// Packs two vectors of results to i16. InHalves: 16 bits hold the results, see channel_scales::in_halves.
template <scale_method Method, bool InHalves>
[[gnu::always_inline]] inline int16_vector i16_by(int_vector a, int_vector b, const narrowing& to) {
  constexpr bool adds_zero_point = !includes_zero_point(Method);
  if constexpr (!makes_halves(Method)) return narrowed_to_i16<adds_zero_point, false>(a, b, to);
  else if constexpr (InHalves) return narrowed_to_i16<adds_zero_point, true>(a, b, to);
  else return narrowed_to_i16<adds_zero_point, false>(whole_result(a), whole_result(b), to);
}
/// Packs four vectors of results to quantised values. Each 16 bytes hold four lanes of a, b, c and d.
template <scale_method Method>
[[gnu::always_inline]] inline int8_vector narrowed_by(int_vector a, int_vector b, int_vector c, int_vector d,
                                                      const narrowing& to, bool in_halves) {
  if constexpr (makes_halves(Method))
    if (in_halves) return narrowed_to_bytes(i16_by<Method, true>(a, b, to), i16_by<Method, true>(c, d, to), to);
  return narrowed_to_bytes(i16_by<Method, false>(a, b, to), i16_by<Method, false>(c, d, to), to);
}

/// Calls f with the method as a compile-time constant.
template <class F> [[gnu::always_inline]] inline void with_method(scale_method method, F f) {
  if (has_lines && method == scale_method::by_rising_line)
    return f(std::integral_constant<scale_method, scale_method::by_rising_line>{});
  if (has_lines && method == scale_method::by_line)
    return f(std::integral_constant<scale_method, scale_method::by_line>{});
  if (has_exact_scale && method == scale_method::rising_exactly)
    return f(std::integral_constant<scale_method, scale_method::rising_exactly>{});
  if (has_exact_scale && method == scale_method::exactly)
    return f(std::integral_constant<scale_method, scale_method::exactly>{});
  f(std::integral_constant<scale_method, scale_method::one_by_one>{});
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
