// pack: shape of a float depthwise convolution, and the packing of its weights and bias.
// Flow: a prepare step calls depthwise_pack() once; f32/depthwise/depthwise.hpp reads the packed weights.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Shape of a depthwise convolution. x: [batch, height, width, channels], w: [channels * multiplier, kernel_h,
/// kernel_w], y: [batch, out_height, out_width, channels * multiplier]. Output channel o reads input channel o /
/// multiplier.
///
/// Extents may be 0, kernels larger than the padded image; stride, dilation and multiplier are at least 1. The output
/// extents imply the padding at the bottom and at the right.
struct depthwise_shape {
  std::int64_t batch = 1, height = 0, width = 0, channels = 0, multiplier = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t out_height = 0, out_width = 0;

  constexpr std::int64_t out() const { return channels * multiplier; }
  constexpr std::int64_t taps() const { return kernel_h * kernel_w; }
};

namespace detail {
/// First output channel of a vector. The last vector ends at the last channel and overlaps the previous one: all
/// vectors are full if there are at least f32_lanes channels. Overlapping channels are computed and stored twice.
constexpr std::int64_t first_channel(std::int64_t vector, std::int64_t out) {
  return std::max<std::int64_t>(0, std::min(vector * f32_lanes, out - f32_lanes));
}
constexpr std::int64_t channel_vectors(std::int64_t out) { return (out + f32_lanes - 1) / f32_lanes; }

}  // namespace detail

/// True if strips or tiles support this shape and number of channels.
constexpr bool has_depthwise_tiles(const depthwise_shape& s) {
  return s.kernel_h == s.kernel_w && (s.kernel_h == 3 || s.kernel_h == 5) && s.stride_h == s.stride_w &&
         s.stride_h <= 2 && s.dilation_h == 1 && s.dilation_w == 1 && s.multiplier == 1 &&
         (s.channels >= f32_lanes || masks_are_free);
}
/// Pixels per vector: two if the channels fill half a vector, else one.
constexpr int depthwise_pixels(const depthwise_shape& s) {
  return has_half_vector && has_depthwise_tiles(s) && 2 * s.channels == f32_lanes && s.stride_h == 1 ? 2 : 1;
}

/// Floats that depthwise_pack() writes.
constexpr std::int64_t depthwise_packed_floats(const depthwise_shape& s) {
  return detail::channel_vectors(s.out()) * f32_lanes * (s.taps() + 1);
}

/// Packs weights and bias [out] (null: zeros) as [vector of channels][bias, taps][lane]; if two pixels share a vector,
/// both halves hold the channels.
/// - `w`: weights; those of consecutive output channels are `filter` floats apart.
/// - `place_of`: place_of(tap) is the index of a tap among the weights of its channel.
template <class PlaceOf>
void depthwise_pack_taps(const depthwise_shape& s, const float* w, std::int64_t filter, PlaceOf place_of,
                         const float* bias, float* out) {
  const std::int64_t channels = s.out(), used = std::min(f32_lanes, channels * depthwise_pixels(s));
  for (std::int64_t v = 0; v < detail::channel_vectors(channels); ++v) {
    const auto channel_of = [&](std::int64_t lane) {
      return detail::first_channel(v, channels) + (lane < channels ? lane : lane - channels);
    };
    for (std::int64_t l = 0; l < f32_lanes; ++l) *out++ = l < used && bias != nullptr ? bias[channel_of(l)] : 0.0F;
    for (std::int64_t tap = 0; tap < s.taps(); ++tap)
      for (std::int64_t l = 0; l < f32_lanes; ++l) *out++ = l < used ? w[channel_of(l) * filter + place_of(tap)] : 0.0F;
  }
}

/// Packs weights [out, kernel_h, kernel_w] and bias [out] (null: zeros), as depthwise_pack_taps() does.
inline void depthwise_pack(const depthwise_shape& s, const float* w, const float* bias, float* out) {
  depthwise_pack_taps(
      s, w, s.taps(), [](std::int64_t tap) { return tap; }, bias, out);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
