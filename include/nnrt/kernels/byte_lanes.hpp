// byte_lanes: vectors of stored numbers - dot products of four bytes, interleaving, and the way from sums back to bytes.
// Flow: kernels of bytes and of shorts compute with these.
//
// A register holds int_lanes sums of 32 bits, or four times as many bytes. Where the machine sums four products of bytes
// by one instruction (VNNI, NEON dotprod), that is dot4(); elsewhere bytes are widened to 16 bits first, since the
// instruction for bytes (pmaddubsw) saturates.
#pragma once

#include <nnrt/kernels/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(NNRT_LANES_AVX512)
#define NNRT_BYTES_OF_REGISTER 64
#elif defined(NNRT_LANES_AVX2)
#define NNRT_BYTES_OF_REGISTER 32
#else
#define NNRT_BYTES_OF_REGISTER 16
#endif
#if (defined(NNRT_LANES_AVX512) && defined(__AVX512VNNI__)) || (defined(NNRT_LANES_AVX2) && defined(__AVXVNNI__))
#define NNRT_BYTES_VNNI 1
#elif defined(__SSE2__)
#define NNRT_BYTES_WIDENED 1
#endif

namespace nnrt::inline NNRT_ISA::kernels {

typedef std::int32_t int_vector __attribute__((vector_size(NNRT_BYTES_OF_REGISTER), may_alias));
typedef std::int16_t short_vector __attribute__((vector_size(NNRT_BYTES_OF_REGISTER), may_alias));
typedef std::int8_t byte_vector __attribute__((vector_size(NNRT_BYTES_OF_REGISTER), may_alias));

inline constexpr std::int64_t register_bytes = NNRT_BYTES_OF_REGISTER;
/// 32-bit sums per register.
inline constexpr std::int64_t int_lanes = register_bytes / 4;

template <class Vector> [[gnu::always_inline]] inline Vector load_vector(const void* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Vector> [[gnu::always_inline]] inline void store_vector(void* p, Vector v) {
  __builtin_memcpy(p, &v, sizeof v);
}
[[gnu::always_inline]] inline int_vector int_lanes_of(std::int32_t x) { return x - int_vector{}; }

/// The first n bytes at p (0 < n <= register_bytes), the others zero; memory past them is not touched.
[[gnu::always_inline]] inline byte_vector load_bytes(const std::byte* p, std::int64_t n) {
  if (n == register_bytes) return load_vector<byte_vector>(p);
#if defined(NNRT_LANES_AVX512)
  return (byte_vector)_mm512_maskz_loadu_epi8((std::uint64_t{1} << n) - 1, p);
#else
  byte_vector x{};
  __builtin_memcpy(&x, p, static_cast<std::size_t>(n));
  return x;
#endif
}

/// Makes a vector opaque: else g++ 12 does in scalar registers what the vector was made for.
[[gnu::always_inline]] inline void keep_vector(int_vector& x) {
#if defined(NNRT_LANES_AVX512)
  asm("" : "+v"(x));
#elif defined(__SSE2__)
  asm("" : "+x"(x));
#else
  (void)x;
#endif
}

// --- dot products -----------------------------------------------------------

/// What dot products take as the first factor, as offset from a stored i8: x86 multiplies unsigned by signed bytes.
#if defined(__ARM_FEATURE_DOTPROD)
inline constexpr bool dots_are_signed = true;
#else
inline constexpr bool dots_are_signed = false;
#endif

#if defined(NNRT_BYTES_WIDENED)
/// Four bytes in each lane, split into those at even and those at odd places, 16 bits each.
struct dot_values {
  int_vector even, odd;
};
/// The weights that they meet, split alike.
struct dot_weights {
  int_vector even, odd;
};
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) {
  return {bytes & 0x00ff00ff, (int_vector)((short_vector)bytes >> 8) & 0x00ff00ff};
}
#else
/// Four bytes in each lane.
struct dot_values {
  int_vector bytes;
};
/// The weights that they meet.
struct dot_weights {
  int_vector bytes;
};
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) { return {bytes}; }
#endif

/// Bytes that the weights of one dot product take in memory, for all lanes.
inline constexpr std::int64_t dot_bytes = sizeof(dot_weights);

/// Where the weight of a lane for the byte at `place` (0 to 3) lies: sets it.
inline void put_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value) {
#if defined(NNRT_BYTES_WIDENED)
  const std::int16_t wide = value;
  std::memcpy(weights + place % 2 * register_bytes + lane * 4 + place / 2 * 2, &wide, sizeof wide);
#else
  std::memcpy(weights + lane * 4 + place, &value, sizeof value);
#endif
}
[[gnu::always_inline]] inline dot_weights load_weights(const std::byte* p) {
#if defined(NNRT_BYTES_WIDENED)
  return {load_vector<int_vector>(p), load_vector<int_vector>(p + register_bytes)};
#else
  return {load_vector<int_vector>(p)};
#endif
}

/// sum + the four products of each lane.
[[gnu::always_inline]] inline int_vector dot4(int_vector sum, dot_values x, dot_weights w) {
#if defined(NNRT_BYTES_VNNI)
#if defined(NNRT_LANES_AVX512) && defined(__clang__)
  return (int_vector)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x.bytes, (__m512i)w.bytes);
#elif defined(NNRT_LANES_AVX512)
  // g++ 12 sees each accumulator of the intrinsic in two vector types, keeps both alive across the loop and spills.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x.bytes), "vm"(w.bytes));
  return sum;
#elif defined(__clang__)
  return (int_vector)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)x.bytes, (__m256i)w.bytes);
#else
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x.bytes), "xm"(w.bytes));
  return sum;
#endif
#elif defined(NNRT_LANES_AVX512)
  return sum + (int_vector)_mm512_madd_epi16((__m512i)x.even, (__m512i)w.even) +
         (int_vector)_mm512_madd_epi16((__m512i)x.odd, (__m512i)w.odd);
#elif defined(NNRT_LANES_AVX2)
  return sum + (int_vector)_mm256_madd_epi16((__m256i)x.even, (__m256i)w.even) +
         (int_vector)_mm256_madd_epi16((__m256i)x.odd, (__m256i)w.odd);
#elif defined(__SSE2__)
  return sum + (int_vector)_mm_madd_epi16((__m128i)x.even, (__m128i)w.even) +
         (int_vector)_mm_madd_epi16((__m128i)x.odd, (__m128i)w.odd);
#elif defined(__ARM_FEATURE_DOTPROD)
  return (int_vector)vdotq_s32((int32x4_t)sum, (int8x16_t)x.bytes, (int8x16_t)w.bytes);
#else
  const auto bytes = (byte_vector)x.bytes, weights = (byte_vector)w.bytes;
  for (int lane = 0; lane < int_lanes; ++lane)
    for (int i = 4 * lane; i < 4 * lane + 4; ++i) sum[lane] += static_cast<std::uint8_t>(bytes[i]) * weights[i];
  return sum;
#endif
}

/// The four bytes at p in every lane, `flip` (in every lane) exclusive-ored: 0x80 in each byte makes signed ones unsigned.
[[gnu::always_inline]] inline dot_values broadcast4(const void* p, int_vector flip) {
  std::int32_t word;
  __builtin_memcpy(&word, p, sizeof word);
#if defined(NNRT_LANES_AVX512)
  return values_of((int_vector)_mm512_set1_epi32(word) ^ flip);
#else
  return values_of(int_lanes_of(word) ^ flip);
#endif
}

/// Whether broadcast8() and paired_sums() are there.
#if defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2)
inline constexpr bool has_pairs_of_lanes = true;
#else
inline constexpr bool has_pairs_of_lanes = false;
#endif

/// The eight bytes at p in every pair of lanes, flipped.
[[gnu::always_inline]] inline dot_values broadcast8(const void* p, int_vector flip) {
  std::int64_t word;
  __builtin_memcpy(&word, p, sizeof word);
#if defined(NNRT_LANES_AVX512)
  return values_of((int_vector)_mm512_set1_epi64(word) ^ flip);
#else
  typedef std::int64_t pairs __attribute__((vector_size(register_bytes)));
  return values_of((int_vector)(word - pairs{}) ^ flip);
#endif
}
/// The sums of pairs of lanes: each four lanes are two pairs of x and two of y, see pair_of_lane().
[[gnu::always_inline]] inline int_vector paired_sums(int_vector x, int_vector y) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_castps_si512(_mm512_shuffle_ps((__m512)x, (__m512)y, 0x88)) +
         (int_vector)_mm512_castps_si512(_mm512_shuffle_ps((__m512)x, (__m512)y, 0xdd));
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_castps_si256(_mm256_shuffle_ps((__m256)x, (__m256)y, 0x88)) +
         (int_vector)_mm256_castps_si256(_mm256_shuffle_ps((__m256)x, (__m256)y, 0xdd));
#else
  (void)y;
  return x;
#endif
}
/// The pair whose sum comes into a lane: of which of the two registers, and its first lane there.
struct lane_pair {
  std::int64_t source, lane;
};
constexpr lane_pair pair_of_lane(std::int64_t lane) { return {lane % 4 / 2, lane / 4 * 4 + lane % 2 * 2}; }

// --- bytes of four registers, lane by lane ------------------------------------

/// The same place of four registers of bytes side by side in a lane: r0 r1 r2 r3. Lane l of register v belongs to byte
/// channel_of_lane(v, l).
struct interleaved {
  int_vector of[4];
};
constexpr std::int64_t channel_of_lane(std::int64_t v, std::int64_t lane) { return lane / 4 * 16 + v * 4 + lane % 4; }

[[gnu::always_inline]] inline interleaved interleave(byte_vector r0, byte_vector r1, byte_vector r2, byte_vector r3) {
#if defined(NNRT_LANES_AVX512)
  const __m512i a = (__m512i)r0, b = (__m512i)r1, c = (__m512i)r2, d = (__m512i)r3;
  const __m512i low_ab = _mm512_unpacklo_epi8(a, b), high_ab = _mm512_unpackhi_epi8(a, b),
                low_cd = _mm512_unpacklo_epi8(c, d), high_cd = _mm512_unpackhi_epi8(c, d);
  return {{(int_vector)_mm512_unpacklo_epi16(low_ab, low_cd), (int_vector)_mm512_unpackhi_epi16(low_ab, low_cd),
           (int_vector)_mm512_unpacklo_epi16(high_ab, high_cd), (int_vector)_mm512_unpackhi_epi16(high_ab, high_cd)}};
#elif defined(NNRT_LANES_AVX2)
  const __m256i a = (__m256i)r0, b = (__m256i)r1, c = (__m256i)r2, d = (__m256i)r3;
  const __m256i low_ab = _mm256_unpacklo_epi8(a, b), high_ab = _mm256_unpackhi_epi8(a, b),
                low_cd = _mm256_unpacklo_epi8(c, d), high_cd = _mm256_unpackhi_epi8(c, d);
  return {{(int_vector)_mm256_unpacklo_epi16(low_ab, low_cd), (int_vector)_mm256_unpackhi_epi16(low_ab, low_cd),
           (int_vector)_mm256_unpacklo_epi16(high_ab, high_cd), (int_vector)_mm256_unpackhi_epi16(high_ab, high_cd)}};
#elif defined(__SSE2__)
  const __m128i a = (__m128i)r0, b = (__m128i)r1, c = (__m128i)r2, d = (__m128i)r3;
  const __m128i low_ab = _mm_unpacklo_epi8(a, b), high_ab = _mm_unpackhi_epi8(a, b), low_cd = _mm_unpacklo_epi8(c, d),
                high_cd = _mm_unpackhi_epi8(c, d);
  return {{(int_vector)_mm_unpacklo_epi16(low_ab, low_cd), (int_vector)_mm_unpackhi_epi16(low_ab, low_cd),
           (int_vector)_mm_unpacklo_epi16(high_ab, high_cd), (int_vector)_mm_unpackhi_epi16(high_ab, high_cd)}};
#else
  interleaved out;
  for (int v = 0; v < 4; ++v) {
    byte_vector bytes;
    for (int l = 0; l < 4; ++l)
      bytes[4 * l] = r0[4 * v + l], bytes[4 * l + 1] = r1[4 * v + l], bytes[4 * l + 2] = r2[4 * v + l],
                bytes[4 * l + 3] = r3[4 * v + l];
    out.of[v] = (int_vector)bytes;
  }
  return out;
#endif
}

// --- from sums to bytes -------------------------------------------------------

/// Whether scaled_by_line() and scaled_exactly() are there; where they are not, sums are scaled one by one.
#if defined(__SSE2__)
inline constexpr bool has_lines = true;
#else
inline constexpr bool has_lines = false;
#endif
#if defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2)
inline constexpr bool has_exact_scale = true;
#else
inline constexpr bool has_exact_scale = false;
#endif

/// Whether lines round but once, to an integer. Then the lanes of x hold the bits of floats that count
/// integers, and so does the result: floats from `first_counted` to twice as much have no digits behind the point, and bits
/// that rise by one with them. Others rise, too, but not by one.
#if defined(NNRT_LANES_AVX512) || defined(NNRT_LANES_AVX2)
inline constexpr bool lines_round_once = true;
#else
inline constexpr bool lines_round_once = false;
#endif
inline constexpr float first_counted = 0x1p23F, float_of_zero = 0x1.8p23F;
inline constexpr std::int32_t bits_of_first_counted = 0x4b000000, bits_of_zero = 0x4b400000;

/// x * slope + offset to nearest, as floats compute it; the lanes of slope and offset hold the bits of floats.
[[gnu::always_inline]] inline int_vector scaled_by_rising_line(int_vector x, int_vector slope, int_vector offset) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_fmadd_ps((__m512)x, (__m512)slope, (__m512)offset) - bits_of_zero;
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_fmadd_ps((__m256)x, (__m256)slope, (__m256)offset) - bits_of_zero;
#elif defined(__SSE2__)
  return (int_vector)_mm_cvtps_epi32(
      _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)slope), (__m128)offset));
#else
  (void)slope, (void)offset;
  return x;
#endif
}

/// What a line of sums of both signs is made of, in all lanes the bits of floats; see scaled_by_line().
struct signed_line {
  int_vector slope, offset;
  int_vector bend, below_shift, below_offset;  // where lines round once
};

/// x * slope + offset with the sign of x, to nearest, as floats compute it. |x * slope| must stay below 2^31. Where lines
/// round once it is scaled_by_rising_line(), but for an x below `bend`: that is shifted first, and its result is, too.
[[gnu::always_inline]] inline int_vector scaled_by_line(int_vector x, const signed_line& of) {
#if defined(NNRT_LANES_AVX512)
  const __mmask16 is_below = _mm512_cmplt_epi32_mask((__m512i)x, (__m512i)of.bend);
  const auto shifted = (int_vector)_mm512_mask_add_epi32((__m512i)x, is_below, (__m512i)x, (__m512i)of.below_shift);
  const int_vector y = scaled_by_rising_line(shifted, of.slope, of.offset);
  return (int_vector)_mm512_mask_add_epi32((__m512i)y, is_below, (__m512i)y, (__m512i)of.below_offset);
#elif defined(NNRT_LANES_AVX2)
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
  return {(int_vector)_mm256_cvtps_epi32((__m256)x), (int_vector)_mm256_sub_ps((__m256)x, _mm256_round_ps((__m256)x, 8)) & INT32_MAX};
#else
  return {x, x};
#endif
}
/// The larger ones; and whether any lane of x is larger than that of y.
[[gnu::always_inline]] inline int_vector larger_lanes(int_vector x, int_vector y) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_max_epi32((__m512i)x, (__m512i)y);
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_max_epi32((__m256i)x, (__m256i)y);
#else
  for (std::int64_t i = 0; i < int_lanes; ++i) x[i] = x[i] > y[i] ? x[i] : y[i];
  return x;
#endif
}
[[gnu::always_inline]] inline bool any_is_larger(int_vector x, int_vector y) {
#if defined(NNRT_LANES_AVX512)
  return _mm512_cmpgt_epi32_mask((__m512i)x, (__m512i)y) != 0;
#elif defined(NNRT_LANES_AVX2)
  return _mm256_movemask_epi8(_mm256_cmpgt_epi32((__m256i)x, (__m256i)y)) != 0;
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

/// What a stored result may be, as vectors.
struct narrowing {
  short_vector zero_point;
  byte_vector low, high, flip;
  bool limits;  // whether they do anything

  /// All numbers as those of i8: of u8 results 128 is taken off, and the bytes are flipped back.
  narrowing(std::int32_t low_number, std::int32_t high_number, std::int32_t zero, bool is_unsigned)
      : zero_point(static_cast<std::int16_t>(zero - (is_unsigned ? 128 : 0)) - short_vector{}),
        low(in_every_lane(low_number - (is_unsigned ? 128 : 0))),
        high(in_every_lane(high_number - (is_unsigned ? 128 : 0))),
        flip(in_every_lane(is_unsigned ? -128 : 0)),
        limits(is_unsigned || low_number > -128 || high_number < 127) {}

  template <bool AddsZeroPoint> [[gnu::always_inline]] short_vector moved(short_vector x) const {
    if constexpr (!AddsZeroPoint) return x;
#if defined(NNRT_LANES_AVX512)
    return (short_vector)_mm512_adds_epi16((__m512i)x, (__m512i)zero_point);
#elif defined(NNRT_LANES_AVX2)
    return (short_vector)_mm256_adds_epi16((__m256i)x, (__m256i)zero_point);
#elif defined(__SSE2__)
    return (short_vector)_mm_adds_epi16((__m128i)x, (__m128i)zero_point);
#else
    return x;
#endif
  }
  [[gnu::always_inline]] byte_vector limited(byte_vector x) const {
    if (!limits) return x;
#if defined(NNRT_LANES_AVX512)
    return (byte_vector)_mm512_min_epi8(_mm512_max_epi8((__m512i)x, (__m512i)low), (__m512i)high) ^ flip;
#elif defined(NNRT_LANES_AVX2)
    return (byte_vector)_mm256_min_epi8(_mm256_max_epi8((__m256i)x, (__m256i)low), (__m256i)high) ^ flip;
#elif defined(__SSE4_1__)
    return (byte_vector)_mm_min_epi8(_mm_max_epi8((__m128i)x, (__m128i)low), (__m128i)high) ^ flip;
#else
    const auto at_least = (byte_vector)(x > low), raised = (x & at_least) | (low & ~at_least);
    const auto at_most = (byte_vector)(raised < high);
    return ((raised & at_most) | (high & ~at_most)) ^ flip;
#endif
  }

 private:
  static byte_vector in_every_lane(std::int32_t x) { return static_cast<std::int8_t>(x) - byte_vector{}; }
};

/// Stored numbers of four registers of scaled sums, to which the zero point is added unless they include it. Each 16
/// bytes of the result are four lanes of a, of b, of c, of d.
template <bool AddsZeroPoint>
[[gnu::always_inline]] inline byte_vector narrowed(int_vector a, int_vector b, int_vector c, int_vector d,
                                                   const narrowing& to) {
#if defined(NNRT_LANES_AVX512)
  const auto ab = to.moved<AddsZeroPoint>((short_vector)_mm512_packs_epi32((__m512i)a, (__m512i)b)),
             cd = to.moved<AddsZeroPoint>((short_vector)_mm512_packs_epi32((__m512i)c, (__m512i)d));
  return to.limited((byte_vector)_mm512_packs_epi16((__m512i)ab, (__m512i)cd));
#elif defined(NNRT_LANES_AVX2)
  const auto ab = to.moved<AddsZeroPoint>((short_vector)_mm256_packs_epi32((__m256i)a, (__m256i)b)),
             cd = to.moved<AddsZeroPoint>((short_vector)_mm256_packs_epi32((__m256i)c, (__m256i)d));
  return to.limited((byte_vector)_mm256_packs_epi16((__m256i)ab, (__m256i)cd));
#elif defined(__SSE2__)
  const auto ab = to.moved<AddsZeroPoint>((short_vector)_mm_packs_epi32((__m128i)a, (__m128i)b)),
             cd = to.moved<AddsZeroPoint>((short_vector)_mm_packs_epi32((__m128i)c, (__m128i)d));
  return to.limited((byte_vector)_mm_packs_epi16((__m128i)ab, (__m128i)cd));
#else
  byte_vector out;
  const int_vector all[] = {a, b, c, d};
  for (int i = 0; i < 16; ++i) {
    const std::int64_t x = std::int64_t{all[i / 4][i % 4]} + (AddsZeroPoint ? to.zero_point[0] : 0);
    out[i] = static_cast<std::int8_t>(x < -128 ? -128 : x > 127 ? 127 : x);
  }
  return to.limited(out);
#endif
}

/// What narrowed() gives of four registers as the bytes of a, those of b, of c, of d.
[[gnu::always_inline]] inline byte_vector rows_apart(byte_vector x) {
#if defined(NNRT_LANES_AVX512)
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return (byte_vector)_mm512_permutexvar_epi32(order, (__m512i)x);
#elif defined(NNRT_LANES_AVX2)
  return (byte_vector)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
#else
  return x;
#endif
}
/// Stores a half of a register, or a quarter.
template <int Half> [[gnu::always_inline]] inline void store_half(byte_vector x, std::byte* p) {
#if defined(NNRT_LANES_AVX512)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), Half == 0 ? _mm512_castsi512_si256((__m512i)x)
                                                               : _mm512_extracti64x4_epi64((__m512i)x, 1));
#else
  typedef std::int64_t words __attribute__((vector_size(register_bytes)));
  for (int i = 0; i < register_bytes / 16; ++i) {
    const std::int64_t word = ((words)x)[Half * (register_bytes / 16) + i];
    __builtin_memcpy(p + 8 * i, &word, 8);
  }
#endif
}
template <int Quarter> [[gnu::always_inline]] inline void store_quarter(byte_vector x, std::byte* p) {
#if defined(NNRT_LANES_AVX512)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_extracti32x4_epi32((__m512i)x, Quarter));
#else
  for (int i = 0; i < int_lanes / 4; ++i) {
    const std::int32_t word = ((int_vector)x)[Quarter * (int_lanes / 4) + i];
    __builtin_memcpy(p + 4 * i, &word, 4);
  }
#endif
}

}  // namespace nnrt::inline NNRT_ISA::kernels
