// x86_sse: SSE2 and SSE4.1, registers of 16 bytes.
// Flow: chosen by simd/machine.hpp.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>
#include <nnrt/kernels/simd/registers.hpp>

#if defined(NNRT_X86_SSE)

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// SSE2.
template <class Machine, class Arch> struct x86_sse2_operations : generic_machine<Machine, registers_of<Arch>, 16> {
  using base = generic_machine<Machine, registers_of<Arch>, 16>;
  using typename base::f32;
  using typename base::i16;
  using typename base::i32;
  using typename base::i8;

  [[gnu::always_inline]] static f32 load(const float* p) { return _mm_loadu_ps(p); }
  [[gnu::always_inline]] static void store(float* p, f32 x) { _mm_storeu_ps(p, x); }
  [[gnu::always_inline]] static f32 max(f32 x, f32 y) { return _mm_max_ps(x, y); }
  [[gnu::always_inline]] static f32 min(f32 x, f32 y) { return _mm_min_ps(x, y); }
  [[gnu::always_inline]] static f32 sqrt(f32 x) { return _mm_sqrt_ps(x); }
  [[gnu::always_inline]] static f32 load_one(const float* p) { return _mm_load_ss(p); }

  template <bool IsSigned> [[gnu::always_inline]] static i16 load_widened(const std::byte* p) {
    const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), zero = _mm_setzero_si128();
    return (i16)(IsSigned ? _mm_srai_epi16(_mm_unpacklo_epi8(zero, x), 8) : _mm_unpacklo_epi8(x, zero));
  }
  [[gnu::always_inline]] static bool any_is_larger(i32 x, i32 y) {
    return _mm_movemask_epi8(_mm_cmpgt_epi32((__m128i)x, (__m128i)y)) != 0;
  }

  static constexpr bool has_lines = true;
  [[gnu::always_inline]] static i32 on_line(i32 x, i32 slope, i32 offset) {
    return (i32)_mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps((__m128i)x), (__m128)slope), (__m128)offset);
  }
  [[gnu::always_inline]] static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    return (i32)_mm_cvtps_epi32((__m128)on_line(x, slope, offset));
  }
  [[gnu::always_inline]] static i16 add_saturated(i16 x, i16 y) { return (i16)_mm_adds_epi16((__m128i)x, (__m128i)y); }
  [[gnu::always_inline]] static i16 pack(i32 a, i32 b) { return (i16)_mm_packs_epi32((__m128i)a, (__m128i)b); }
  [[gnu::always_inline]] static i8 pack(i16 ab, i16 cd) { return (i8)_mm_packs_epi16((__m128i)ab, (__m128i)cd); }

  static constexpr dot4_packing dots = dot4_packing::widened;
  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
    return sum + (i32)_mm_madd_epi16((__m128i)x, (__m128i)w);
  }
};

#if defined(__SSE4_1__)
/// SSE4.1.
struct x86_sse4 : x86_sse2_operations<x86_sse4, xsimd::sse4_1> {
  static constexpr bool has_exact_scale = true;
  [[gnu::always_inline]] static void round_floats(i32 x, i32& nearest, i32& distance) {
    nearest = (i32)_mm_cvtps_epi32((__m128)x);
    distance = (i32)_mm_sub_ps((__m128)x, _mm_round_ps((__m128)x, 8)) & INT32_MAX;
  }
  [[gnu::always_inline]] static i32 upper_halves(i32 x, i32 y, i32 even_addend, i32 odd_addend) {
    const __m128i even = _mm_add_epi64(_mm_mul_epi32((__m128i)x, (__m128i)y), (__m128i)even_addend),
                  odd = _mm_add_epi64(_mm_mul_epi32(_mm_srli_epi64((__m128i)x, 32), _mm_srli_epi64((__m128i)y, 32)),
                                      (__m128i)odd_addend);
    return (i32)_mm_blend_epi16(_mm_shuffle_epi32(even, 0xf5), odd, 0xcc);
  }
};
using machine = x86_sse4;
#else
/// SSE2 alone.
struct x86_sse2 : x86_sse2_operations<x86_sse2, xsimd::sse2> {};
using machine = x86_sse2;
#endif

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
