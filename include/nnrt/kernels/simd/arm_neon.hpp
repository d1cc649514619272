// arm_neon: 64-bit NEON, with and without dot products (dotprod) and matrix products of bytes (i8mm), registers of 16
// bytes.
// Flow: chosen by simd/machine.hpp.
#pragma once

#include <nnrt/kernels/simd/generic.hpp>
#include <nnrt/kernels/simd/registers.hpp>

#if defined(NNRT_ARM_NEON)
#include <arm_neon.h>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// 64-bit NEON.
struct arm_neon : generic_machine<arm_neon, registers_of<xsimd::neon64>, 16> {
  static constexpr int vector_registers = 32;

  // --- floats -------------------------------------------------------------------

  [[gnu::always_inline]] static f32 load(const float* p) { return vld1q_f32(p); }
  [[gnu::always_inline]] static void store(float* p, f32 x) { vst1q_f32(p, x); }
  static constexpr bool has_one_rounding_fma = true;
  [[gnu::always_inline]] static f32 fma(f32 x, f32 y, f32 z) { return vfmaq_f32(z, x, y); }
  static constexpr bool has_lane_products = true;
  template <int I> [[gnu::always_inline]] static f32 fma_lane(f32 x, f32 y, f32 z) {
    return vfmaq_laneq_f32(z, x, y, I);
  }
  static constexpr bool max_propagates_nan = true;
  [[gnu::always_inline]] static f32 max(f32 x, f32 y) { return vmaxq_f32(x, y); }
  [[gnu::always_inline]] static f32 min(f32 x, f32 y) { return vminq_f32(x, y); }
  [[gnu::always_inline]] static f32 sqrt(f32 x) { return vsqrtq_f32(x); }

  static constexpr int f16_lanes = 4;
  static constexpr bool has_f16_instructions = true;
  [[gnu::always_inline]] static f32 load_f16(const void* p) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(static_cast<const std::uint16_t*>(p))));
  }
  [[gnu::always_inline]] static void store_f16(void* p, f32 x) {
    vst1_u16(static_cast<std::uint16_t*>(p), vreinterpret_u16_f16(vcvt_f16_f32(x)));
  }

  // --- integers -------------------------------------------------------------------

  template <bool IsSigned> [[gnu::always_inline]] static i16 load_widened(const std::byte* p) {
    const uint8x8_t x = vld1_u8(reinterpret_cast<const std::uint8_t*>(p));
    return IsSigned ? (i16)vmovl_s8(vreinterpret_s8_u8(x)) : (i16)vmovl_u8(x);
  }
  [[gnu::always_inline]] static i32 broadcast_i16(const void* p) {
    const auto* const x = static_cast<const std::int16_t*>(p);
    return (i32)vcombine_s16(vld1_dup_s16(x), vld1_dup_s16(x + 1));
  }
  [[gnu::always_inline]] static f64 exact_difference(f64 x, f64 y, f64 z) {
    return (f64)vfmaq_f64((float64x2_t)-z, (float64x2_t)x, (float64x2_t)y);
  }
  [[gnu::always_inline]] static bool any_is_larger(i32 x, i32 y) {
    return vmaxvq_u32(vcgtq_s32((int32x4_t)x, (int32x4_t)y)) != 0;
  }

  // --- from accumulators of 32 bits to quantised values -----------------------------

  static constexpr bool has_lines = true, has_exact_scale = true, lines_round_once = true, lines_make_halves = true;
  [[gnu::always_inline]] static i32 scaled_by_rising_line(i32 x, i32 slope, i32 offset) {
    return (i32)vfmaq_f32((float32x4_t)offset, (float32x4_t)x, (float32x4_t)slope);
  }
  [[gnu::always_inline]] static i32 on_line(i32 x, i32 slope, i32 offset) {
    return (i32)vfmaq_f32((float32x4_t)offset, vcvtq_f32_s32((int32x4_t)x), (float32x4_t)slope);
  }
  [[gnu::always_inline]] static void round_floats(i32 x, i32& nearest, i32& distance) {
    nearest = (i32)vcvtnq_s32_f32((float32x4_t)x);
    distance = (i32)vsubq_f32((float32x4_t)x, vrndnq_f32((float32x4_t)x)) & INT32_MAX;
  }
  [[gnu::always_inline]] static i32 upper_halves(i32 x, i32 y, i32 even_addend, i32 odd_addend) {
    const int32x4_t even_first = vuzp1q_s32((int32x4_t)x, (int32x4_t)y),
                    odd_first = vuzp2q_s32((int32x4_t)x, (int32x4_t)y);
    const int64x2_t even = vmlal_s32((int64x2_t)even_addend, vget_low_s32(even_first), vget_high_s32(even_first)),
                    odd = vmlal_s32((int64x2_t)odd_addend, vget_low_s32(odd_first), vget_high_s32(odd_first));
    return (i32)vtrn2q_s32(vreinterpretq_s32_s64(even), vreinterpretq_s32_s64(odd));
  }
  [[gnu::always_inline]] static i16 add_saturated(i16 x, i16 y) { return (i16)vqaddq_s16((int16x8_t)x, (int16x8_t)y); }
  [[gnu::always_inline]] static i16 pack(i32 a, i32 b) {
    return (i16)vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b);
  }
  [[gnu::always_inline]] static i8 pack(i16 ab, i16 cd) {
    return (i8)vqmovn_high_s16(vqmovn_s16((int16x8_t)ab), (int16x8_t)cd);
  }

  // --- dot products of 8-bit values --------------------------------------------------

  static constexpr int depthwise_blocks_together = 2;
  static constexpr bool has_lane_dots = true;

  [[gnu::always_inline]] static i32 dot2(i32 sum, i16 x, i16 w) {
    const auto a = (int16x8_t)x, b = (int16x8_t)w;
    return sum + (i32)vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b));
  }
  [[gnu::always_inline]] static i32 dot2_rows(i32 sum, i32 x, i32 w) {
    const auto a = (int16x8_t)x, b = (int16x8_t)w;
    return (i32)vmlal_high_s16(vmlal_s16((int32x4_t)sum, vget_low_s16(a), vget_low_s16(b)), a, b);
  }
#if defined(__ARM_FEATURE_DOTPROD)
  static constexpr bool dots_are_signed = true;
  [[gnu::always_inline]] static i32 dot4(i32 sum, i32 x, i32 w) {
    return (i32)vdotq_s32((int32x4_t)sum, (int8x16_t)x, (int8x16_t)w);
  }
  /// sum + the four products of each lane of w with lane I of x.
  template <int I> [[gnu::always_inline]] static i32 dot4_lane(i32 sum, i32 x, i32 w) {
    return (i32)vdotq_laneq_s32((int32x4_t)sum, (int8x16_t)w, (int8x16_t)x, I);
  }
#else
  static constexpr dot4_packing dots = dot4_packing::widened_rows;
  /// The bytes of four lanes by their places.
  [[gnu::always_inline]] static i8 bytes_by_place(i32 bytes) {
    const auto x = (i8)bytes;
    return (i8)__builtin_shufflevector(x, x, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  }
  /// Those widened to 16 bits: places 0 and 1, and places 2 and 3.
  [[gnu::always_inline]] static void widen_by_place(i32 bytes, bool is_signed, i32& first, i32& second) {
    const auto x = (int8x16_t)bytes_by_place(bytes);
    const uint8x16_t y = vreinterpretq_u8_s8(x);
    first = is_signed ? (i32)vmovl_s8(vget_low_s8(x)) : (i32)vmovl_u8(vget_low_u8(y));
    second = is_signed ? (i32)vmovl_high_s8(x) : (i32)vmovl_high_u8(y);
  }
  /// sum + the four products of each lane of w with lane I of x, of 16-bit values: of w those of places 0 and 1, and
  /// those of places 2 and 3.
  template <int I> [[gnu::always_inline]] static i32 dot4_lane(i32 sum, i32 x, i32 w_first, i32 w_second) {
    const auto a = (int16x8_t)x, first = (int16x8_t)w_first, second = (int16x8_t)w_second;
    int32x4_t of = vmlal_laneq_s16((int32x4_t)sum, vget_low_s16(first), a, 4 * I);
    of = vmlal_high_laneq_s16(of, first, a, 4 * I + 1);
    of = vmlal_laneq_s16(of, vget_low_s16(second), a, 4 * I + 2);
    return (i32)vmlal_high_laneq_s16(of, second, a, 4 * I + 3);
  }
#endif
#if defined(__ARM_FEATURE_DOTPROD) && defined(__ARM_FEATURE_MATMUL_INT8)
  static constexpr bool has_squares = true;
  /// Eight bytes of one row and eight of another.
  [[gnu::always_inline]] static i32 eight_of_two(const std::byte* first, const std::byte* second) {
    return (i32)vcombine_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(first)),
                            vld1_s8(reinterpret_cast<const std::int8_t*>(second)));
  }
  /// sum + the products of two rows with two columns: lanes 0 and 1 belong to the first row, 2 and 3 to the second.
  [[gnu::always_inline]] static i32 add_square(i32 sum, i32 rows, i32 columns) {
    return (i32)vmmlaq_s32((int32x4_t)sum, (int8x16_t)rows, (int8x16_t)columns);
  }
#endif
};
using machine = arm_neon;

}}}  // namespace nnrt::NNRT_ISA::kernels

#endif
