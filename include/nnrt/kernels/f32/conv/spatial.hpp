// spatial: float convolution of one input channel by few filters, vectorised over adjacent pixels of a row.
// Flow: goes_across() decides at plan time; a prepare step packs weights with across_pack(); a plan's step calls
// conv_spatial() with arena scratch.
//
// With few output channels, most lanes of a vector of channels would be empty. With one input channel, the pixels under
// a tap are contiguous. So vectors hold pixels; the results are transposed to NHWC at the end.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Pixels and rows of a tile. Unaligned loads of pixels cross cache lines and cost two loads each. So a tile has as
/// many channels as registers allow: three or four with 32 registers, two or three with 16.
inline constexpr std::int64_t across_pixels = 2 * f32_lanes, across_rows = 2;
constexpr std::int64_t across_channels(std::int64_t out) {
  constexpr std::int64_t most = vector_registers == 32 ? 4 : 3, fewer = most - 1;
  return (out + fewer - 1) / fewer * fewer < (out + most - 1) / most * most ? fewer : most;
}
/// Output channels rounded up to whole tiles.
constexpr std::int64_t across_whole_channels(std::int64_t out) {
  return (out + across_channels(out) - 1) / across_channels(out) * across_channels(out);
}

}  // namespace detail

/// Maximum number of filters for vectors of pixels; with more filters vectors of channels are well filled. With 16
/// registers, tiles of few filters have few accumulators, and partial vectors are stored lane by lane.
inline constexpr int max_spatial_filters = static_cast<int>(vector_registers == 32 ? f32_lanes / 2 : f32_lanes - 1);

/// True if conv_spatial() supports this convolution.
constexpr bool is_across_shape(const conv_shape& s) {
  return s.in == 1 && s.group == 1 && s.stride_w == 1 && s.dilation_w == 1 && !s.has_gaps() &&
         s.out <= max_spatial_filters && s.batch * s.out_pixels() * s.out > 0 &&
         detail::method_of(s) == detail::conv_method::direct;
}
/// True if conv_spatial() is faster (measured). The transposition at the end costs half as much again as the products;
/// with 16 registers the alternative is slower by as much.
constexpr bool goes_across(const conv_shape& s) {
  if (!is_across_shape(s)) return false;
  const std::int64_t tiles = (s.out_width + detail::across_pixels - 1) / detail::across_pixels;
  return vector_registers == 32 ? 3 * tiles * s.out <= s.out_width
                                : 4 * tiles * detail::across_whole_channels(s.out) <= 3 * s.out_width;
}

namespace detail {

/// Floats per line of the copy that tiles read: output pixels rounded up to whole tiles, plus the taps to the right.
constexpr std::int64_t across_line(const conv_shape& s) {
  return (s.out_width + across_pixels - 1) / across_pixels * across_pixels + s.kernel_w - 1;
}
/// Pairs of output rows whose input rows are copied at once, so that the copy stays in L1.
constexpr std::int64_t across_stripe(const conv_shape& s) {
  const std::int64_t lines = 16 * 1024 / 4 / across_line(s) - s.rows_under(1), rows = lines / s.stride_h + 1;
  return nnrt::detail::clamped(rows / across_rows, 1, std::max<std::int64_t>(1, (s.out_height + 1) / across_rows));
}

/// One tile. Writes `sums` as [row][channel][pixel]; rows are `row` floats apart.
template <class Isa, int Channels>
[[gnu::noinline]] void across_tile(const conv_shape& s, const float* x, const float* w, float* sums, std::int64_t row,
                                   clamp_range range) {
  // rows in sequence, two vectors each
  constexpr int sums_of_rows = static_cast<int>(across_rows) * Channels;
  f32_vec of[sums_of_rows][2];
  each<sums_of_rows>([&](int k) __attribute__((always_inline)) { of[k][0] = of[k][1] = broadcast(w + k % Channels); });
  const std::int64_t line = across_line(s), below = s.stride_h * line;
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky, x += s.dilation_h * line)
    for (const float *tap = x, *end = x + s.kernel_w; tap != end; ++tap) {
      w += Channels;
      f32_vec weights[Channels];
      each<Channels>([&](int o) __attribute__((always_inline)) { weights[o] = broadcast_load(w + o); });
      each<2 * static_cast<int>(across_rows)>([&](int i) __attribute__((always_inline)) {
        f32_vec pixels = load(tap + i / 2 * below + i % 2 * f32_lanes);
        optimization_barrier(pixels);  // loads stay in order: with 16 registers none is free for a second one
        each<Channels>([&](int o) __attribute__((always_inline)) {
          f32_vec& sum = of[i / 2 * Channels + o][i % 2];
          sum = fma(pixels, weights[o], sum);
        });
      });
    }
  const f32_vec lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  each<sums_of_rows>([&](int k) __attribute__((always_inline)) {
    float* const to = sums + k / Channels * row + k % Channels * across_pixels;
    store(to, clamp(of[k][0], lo, hi)), store(to + f32_lanes, clamp(of[k][1], lo, hi));
  });
}

/// Writes pixels in sequence; their channels are across_pixels floats apart in `sums`.
template <int Channels> void across_order(const float* sums, std::int64_t pixels, float* y) {
  for (std::int64_t i = 0; i < pixels; ++i, y += Channels)
    each<Channels>([&](int o) __attribute__((always_inline)) { y[o] = sums[o * across_pixels + i]; });
}
/// Computes `rows` (1 or 2) output rows; `x` is the first input row of the first one.
template <class Isa, int Out>
void across_pair(const conv_shape& s, const float* x, const float* packed, float* y, std::int64_t rows,
                 clamp_range range) {
  constexpr int channels = static_cast<int>(across_channels(Out));
  constexpr std::int64_t row = across_whole_channels(Out) * across_pixels;
  alignas(64) float sums[across_rows * row];
  for (std::int64_t first = 0; first < s.out_width; first += across_pixels) {
    const std::int64_t pixels = std::min(across_pixels, s.out_width - first);
    for (std::int64_t o = 0; o < Out; o += channels)
      across_tile<Isa, channels>(s, x + first, packed + o * (s.depth() + 1), sums + o * across_pixels, row, range);
    for (std::int64_t i = 0; i < rows; ++i)
      across_order<Out>(sums + i * row, pixels, y + i * s.row_step() + first * Out);
  }
}

}  // namespace detail

/// Floats that across_pack() writes.
constexpr std::int64_t across_packed_floats(const conv_shape& s) {
  return detail::across_whole_channels(s.out) * (s.depth() + 1);
}
/// Packs weights [out, kernel_h, kernel_w] and bias [out] (null: zeros) as [tile of channels][bias, taps][channel];
/// missing channels are zero.
inline void across_pack(const conv_shape& s, const float* w, const float* bias, float* out) {
  const std::int64_t channels = detail::across_channels(s.out);
  for (std::int64_t first = 0; first < s.out; first += channels)
    for (std::int64_t k = -1; k < s.depth(); ++k)
      for (std::int64_t o = first; o < first + channels; ++o)
        *out++ = o >= s.out ? 0.0F : k >= 0 ? w[o * s.depth() + k] : bias != nullptr ? bias[o] : 0.0F;
}

/// Floats of scratch for each part of conv_spatial().
constexpr std::int64_t across_scratch_floats(const conv_shape& s) {
  return nnrt::detail::rounded_up(s.rows_under(detail::across_rows * detail::across_stripe(s)) * detail::across_line(s),
                                  16);
}

/// Function that computes two rows of output.
using across_function = void (*)(const conv_shape& s, const float* x, const float* packed, float* y, std::int64_t rows,
                                 clamp_range range);
/// The function for `Out` filters, 1 to max_spatial_filters: a program contains only those of its layers.
template <class Isa, int Out> inline constexpr across_function across_rows_of = &detail::across_pair<Isa, Out>;

/// y = clamp(conv2d(x, w) + bias) of a shape with is_across_shape().
///
/// Results do not depend on the number of parts.
///
/// - `of.packed`: output of across_pack() for weights and bias.
/// - `of.scratch`: across_scratch_floats(s) floats.
/// - `pair`: `across_rows_of<native, s.out>`.
inline void conv_spatial(const conv_shape& s, const layer_operands& of, across_function pair, part p = {}) {
  using detail::across_rows;
  const std::int64_t pairs = (s.out_height + 1) / across_rows;
  const interval work = share(s.batch * pairs, p);
  for (std::int64_t done = work.begin; done < work.end;) {
    const std::int64_t image = done / pairs, first = done % pairs,
                       count = std::min(detail::across_stripe(s), std::min(pairs - first, work.end - done));
    const std::int64_t oy = first * across_rows, top = oy * s.stride_h - s.pad_top, line = detail::across_line(s);
    detail::copy_padded(s, of.x + image * s.height * s.width, 1,
                        {top, -s.pad_left, s.rows_under(across_rows * count), line}, of.scratch);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = oy + i * across_rows;
      pair(s, of.scratch + i * across_rows * s.stride_h * line, of.packed,
           of.y + image * s.image_step() + row * s.row_step(), std::min(across_rows, s.out_height - row), of.range);
    }
    done += count;
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
