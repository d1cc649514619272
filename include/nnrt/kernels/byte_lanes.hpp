// byte_lanes: vectors of stored numbers - dot products of four bytes, interleaving, and the way from sums back to bytes.
// Flow: byte_gemm.hpp and byte_depthwise.hpp compute with these; no other header names an instruction for bytes.
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

/// x * slope + offset with the sign of x, to nearest, as floats compute it; the lanes of slope and offset hold the bits of
/// floats. |x * slope| must stay below 2^31.
[[gnu::always_inline]] inline int_vector scaled_by_line(int_vector x, int_vector slope, int_vector offset) {
#if defined(NNRT_LANES_AVX512)
  const __m512i signed_offset =
      _mm512_ternarylogic_epi32((__m512i)x, _mm512_set1_epi32(INT32_MIN), (__m512i)offset, 0xea);  // (x & sign) | offset
  return (int_vector)_mm512_cvtps_epi32(
      _mm512_fmadd_ps(_mm512_cvtepi32_ps((__m512i)x), (__m512)slope, (__m512)signed_offset));
#elif defined(NNRT_LANES_AVX2)
  const int_vector signed_offset = (x & INT32_MIN) | offset;
  return (int_vector)_mm256_cvtps_epi32(
      _mm256_fmadd_ps(_mm256_cvtepi32_ps((__m256i)x), (__m256)slope, (__m256)signed_offset));
#elif defined(__SSE2__)
  const int_vector signed_offset = (x & INT32_MIN) | offset;
  return (int_vector)_mm_cvtps_epi32(
      _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)slope), (__m128)signed_offset));
#else
  (void)slope, (void)offset;
  return x;
#endif
}

/// The same for an offset of either sign, whatever the sign of x.
[[gnu::always_inline]] inline int_vector scaled_by_rising_line(int_vector x, int_vector slope, int_vector offset) {
#if defined(NNRT_LANES_AVX512)
  return (int_vector)_mm512_cvtps_epi32(
      _mm512_fmadd_ps(_mm512_cvtepi32_ps((__m512i)x), (__m512)slope, (__m512)offset));
#elif defined(NNRT_LANES_AVX2)
  return (int_vector)_mm256_cvtps_epi32(
      _mm256_fmadd_ps(_mm256_cvtepi32_ps((__m256i)x), (__m256)slope, (__m256)offset));
#elif defined(__SSE2__)
  return (int_vector)_mm_cvtps_epi32(
      _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)slope), (__m128)offset));
#else
  (void)slope, (void)offset;
  return x;
#endif
}

/// The upper halves of the doubled products, rounded to nearest, ties toward plus infinity, as detail::high_product().
[[gnu::always_inline]] inline int_vector high_products(int_vector x, int_vector y) {
#if defined(NNRT_LANES_AVX512)
  const __m512i half = _mm512_set1_epi64(std::int64_t{1} << 30);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32((__m512i)x, (__m512i)y), half),
                odd = _mm512_add_epi64(
                    _mm512_mul_epi32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)y, 32)), half);
  return (int_vector)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
#elif defined(NNRT_LANES_AVX2)
  const __m256i half = _mm256_set1_epi64x(std::int64_t{1} << 30);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32((__m256i)x, (__m256i)y), half),
                odd = _mm256_add_epi64(
                    _mm256_mul_epi32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)y, 32)), half);
  return (int_vector)_mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
#else
  (void)y;
  return x;
#endif
}

/// What a stored result may be, as vectors.
struct narrowing {
  short_vector low, high, zero_point;
  byte_vector flip;

  /// All numbers as those of i8: of u8 results 128 is taken off, and the bytes are flipped back.
  narrowing(std::int32_t low_number, std::int32_t high_number, std::int32_t zero, bool is_unsigned)
      : low(in_every_lane(low_number - (is_unsigned ? 128 : 0))),
        high(in_every_lane(high_number - (is_unsigned ? 128 : 0))),
        zero_point(in_every_lane(zero - (is_unsigned ? 128 : 0))),
        flip((byte_vector)int_lanes_of(is_unsigned ? static_cast<std::int32_t>(0x80808080U) : 0)) {}

  template <bool AddsZeroPoint> [[gnu::always_inline]] short_vector limited(short_vector x) const {
#if defined(NNRT_LANES_AVX512)
    if constexpr (AddsZeroPoint) x = (short_vector)_mm512_adds_epi16((__m512i)x, (__m512i)zero_point);
    return (short_vector)_mm512_min_epi16(_mm512_max_epi16((__m512i)x, (__m512i)low), (__m512i)high);
#elif defined(NNRT_LANES_AVX2)
    if constexpr (AddsZeroPoint) x = (short_vector)_mm256_adds_epi16((__m256i)x, (__m256i)zero_point);
    return (short_vector)_mm256_min_epi16(_mm256_max_epi16((__m256i)x, (__m256i)low), (__m256i)high);
#elif defined(__SSE2__)
    if constexpr (AddsZeroPoint) x = (short_vector)_mm_adds_epi16((__m128i)x, (__m128i)zero_point);
    return (short_vector)_mm_min_epi16(_mm_max_epi16((__m128i)x, (__m128i)low), (__m128i)high);
#else
    return x;
#endif
  }

 private:
  static short_vector in_every_lane(std::int32_t x) {
    const auto number = static_cast<std::int16_t>(x);
    return number - short_vector{};
  }
};

/// Stored numbers of four registers of scaled sums, to which the zero point is added unless they include it. Each 16
/// bytes of the result are four lanes of a, of b, of c, of d.
template <bool AddsZeroPoint>
[[gnu::always_inline]] inline byte_vector narrowed(int_vector a, int_vector b, int_vector c, int_vector d,
                                                   const narrowing& to) {
#if defined(NNRT_LANES_AVX512)
  const auto ab = to.limited<AddsZeroPoint>((short_vector)_mm512_packs_epi32((__m512i)a, (__m512i)b)),
             cd = to.limited<AddsZeroPoint>((short_vector)_mm512_packs_epi32((__m512i)c, (__m512i)d));
  return (byte_vector)_mm512_packs_epi16((__m512i)ab, (__m512i)cd) ^ to.flip;
#elif defined(NNRT_LANES_AVX2)
  const auto ab = to.limited<AddsZeroPoint>((short_vector)_mm256_packs_epi32((__m256i)a, (__m256i)b)),
             cd = to.limited<AddsZeroPoint>((short_vector)_mm256_packs_epi32((__m256i)c, (__m256i)d));
  return (byte_vector)_mm256_packs_epi16((__m256i)ab, (__m256i)cd) ^ to.flip;
#elif defined(__SSE2__)
  const auto ab = to.limited<AddsZeroPoint>((short_vector)_mm_packs_epi32((__m128i)a, (__m128i)b)),
             cd = to.limited<AddsZeroPoint>((short_vector)_mm_packs_epi32((__m128i)c, (__m128i)d));
  return (byte_vector)_mm_packs_epi16((__m128i)ab, (__m128i)cd) ^ to.flip;
#else
  byte_vector out;
  const int_vector all[] = {a, b, c, d};
  for (int i = 0; i < 16; ++i) {
    const std::int64_t x = std::int64_t{all[i / 4][i % 4]} + (AddsZeroPoint ? to.zero_point[0] : 0);
    out[i] = static_cast<std::int8_t>(x < to.low[0] ? to.low[0] : x > to.high[0] ? to.high[0] : x);
  }
  return out ^ to.flip;
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
/// Stores a register in two halves, or in four quarters, `stride` bytes apart.
[[gnu::always_inline]] inline void store_halves(byte_vector x, std::byte* p, std::int64_t stride) {
#if defined(NNRT_LANES_AVX512)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_castsi512_si256((__m512i)x));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + stride), _mm512_extracti64x4_epi64((__m512i)x, 1));
#else
  typedef std::int64_t words __attribute__((vector_size(register_bytes)));
  const auto parts = (words)x;
  for (int i = 0; i < register_bytes / 16; ++i) {
    const std::int64_t first = parts[i], second = parts[register_bytes / 16 + i];
    __builtin_memcpy(p + 8 * i, &first, 8), __builtin_memcpy(p + stride + 8 * i, &second, 8);
  }
#endif
}
[[gnu::always_inline]] inline void store_quarters(byte_vector x, std::byte* p, std::int64_t stride) {
#if defined(NNRT_LANES_AVX512)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_castsi512_si128((__m512i)x));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p + stride), _mm512_extracti32x4_epi32((__m512i)x, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p + 2 * stride), _mm512_extracti32x4_epi32((__m512i)x, 2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p + 3 * stride), _mm512_extracti32x4_epi32((__m512i)x, 3));
#else
  for (int row = 0; row < 4; ++row, p += stride)
    for (int i = 0; i < int_lanes / 4; ++i) {
      const std::int32_t word = ((int_vector)x)[row * (int_lanes / 4) + i];
      __builtin_memcpy(p + 4 * i, &word, 4);
    }
#endif
}

}  // namespace nnrt::inline NNRT_ISA::kernels
