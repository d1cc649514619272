// saturating_pack: vectors of sums of 32 bits become vectors of quantised values - scaled, rounded, limited, narrowed.
// Flow: int8/requantise/output_stage.hpp and int8/elementwise/pairs.hpp scale with these, the tiles of bytes store what
// comes out.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Whether scaled_by_line() is there, and what scaler<scale_method::exactly> is made of; where they are not, sums are
/// scaled one by one.
#if defined(__SSE2__) || defined(__aarch64__) || defined(NNRT_TEST_MATRIX_REGISTERS)
inline constexpr bool has_lines = true;
#else
inline constexpr bool has_lines = false;
#endif
#if defined(__SSE4_1__) || defined(__aarch64__)
inline constexpr bool has_exact_scale = true;
#else
inline constexpr bool has_exact_scale = false;
#endif

/// Whether lines round but once, to an integer. Then the lanes of x hold the bits of floats that count
/// integers, and so does the result: floats from `magic_bias` to twice as much have no digits behind the point, and
/// bits that rise by one with them. Others rise, too, but not by one.
#if defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2) || defined(__aarch64__) || \
    defined(NNRT_TEST_MATRIX_REGISTERS)
inline constexpr bool lines_round_once = true;
#else
inline constexpr bool lines_round_once = false;
#endif
/// Whether lines leave their result in the lower half of a lane, and above it what is left of bits_of_zero: where one
/// shuffle takes the halves of two registers, nothing has to be taken off.
#if defined(NNRT_LANES_AVX512) || defined(__aarch64__) || defined(NNRT_TEST_MATRIX_REGISTERS)
inline constexpr bool lines_make_halves = true;
#else
inline constexpr bool lines_make_halves = false;
#endif
inline constexpr float magic_bias = 0x1p23F, magic_bias_of_zero = 0x1.8p23F;
inline constexpr std::int32_t bits_of_first_counted = 0x4b000000, bits_of_zero = 0x4b400000;

#if defined(NNRT_TEST_MATRIX_REGISTERS)
/// fma(x, slope, offset) per lane, rounded once; all lanes hold the bits of floats.
inline int_vector plain_fma(int_vector x, int_vector slope, int_vector offset) {
  int_vector y{};
  for (std::int64_t i = 0; i < int_lanes; ++i) {
    const auto float_at = [i](int_vector v) { return __builtin_bit_cast(float, v[i]); };
    y[i] = __builtin_bit_cast(std::int32_t, __builtin_fmaf(float_at(x), float_at(slope), float_at(offset)));
  }
  return y;
}
#endif

/// x * slope + offset to nearest, as floats compute it; the lanes of slope and offset hold the bits of floats. See
/// whole_result().
[[gnu::always_inline]] inline int_vector scaled_by_rising_line(int_vector x, int_vector slope, int_vector offset) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_fmadd_ps((__m512)x, (__m512)slope, (__m512)offset);
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_fmadd_ps((__m256)x, (__m256)slope, (__m256)offset) - bits_of_zero;
#elif defined(__SSE2__)
  return (int_vector)_mm_cvtps_epi32(
      _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)slope), (__m128)offset));
#elif defined(__aarch64__)
  return (int_vector)vfmaq_f32((float32x4_t)offset, (float32x4_t)x, (float32x4_t)slope);
#elif defined(NNRT_TEST_MATRIX_REGISTERS)
  return plain_fma(x, slope, offset);
#else
  (void)slope, (void)offset;
  return x;
#endif
}

/// The same with all its bits.
[[gnu::always_inline]] inline int_vector whole_result(int_vector x) { return lines_make_halves ? x - bits_of_zero : x; }

/// What a line of sums of both signs is made of, in all lanes the bits of floats; see scaled_by_line().
struct signed_line {
  int_vector slope, offset;
  int_vector bend, below_shift, below_offset;  // where lines round once
};

/// x * slope + offset with the sign of x, to nearest, as floats compute it. |x * slope| must stay below 2^31. Where
/// lines round once it is scaled_by_rising_line(), but for an x below `bend`: that is shifted first, and its result is,
/// too.
[[gnu::always_inline]] inline int_vector scaled_by_line(int_vector x, const signed_line& of) {
#if defined(NNRT_LANES_AVX512)
  const __mmask16 is_below = _mm512_cmplt_epi32_mask((__m512i)x, (__m512i)of.bend);
  const auto shifted = (int_vector)_mm512_mask_add_epi32((__m512i)x, is_below, (__m512i)x, (__m512i)of.below_shift);
  const int_vector y = scaled_by_rising_line(shifted, of.slope, of.offset);
  return (int_vector)_mm512_mask_add_epi32((__m512i)y, is_below, (__m512i)y, (__m512i)of.below_offset);
#elif defined(NNRT_LANES_AVX2) || defined(__aarch64__) || defined(NNRT_TEST_MATRIX_REGISTERS)
  const int_vector is_below = x < of.bend;
  return scaled_by_rising_line(x + (is_below & of.below_shift), of.slope, of.offset) + (is_below & of.below_offset);
#elif defined(__SSE2__)
  const int_vector signed_offset = (x & INT32_MIN) | of.offset;
  return (int_vector)_mm_cvtps_epi32(
      _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)of.slope), (__m128)signed_offset));
#else
  (void)of;
  return x;
#endif
}

/// A rounded number in each lane, and how far it was from it, as the bits of a float without its sign.
struct rounded_lanes {
  int_vector nearest, distance;
};
/// x * slope + offset as floats compute it; the lanes of slope, offset and result hold the bits of floats.
[[gnu::always_inline]] inline int_vector on_line(int_vector x, int_vector slope, int_vector offset) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_fmadd_ps(_mm512_cvtepi32_ps((__m512i)x), (__m512)slope, (__m512)offset);
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_fmadd_ps(_mm256_cvtepi32_ps((__m256i)x), (__m256)slope, (__m256)offset);
#elif defined(__SSE2__)
  return (int_vector)_mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)slope), (__m128)offset);
#elif defined(__aarch64__)
  return (int_vector)vfmaq_f32((float32x4_t)offset, vcvtq_f32_s32((int32x4_t)x), (float32x4_t)slope);
#else
  (void)slope, (void)offset;
  return x;
#endif
}
/// The floats whose bits these are.
[[gnu::always_inline]] inline rounded_lanes rounded_floats(int_vector x) {
#if defined(NNRT_LANES_AVX512)
  return {(int_vector)_mm512_cvtps_epi32((__m512)x), (int_vector)_mm512_reduce_ps((__m512)x, 8) & INT32_MAX};
#elif defined(NNRT_LANES_AVX2)
  return {(int_vector)_mm256_cvtps_epi32((__m256)x),
          (int_vector)_mm256_sub_ps((__m256)x, _mm256_round_ps((__m256)x, 8)) & INT32_MAX};
#elif defined(__SSE4_1__)
  return {(int_vector)_mm_cvtps_epi32((__m128)x),
          (int_vector)_mm_sub_ps((__m128)x, _mm_round_ps((__m128)x, 8)) & INT32_MAX};
#elif defined(__aarch64__)
  return {(int_vector)vcvtnq_s32_f32((float32x4_t)x),
          (int_vector)vsubq_f32((float32x4_t)x, vrndnq_f32((float32x4_t)x)) & INT32_MAX};
#else
  return {x, x};
#endif
}
/// Whether any lane of x is larger than that of y.
[[gnu::always_inline]] inline bool any_is_larger(int_vector x, int_vector y) {
#if defined(NNRT_LANES_AVX512)
  return _mm512_cmpgt_epi32_mask((__m512i)x, (__m512i)y) != 0;
#elif defined(NNRT_LANES_AVX2)
  return _mm256_movemask_epi8(_mm256_cmpgt_epi32((__m256i)x, (__m256i)y)) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_epi8(_mm_cmpgt_epi32((__m128i)x, (__m128i)y)) != 0;
#elif defined(__aarch64__)
  return vmaxvq_u32(vcgtq_s32((int32x4_t)x, (int32x4_t)y)) != 0;
#else
  for (std::int64_t i = 0; i < int_lanes; ++i)
    if (x[i] > y[i]) return true;
  return false;
#endif
}

/// The upper halves of x * y + addend, products and addends of 64 bits; those of even and of odd lanes stand apart.
[[gnu::always_inline]] inline int_vector upper_halves(int_vector x, int_vector y, int_vector even_addend,
                                                      int_vector odd_addend) {
#if defined(NNRT_LANES_AVX512)
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32((__m512i)x, (__m512i)y), (__m512i)even_addend),
                odd = _mm512_add_epi64(
                    _mm512_mul_epi32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)y, 32)),
                    (__m512i)odd_addend);
  return (int_vector)_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
#elif defined(NNRT_LANES_AVX2)
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32((__m256i)x, (__m256i)y), (__m256i)even_addend),
                odd = _mm256_add_epi64(
                    _mm256_mul_epi32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)y, 32)),
                    (__m256i)odd_addend);
  return (int_vector)_mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xf5), odd, 0xaa);
#elif defined(__SSE4_1__)
  const __m128i even = _mm_add_epi64(_mm_mul_epi32((__m128i)x, (__m128i)y), (__m128i)even_addend),
                odd = _mm_add_epi64(_mm_mul_epi32(_mm_srli_epi64((__m128i)x, 32), _mm_srli_epi64((__m128i)y, 32)),
                                    (__m128i)odd_addend);
  return (int_vector)_mm_blend_epi16(_mm_shuffle_epi32(even, 0xf5), odd, 0xcc);
#elif defined(__aarch64__)
  const int32x4_t even_first = vuzp1q_s32((int32x4_t)x, (int32x4_t)y),
                  odd_first = vuzp2q_s32((int32x4_t)x, (int32x4_t)y);
  const int64x2_t even = vmlal_s32((int64x2_t)even_addend, vget_low_s32(even_first), vget_high_s32(even_first)),
                  odd = vmlal_s32((int64x2_t)odd_addend, vget_low_s32(odd_first), vget_high_s32(odd_first));
  return (int_vector)vtrn2q_s32(vreinterpretq_s32_s64(even), vreinterpretq_s32_s64(odd));
#else
  (void)y, (void)even_addend, (void)odd_addend;
  return x;
#endif
}
/// 2^31 in each pair of lanes: what rounds upper_halves().
[[gnu::always_inline]] inline int_vector half_in_pairs() {
  typedef std::int64_t pairs __attribute__((vector_size(register_bytes)));
  return (int_vector)((std::int64_t{1} << 31) - pairs{});
}

/// The limits of stored results in vectors of so many bytes. All numbers are as those of i8: of u8 ones 128 is taken
/// off, by flipping a bit that is flipped back in the end.
template <int Bytes> struct int8_limits {
  typedef std::int8_t vector __attribute__((vector_size(Bytes)));
  vector low, high, flip;

  int8_limits(std::int32_t low_number, std::int32_t high_number, bool is_unsigned)
      : low(in_every_lane(low_number - (is_unsigned ? 128 : 0))),
        high(in_every_lane(high_number - (is_unsigned ? 128 : 0))),
        flip(in_every_lane(is_unsigned ? -128 : 0)) {}

  /// Stored bytes of numbers that are not below the lower limit, and of any.
  [[gnu::always_inline]] vector lowered(vector x) const { return (x < high ? x : high) ^ flip; }
  [[gnu::always_inline]] vector limited(vector x) const { return lowered(x > low ? x : low); }

 private:
  static vector in_every_lane(std::int32_t x) { return static_cast<std::int8_t>(x) - vector{}; }
};

/// What a stored result may be, as vectors.
struct narrowing {
  int16_vector zero_point;
  int8_limits<static_cast<int>(register_bytes)> within;
  bool limits;  // whether they do anything

  narrowing(std::int32_t low, std::int32_t high, std::int32_t zero, bool is_unsigned)
      : zero_point(static_cast<std::int16_t>(zero - (is_unsigned ? 128 : 0)) - int16_vector{}),
        within(low, high, is_unsigned),
        limits(is_unsigned || low > -128 || high < 127) {}

  template <bool AddsZeroPoint> [[gnu::always_inline]] int16_vector moved(int16_vector x) const {
    if constexpr (!AddsZeroPoint) return x;
#if defined(NNRT_LANES_AVX512)
    return (int16_vector)_mm512_adds_epi16((__m512i)x, (__m512i)zero_point);
#elif defined(NNRT_LANES_AVX2)
    return (int16_vector)_mm256_adds_epi16((__m256i)x, (__m256i)zero_point);
#elif defined(__SSE2__)
    return (int16_vector)_mm_adds_epi16((__m128i)x, (__m128i)zero_point);
#elif defined(__aarch64__)
    return (int16_vector)vqaddq_s16((int16x8_t)x, (int16x8_t)zero_point);
#else
    return x;
#endif
  }
  [[gnu::always_inline]] int8_vector limited(int8_vector x) const { return limits ? within.limited(x) : x; }
};

/// The lower halves of the lanes of a and b, four of each by turns.
[[gnu::always_inline]] inline int16_vector lower_halves(int_vector a, int_vector b) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector((int16_vector)a, (int16_vector)b,
                                   (I / 8 * 8 + I % 4 * 2 + I % 8 / 4 * 2 * static_cast<int>(int_lanes))...);
  }
  (std::make_integer_sequence<int, 2 * int_lanes>{});
}

/// Numbers of 16 bits of two registers of scaled sums, four lanes of each by turns.
///
/// \tparam AddsZeroPoint whether the zero point is added; else the sums include it
/// \tparam AreHalves whether the sums are in the lower halves of lanes alone, see lines_make_halves
template <bool AddsZeroPoint, bool AreHalves>
[[gnu::always_inline]] inline int16_vector narrowed_to_shorts(int_vector a, int_vector b, const narrowing& to) {
  if constexpr (AreHalves) return to.moved<AddsZeroPoint>(lower_halves(a, b));
#if defined(NNRT_LANES_AVX512)
  return to.moved<AddsZeroPoint>((int16_vector)_mm512_packs_epi32((__m512i)a, (__m512i)b));
#elif defined(NNRT_LANES_AVX2)
  return to.moved<AddsZeroPoint>((int16_vector)_mm256_packs_epi32((__m256i)a, (__m256i)b));
#elif defined(__SSE2__)
  return to.moved<AddsZeroPoint>((int16_vector)_mm_packs_epi32((__m128i)a, (__m128i)b));
#elif defined(__aarch64__)
  return to.moved<AddsZeroPoint>((int16_vector)vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b));
#else
  int16_vector out;
  for (std::int64_t i = 0; i < int16_lanes; ++i) {
    const std::int64_t lane = i / 8 * 4 + i % 4;
    const std::int64_t x = std::int64_t{i % 8 < 4 ? a[lane] : b[lane]} + (AddsZeroPoint ? to.zero_point[0] : 0);
    out[i] = static_cast<std::int16_t>(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
  }
  return out;
#endif
}
/// Quantised values of what narrowed_to_shorts() gave.
[[gnu::always_inline]] inline int8_vector narrowed_to_bytes(int16_vector ab, int16_vector cd, const narrowing& to) {
#if defined(NNRT_LANES_AVX512)
  return to.limited((int8_vector)_mm512_packs_epi16((__m512i)ab, (__m512i)cd));
#elif defined(NNRT_LANES_AVX2)
  return to.limited((int8_vector)_mm256_packs_epi16((__m256i)ab, (__m256i)cd));
#elif defined(__SSE2__)
  return to.limited((int8_vector)_mm_packs_epi16((__m128i)ab, (__m128i)cd));
#elif defined(__aarch64__)
  return to.limited((int8_vector)vqmovn_high_s16(vqmovn_s16((int16x8_t)ab), (int16x8_t)cd));
#else
  int8_vector out;
  for (std::int64_t i = 0; i < register_bytes; ++i) {
    const std::int64_t place = i / 16 * 8 + i % 8;
    const std::int16_t x = i % 16 < 8 ? ab[place] : cd[place];
    out[i] = static_cast<std::int8_t>(x < -128 ? -128 : x > 127 ? 127 : x);
  }
  return to.limited(out);
#endif
}
/// Quantised values of four registers of scaled sums, to which the zero point is added unless they include it. Each 16
/// bytes of the result are four lanes of a, of b, of c, of d.
template <bool AddsZeroPoint>
[[gnu::always_inline]] inline int8_vector narrowed(int_vector a, int_vector b, int_vector c, int_vector d,
                                                   const narrowing& to) {
  return narrowed_to_bytes(narrowed_to_shorts<AddsZeroPoint, false>(a, b, to),
                           narrowed_to_shorts<AddsZeroPoint, false>(c, d, to), to);
}

/// What narrowed() gives of four registers as the bytes of a, those of b, of c, of d.
[[gnu::always_inline]] inline int8_vector rows_apart(int8_vector x) {
#if defined(NNRT_LANES_AVX512)
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return (int8_vector)_mm512_permutexvar_epi32(order, (__m512i)x);
#elif defined(NNRT_LANES_AVX2)
  return (int8_vector)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
#else
  int_vector out{};
  for (std::int64_t i = 0; i < int_lanes; ++i) out[i] = ((int_vector)x)[i % (int_lanes / 4) * 4 + i / (int_lanes / 4)];
  return (int8_vector)out;
#endif
}
/// Stores a half of a register, or a quarter.
template <int Half> [[gnu::always_inline]] inline void store_half(int8_vector x, std::byte* p) {
#if defined(NNRT_LANES_AVX512)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      Half == 0 ? _mm512_castsi512_si256((__m512i)x) : _mm512_extracti64x4_epi64((__m512i)x, 1));
#else
  typedef std::int64_t words __attribute__((vector_size(register_bytes)));
  for (int i = 0; i < register_bytes / 16; ++i) {
    const std::int64_t word = ((words)x)[Half * (register_bytes / 16) + i];
    __builtin_memcpy(p + 8 * i, &word, 8);
  }
#endif
}
template <int Quarter> [[gnu::always_inline]] inline void store_quarter(int8_vector x, std::byte* p) {
#if defined(NNRT_LANES_AVX512)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_extracti32x4_epi32((__m512i)x, Quarter));
#else
  for (int i = 0; i < int_lanes / 4; ++i) {
    const std::int32_t word = ((int_vector)x)[Quarter * (int_lanes / 4) + i];
    __builtin_memcpy(p + 4 * i, &word, 4);
  }
#endif
}

}}}  // namespace nnrt::NNRT_ISA::kernels
