// saturating_pack: 32-bit accumulators to registers of quantised values - scaled, rounded, clamped, packed.
// Flow: int8/requantise/output_stage.hpp and int8/elementwise/pairs.hpp scale with these; register tiles store the
// results.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Whether scaled_by_line() and `scaler<scale_method::exactly>` are a few instructions; where they are not,
/// accumulators are scaled one by one.
inline constexpr bool has_lines = machine::has_lines, has_exact_scale = machine::has_exact_scale;

/// Whether lines round once, to an integer. Then the lanes of x hold the bits of floats that count integers, and so
/// does the result: floats from `magic_bias` to twice as much have no fraction, and their bits rise by one with them.
/// Other bits rise, too, but not by one.
inline constexpr bool lines_round_once = machine::lines_round_once;
/// Whether lines leave their result in the lower half of a lane, and in the upper half the rest of bits_of_zero: where
/// one shuffle takes the halves of two registers, nothing has to be subtracted.
inline constexpr bool lines_make_halves = machine::lines_make_halves;
inline constexpr float magic_bias = 0x1p23F, magic_bias_of_zero = 0x1.8p23F;
inline constexpr std::int32_t bits_of_first_counted = 0x4b000000, bits_of_zero = 0x4b400000;

/// x * slope + offset in float arithmetic, rounded to nearest; slope and offset are the bits of floats. The result
/// needs whole_result().
[[gnu::always_inline]] inline int_vector scaled_by_rising_line(int_vector x, int_vector slope, int_vector offset) {
  return machine::scaled_by_rising_line(x, slope, offset);
}

/// All bits of a result of scaled_by_rising_line() or scaled_by_line().
[[gnu::always_inline]] inline int_vector whole_result(int_vector x) { return lines_make_halves ? x - bits_of_zero : x; }

/// The line of accumulators of both signs, in all lanes; slope and offset are the bits of floats. See scaled_by_line().
struct signed_line {
  int_vector slope, offset;
  int_vector breakpoint, below_shift, below_offset;  // where lines round once
};

/// x * slope + offset with the sign of x, in float arithmetic, rounded to nearest. |x * slope| must be below 2^31. If
/// lines round once it is scaled_by_rising_line(), where an x below `breakpoint` and its result are shifted.
[[gnu::always_inline]] inline int_vector scaled_by_line(int_vector x, const signed_line& of) {
  return machine::scaled_by_line(x, of.slope, of.offset, of.breakpoint, of.below_shift, of.below_offset);
}

/// A rounded value per lane, and the magnitude of its rounding error as the bits of a float.
struct rounded_lanes {
  int_vector nearest, distance;
};
/// x * slope + offset in float arithmetic; slope, offset and result are the bits of floats.
[[gnu::always_inline]] inline int_vector on_line(int_vector x, int_vector slope, int_vector offset) {
  return machine::on_line(x, slope, offset);
}
/// Rounds floats, given as bits, to nearest integers.
[[gnu::always_inline]] inline rounded_lanes rounded_floats(int_vector x) {
  rounded_lanes rounded;
  machine::round_floats(x, rounded.nearest, rounded.distance);
  return rounded;
}
/// Whether any lane of x is larger than that of y.
[[gnu::always_inline]] inline bool any_is_larger(int_vector x, int_vector y) { return machine::any_is_larger(x, y); }

/// The upper 32 bits of x * y + addend per lane; the 64-bit addends of even and of odd lanes are in two registers.
[[gnu::always_inline]] inline int_vector upper_halves(int_vector x, int_vector y, int_vector even_addend,
                                                      int_vector odd_addend) {
  return machine::upper_halves(x, y, even_addend, odd_addend);
}
/// 2^31 in each pair of lanes: what rounds upper_halves().
[[gnu::always_inline]] inline int_vector half_in_pairs() {
  typedef std::int64_t pairs __attribute__((vector_size(register_bytes)));
  return (int_vector)((std::int64_t{1} << 31) - pairs{});
}

/// The limits of results, in vectors of `Bytes` bytes. Values are i8; u8 ones minus 128, which is a flip of the highest
/// bit that the last step undoes.
template <int Bytes> struct int8_limits {
  typedef std::int8_t vector __attribute__((vector_size(Bytes)));
  vector low, high, flip;

  int8_limits(std::int32_t low_number, std::int32_t high_number, bool is_unsigned)
      : low(in_every_lane(low_number - (is_unsigned ? 128 : 0))),
        high(in_every_lane(high_number - (is_unsigned ? 128 : 0))),
        flip(in_every_lane(is_unsigned ? -128 : 0)) {}

  /// Clamps values to the upper limit, for values not below the lower one; and to both limits.
  [[gnu::always_inline]] vector lowered(vector x) const { return (x < high ? x : high) ^ flip; }
  [[gnu::always_inline]] vector limited(vector x) const { return lowered(x > low ? x : low); }

 private:
  static vector in_every_lane(std::int32_t x) { return static_cast<std::int8_t>(x) - vector{}; }
};

/// Zero point and limits of a result, as vectors.
struct narrowing {
  int16_vector zero_point;
  int8_limits<static_cast<int>(register_bytes)> within;
  bool limits;  // whether clamping changes anything

  narrowing(std::int32_t low, std::int32_t high, std::int32_t zero, bool is_unsigned)
      : zero_point(static_cast<std::int16_t>(zero - (is_unsigned ? 128 : 0)) - int16_vector{}),
        within(low, high, is_unsigned),
        limits(is_unsigned || low > -128 || high < 127) {}

  template <bool AddsZeroPoint> [[gnu::always_inline]] int16_vector moved(int16_vector x) const {
    if constexpr (AddsZeroPoint) return machine::add_saturated(x, zero_point);
    else return x;
  }
  [[gnu::always_inline]] int8_vector limited(int8_vector x) const { return limits ? within.limited(x) : x; }
};

/// The lower halves of the lanes of a and b, four of each in turn.
[[gnu::always_inline]] inline int16_vector lower_halves(int_vector a, int_vector b) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector((int16_vector)a, (int16_vector)b,
                                   (I / 8 * 8 + I % 4 * 2 + I % 8 / 4 * 2 * static_cast<int>(int_lanes))...);
  }
  (std::make_integer_sequence<int, 2 * int_lanes>{});
}

/// Packs two registers of scaled accumulators to 16 bits, four lanes of each in turn. AddsZeroPoint: the zero point is
/// added, else the accumulators include it. AreHalves: results are in the lower halves of lanes, see lines_make_halves.
template <bool AddsZeroPoint, bool AreHalves>
[[gnu::always_inline]] inline int16_vector narrowed_to_i16(int_vector a, int_vector b, const narrowing& to) {
  if constexpr (AreHalves) return to.moved<AddsZeroPoint>(lower_halves(a, b));
  else return to.moved<AddsZeroPoint>(machine::pack(a, b));
}
/// Packs results of narrowed_to_i16() to quantised values.
[[gnu::always_inline]] inline int8_vector narrowed_to_bytes(int16_vector ab, int16_vector cd, const narrowing& to) {
  return to.limited(machine::pack(ab, cd));
}
/// Packs four registers of scaled accumulators to quantised values. Every 16 bytes of the result are four lanes of a,
/// of b, of c, of d.
template <bool AddsZeroPoint>
[[gnu::always_inline]] inline int8_vector narrowed(int_vector a, int_vector b, int_vector c, int_vector d,
                                                   const narrowing& to) {
  return narrowed_to_bytes(narrowed_to_i16<AddsZeroPoint, false>(a, b, to),
                           narrowed_to_i16<AddsZeroPoint, false>(c, d, to), to);
}

/// Reorders a result of narrowed() to the bytes of a, then of b, of c, of d.
[[gnu::always_inline]] inline int8_vector rows_apart(int8_vector x) { return machine::rows_apart(x); }
/// Stores half a register, or a quarter.
template <int Half> [[gnu::always_inline]] inline void store_half(int8_vector x, std::byte* p) {
  machine::store_half<Half>(x, p);
}
template <int Quarter> [[gnu::always_inline]] inline void store_quarter(int8_vector x, std::byte* p) {
  machine::store_quarter<Quarter>(x, p);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
