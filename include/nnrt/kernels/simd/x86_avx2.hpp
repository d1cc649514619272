// x86_avx2: AVX2 with FMA, with and without VNNI, registers of 32 bytes.
// Flow: chosen by simd/machine.hpp.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>
#include <nnrt/kernels/simd/registers.hpp>
#include <nnrt/kernels/simd/x86_broadcast.hpp>

#if defined(NNRT_X86_AVX2)

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// AVX2 with FMA.
struct x86_avx2 : generic_machine<x86_avx2, registers_of<xsimd::fma3<xsimd::avx2>>, 32> {
  // --- floats -------------------------------------------------------------------

  [[gnu::always_inline]] static f32 load(const float* p) { return _mm256_loadu_ps(p); }
  [[gnu::always_inline]] static void store(float* p, f32 x) { _mm256_storeu_ps(p, x); }
  [[gnu::always_inline]] static f32 broadcast_load(const float* p) {
    f32 x;
    if constexpr (broadcasts_as_integers) broadcast_as_integer(p, x);
    else x = all(*p);
    return x;
  }
  static constexpr bool has_one_rounding_fma = true;
  [[gnu::always_inline]] static f32 fma(f32 x, f32 y, f32 z) { return _mm256_fmadd_ps(x, y, z); }
  /// With 16 registers and an accumulator in most of them, compilers that choose which operand of fma is overwritten
  /// move accumulators about, and some of them to memory.
  [[gnu::always_inline]] static void add_product(f32& sum, f32 x, f32 y) {
    asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
  }
  [[gnu::always_inline]] static f32 max(f32 x, f32 y) { return _mm256_max_ps(x, y); }
  [[gnu::always_inline]] static f32 min(f32 x, f32 y) { return _mm256_min_ps(x, y); }
  [[gnu::always_inline]] static f32 sqrt(f32 x) { return _mm256_sqrt_ps(x); }
  /// All bits set in the first n lanes.
  [[gnu::always_inline]] static __m256i first_lanes(std::int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  [[gnu::always_inline]] static f32 load_one(const float* p) { return _mm256_zextps128_ps256(_mm_load_ss(p)); }
  [[gnu::always_inline]] static f32 load_n(const float* p, std::int64_t n) {
    return n == 8 ? load(p) : _mm256_maskload_ps(p, first_lanes(n));
  }
  [[gnu::always_inline]] static void store_n(float* p, f32 x, std::int64_t n) {
    if (n == 8) return store(p, x);
    _mm256_maskstore_ps(p, first_lanes(n), x);
  }
  [[gnu::always_inline]] static f32 first_or(f32 x, std::int64_t n, float rest) {
    return _mm256_blendv_ps(_mm256_set1_ps(rest), x, _mm256_castsi256_ps(first_lanes(n)));
  }
  static constexpr bool has_side_by_side_exponentials = true;
  /// table[index % 8] per lane.
  [[gnu::always_inline]] static f32_bits permuted_by_low_bits(f32_bits table, f32_bits index) {
    return (f32_bits)_mm256_permutevar8x32_epi32((__m256i)table, (__m256i)index);
  }

#if defined(__F16C__)
  static constexpr int f16_lanes = 8;
  static constexpr bool has_f16_instructions = true;
  [[gnu::always_inline]] static f32 load_f16(const void* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static void store_f16(void* p, f32 x) {
    _mm_storeu_si128(static_cast<__m128i*>(p), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
#endif

  // --- integers -------------------------------------------------------------------

  template <bool IsSigned> [[gnu::always_inline]] static i16 load_widened(const std::byte* p) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return (i16)(IsSigned ? _mm256_cvtepi8_epi16(x) : _mm256_cvtepu8_epi16(x));
  }
  [[gnu::always_inline]] static i32 load_widened_to_i32(const std::byte* p, bool is_unsigned) {
    const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return (i32)(is_unsigned ? _mm256_cvtepu8_epi32(x) : _mm256_cvtepi8_epi32(x));
  }
  [[gnu::always_inline]] static void put_columns_in_order(const i32 (&x)[4], i32 (&y)[4]) {
    const auto a = (__m256i)x[0], b = (__m256i)x[1], c = (__m256i)x[2], d = (__m256i)x[3];
    y[0] = (i32)_mm256_permute2x128_si256(a, b, 0x20), y[1] = (i32)_mm256_permute2x128_si256(c, d, 0x20);
    y[2] = (i32)_mm256_permute2x128_si256(a, b, 0x31), y[3] = (i32)_mm256_permute2x128_si256(c, d, 0x31);
  }
  [[gnu::always_inline]] static f64 exact_difference(f64 x, f64 y, f64 z) {
    return (f64)_mm256_fmsub_pd((__m256d)x, (__m256d)y, (__m256d)z);
  }
  [[gnu::always_inline]] static bool any_is_larger(i32 x, i32 y) {
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32((__m256i)x, (__m256i)y)) != 0;
  }

  // --- from accumulators of 32 bits to quantised values -----------------------------

  static constexpr bool has_lines = true, has_exact_scale = true, lines_round_once = true;
  /// The bits of 1.5 * 2^23, which counts as 0.
  static constexpr std::int32_t bits_of_zero = 0x4b400000;
  [[gnu::always_inline]] static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    return (i32)_mm256_fmadd_ps((__m256)x, (__m256)slope, (__m256)offset) - bits_of_zero;
  }
  [[gnu::always_inline]] static i32 on_line(i32 x, i32 slope, i32 offset) {
    return (i32)_mm256_fmadd_ps(_mm256_cvtepi32_ps((__m256i)x), (__m256)slope, (__m256)offset);
  }
  [[gnu::always_inline]] static void round_floats(i32 x, i32& nearest, i32& distance) {
    nearest = (i32)_mm256_cvtps_epi32((__m256)x);
    distance = (i32)_mm256_sub_ps((__m256)x, _mm256_round_ps((__m256)x, 8)) & INT32_MAX;
  }
  [[gnu::always_inline]] static i32 upper_halves(i32 x, i32 y, i32 even_addend, i32 odd_addend) {
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32((__m256i)x, (__m256i)y), (__m256i)even_addend),
                  odd = _mm256_add_epi64(
                      _mm256_mul_epi32(_mm256_srli_epi64((__m256i)x, 32), _mm256_srli_epi64((__m256i)y, 32)),
                      (__m256i)odd_addend);
    return (i32)_mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xf5), odd, 0xaa);
  }
  [[gnu::always_inline]] static i16 add_saturated(i16 x, i16 y) {
    return (i16)_mm256_adds_epi16((__m256i)x, (__m256i)y);
  }
  [[gnu::always_inline]] static i16 pack(i32 a, i32 b) { return (i16)_mm256_packs_epi32((__m256i)a, (__m256i)b); }
  [[gnu::always_inline]] static i8 pack(i16 ab, i16 cd) { return (i8)_mm256_packs_epi16((__m256i)ab, (__m256i)cd); }
  [[gnu::always_inline]] static i8 rows_apart(i8 x) {
    return (i8)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }

  // --- dot products of 8-bit values --------------------------------------------------

  static constexpr dot4_packing dots = dot4_packing::sign_flipped;
  static constexpr bool dots_are_signed = true, depthwise_sums_by_vectors = true;

  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
#if defined(__clang__)
    return sum + (i32)_mm256_madd_epi16((__m256i)x, (__m256i)w);
#else
    // g++ 12 makes all products of a step before it adds the first, and spills accumulators.
    i32 products;
    asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "=&v"(products) : "v"(x), "vm"(w));
    return sum;
#endif
  }
  /// Magnitudes of signed bytes, and all bits set where they are negative.
  [[gnu::always_inline]] static i32 magnitudes(i32 bytes) { return (i32)_mm256_abs_epi8((__m256i)bytes); }
  [[gnu::always_inline]] static i32 signs(i32 bytes) {
    return (i32)_mm256_cmpgt_epi8(_mm256_setzero_si256(), (__m256i)bytes);
  }
  /// sum + the four products of each lane of `magnitudes` (unsigned, up to 128) and x ^ flips (signed). The sum of two
  /// products fits into 16 bits: it is 2 * 128 * 127 at most, and -2 * 128 * 128 at least.
  [[gnu::always_inline]] static i32 dot4_flipped(i32 sum, i32 x, i32 magnitudes, i32 flips) {
    const __m256i ones = _mm256_set1_epi16(1);
#if defined(__clang__)
    const __m256i pairs = _mm256_maddubs_epi16((__m256i)magnitudes, (__m256i)(x ^ flips));
    return sum + (i32)_mm256_madd_epi16(pairs, ones);
#else
    i32 products;  // as in dot2()
    asm("vpxor %3, %2, %1\n\tvpmaddubsw %1, %4, %1\n\tvpmaddwd %5, %1, %1\n\tvpaddd %1, %0, %0"
        : "+x"(sum), "=&x"(products)
        : "%x"(x), "xm"(flips), "x"(magnitudes), "x"(ones));  // of values and flips either may be in memory
    return sum;
#endif
  }
  /// dot4_flipped() with the flips at p, as an operand in memory.
  [[gnu::always_inline]] static i32 dot4_flipped(i32 sum, i32 x, i32 magnitudes, const std::byte* p) {
#if defined(__clang__)
    return dot4_flipped(sum, x, magnitudes, load_vector<i32>(p));
#else
    typedef i32 anywhere __attribute__((aligned(1)));
    i32 products;
    asm("vpxor %3, %2, %1\n\tvpmaddubsw %1, %4, %1\n\tvpmaddwd %5, %1, %1\n\tvpaddd %1, %0, %0"
        : "+x"(sum), "=&x"(products)
        : "x"(x), "m"(*reinterpret_cast<const anywhere*>(p)), "x"(magnitudes), "x"(_mm256_set1_epi16(1)));
    return sum;
#endif
  }
  [[gnu::always_inline]] static i32 paired_sums(i32 x, i32 y) {
    return (i32)_mm256_castps_si256(_mm256_shuffle_ps((__m256)x, (__m256)y, 0x88)) +
           (i32)_mm256_castps_si256(_mm256_shuffle_ps((__m256)x, (__m256)y, 0xdd));
  }

  // --- tables of bytes, and sums of bytes ---------------------------------------------

  static constexpr table_look_up tables = table_look_up::shuffles;
  [[gnu::always_inline]] static i8 broadcast_16_bytes(const std::byte* p) {
    return (i8)_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static i8 shuffle_bytes(i8 x, i8 places) {
    return (i8)_mm256_shuffle_epi8((__m256i)x, (__m256i)places);
  }
  [[gnu::always_inline]] static i8 subtract_saturated(i8 x, i8 y) {
    return (i8)_mm256_subs_epi8((__m256i)x, (__m256i)y);
  }
  [[gnu::always_inline]] static i64 add_bytes(i64 sum, i8 x) {
    return (i64)_mm256_add_epi64((__m256i)sum, _mm256_sad_epu8((__m256i)x, _mm256_setzero_si256()));
  }
  static constexpr bool has_wide_products = true;
  [[gnu::always_inline]] static i64 wide_products(i32 x, i32 y) {
    return (i64)_mm256_mul_epu32((__m256i)x, (__m256i)y);
  }
  [[gnu::always_inline]] static void store_as_bytes(std::byte* p, i32 x) {
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128((__m256i)x), _mm256_extracti128_si256((__m256i)x, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
  }

  // --- transpositions ---------------------------------------------------------------

  static constexpr int transposed_pieces = 2;
  /// The 16 bytes at p, and those `step` bytes after it.
  template <int> [[gnu::always_inline]] static __m256i load_pieces(const std::byte* p, std::int64_t step) {
    const auto piece = [&](std::int64_t i) __attribute__((always_inline)) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i * step));
    };
    return _mm256_inserti128_si256(_mm256_castsi128_si256(piece(0)), piece(1), 1);
  }
};

#if defined(__AVXVNNI__)
/// AVX2 with VNNI: four products of unsigned by signed bytes in one instruction.
struct x86_avx2_vnni : x86_avx2 {
  static constexpr dot4_packing dots = dot4_packing::bytes;
  static constexpr bool dots_are_signed = false, has_pairs_of_lanes = true;
  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
    asm("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(x), "xm"(w));
    return sum;
  }
  [[gnu::always_inline]] static i32 dot2_rows(i32 sum, i32 x, i32 w) { return dot2(sum, (i16)x, (i16)w); }
  [[gnu::always_inline]] static i32 dot4(i32 sum, i32 x, i32 w) {
#if defined(__clang__)
    return (i32)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)x, (__m256i)w);
#else
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "xm"(w));
    return sum;
#endif
  }
};
using machine = x86_avx2_vnni;
#else
using machine = x86_avx2;
#endif

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
