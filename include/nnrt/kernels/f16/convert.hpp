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
  if constexpr (machine::has_f16_instructions) return static_cast<float>(x);
  const auto bits = std::bit_cast<std::uint16_t>(x);
  const float magnitude = std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0x7FFFU) << 13U) * 0x1p112F;
  const std::uint32_t beyond = magnitude >= 65536 ? 0x7F800000U : 0;  // infinity or NaN
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | beyond |
                              static_cast<std::uint32_t>(bits & 0x8000U) << 16U);
}

/// y[i] = x[i] for n values, exactly.
template <class Machine = machine> void widen_f16(const float16* x, std::int64_t n, float* y) {
  std::int64_t i = 0;
  if constexpr (Machine::f16_lanes > 0)
    for (; i + Machine::f16_lanes <= n; i += Machine::f16_lanes) Machine::store(y + i, Machine::load_f16(x + i));
  for (; i < n; ++i) y[i] = widened(x[i]);
}

/// y[i] = x[i] rounded to the nearest float16 (ties to even), infinity if out of range; n values.
template <class Machine = machine> void narrow_floats(const float* x, std::int64_t n, float16* y) {
  std::int64_t i = 0;
  if constexpr (Machine::f16_lanes > 0)
    for (; i + Machine::f16_lanes <= n; i += Machine::f16_lanes) Machine::store_f16(y + i, Machine::load(x + i));
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
template <class = void> void run_widen_f16(const kernel_call& call) {
  const interval mine = share_of_floats(call.out[0].elements(), part_of(call));
  widen_f16(call.in[0].data.template get<float16>() + mine.begin, mine.size(), floats_out(call) + mine.begin);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
