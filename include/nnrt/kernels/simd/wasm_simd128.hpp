// wasm_simd128: WebAssembly's SIMD128, registers of 16 bytes.
// Flow: chosen by simd/machine.hpp.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>

#if defined(NNRT_WASM_SIMD128)
#include <wasm_simd128.h>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The register of floats, as the compilers' vector: v128_t has no type of lanes.
struct wasm_registers {
  typedef float f32 __attribute__((vector_size(16)));
};

/// SIMD128 without the relaxed instructions. Where an operation is missing here, LLVM finds the instruction for the
/// portable form.
struct wasm_simd128 : generic_machine<wasm_simd128, wasm_registers, 16> {
  // --- floats -------------------------------------------------------------------

  [[gnu::always_inline]] static f32 max(f32 x, f32 y) { return (f32)wasm_f32x4_pmax((v128_t)y, (v128_t)x); }
  [[gnu::always_inline]] static f32 sqrt(f32 x) { return (f32)wasm_f32x4_sqrt((v128_t)x); }

  // --- integers -------------------------------------------------------------------

  template <bool IsSigned> [[gnu::always_inline]] static i16 load_widened(const std::byte* p) {
    return (i16)(IsSigned ? wasm_i16x8_load8x8(p) : wasm_u16x8_load8x8(p));
  }
  [[gnu::always_inline]] static i32 load_widened_to_i32(const std::byte* p, bool is_unsigned) {
    const v128_t bytes = wasm_v128_load32_zero(p);
    return (i32)(is_unsigned ? wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(bytes))
                             : wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(bytes)));
  }
  [[gnu::always_inline]] static bool any_is_larger(i32 x, i32 y) {
    return wasm_v128_any_true(wasm_i32x4_gt((v128_t)x, (v128_t)y));
  }

  // --- from accumulators of 32 bits to quantised values -----------------------------

  static constexpr bool has_lines = true, has_exact_scale = true;
  [[gnu::always_inline]] static i32 on_line(i32 x, i32 slope, i32 offset) {
    return (i32)wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_convert_i32x4((v128_t)x), (v128_t)slope), (v128_t)offset);
  }
  [[gnu::always_inline]] static void round_floats(i32 x, i32& nearest, i32& distance) {
    const v128_t whole = wasm_f32x4_nearest((v128_t)x);
    nearest = (i32)wasm_i32x4_trunc_sat_f32x4(whole);
    distance = (i32)wasm_f32x4_abs(wasm_f32x4_sub((v128_t)x, whole));
  }
  [[gnu::always_inline]] static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    return (i32)wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest((v128_t)on_line(x, slope, offset)));
  }
  [[gnu::always_inline]] static i32 upper_halves(i32 x, i32 y, i32 even_addend, i32 odd_addend) {
    // even lanes in the lower half, odd lanes in the upper half
    const v128_t a = (v128_t)__builtin_shufflevector(x, x, 0, 2, 1, 3),
                 b = (v128_t)__builtin_shufflevector(y, y, 0, 2, 1, 3),
                 even = wasm_i64x2_add(wasm_i64x2_extmul_low_i32x4(a, b), (v128_t)even_addend),
                 odd = wasm_i64x2_add(wasm_i64x2_extmul_high_i32x4(a, b), (v128_t)odd_addend);
    return __builtin_shufflevector((i32)even, (i32)odd, 1, 5, 3, 7);
  }
  [[gnu::always_inline]] static i16 add_saturated(i16 x, i16 y) {
    return (i16)wasm_i16x8_add_sat((v128_t)x, (v128_t)y);
  }
  [[gnu::always_inline]] static i16 pack(i32 a, i32 b) { return (i16)wasm_i16x8_narrow_i32x4((v128_t)a, (v128_t)b); }
  [[gnu::always_inline]] static i8 pack(i16 ab, i16 cd) { return (i8)wasm_i8x16_narrow_i16x8((v128_t)ab, (v128_t)cd); }

  // --- dot products of 8-bit values --------------------------------------------------

  static constexpr dot4_packing dots = dot4_packing::widened;
  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
    return sum + (i32)wasm_i32x4_dot_i16x8((v128_t)x, (v128_t)w);
  }
};
using machine = wasm_simd128;

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
