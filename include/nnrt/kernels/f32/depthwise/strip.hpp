// strip: vertical strips of output columns of a 3x3 float depthwise convolution, for machines with 32 vector registers.
// Flow: f32/depthwise/depthwise.hpp calls it for rows of an image; f32/depthwise/pack.hpp packs the weights.
//
// The nine weights of a strip stay in registers, and so do the accumulators of all output rows that use an input row.
// Each input row is loaded once. A border costs one branch per row and side.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/f32/depthwise/accumulators.hpp>
#include <nnrt/kernels/f32/depthwise/pack.hpp>
#include <nnrt/kernels/f32/layer_operands.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// True if 3x3 kernels use strips: nine weights, three rows of accumulators and an input fit in registers.
inline constexpr bool has_strips = vector_registers == 32;
/// Choices for the number of vectors per strip.
inline constexpr int strip_columns_of_3x3[] = {7, 6, 5, 4, 3, 2};

namespace detail {

/// Arguments of a strip: adjacent output columns, in some rows of one image.
struct depthwise_strip {
  const float* w;
  float* y;   // first output pixel
  address x;  // input pixel of the first tap, may be outside the image
  std::int64_t channels;
  interval vectors;                      // vectors of channels to compute
  std::int64_t line, out_line;           // floats from one row to the next
  std::int64_t rows;                     // of output
  interval inside;                       // input rows inside the image, counted from x
  bool first_is_inside, last_is_inside;  // input columns; those between always are
  clamp_range range;
};

/// A strip of one vector of channels; with Pixels = 2, a vector holds the channels of two adjacent pixels, see
/// depthwise_vector.
template <int Columns, int Stride, int Pixels> struct strip_of_vector {
  using sums = depthwise_sums<3, Stride * Pixels, Columns>;
  const depthwise_strip& t;
  strides pixel;
  const float* bias;
  std::int64_t used;  // lanes
  address row;        // of input
  float* y;           // the next row of output
  f32_vec w[3][3];

  /// Adds the products of the current input row with row K of the kernel.
  template <int K> [[gnu::always_inline]] void add(sums& to) const {
    const address bases[] = {row, row + pixel.x7, row + 2 * pixel.x7};
    each<sums::in_columns>([&](auto j) __attribute__((always_inline)) {
      constexpr bool is_first = j == 0, is_last = j == sums::in_columns - 1;
      const float* const p = floats_at(pixel.template from<j % 7>(bases[j / 7]));
      if constexpr (Pixels == 2 && (is_first || is_last)) {
        const some_halves there(is_first ? (t.first_is_inside ? 3U : 2U) : (t.last_is_inside ? 3U : 1U));
        f32_vec x = load_halves(p, there);
        optimization_barrier(x);
        to.template add<j>(x, w[K], there);
      } else {
        if ((is_first && !t.first_is_inside) || (is_last && !t.last_is_inside)) return;
        f32_vec x = masks_are_free ? load_n(p, used) : load(p);
        optimization_barrier(x);
        to.template add<j>(x, w[K]);
      }
    });
  }
  [[gnu::always_inline]] bool is_inside(std::int64_t i) const { return i >= t.inside.begin && i < t.inside.end; }
  [[gnu::always_inline]] void store_row(const sums& done) {
    const f32_vec lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    each<Columns>([&](auto c) __attribute__((always_inline)) {
      constexpr int place = c * Pixels;
      float* const to = reinterpret_cast<float*>(pixel.template from<place % 7>(address_of(y)) + place / 7 * pixel.x7);
      const f32_vec value = clamp(done.of[c], lo, hi);
      if constexpr (masks_are_free) store_n(to, value, used);
      else store(to, value);
    });
    y += t.out_line;
  }
  /// Stride 1: input row i is the last row of output row i - 2, the middle of i - 1, the first of i.
  [[gnu::always_inline]] void step(std::int64_t i, sums& ends, sums& middle, sums& begins) {
    begins.start(load(bias));
    if (is_inside(i)) {
      if (i >= 2) add<2>(ends);
      if (i >= 1 && i <= t.rows) add<1>(middle);
      if (i < t.rows) add<0>(begins);
    }
    row = advanced(row, t.line);
    if (i >= 2) store_row(ends);
  }
  /// Stride 2: input row 2 i is the last row of output row i - 1 and the first of i; row 2 i + 1 is the middle of i.
  [[gnu::always_inline]] void step(std::int64_t i, sums& ends, sums& begins) {
    begins.start(load(bias));
    if (is_inside(2 * i)) {
      if (i >= 1) add<2>(ends);
      if (i < t.rows) add<0>(begins);
    }
    row = advanced(row, t.line);
    if (i >= 1) store_row(ends);
    if (i < t.rows && is_inside(2 * i + 1)) add<1>(begins);
    row = advanced(row, t.line);
  }
  [[gnu::always_inline]] void run() {
    sums a, b, c;
    const f32_vec zero(0.0F);
    a.start(zero), b.start(zero), c.start(zero);
    if constexpr (Stride == 1) {
      for (std::int64_t i = 0;;) {
        step(i, b, c, a);
        if (++i == t.rows + 2) return;
        step(i, c, a, b);
        if (++i == t.rows + 2) return;
        step(i, a, b, c);
        if (++i == t.rows + 2) return;
      }
    } else {
      for (std::int64_t i = 0;;) {
        step(i, b, a);
        if (++i == t.rows + 1) return;
        step(i, a, b);
        if (++i == t.rows + 1) return;
      }
    }
  }
};

/// Computes the channels of one strip.
template <class Isa, int Columns, int Stride, int Pixels>
[[gnu::noinline]] void strip_of_channels(const depthwise_strip& t) {
  const strides pixel(t.channels);
  const float* w = t.w + t.vectors.begin * 10 * f32_lanes;
  for (std::int64_t v = t.vectors.begin; v < t.vectors.end; ++v, w += 10 * f32_lanes) {
    const std::int64_t channel = first_channel(v, t.channels);
    strip_of_vector<Columns, Stride, Pixels> strip{
        t, pixel, w, Pixels == 2 ? f32_lanes : std::min(f32_lanes, t.channels), advanced(t.x, channel), t.y + channel,
        {}};
    each<9>([&](auto tap)
                __attribute__((always_inline)) { strip.w[tap / 3][tap % 3] = load(w + (tap + 1) * f32_lanes); });
    strip.run();
  }
}

/// Output rows per strip if other threads may compute the adjacent rows: two iterations of the loop over rows. With
/// longer strips, the processor detects a stream and prefetches rows that another core writes. These lines move between
/// caches: layers of small images took three times as long on two cores (Zen 4).
inline constexpr std::int64_t shared_strip_rows = 6;

/// Floats of an image and its output.
constexpr std::int64_t floats_of_layer(const depthwise_shape& s) {
  return (s.height * s.width + s.out_height * s.out_width) * s.channels;
}

/// True if pixels are a multiple of 2 KiB apart: the lines of one vector of channels then map to one or two sets of L1.
constexpr bool pixels_alias_4k(const depthwise_shape& s) { return s.channels % 512 == 0; }

/// Output rows per strip. With 4K aliasing, rows that wait to be stored evict each other, so only a few are computed
/// before the next ones. Images of half an L2 or more (512 KiB with output) use stripes of 16 rows: longer strips touch
/// more pages than the hardware prefetcher tracks.
constexpr std::int64_t strip_rows(const depthwise_shape& s, std::int64_t rows, bool is_shared) {
  if (pixels_alias_4k(s)) return s.channels % 1024 == 0 ? 2 : 3;
  if (is_shared) return std::min(rows, shared_strip_rows);
  return floats_of_layer(s) >= 128 * 1024 ? std::min<std::int64_t>(rows, 16) : rows;
}

/// Computes output rows of one image in strips. `is_shared`: other threads may compute the adjacent rows.
template <class Isa, int Columns, int Stride, int Pixels>
void depthwise_strips(const depthwise_shape& s, const layer_operands& of, interval rows, interval vectors,
                      bool is_shared) {
  constexpr std::int64_t outputs = Columns * Pixels, in_columns = (outputs - 1) * Stride + 3;
  depthwise_strip t{};
  t.w = of.packed, t.channels = s.channels, t.vectors = vectors, t.range = of.range;
  t.line = s.width * s.channels, t.out_line = s.out_width * s.channels;
  for (std::int64_t oy = rows.begin; oy < rows.end; oy += t.rows) {
    t.rows = std::min(strip_rows(s, rows.size(), is_shared), rows.end - oy);
    const std::int64_t iy = oy * Stride - s.pad_top, in_rows = (t.rows - 1) * Stride + 3;
    t.inside.begin = nnrt::detail::clamped(-iy, 0, in_rows),
    t.inside.end = nnrt::detail::clamped(s.height - iy, t.inside.begin, in_rows);
    for (std::int64_t begin = 0; begin < s.out_width; begin += outputs) {
      const std::int64_t ox = std::min(begin, s.out_width - outputs), ix = ox * Stride - s.pad_left;
      t.x = advanced(address_of(of.x), iy * t.line + ix * s.channels);
      t.y = of.y + (oy * s.out_width + ox) * s.channels;
      t.first_is_inside = ix >= 0, t.last_is_inside = ix + in_columns <= s.width;
      strip_of_channels<Isa, Columns, Stride, Pixels>(t);
    }
  }
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
