// x86_avx512: AVX-512 (F, BW, DQ, VL), with and without VNNI, VBMI and AMX, registers of 64 bytes.
// Flow: chosen by simd/machine.hpp.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>
#include <nnrt/kernels/simd/registers.hpp>
#include <nnrt/kernels/simd/x86_broadcast.hpp>

#if defined(NNRT_X86_AVX512)

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// AVX-512.
struct x86_avx512 : generic_machine<x86_avx512, registers_of<xsimd::avx512bw>, 64> {
  static constexpr int vector_registers = 32;

  // --- floats -------------------------------------------------------------------

  [[gnu::always_inline]] static f32 load(const float* p) { return _mm512_loadu_ps(p); }
  [[gnu::always_inline]] static void store(float* p, f32 x) { _mm512_storeu_ps(p, x); }
  [[gnu::always_inline]] static f32 broadcast_load(const float* p) {
    f32 x;
    if constexpr (broadcasts_as_integers) broadcast_as_integer(p, x);
    else x = _mm512_set1_ps(*p);
    return x;
  }
  /// May become an operand of the one product that uses it.
  [[gnu::always_inline]] static f32 broadcast(const float* p) { return _mm512_set1_ps(*p); }
  static constexpr bool has_one_rounding_fma = true;
  [[gnu::always_inline]] static f32 fma(f32 x, f32 y, f32 z) { return _mm512_fmadd_ps(x, y, z); }
  [[gnu::always_inline]] static f32 max(f32 x, f32 y) { return _mm512_max_ps(x, y); }
  [[gnu::always_inline]] static f32 min(f32 x, f32 y) { return _mm512_min_ps(x, y); }
  [[gnu::always_inline]] static f32 sqrt(f32 x) { return _mm512_sqrt_ps(x); }
  static constexpr bool masks_are_free = true;
  [[gnu::always_inline]] static __mmask16 first_lanes(std::int64_t n) { return static_cast<__mmask16>((1U << n) - 1U); }
  [[gnu::always_inline]] static f32 load_one(const float* p) { return _mm512_zextps128_ps512(_mm_load_ss(p)); }
  [[gnu::always_inline]] static f32 load_n(const float* p, std::int64_t n) {
    return _mm512_maskz_loadu_ps(first_lanes(n), p);
  }
  [[gnu::always_inline]] static void store_n(float* p, f32 x, std::int64_t n) {
    _mm512_mask_storeu_ps(p, first_lanes(n), x);
  }
  [[gnu::always_inline]] static f32 first_or(f32 x, std::int64_t n, float rest) {
    return _mm512_mask_blend_ps(first_lanes(n), _mm512_set1_ps(rest), x);
  }
  static constexpr bool has_max_of_bits = true;
  /// The larger bits as signed integers: of floats the larger one, of two negative ones the smaller one.
  [[gnu::always_inline]] static f32 max_of_bits(f32 x, f32 y) {
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(x), _mm512_castps_si512(y)));
  }
  /// The smaller bits as unsigned integers: of floats from 0 on the smaller one, y where x is negative or NaN.
  [[gnu::always_inline]] static f32 min_of_bits(f32 x, f32 y) {
    return _mm512_castsi512_ps(_mm512_min_epu32(_mm512_castps_si512(x), _mm512_castps_si512(y)));
  }
  /// x * 2^n.
  [[gnu::always_inline]] static f32 scaled_by_power_of_two(f32 x, f32 n) { return _mm512_scalef_ps(x, n); }
  static constexpr bool has_side_by_side_exponentials = true;
  /// The sum of the lanes, in the order of halves, quarters, …, in ever smaller registers: processors that split large
  /// ones finish those sooner.
  [[gnu::always_inline]] static float reduce_add(f32 x) {
    const __m256 half = _mm512_castps512_ps256(x) + _mm512_extractf32x8_ps(x, 1);
    const __m128 quarter = _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1),
                 pair = quarter + _mm_movehl_ps(quarter, quarter);
    return pair[0] + pair[1];
  }

  // --- halves of a register of floats --------------------------------------------

  static constexpr bool has_half_vector = true;
  struct some_halves {
    static constexpr __mmask16 masks[] = {0, 0xff, 0xff00, 0xffff};  // three instructions fewer than computing them
    __mmask16 mask;
    [[gnu::always_inline]] explicit some_halves(unsigned bits) : mask(masks[bits]) {}
  };
  [[gnu::always_inline]] static f32 blend_halves(f32 low, f32 high) { return _mm512_mask_blend_ps(0xff00, low, high); }
  [[gnu::always_inline]] static f32 load_halves(const float* p, some_halves there) {
    return _mm512_maskz_loadu_ps(there.mask, p);
  }
  [[gnu::always_inline]] static f32 fma_halves(f32 x, f32 y, f32 z, some_halves there) {
    return _mm512_mask3_fmadd_ps(x, y, z, there.mask);
  }
  [[gnu::always_inline]] static f32 broadcast_pair(const float* p) {
    if constexpr (broadcasts_as_integers) {
      f32 x;
      asm("vpbroadcastq %1, %0" : "=v"(x) : "m"(*reinterpret_cast<const float(*)[2]>(p)));
      return x;
    } else {
      double both;
      __builtin_memcpy(&both, p, sizeof both);
      return _mm512_castpd_ps(_mm512_set1_pd(both));
    }
  }
  [[gnu::always_inline]] static f32 pair_lanes(f32 first, f32 second) {
    const __m512i from = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutex2var_ps(first, from, second);
  }
  [[gnu::always_inline]] static f32 sums_of_lane_pairs(f32 low, f32 high) {
    const f32 two_by_two = _mm512_shuffle_ps(low, high, 0x88) + _mm512_shuffle_ps(low, high, 0xdd);
    return _mm512_castpd_ps(
        _mm512_permutexvar_pd(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), _mm512_castps_pd(two_by_two)));
  }
  [[gnu::always_inline]] static f32 load_half_twice(const float* p) {
    return _mm512_broadcast_f32x8(_mm256_loadu_ps(p));
  }
  [[gnu::always_inline]] static void store_halves(float* p, float* q, f32 x, std::int64_t n) {
    if (n == 8) {
      _mm256_storeu_ps(p, _mm512_castps512_ps256(x));
      _mm256_storeu_ps(q, _mm512_extractf32x8_ps(x, 1));
      return;
    }
    const __mmask8 mask = static_cast<__mmask8>((1U << n) - 1U);
    _mm256_mask_storeu_ps(p, mask, _mm512_castps512_ps256(x));
    // Opaque: else the compiler merges both steps into a vextractf32x8 to memory, which faults on lanes that the mask
    // leaves out.
    __m256 upper = _mm512_extractf32x8_ps(x, 1);
    asm("" : "+v"(upper));
    _mm256_mask_storeu_ps(q, mask, upper);
  }

  // --- conversions to float16 ------------------------------------------------------

  static constexpr int f16_lanes = 16;
  static constexpr bool has_f16_instructions = true;
  // With all lanes masked in: g++ 12 warns about the undefined register in the instruction without a mask.
  [[gnu::always_inline]] static f32 load_f16(const void* p) {
    return _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(static_cast<const __m256i*>(p)));
  }
  [[gnu::always_inline]] static void store_f16(void* p, f32 x) {
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_maskz_cvtps_ph(0xFFFF, x, nearest));
  }

  // --- integers -------------------------------------------------------------------

  [[gnu::always_inline]] static i8 load_bytes(const std::byte* p, std::int64_t n) {
    if (n == register_bytes) return load_vector<i8>(p);
    return (i8)_mm512_maskz_loadu_epi8((std::uint64_t{1} << n) - 1, p);
  }
  template <bool IsSigned> [[gnu::always_inline]] static i16 load_widened(const std::byte* p) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return (i16)(IsSigned ? _mm512_cvtepi8_epi16(x) : _mm512_cvtepu8_epi16(x));
  }
  [[gnu::always_inline]] static i32 load_widened_to_i32(const std::byte* p, bool is_unsigned) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return (i32)(is_unsigned ? _mm512_cvtepu8_epi32(x) : _mm512_cvtepi8_epi32(x));
  }
  [[gnu::always_inline]] static i32 broadcast_word(const void* p) {
    std::int32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return (i32)_mm512_set1_epi32(word);
  }
  [[gnu::always_inline]] static i32 broadcast_words(const void* p) {
    std::int64_t words;
    __builtin_memcpy(&words, p, sizeof words);
    return (i32)_mm512_set1_epi64(words);
  }
  [[gnu::always_inline]] static void put_columns_in_order(const i32 (&x)[4], i32 (&y)[4]) {
    const auto a = (__m512i)x[0], b = (__m512i)x[1], c = (__m512i)x[2], d = (__m512i)x[3];
    const __m512i lower_ab = _mm512_shuffle_i32x4(a, b, 0x44), upper_ab = _mm512_shuffle_i32x4(a, b, 0xee),
                  lower_cd = _mm512_shuffle_i32x4(c, d, 0x44), upper_cd = _mm512_shuffle_i32x4(c, d, 0xee);
    y[0] = (i32)_mm512_shuffle_i32x4(lower_ab, lower_cd, 0x88);
    y[1] = (i32)_mm512_shuffle_i32x4(lower_ab, lower_cd, 0xdd);
    y[2] = (i32)_mm512_shuffle_i32x4(upper_ab, upper_cd, 0x88);
    y[3] = (i32)_mm512_shuffle_i32x4(upper_ab, upper_cd, 0xdd);
  }
  /// Compilers convert halves of large registers one after the other.
  [[gnu::always_inline]] static f64 to_double(half_i32 x) { return (f64)_mm512_cvtepi32_pd((__m256i)x); }
  [[gnu::always_inline]] static f64 exact_difference(f64 x, f64 y, f64 z) {
    return (f64)_mm512_fmsub_pd((__m512d)x, (__m512d)y, (__m512d)z);
  }
  [[gnu::always_inline]] static bool any_is_larger(i32 x, i32 y) {
    return _mm512_cmpgt_epi32_mask((__m512i)x, (__m512i)y) != 0;
  }

  // --- from accumulators of 32 bits to quantised values -----------------------------

  static constexpr bool has_lines = true, has_exact_scale = true, lines_round_once = true, lines_make_halves = true;
  [[gnu::always_inline]] static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    return (i32)_mm512_fmadd_ps((__m512)x, (__m512)slope, (__m512)offset);
  }
  [[gnu::always_inline]] static i32 scaled_by_line(i32 x, i32 slope, i32 offset, i32 breakpoint, i32 below_shift,
                                                   i32 below_offset) {
    const __mmask16 is_below = _mm512_cmplt_epi32_mask((__m512i)x, (__m512i)breakpoint);
    const auto shifted = (i32)_mm512_mask_add_epi32((__m512i)x, is_below, (__m512i)x, (__m512i)below_shift);
    const i32 y = scaled_by_rising_line(shifted, slope, offset);
    return (i32)_mm512_mask_add_epi32((__m512i)y, is_below, (__m512i)y, (__m512i)below_offset);
  }
  [[gnu::always_inline]] static i32 on_line(i32 x, i32 slope, i32 offset) {
    return (i32)_mm512_fmadd_ps(_mm512_cvtepi32_ps((__m512i)x), (__m512)slope, (__m512)offset);
  }
  [[gnu::always_inline]] static void round_floats(i32 x, i32& nearest, i32& distance) {
    nearest = (i32)_mm512_cvtps_epi32((__m512)x);
    distance = (i32)_mm512_reduce_ps((__m512)x, 8) & INT32_MAX;
  }
  [[gnu::always_inline]] static i32 upper_halves(i32 x, i32 y, i32 even_addend, i32 odd_addend) {
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32((__m512i)x, (__m512i)y), (__m512i)even_addend),
                  odd = _mm512_add_epi64(
                      _mm512_mul_epi32(_mm512_srli_epi64((__m512i)x, 32), _mm512_srli_epi64((__m512i)y, 32)),
                      (__m512i)odd_addend);
    return (i32)_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
  }
  [[gnu::always_inline]] static i16 add_saturated(i16 x, i16 y) {
    return (i16)_mm512_adds_epi16((__m512i)x, (__m512i)y);
  }
  [[gnu::always_inline]] static i16 pack(i32 a, i32 b) { return (i16)_mm512_packs_epi32((__m512i)a, (__m512i)b); }
  [[gnu::always_inline]] static i8 pack(i16 ab, i16 cd) { return (i8)_mm512_packs_epi16((__m512i)ab, (__m512i)cd); }
  [[gnu::always_inline]] static i8 rows_apart(i8 x) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return (i8)_mm512_permutexvar_epi32(order, (__m512i)x);
  }
  template <int Half> [[gnu::always_inline]] static void store_half(i8 x, std::byte* p) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        Half == 0 ? _mm512_castsi512_si256((__m512i)x) : _mm512_extracti64x4_epi64((__m512i)x, 1));
  }
  template <int Quarter> [[gnu::always_inline]] static void store_quarter(i8 x, std::byte* p) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_extracti32x4_epi32((__m512i)x, Quarter));
  }
  template <class To> [[gnu::always_inline]] static To narrow(f32_bits x) {
    if constexpr (sizeof(To) == 16) return (To)_mm512_cvtepi32_epi8((__m512i)x);
    else return (To)_mm512_cvtepi32_epi16((__m512i)x);
  }

  // --- dot products of 8-bit values --------------------------------------------------

  static constexpr int depthwise_blocks_together = 2;
#if defined(__AVX512VNNI__)
  static constexpr bool has_pairs_of_lanes = true;
  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(x), "vm"(w));  // as dot4()
    return sum;
  }
  [[gnu::always_inline]] static i32 dot4(i32 sum, i32 x, i32 w) {
#if defined(__clang__)
    return (i32)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
#else
    // g++ 12 sees each accumulator of the intrinsic in two vector types, keeps both alive across the loop and spills.
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "vm"(w));
    return sum;
#endif
  }
#else
  static constexpr dot4_packing dots = dot4_packing::widened;
  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
#if defined(__clang__)
    return sum + (i32)_mm512_madd_epi16((__m512i)x, (__m512i)w);
#else
    // g++ 12 makes all products of a step before it adds the first, and spills accumulators.
    i32 products;
    asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "=&v"(products) : "v"(x), "vm"(w));
    return sum;
#endif
  }
#endif
  [[gnu::always_inline]] static i32 paired_sums(i32 x, i32 y) {
    return (i32)_mm512_castps_si512(_mm512_shuffle_ps((__m512)x, (__m512)y, 0x88)) +
           (i32)_mm512_castps_si512(_mm512_shuffle_ps((__m512)x, (__m512)y, 0xdd));
  }

  // --- tables of bytes, and sums of bytes ---------------------------------------------

  static constexpr table_look_up tables = table_look_up::registers;

 private:
  /// Registers of a table, entries in order.
  struct table_registers {
    __m512i of[4];

    [[gnu::always_inline]] table_registers(const std::byte* small, const std::byte* large)
        : of{_mm512_loadu_si512(small), _mm512_loadu_si512(small + 64), _mm512_loadu_si512(large),
             _mm512_loadu_si512(large + 64)} {}
  };

 public:
#if defined(__AVX512VBMI__)
  struct table_places {
    __m512i bytes;  // the lower seven bits are used
    __mmask64 is_large;

    [[gnu::always_inline]] explicit table_places(i8 x) : bytes((__m512i)x), is_large(_mm512_movepi8_mask((__m512i)x)) {}
  };
  struct byte_table : table_registers {
    using table_registers::table_registers;

    [[gnu::always_inline]] i8 at(const table_places& at) const {
      return (i8)_mm512_mask_blend_epi8(at.is_large, _mm512_permutex2var_epi8(of[0], at.bytes, of[1]),
                                        _mm512_permutex2var_epi8(of[2], at.bytes, of[3]));
    }
    [[gnu::always_inline]] i8x16 at(i8x16 x) const {
      return (i8x16)_mm512_castsi512_si128((__m512i)at(table_places((i8)_mm512_castsi128_si512((__m128i)x))));
    }
  };
#else
  /// In i16 lanes, separate for the lower and the upper byte of each lane.
  struct table_places {
    __m512i lower, upper;  // bits 1 to 6 of a byte in bits 0 to 5, which are used
    __mmask32 lower_is_large, upper_is_large;
    __m512i lower_shift, upper_shift;  // shifts an entry of a pair to the place of its byte

    [[gnu::always_inline]] explicit table_places(i8 x) : table_places((__m512i)x) {}
    [[gnu::always_inline]] explicit table_places(__m512i bytes)
        : lower(_mm512_srli_epi16(bytes, 1)),
          upper(_mm512_srli_epi16(bytes, 9)),
          lower_is_large(_mm512_test_epi16_mask(bytes, _mm512_set1_epi16(128))),
          upper_is_large(_mm512_movepi16_mask(bytes)),
          lower_shift(_mm512_and_si512(_mm512_slli_epi16(bytes, 3), _mm512_set1_epi16(8))),
          upper_shift(_mm512_andnot_si512(_mm512_srli_epi16(bytes, 5), _mm512_set1_epi16(8))) {}
  };
  /// Two entries in each i16 lane.
  struct byte_table : table_registers {
    using table_registers::table_registers;

    [[gnu::always_inline]] i8 at(const table_places& at) const {
      const __m512i of_upper = _mm512_sllv_epi16(pairs(at.upper, at.upper_is_large), at.upper_shift);
      return (i8)_mm512_ternarylogic_epi32(_mm512_set1_epi16(0xff), at_lower(at), of_upper, 0xca);
    }
    [[gnu::always_inline]] i8x16 at(i8x16 x) const {
      return (i8x16)_mm256_cvtepi16_epi8(
          _mm512_castsi512_si256(at_lower(table_places(_mm512_castsi256_si512(_mm256_cvtepu8_epi16((__m128i)x))))));
    }

   private:
    [[gnu::always_inline]] __m512i pairs(__m512i place, __mmask32 is_large) const {
      return _mm512_mask_blend_epi16(is_large, _mm512_permutex2var_epi16(of[0], place, of[1]),
                                     _mm512_permutex2var_epi16(of[2], place, of[3]));
    }
    /// Entries of the lower bytes, in the lower halves of lanes.
    [[gnu::always_inline]] __m512i at_lower(const table_places& at) const {
      return _mm512_srlv_epi16(pairs(at.lower, at.lower_is_large), at.lower_shift);
    }
  };
#endif
  struct first_bytes {
    __mmask64 mask;
    [[gnu::always_inline]] explicit first_bytes(std::int64_t n)
        : mask(n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0}) {}
  };
  [[gnu::always_inline]] static i8 load_some(const std::byte* p, first_bytes those) {
    return (i8)_mm512_maskz_loadu_epi8(those.mask, p);
  }
  [[gnu::always_inline]] static void store_some(std::byte* p, i8 x, first_bytes those) {
    _mm512_mask_storeu_epi8(p, those.mask, (__m512i)x);
  }
  [[gnu::always_inline]] static i8 keep_some(i8 x, first_bytes those) {
    return (i8)_mm512_maskz_mov_epi8(those.mask, (__m512i)x);
  }
  [[gnu::always_inline]] static i8 broadcast_16_bytes(const std::byte* p) {
    return (i8)_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static i8 shuffle_bytes(i8 x, i8 places) {
    return (i8)_mm512_shuffle_epi8((__m512i)x, (__m512i)places);
  }
  [[gnu::always_inline]] static i8 subtract_saturated(i8 x, i8 y) {
    return (i8)_mm512_subs_epi8((__m512i)x, (__m512i)y);
  }
  [[gnu::always_inline]] static i64 add_bytes(i64 sum, i8 x) {
    return (i64)_mm512_add_epi64((__m512i)sum, _mm512_sad_epu8((__m512i)x, _mm512_setzero_si512()));
  }
  [[gnu::always_inline]] static std::int64_t sum_of_longs(i64 x) { return _mm512_reduce_add_epi64((__m512i)x); }
  static constexpr bool has_wide_products = true;
  [[gnu::always_inline]] static i64 wide_products(i32 x, i32 y) {
    return (i64)_mm512_mul_epu32((__m512i)x, (__m512i)y);
  }
  [[gnu::always_inline]] static void store_as_bytes(std::byte* p, i32 x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8((__m512i)x));
  }

  // --- transpositions ---------------------------------------------------------------

  static constexpr int transposed_pieces = 4;
  /// Two or four pieces of 16 bytes, each `step` bytes after the one before it.
  template <int Pieces> [[gnu::always_inline]] static auto load_pieces(const std::byte* p, std::int64_t step) {
    const auto piece = [&](std::int64_t i) __attribute__((always_inline)) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i * step));
    };
    const __m256i lower = _mm256_inserti128_si256(_mm256_castsi128_si256(piece(0)), piece(1), 1);
    if constexpr (Pieces == 2) return lower;
    else return _mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi256_si512(lower), piece(2), 2), piece(3), 3);
  }
};
using machine = x86_avx512;

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
