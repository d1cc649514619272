// spatial: float convolution of grey images by few filters, in vectors of neighbouring pixels.
// Flow: goes_across() says at plan time whether it pays; a prepare step packs weights with across_pack(); a plan's step
// calls conv_spatial() with arena scratch.
//
// A handful of output channels would leave most of each vector of channels empty, and the pixels under a tap lie side
// by side where there is one input channel: so vectors hold pixels of a row. What comes out is brought into the order
// of channels at the end.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Pixels and rows of a tile. Loads of pixels straddle cache lines and cost two each, so a tile has as many channels as
/// there are registers for their sums: three or four, of 16 registers two or three.
inline constexpr std::int64_t across_pixels = 2 * f32_lanes, across_rows = 2;
constexpr std::int64_t across_channels(std::int64_t out) {
  constexpr std::int64_t most = vector_registers == 32 ? 4 : 3, fewer = most - 1;
  return (out + fewer - 1) / fewer * fewer < (out + most - 1) / most * most ? fewer : most;
}
/// Channels of all tiles of a pixel: those of the last one need not all exist.
constexpr std::int64_t across_whole_channels(std::int64_t out) {
  return (out + across_channels(out) - 1) / across_channels(out) * across_channels(out);
}

}  // namespace detail

/// Filters that vectors of pixels are for: of more, vectors of channels are full enough. With 16 registers those have
/// tiles of few sums, which short runs of taps do not keep busy, and store parts of vectors piece by piece.
inline constexpr int max_spatial_filters = static_cast<int>(vector_registers == 32 ? f32_lanes / 2 : f32_lanes - 1);

/// Whether vectors of pixels can compute this convolution at all.
constexpr bool is_across_shape(const conv_shape& s) {
  return s.in == 1 && s.group == 1 && s.stride_w == 1 && s.dilation_w == 1 && !s.has_gaps() &&
         s.out <= max_spatial_filters && s.batch * s.out_pixels() * s.out > 0 &&
         detail::method_of(s) == detail::conv_method::direct;
}
/// Whether they pay. Bringing results into order takes half as long again; with 16 registers vectors of channels take
/// that much longer, too (measured).
constexpr bool goes_across(const conv_shape& s) {
  if (!is_across_shape(s)) return false;
  const std::int64_t tiles = (s.out_width + detail::across_pixels - 1) / detail::across_pixels;
  return vector_registers == 32 ? 3 * tiles * s.out <= s.out_width
                                : 4 * tiles * detail::across_whole_channels(s.out) <= 3 * s.out_width;
}

namespace detail {

/// Floats of a line of the copy that tiles read: their pixels, of which the last may not exist, and what lies under the
/// taps to the right.
constexpr std::int64_t across_line(const conv_shape& s) {
  return (s.out_width + across_pixels - 1) / across_pixels * across_pixels + s.kernel_w - 1;
}
/// Pairs of output rows whose input rows are copied at once, so that they stay in the first cache.
constexpr std::int64_t across_stripe(const conv_shape& s) {
  const std::int64_t lines = 16 * 1024 / 4 / across_line(s) - s.rows_under(1), rows = lines / s.stride_h + 1;
  return nnrt::detail::clamped(rows / across_rows, 1, std::max<std::int64_t>(1, (s.out_height + 1) / across_rows));
}

/// One tile: `sums` gets [row][channel][pixel], `row` floats from row to row.
template <class Isa, int Channels>
[[gnu::noinline]] void across_tile(const conv_shape& s, const float* x, const float* w, float* sums, std::int64_t row,
                                   clamp_range range) {
  // one row behind the other, of two vectors each
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
        optimization_barrier(pixels);  // one after the other: with 16 registers there is none for a second one
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

/// Writes pixels one behind the other whose channels lie across_pixels floats apart.
template <int Channels> void across_order(const float* sums, std::int64_t pixels, float* y) {
  for (std::int64_t i = 0; i < pixels; ++i, y += Channels)
    each<Channels>([&](int o) __attribute__((always_inline)) { y[o] = sums[o * across_pixels + i]; });
}
/// Output rows y and, if there are two, the next one; `x` is the first input row under them.
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
/// Packs weights [out, kernel_h, kernel_w] and bias [out] (null: zeros), a tile's channels at a time: [bias,
/// taps][channel]; a channel that is missing is zero.
inline void across_pack(const conv_shape& s, const float* w, const float* bias, float* out) {
  const std::int64_t channels = detail::across_channels(s.out);
  for (std::int64_t first = 0; first < s.out; first += channels)
    for (std::int64_t k = -1; k < s.depth(); ++k)
      for (std::int64_t o = first; o < first + channels; ++o)
        *out++ = o >= s.out ? 0.0F : k >= 0 ? w[o * s.depth() + k] : bias != nullptr ? bias[o] : 0.0F;
}

/// Floats of scratch that each part of conv_spatial() needs.
constexpr std::int64_t across_scratch_floats(const conv_shape& s) {
  return nnrt::detail::rounded_up(s.rows_under(detail::across_rows * detail::across_stripe(s)) * detail::across_line(s),
                                  16);
}

/// What computes two rows of a result.
using across_function = void (*)(const conv_shape& s, const float* x, const float* packed, float* y, std::int64_t rows,
                                 clamp_range range);
/// The function for so many filters, 1 to max_spatial_filters: a program has the ones of its layers alone.
template <class Isa, int Out> inline constexpr across_function across_rows_of = &detail::across_pair<Isa, Out>;

/// y = clamp(conv2d(x, w) + bias) of a shape for which is_across_shape().
///
/// Every division into parts gives the same bits. y must not overlap x.
///
/// \param packed what across_pack() made of weights and bias
///
/// \param scratch across_scratch_floats(s) floats for this part alone; need not be initialised
///
/// \param pair across_rows_of<native, s.out>
inline void conv_spatial(const conv_shape& s, const float* x, const float* packed, float* y, float* scratch,
                         across_function pair, clamp_range range = {}, part p = {}) {
  using detail::across_rows;
  const std::int64_t pairs = (s.out_height + 1) / across_rows;
  const interval work = share(s.batch * pairs, p);
  for (std::int64_t done = work.begin; done < work.end;) {
    const std::int64_t image = done / pairs, first = done % pairs,
                       count = std::min(detail::across_stripe(s), std::min(pairs - first, work.end - done));
    const std::int64_t oy = first * across_rows, top = oy * s.stride_h - s.pad_top, line = detail::across_line(s);
    detail::copy_padded(s, x + image * s.height * s.width, 1, top, -s.pad_left, s.rows_under(across_rows * count), line,
                        scratch);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = oy + i * across_rows;
      pair(s, scratch + i * across_rows * s.stride_h * line, packed, y + image * s.image_step() + row * s.row_step(),
           std::min(across_rows, s.out_height - row), range);
    }
    done += count;
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
