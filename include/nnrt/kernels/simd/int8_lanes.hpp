// int8_lanes: vectors of quantised values - loading, widening, and interleaving.
// Flow: kernels of bytes and of shorts compute with these; simd/dot4.hpp multiplies them.
//
// A register holds int_lanes sums of 32 bits, or four times as many bytes.
#pragma once

#include <nnrt/kernels/simd/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(NNRT_LANES_AVX512) || defined(NNRT_TEST_MATRIX_REGISTERS)
#define NNRT_BYTES_OF_REGISTER 64
#elif defined(NNRT_LANES_AVX2)
#define NNRT_BYTES_OF_REGISTER 32
#else
#define NNRT_BYTES_OF_REGISTER 16
#endif

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

typedef std::int32_t int_vector __attribute__((vector_size(NNRT_BYTES_OF_REGISTER), may_alias));
typedef std::int16_t int16_vector __attribute__((vector_size(NNRT_BYTES_OF_REGISTER), may_alias));
typedef std::int8_t int8_vector __attribute__((vector_size(NNRT_BYTES_OF_REGISTER), may_alias));

inline constexpr std::int64_t register_bytes = NNRT_BYTES_OF_REGISTER;
/// 32-bit sums, and 16-bit numbers, per register.
inline constexpr std::int64_t int_lanes = register_bytes / 4, int16_lanes = register_bytes / 2;

namespace detail {
// What 64 bits are needed for: a register of it, and half a register of the 32 bits that it is made of.
typedef double doubles __attribute__((vector_size(register_bytes)));
typedef std::int64_t longs __attribute__((vector_size(register_bytes)));
typedef std::int32_t half_vector __attribute__((vector_size(register_bytes / 2)));
}  // namespace detail

/// The larger ones of lanes of whole numbers; one instruction from every compiler.
template <class Vector> [[gnu::always_inline]] inline Vector larger_lanes(Vector a, Vector b) { return a > b ? a : b; }

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
[[gnu::always_inline]] inline int8_vector load_bytes(const std::byte* p, std::int64_t n) {
  if (n == register_bytes) return load_vector<int8_vector>(p);
#if defined(NNRT_LANES_AVX512)
  return (int8_vector)_mm512_maskz_loadu_epi8((std::uint64_t{1} << n) - 1, p);
#else
  int8_vector x{};
  __builtin_memcpy(&x, p, static_cast<std::size_t>(n));
  return x;
#endif
}

/// Half a register of bytes, 16 bits each. __builtin_convertvector() takes five instructions for it in g++ 12.
template <bool IsSigned> [[gnu::always_inline]] inline int16_vector load_widened(const std::byte* p) {
#if defined(NNRT_LANES_AVX512)
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return (int16_vector)(IsSigned ? _mm512_cvtepi8_epi16(x) : _mm512_cvtepu8_epi16(x));
#elif defined(NNRT_LANES_AVX2)
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return (int16_vector)(IsSigned ? _mm256_cvtepi8_epi16(x) : _mm256_cvtepu8_epi16(x));
#elif defined(__aarch64__)
  const uint8x8_t x = vld1_u8(reinterpret_cast<const std::uint8_t*>(p));
  return IsSigned ? (int16_vector)vmovl_s8(vreinterpret_s8_u8(x)) : (int16_vector)vmovl_u8(x);
#elif defined(__SSE2__)
  const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), zero = _mm_setzero_si128();
  return (int16_vector)(IsSigned ? _mm_srai_epi16(_mm_unpacklo_epi8(zero, x), 8) : _mm_unpacklo_epi8(x, zero));
#else
  int16_vector wide;
  for (std::int64_t i = 0; i < int16_lanes; ++i)
    wide[i] = IsSigned ? static_cast<std::int16_t>(static_cast<std::int8_t>(p[i])) : static_cast<std::int16_t>(p[i]);
  return wide;
#endif
}

/// The elements of two registers by turns, from the lower or the upper half of each 16 bytes.
template <int Half, class Vector> [[gnu::always_inline]] inline Vector zip_half(Vector a, Vector b) {
  constexpr int count = sizeof(Vector) / sizeof(a[0]), of_16 = 16 / sizeof(a[0]);
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (I / of_16 * of_16 + Half * of_16 / 2 + I % of_16 / 2 + I % 2 * count)...);
  }
  (std::make_integer_sequence<int, count>{});
}

// --- bytes of four registers, lane by lane ------------------------------------

/// The same place of four registers of bytes side by side in a lane: r0 r1 r2 r3. Lane l of register v belongs to byte
/// l / 4 * 16 + v * 4 + l % 4.
struct interleaved {
  int_vector of[4];
};

[[gnu::always_inline]] inline interleaved interleave(int8_vector r0, int8_vector r1, int8_vector r2, int8_vector r3) {
  const auto low_ab = (int16_vector)zip_half<0>(r0, r1), high_ab = (int16_vector)zip_half<1>(r0, r1),
             low_cd = (int16_vector)zip_half<0>(r2, r3), high_cd = (int16_vector)zip_half<1>(r2, r3);
  return {{(int_vector)zip_half<0>(low_ab, low_cd), (int_vector)zip_half<1>(low_ab, low_cd),
           (int_vector)zip_half<0>(high_ab, high_cd), (int_vector)zip_half<1>(high_ab, high_cd)}};
}

/// So many lanes of two registers side by side, from a given one on.
template <int First> [[gnu::always_inline]] inline int_vector lanes_from(int_vector a, int_vector b) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (First + I)...);
  }
  (std::make_integer_sequence<int, int_lanes>{});
}
/// Register V of what lies `Distance` bytes, a multiple of four, behind the begin of x, whose rows go on in `next`.
template <int Distance, int V>
[[gnu::always_inline]] inline int_vector further(const interleaved& x, const interleaved& next) {
  constexpr int place = V + Distance / 4;
  return lanes_from<place / 4 * 4>(x.of[place % 4], next.of[place % 4]);
}

/// The same with lane l of register v being byte v * int_lanes + l: pieces of 16 bytes change places with registers.
[[gnu::always_inline]] inline interleaved columns_in_order(const interleaved& x) {
#if defined(NNRT_LANES_AVX512)
  const auto a = (__m512i)x.of[0], b = (__m512i)x.of[1], c = (__m512i)x.of[2], d = (__m512i)x.of[3];
  const __m512i lower_ab = _mm512_shuffle_i32x4(a, b, 0x44), upper_ab = _mm512_shuffle_i32x4(a, b, 0xee),
                lower_cd = _mm512_shuffle_i32x4(c, d, 0x44), upper_cd = _mm512_shuffle_i32x4(c, d, 0xee);
  return {{(int_vector)_mm512_shuffle_i32x4(lower_ab, lower_cd, 0x88),
           (int_vector)_mm512_shuffle_i32x4(lower_ab, lower_cd, 0xdd),
           (int_vector)_mm512_shuffle_i32x4(upper_ab, upper_cd, 0x88),
           (int_vector)_mm512_shuffle_i32x4(upper_ab, upper_cd, 0xdd)}};
#elif defined(NNRT_LANES_AVX2)
  const auto a = (__m256i)x.of[0], b = (__m256i)x.of[1], c = (__m256i)x.of[2], d = (__m256i)x.of[3];
  return {{(int_vector)_mm256_permute2x128_si256(a, b, 0x20), (int_vector)_mm256_permute2x128_si256(c, d, 0x20),
           (int_vector)_mm256_permute2x128_si256(a, b, 0x31), (int_vector)_mm256_permute2x128_si256(c, d, 0x31)}};
#else
  interleaved out{};
  for (std::int64_t byte = 0; byte < register_bytes; ++byte)
    out.of[byte / int_lanes][byte % int_lanes] = x.of[byte % 16 / 4][byte / 16 * 4 + byte % 4];
  return out;
#endif
}

}}}  // namespace nnrt::NNRT_ISA::kernels
