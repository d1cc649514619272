// convert: conversions between float and float16, at memory bandwidth.
// Flow: bind/cast.hpp and bind/half_cast.hpp use them for casts; exec/f16_weights.hpp for programs that keep weights as
// float16.
#pragma once

#include <nnrt/core/convert.hpp>
#include <nnrt/core/dtype.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <bit>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Largest finite float16.
inline constexpr float largest_half = 65504;

/// x rounded to the nearest float16. Finite values out of range saturate to ±largest_half: an infinite weight would
/// turn a layer's results into NaN.
inline float16 nearest_half(float x) {
  return static_cast<float16>(x > largest_half ? largest_half : x < -largest_half ? -largest_half : x);
}

/// x as float, exactly. Without a conversion instruction, compilers call a function per value; this takes three
/// operations.
inline float widened(float16 x) {
#if defined(__F16C__) || defined(__AVX512F__) || defined(__aarch64__)
  return static_cast<float>(x);
#else
  const auto bits = std::bit_cast<std::uint16_t>(x);
  const float magnitude = std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0x7FFFU) << 13U) * 0x1p112F;
  const std::uint32_t beyond = magnitude >= 65536 ? 0x7F800000U : 0;  // infinity or NaN
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | beyond |
                              static_cast<std::uint32_t>(bits & 0x8000U) << 16U);
#endif
}

/// y[i] = x[i] for n values, exactly.
template <class = void> void f16_emulation(const float16* x, std::int64_t n, float* y) {
  std::int64_t i = 0;
#if defined(__AVX512F__)
  // Masked with all lanes set: g++ 12 warns about an undefined register inside the unmasked intrinsic.
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(y + i, _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i))));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  for (; i + 4 <= n; i += 4)
    vst1q_f32(y + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(x + i)))));
#endif
  for (; i < n; ++i) y[i] = widened(x[i]);
}

/// y[i] = x[i] rounded to the nearest float16 (ties to even), infinity if out of range; n values.
template <class = void> void narrow_floats(const float* x, std::int64_t n, float16* y) {
  std::int64_t i = 0;
#if defined(__AVX512F__)
  constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i),
                        _mm512_maskz_cvtps_ph(0xFFFF, _mm512_loadu_ps(x + i), nearest));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  for (; i + 4 <= n; i += 4)
    vst1_u16(reinterpret_cast<std::uint16_t*>(y + i), vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x + i))));
#endif
  for (; i < n; ++i) y[i] = math::convert<float16>(x[i]);
}

/// Step of a plan: f32 to f16.
template <class = void> void run_narrow_floats(const kernel_call& call) {
  const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
  narrow_floats(floats_in(call, 0) + mine.begin, mine.size(), call.out[0].data.template get<float16>() + mine.begin);
}
/// Step of a plan: f32 weights to f16, with saturation.
template <class = void> void run_narrow(const kernel_call& call) {
  const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
  const float* const x = floats_in(call, 0);
  float16* const y = call.out[0].data.template get<float16>();
  for (std::int64_t i = mine.begin; i < mine.end; ++i) y[i] = nearest_half(x[i]);
}
/// Step of a plan: f16 to f32.
template <class = void> void run_widen_halves(const kernel_call& call) {
  const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
  f16_emulation(call.in[0].data.template get<float16>() + mine.begin, mine.size(), floats_out(call) + mine.begin);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
