// fma: finds float multiply-adds that requantise the accumulators of a channel with the bits of requantise().
// Flow: int8/requantise/output_stage.hpp searches the FMAs of each channel with channel_lines when weights are packed.
//
// requantise() maps accumulators to at most 256 results: a step function with at most 255 steps. slope * x + offset,
// computed in f32 and rounded to an integer, is a step function too, because each operation is monotone. Two step
// functions are equal if they agree at each step and just below it. channel_lines searches slopes near the factor for
// one that agrees, with the instructions that run later.
//
// With a fused multiply-add (lines_round_once), x holds the bits of floats that count integers from the magic bias 2^23
// on. The result is rounded once, to an integer, and only the slope (24 bits) is inexact. The offset must be an
// integer; a shift of the accumulators supplies its fraction. The shift also adds the magic bias, so no conversion is
// needed.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/requantise.hpp>
#include <nnrt/kernels/simd/saturating_pack.hpp>

#include <bit>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Range of the accumulators of a channel, both ends included.
struct sum_range {
  std::int64_t low = 0, high = 0;
  friend constexpr bool operator==(const sum_range&, const sum_range&) = default;
};

/// One output channel, as set_scales() needs it.
struct int8_channel {
  fixed_point factor = {};
  std::int32_t bias = 0;
  sum_range reach = {};  // includes the bias
  quantised_rounding rounding = quantised_rounding::tflite;
  std::int32_t parity = 0;  // of the zero point: with half to even, it decides which results count as even
  sum_range addend = {};    // range of a tensor that is added to the accumulators
  friend constexpr bool operator==(const int8_channel&, const int8_channel&) = default;
};

/// Range of the results without the zero point, and the zero point as a signed byte, see narrowing.
struct scaled_range {
  std::int32_t low = 0, high = 0, zero = 0;

  /// From a range of quantised values; for u8, 128 is subtracted from the zero point.
  static constexpr scaled_range of(quantised_range range, std::int32_t zero_point, bool is_unsigned) {
    return {range.low - zero_point, range.high - zero_point, zero_point - (is_unsigned ? 128 : 0)};
  }
};

namespace detail {

constexpr std::int32_t scaled(std::int64_t sum, fixed_point factor) {
  return rounding::double_rounding::scale(nnrt::detail::saturated_i32(sum), factor);
}
constexpr std::int32_t scaled_to_even(std::int64_t sum, fixed_point factor, std::int32_t parity) {
  return rounding::zero_point_then_half_to_even::scale(nnrt::detail::saturated_i32(sum), factor, parity);
}
/// Scales by the rounding of the channel.
constexpr std::int32_t scaled(std::int64_t sum, const int8_channel& channel) {
  if (!is_half_to_even(channel.rounding)) return scaled(sum, channel.factor);
  return scaled_to_even(sum, channel.factor, channel.parity);
}

/// Smallest accumulator whose product with the factor, rounded once, is at least `result`. A half is rounded up if that
/// gives an even result.
inline std::int64_t first_reaching_to_even(std::int32_t result, fixed_point factor, std::int32_t parity) {
  // scaled by 2^(31 - exponent)
  const std::int64_t half_below = (2 * std::int64_t{result} - 1) * (std::int64_t{1} << (30 - factor.exponent));
  std::int64_t sum = half_below / factor.mantissa;  // rounded toward zero: the floor, or one more
  while (sum * factor.mantissa > half_below) --sum;
  const bool half_counts = ((result + parity) & 1) == 0 && sum * factor.mantissa == half_below;
  return half_counts ? sum : sum + 1;
}

/// Converts i32 to f64 per lane, exactly. Compilers convert the halves of wide registers one lane at a time.
[[gnu::always_inline]] inline doubles as_doubles(half_vector x) { return machine::to_double(x); }

/// x * y - z per lane, without rounding. Domain: the result is an integer below 2^53 in magnitude; x * y and z are
/// below 2^63.
[[gnu::always_inline]] inline doubles exact_difference(doubles x, doubles y, doubles z) {
  return machine::exact_difference(x, y, z);
}

/// Smallest accumulators whose results are at least the given ones; inverts both roundings of requantise(). Domain:
/// factors in (0, 1], accumulators in 32 bits.
struct first_reaching {
  doubles mantissa, reciprocal;          // of the factor; 1 / mantissa
  doubles step;                          // distance of products whose results differ by one
  doubles at_positive, at_zero_or_less;  // offset of products; halves are rounded away from zero

  explicit first_reaching(fixed_point factor)
      : mantissa(in_each(factor.mantissa)), reciprocal(in_each(1.0 / factor.mantissa)) {
    const int right = -factor.exponent;
    // twice the half of the second rounding
    const double least = right > 0 ? static_cast<double>(std::int64_t{1} << right) : 0;
    step = in_each(static_cast<double>(std::int64_t{1} << right) * 0x1p31);
    at_positive = in_each((-least - 1) * 0x1p30);
    at_zero_or_less = in_each((-least + (right > 0 ? 1 : -1)) * 0x1p30);
  }
  [[gnu::always_inline]] half_vector operator()(half_vector results) const {
    const doubles result = as_doubles(results);
    const doubles product = result * step + (result > 0.0 ? at_positive : at_zero_or_less);  // exact
    const half_vector cut = __builtin_convertvector(product * reciprocal, half_vector);      // off by at most one
    const doubles sum = as_doubles(cut), above = exact_difference(sum, mantissa, product);
    const doubles more = above < 0.0 ? sum + 1.0 : above < mantissa ? sum : sum - 1.0;
    return __builtin_convertvector(above < -mantissa ? sum + 2.0 : more, half_vector);
  }

 private:
  static doubles in_each(double x) { return x - doubles{}; }
};

/// Step function of one channel: at accumulator at[i] it reaches result[i], at the accumulator before it does not.
/// `first` and `last` are the results at the ends of the range.
struct step_function {
  static constexpr int most = 256;
  int steps = 0;
  std::int32_t at[most + int_lanes], result[most + 2 * int_lanes];
  sum_range reach;
  scaled_range range;
  std::int32_t first, last;
  std::int32_t below_zero = 0, at_zero = 0;  // results of accumulators -1 and 0
  std::int32_t breakpoint = 0;               // accumulator from which a second FMA may apply

  step_function(const int8_channel& channel, scaled_range of_result) : reach(channel.reach), range(of_result) {
    first = limited(scaled(reach.low, channel)), last = limited(scaled(reach.high, channel));
    below_zero = limited(scaled(-1, channel)), at_zero = limited(scaled(0, channel));
    const bool is_to_even = is_half_to_even(channel.rounding);
    if (last <= first) return;
    steps = last - first;
    int_vector next = {};
    for (int i = 0; i < int_lanes; ++i) next[i] = first + 1 + i;
    for (std::int32_t i = 0; i < steps + int_lanes; i += int_lanes, next += int_lanes)
      // entries after the last step repeat it
      store_vector<int_vector>(result + i, next < last ? next : int_lanes_of(last));
    if (is_to_even) {
      for (int i = 0; i < steps; ++i)
        at[i] = static_cast<std::int32_t>(first_reaching_to_even(result[i], channel.factor, channel.parity));
    } else {
      const first_reaching sums_for(channel.factor);
      for (int i = 0; i < steps; i += int_lanes / 2)
        store_vector(at + i, sums_for(load_vector<half_vector>(result + i)));
    }
    for (int i = steps; i < steps + int_lanes; ++i) at[i] = at[i - 1];
  }
  std::int32_t limited(std::int64_t x) const {
    return static_cast<std::int32_t>(nnrt::detail::clamped(x, range.low, range.high));
  }

  /// Whether `line` has the same ends and steps as this function, increased by `zero`. `line` must be monotone, but it
  /// may jump between the accumulators -1 and 0.
  template <class Line> bool fits(Line line, std::int32_t zero) const {
    const bool has_zero = reach.low < 0 && reach.high >= 0;
    std::int32_t places[int_lanes] = {static_cast<std::int32_t>(reach.low), static_cast<std::int32_t>(reach.high),
                                      has_zero ? -1 : 0};
    store_vector(places, line(load_vector<int_vector>(places)));
    const auto is = [&](std::int64_t i, std::int32_t expected) {
      return limited(std::int64_t{places[i]} - zero) == expected;
    };
    if (!is(0, first) || !is(1, last) || (has_zero && (!is(2, below_zero) || !is(3, at_zero)))) return false;
    for (int i = 0; i < steps; i += int_lanes) {
      const auto x = load_vector<int_vector>(at + i), wanted = load_vector<int_vector>(result + i) + zero;
      if (any_is_larger(wanted, line(x)) || any_is_larger(line(x - 1), wanted - 1)) return false;
    }
    return true;
  }

  /// Interval of offsets of FMAs that pass through some steps.
  struct offsets {
    double low = -1e30, high = 1e30;
    double width() const { return high - low; }
    /// The interval of the negated offsets.
    offsets negative() const { return {-high, -low}; }
    friend offsets operator&(const offsets& a, const offsets& b) {
      return {std::max(a.low, b.low), std::min(a.high, b.high)};
    }
  };
  /// Intervals for the steps from the breakpoint on, and for those below it.
  struct halves {
    offsets above, below;
  };
  /// Intervals for a given slope in exact arithmetic. Without a breakpoint, all steps are `above`.
  template <bool Bends> halves offsets_for(double slope) const {
    constexpr int parts = Bends ? 2 : 1;
    const doubles lowest = -1e30 - doubles{}, highest = 1e30 - doubles{};
    doubles low[] = {lowest, lowest}, high[] = {highest, highest};
    for (int i = 0; i < steps; i += int_lanes / 2) {
      const doubles x = as_doubles(load_vector<half_vector>(at + i)),
                    step = as_doubles(load_vector<half_vector>(result + i)) - 0.5;
      // offset that just reaches the step, and one that reaches it an accumulator too early
      const doubles here = step - x * slope, before = here + slope;
      if constexpr (Bends) {
        const longs is_below = x < breakpoint, was_below = x <= breakpoint;
        const doubles least[] = {is_below ? lowest : here, is_below ? here : lowest},
                      greatest[] = {was_below ? highest : before, was_below ? before : highest};
        for (int half = 0; half < 2; ++half)
          low[half] = low[half] > least[half] ? low[half] : least[half],
          high[half] = high[half] < greatest[half] ? high[half] : greatest[half];
      } else {
        low[0] = low[0] > here ? low[0] : here, high[0] = high[0] < before ? high[0] : before;
      }
    }
    offsets all[2];
    for (int half = 0; half < parts; ++half)
      for (int lane = 0; lane < int_lanes / 2; ++lane)
        all[half].low = std::max(all[half].low, low[half][lane]),
        all[half].high = std::min(all[half].high, high[half][lane]);
    return {all[0], all[1]};
  }
};

/// An FMA, if one was found. `shift` is added to all accumulators beforehand. If the sum is below `breakpoint`,
/// below_shift is added to it, and below_offset to the result.
struct line {
  float slope = 0, offset = 0;
  bool found = false;
  std::int32_t shift = 0, breakpoint = 0, below_shift = 0, below_offset = 0;
};

/// The float `steps` representable values above x (below, if negative). Domain: positive finite x.
inline float neighbour(float x, int steps) { return std::bit_cast<float>(std::bit_cast<std::int32_t>(x) + steps); }

/// Larger quotients give multiples that are of no use, see shifted_line().
inline constexpr std::int64_t max_moduli = 1 << 14;

/// Smallest x with low <= factor * x mod modulus <= high, or -1 (Euclid's algorithm; "first in range of a linear
/// congruence"). Domain: 0 <= low <= high < modulus, 0 <= factor < modulus.
constexpr std::int64_t first_multiple_within(std::int64_t factor, std::int64_t modulus, std::int64_t low,
                                             std::int64_t high) {
  if (low == 0) return 0;
  if (factor == 0) return -1;
  const std::int64_t least = (low + factor - 1) / factor;
  if (least * factor <= high) return least;
  // No multiple is in the interval: subtract the modulus as often as needed. The next multiple is above both ends.
  const std::int64_t next = least * factor,
                     moduli = first_multiple_within(modulus % factor, factor, next - high, next - low);
  return moduli < 0 || moduli > max_moduli ? -1 : (low + modulus * moduli + factor - 1) / factor;
}

/// Shift of accumulators and offset of results for an FMA on floats that count integers.
struct whole_offset {
  bool found = false;
  std::int64_t shift = 0, offset = 0;
};

/// Finds the smallest shift whose product with the slope has the fraction that the `wanted` offsets need. Accumulators
/// from `min_sum` on must become floats that count integers.
inline whole_offset whole_offset_for(float slope, step_function::offsets wanted, std::int64_t min_sum) {
  constexpr std::int64_t max_shift = 1 << 23, min_offset = -(11 << 20);
  const std::int64_t room = 64 - min_sum, begin = static_cast<std::int64_t>(magic_bias) + room;
  const std::int32_t bits = std::bit_cast<std::int32_t>(slope);
  const std::int64_t mantissa = (bits & 0x7fffff) | 0x800000;
  const int point = 150 - (bits >> 23);  // slope = mantissa / 2^point
  if (point < 1 || point > 48) return {};
  if (wanted.width() > 2) {  // no step on one side, or on both
    if (wanted.low > -1e30) wanted.high = wanted.low + slope;
    else if (wanted.high < 1e30) wanted.low = wanted.high - slope;
    else wanted = {-0.25, 0.25};
  }
  const std::int64_t one = std::int64_t{1} << point;
  const auto whole = static_cast<std::int64_t>(wanted.low) - (wanted.low < 0 ? 1 : 0);  // at most the floor
  const auto scaled = [&](double x) { return (x - static_cast<double>(whole)) * static_cast<double>(one); };
  const auto floor = static_cast<std::int64_t>(scaled(wanted.low)),
             last = static_cast<std::int64_t>(scaled(wanted.high));
  const std::int64_t first = floor + (static_cast<double>(floor) < scaled(wanted.low) ? 1 : 0);
  if (first > last) return {};
  const auto rest = [&](std::int64_t x) { return (x % one + one) % one; };
  const std::int64_t least = rest(first - mantissa * begin), most = rest(last - mantissa * begin);
  const std::int64_t shift =
      last - first >= one || least > most ? 0 : first_multiple_within(mantissa % one, one, least, most);
  const std::int64_t product = mantissa * (begin + shift), above = first - product % one;
  const std::int64_t offset = whole - product / one + (above > 0 ? (above + one - 1) / one : 0);
  if (shift < 0 || shift > max_shift || offset < min_offset) return {};
  return {true, bits_of_first_counted + room + shift, offset};
}

/// Finds an FMA with this slope on floats that count integers: one for all accumulators, or (Bends) one from the
/// breakpoint on and one below. `zero` is the zero point that the offset includes.
template <bool Bends, class Fits>
line shifted_line(const step_function& stepped, float slope, const step_function::halves& wanted, std::int32_t zero,
                  Fits fits) {
  const std::int64_t least =
      nnrt::detail::clamped(stepped.steps > 0 ? stepped.at[0] : stepped.reach.low, -(1 << 22), 0);
  const whole_offset above = whole_offset_for(slope, Bends ? wanted.above : wanted.above & wanted.below, least),
                     below = Bends && above.found ? whole_offset_for(slope, wanted.below, least) : above;
  if (!below.found) return {};
  const auto shift = static_cast<std::int32_t>(above.shift);
  const line made{slope,
                  magic_bias_of_zero + static_cast<float>(above.offset + zero),
                  true,
                  shift,
                  shift + stepped.breakpoint,
                  static_cast<std::int32_t>(below.shift - above.shift),
                  static_cast<std::int32_t>(below.offset - above.offset)};
  return fits(made) ? made : line{};
}

/// Searches an FMA among the slopes nearest to the factor. For each slope, an interval of offsets is allowed; as a
/// function of the slope, its width has a single maximum. fits() checks candidates. `zero` is the zero point that the
/// offset includes.
///
/// IsSigned: the FMA has a breakpoint if it rounds once; otherwise its offset is subtracted for negative accumulators.
template <bool IsSigned, class Fits>
line nearest_line(const step_function& stepped, double factor, std::int32_t zero, Fits fits) {
  constexpr int farthest = 12;
  const auto nearest = static_cast<float>(factor);
  const auto at = [&](int i) { return stepped.offsets_for<IsSigned>(double{neighbour(nearest, i)}); };
  const auto width = [](const step_function::halves& of) {
    return IsSigned && lines_round_once ? std::min(of.above.width(), of.below.width())
                                        : (of.above & (IsSigned ? of.below.negative() : of.below)).width();
  };
  const auto tried = [&](int i, const step_function::halves& halves) {
    if constexpr (lines_round_once) return shifted_line<IsSigned>(stepped, neighbour(nearest, i), halves, zero, fits);
    const step_function::offsets of = halves.above & (IsSigned ? halves.below.negative() : halves.below);
    const double low = of.low > -1e30   ? of.low
                       : of.high < 1e30 ? of.high - factor
                                        : 0.0,
                 high = of.high < 1e30 ? of.high : low + factor;
    for (const double place : {0.5, 0.25, 0.75, 0.0, 1.0}) {
      const line made{neighbour(nearest, i), static_cast<float>(low + (high - low) * place + zero), true};
      if (fits(made)) return made;
    }
    return line{};
  };
  // Rounding of f32 values of this magnitude.
  const double least = lines_round_once ? 0.0 : -0x1p-16;
  step_function::halves best = at(0);
  // For most channels, the nearest slope fits.
  if (width(best) >= least)
    if (const line made = tried(0, best); made.found) return made;
  int place = 0;
  for (const int way : {1, -1})
    for (int i = way; i <= farthest && i >= -farthest; i += way) {
      const step_function::halves next = at(i);
      if (width(next) <= width(best)) break;
      best = next, place = i;
    }
  if (width(best) < least) return {};
  for (const int i : {place, place + 1, place - 1, place + 2, place - 2})
    if (i == 0) continue;  // tried
    else if (const line made = tried(i, i == place ? best : at(i)); made.found) return made;
  return {};
}

/// FMAs of a channel whose accumulators fit into 32 bits. `rising` is for results clamped at the zero point. The offset
/// of `any` has the sign of the accumulator, or it has a breakpoint.
///
/// Channel is int8_channel. It is a template parameter so that programs without int8 do not compile this.
template <class Channel> struct channel_lines {
  line rising, any;
  bool stay_in_halves = false;  // whether 16 bits hold all results

  channel_lines(const Channel& channel, scaled_range range) {
    const fixed_point m = channel.factor;
    if (m.mantissa == 0) {
      const float zero = static_cast<float>(range.zero) + (lines_round_once ? magic_bias_of_zero : 0);
      const std::int32_t shift = lines_round_once ? bits_of_first_counted : 0;
      rising = {0, zero, range.low == 0 && stays_in_floats(channel), shift};
      any = {0, lines_round_once ? zero : 0, stays_in_floats(channel), shift, shift};
      stay_in_halves = any.found;
      return;
    }
    if (m.exponent > 0) return;
    const double slope = static_cast<double>(m.mantissa) / static_cast<double>(std::int64_t{1} << (31 - m.exponent));
    step_function stepped(channel, range);
    if (!stays_in_floats(channel)) return;
    if (range.low == 0)
      rising = nearest_line<false>(stepped, slope, range.zero, [&](const line& of) {
        const int_vector slopes = bits(of.slope), offsets = bits(of.offset);
        return stepped.fits(
            [&](int_vector x) { return whole_result(scaled_by_rising_line(x + of.shift, slopes, offsets)); },
            range.zero);
      });
    if (rising.found) {
      if (lines_round_once) any = rising;
      stay_in_halves = are_halves(channel, rising);
      return;
    }
    // No slope of 24 bits may fit all steps, but one fits each half of the steps.
    if (lines_round_once && range.low == 0 && stepped.steps > 0) stepped.breakpoint = stepped.at[stepped.steps / 2];
    const std::int32_t zero = lines_round_once ? range.zero : 0;
    any = nearest_line<true>(stepped, slope, zero, [&](const line& of) {
      const signed_line line = in_lanes(of);
      return of.offset >= 0 &&
             stepped.fits([&](int_vector x) { return whole_result(scaled_by_line(x + of.shift, line)); }, zero);
    });
    stay_in_halves = any.found && are_halves(channel, any);
  }

 private:
  /// Whether all accumulators, with their shift, remain the bits of positive floats.
  static bool stays_in_floats(const Channel& channel) {
    constexpr std::int64_t farthest = lines_round_once ? std::int64_t{1} << 29 : std::int64_t{1} << 32;
    return channel.reach.low >= -farthest && channel.reach.high <= farthest;
  }
  /// Whether 16 bits hold the results of the lowest and the highest accumulator, and so all results between them.
  static bool are_halves(const Channel& channel, const line& of) {
    const auto result = [&](std::int64_t sum) {
      return whole_result(scaled_by_line(int_lanes_of(static_cast<std::int32_t>(sum) + of.shift), in_lanes(of)))[0];
    };
    return lines_make_halves && result(channel.reach.low) >= INT16_MIN && result(channel.reach.high) <= INT16_MAX;
  }
  static signed_line in_lanes(const line& of) {
    return {bits(of.slope), bits(of.offset), int_lanes_of(of.breakpoint), int_lanes_of(of.below_shift),
            int_lanes_of(of.below_offset)};
  }
  static int_vector bits(float x) { return int_lanes_of(std::bit_cast<std::int32_t>(x)); }
};

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
