// conv2d_transpose: int8 transposed convolution, computed as ordinary convolutions of kernels/int8/conv/conv2d.hpp.
// Flow: a prepare step packs weights with int8_conv_transpose_pack(); a plan's step calls int8_conv_transpose().
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d_transpose.hpp>
#include <nnrt/kernels/int8/conv/conv2d.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Calls f(phase of height, phase of width, convolution) for each pair of phases with outputs.
template <class F> constexpr void for_each_byte_phase(const conv_transpose_shape& s, F f) {
  for_each_phase(s, [&](const phase& h, const phase& w) {
    if (h.outputs > 0 && w.outputs > 0) f(h, w, conv_of(s, h, w));
  });
}

}  // namespace detail

/// Bytes that int8_conv_transpose_pack() writes: one pixel for outputs without taps, and the packed weights of each
/// phase.
constexpr std::int64_t int8_conv_transpose_packed_bytes(const conv_transpose_shape& s) {
  std::int64_t bytes = rounded_up(s.out, 64);
  detail::for_each_byte_phase(s, [&](const detail::phase&, const detail::phase&, const conv_shape& c) {
    bytes += int8_conv_packed_bytes(int8_conv_plan::of(c));
  });
  return bytes;
}
/// Bytes of scratch that each part of int8_conv_transpose() needs.
constexpr std::int64_t int8_conv_transpose_scratch_bytes(const conv_transpose_shape& s) {
  std::int64_t most = 0;
  detail::for_each_byte_phase(s, [&](const detail::phase&, const detail::phase&, const conv_shape& c) {
    most = std::max(most, int8_conv_scratch_bytes(int8_conv_plan::of(c)));
  });
  return most;
}

/// Output channels: channel_of(o) returns factor and bias of channel o, lone_of(o) the quantised value of its bias
/// alone, which outputs without taps get.
template <class ChannelOf, class LoneOf> struct transposed_channels {
  ChannelOf channel_of;
  LoneOf lone_of;
};
template <class ChannelOf, class LoneOf>
transposed_channels(ChannelOf, LoneOf) -> transposed_channels<ChannelOf, LoneOf>;

/// Packs weights [out, kernel_h, kernel_w, in / group].
template <class ChannelOf, class LoneOf>
void int8_conv_transpose_pack(const conv_transpose_shape& s, const int8_factors& f, scaled_range range,
                              const std::byte* weights, const transposed_channels<ChannelOf, LoneOf>& outputs,
                              std::byte* out) {
  for (std::int64_t o = 0; o < s.out; ++o) out[o] = static_cast<std::byte>(outputs.lone_of(o));
  out += rounded_up(s.out, 64);
  const std::int64_t channels = s.in / s.group, filter = s.h.kernel * s.w.kernel * channels;
  detail::for_each_byte_phase(s, [&](const detail::phase& h, const detail::phase& w, const conv_shape& c) {
    int8_conv_pack(
        c, f, range,
        [&](std::int64_t o, std::int64_t i) {
          return f.at(weights, o * filter + detail::place_of_tap(s, h, w, i / channels) * channels + i % channels);
        },
        outputs.channel_of, out);
    out += int8_conv_packed_bytes(int8_conv_plan::of(c));
  });
}

/// y = clamp(transposed conv2d(x, w) + bias) of quantised values; `product` needs no packing. Every division into parts
/// gives the same bits. y must not overlap x.
template <class Isa = native>
void int8_conv_transpose(const conv_transpose_shape& s, int8_product product, const int8_conv_buffers& of,
                         part p = {}) {
  detail::for_each_gap(s, p,
                       [&](std::int64_t pixel) { std::copy(product.packed, product.packed + s.out, of.y + pixel); });
  product.packed += rounded_up(s.out, 64);
  detail::for_each_byte_phase(s, [&](const detail::phase& h, const detail::phase& w, const conv_shape& c) {
    const int8_conv_plan plan = int8_conv_plan::of(c);
    product.packing = int8_conv_packing(plan);
    std::byte* const first = of.y + (h.first_output * s.w.output + w.first_output) * s.out;
    int8_conv<Isa>(plan, product, {of.x, first, of.scratch}, p);
    product.packed += int8_conv_packed_bytes(plan);
  });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
