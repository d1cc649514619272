// tile: tiles of two or four output rows of a float depthwise convolution, square kernels, stride 1 and 2.
// Flow: f32/depthwise/depthwise.hpp calls it for rows of an image; f32/depthwise/pack.hpp packs the weights. With 32
// registers, 3x3 kernels use f32/depthwise/strip.hpp unless the image exceeds L2.
//
// One call computes all tiles of some rows. One call per tile would take a fifth of the time with 32 channels (Zen 3).
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/f32/depthwise/accumulators.hpp>
#include <nnrt/kernels/f32/depthwise/pack.hpp>
#include <nnrt/kernels/f32/layer_operands.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Choices for the number of vectors per row of a tile, the preferred ones first. The 3x3 tiles are for 16 registers.
/// There are fewer choices for 5x5: each costs the compiler half a second.
inline constexpr int tile_columns_of_3x3[] = {4, 5, 3}, tile_columns_of_5x5[] = {vector_registers == 32 ? 7 : 4, 3};

/// Rows and columns of the 3x3 tile for 32 registers: nine weights and 16 accumulators.
inline constexpr int large_tile = 4;

namespace detail {

/// Arguments for some rows of outputs of one image.
struct depthwise_rows {
  const float* w;  // of the first vector of channels to compute
  float* y;        // first output pixel
  address x;       // input pixel of the first tap, may be outside the image
  std::int64_t channels;
  interval vectors;             // vectors of channels to compute
  std::int64_t line, out_line;  // floats from one row to the next
  interval inside;              // input rows inside the image, counted from x
  std::int64_t rows;            // output rows to compute, at most those of a tile
  std::int64_t width, out_width, pad_left;
  clamp_range range;
};

/// Position of one tile in its row.
struct depthwise_place {
  address x;  // see depthwise_rows
  float* y;
  std::uint32_t inside;  // bit j: input column j is inside the image
};

/// One vector of channels of a tile. With Pixels = 2 a vector holds the channels of two adjacent pixels: inputs start
/// at every column, outputs at every second. A `Checked` tile skips inputs outside the image and unneeded rows. It may
/// have fewer channels than lanes if masked access is free. Other tiles are full.
template <int K, int Stride, int Rows, int Columns, int Pixels, bool Checked> struct depthwise_vector {
  static_assert(Pixels == 1 || Stride == 1);
  using sums = depthwise_sums<K, Stride * Pixels, Columns>;
  static constexpr int in_rows = (Rows - 1) * Stride + K;
  static constexpr bool keeps_taps = K == 3 && Rows == large_tile;
  const depthwise_rows& t;
  const strides& pixel;
  std::uint32_t inside;
  std::int64_t used;  // lanes
  const float* w;     // bias, taps
  address row;        // of input
  sums of_row[Rows];
  f32_vec kept[keeps_taps ? K * K : 1];

  /// Calls add(column, value) for the columns of an input row; with a third argument, the lanes inside the image, if
  /// only some are.
  template <class Add> [[gnu::always_inline]] void columns(Add add) {
    // Otherwise g++ 12 computes all addresses and tests all bits before the rows, and spills them.
    optimization_barrier(row), optimization_barrier(inside);
    const address bases[] = {row, row + pixel.x7, row + 2 * pixel.x7};
    each<sums::in_columns>([&](auto j) __attribute__((always_inline)) {
      constexpr bool is_edge = Checked && (j < K / 2 || j >= sums::in_columns - K / 2);
      constexpr std::uint32_t bits = Pixels == 2 ? 3 : 1;
      if (is_edge && (inside >> j & bits) == 0) return;
      const float* const p = floats_at(pixel.template from<j % 7>(bases[j / 7]));
      if constexpr (is_edge && Pixels == 2) {
        const some_halves there(inside >> j & bits);
        f32_vec x = load_halves(p, there);
        optimization_barrier(x);
        add(j, x, there);
      } else {
        f32_vec x = Checked && masks_are_free ? load_n(p, used) : load(p);
        optimization_barrier(x);
        add(j, x);
      }
    });
  }
  [[gnu::always_inline]] f32_vec tap(int place) const {
    return keeps_taps ? kept[place] : load(w + (1 + place) * f32_lanes);
  }
  /// Adds input row I to the output rows that use it.
  template <int I> [[gnu::always_inline]] void add_row() {
    if (Checked && (I < t.inside.begin || I >= t.inside.end)) return;
    constexpr int first = I < K ? 0 : (I - K) / Stride + 1, last = std::min(Rows - 1, I / Stride);
    f32_vec taps[last - first + 1][K];
    each<last - first + 1>([&](auto r) __attribute__((always_inline)) {
      each<K>([&](auto k) __attribute__((always_inline)) { taps[r][k] = tap((I - (first + r) * Stride) * K + k); });
    });
    columns([&](auto j, f32_vec x, auto... where) __attribute__((always_inline)) {
      each<last - first + 1>([&](auto r) __attribute__((always_inline)) {
        of_row[first + r].template add<j>(x, taps[r], where...);
      });
    });
  }
  [[gnu::always_inline]] void store_row(const sums& done, float* y) const {
    const f32_vec lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    each<Columns>([&](auto c) __attribute__((always_inline)) {
      constexpr int place = c * Pixels;
      float* const to = reinterpret_cast<float*>(pixel.template from<place % 7>(address_of(y)) + place / 7 * pixel.x7);
      const f32_vec value = clamp(done.of[c], lo, hi);
      if constexpr (Checked && masks_are_free) store_n(to, value, used);
      else store(to, value);
    });
  }
  [[gnu::always_inline]] void run(float* y) {
    const f32_vec bias = load(w);
    if constexpr (keeps_taps)
      each<K * K>([&](auto place) __attribute__((always_inline)) {
        kept[place] = load(w + (1 + place) * f32_lanes);
        optimization_barrier(kept[place]);  // otherwise g++ reloads them at each use
      });
    each<Rows>([&](auto r) __attribute__((always_inline)) { of_row[r].start(bias); });
    // Unrolled for tiles at borders, too: with loops, small images take a quarter longer.
    each<in_rows>([&](auto i) __attribute__((always_inline)) {
      add_row<i>();
      row = advanced(row, t.line);
    });
    each<Rows>([&](auto r) __attribute__((always_inline)) {
      if (!Checked || r < t.rows) store_row(of_row[r], y + r * t.out_line);
    });
  }
};

/// Computes the channels of one tile.
template <int K, int Stride, int Rows, int Columns, int Pixels, bool Checked>
[[gnu::always_inline]] inline void depthwise_tile(const depthwise_rows& t, const strides& pixel,
                                                  const depthwise_place& at) {
  const std::int64_t used = Pixels == 2 ? f32_lanes : std::min(f32_lanes, t.channels);
  const float* w = t.w;
  for (std::int64_t v = t.vectors.begin; v < t.vectors.end; ++v, w += (K * K + 1) * f32_lanes) {
    const std::int64_t channel = first_channel(v, t.channels);
    depthwise_vector<K, Stride, Rows, Columns, Pixels, Checked>{t,  pixel, at.inside, used, w, advanced(at.x, channel),
                                                                {}, {}}
        .run(at.y + channel);
  }
}

/// Computes all tiles of some rows.
template <class Isa, int K, int Stride, int Rows, int Columns, int Pixels>
[[gnu::noinline]] void depthwise_row_of_tiles(const depthwise_rows& t) {
  constexpr std::int64_t columns = Columns * Pixels, in_columns = (columns - 1) * Stride + K;
  const strides pixel(t.channels);
  const bool has_all_rows =
      t.rows == Rows && t.inside.size() == (Rows - 1) * Stride + K && Pixels * t.channels >= f32_lanes;
  for (std::int64_t begin = 0; begin < t.out_width; begin += columns) {
    const std::int64_t ox = std::min(begin, t.out_width - columns), ix = ox * Stride - t.pad_left;
    const std::int64_t left = nnrt::detail::clamped(-ix, 0, in_columns),
                       right = nnrt::detail::clamped(t.width - ix, left, in_columns);
    const depthwise_place at{advanced(t.x, ix * t.channels), t.y + ox * t.channels, (1U << right) - (1U << left)};
    if (has_all_rows && right - left == in_columns)
      depthwise_tile<K, Stride, Rows, Columns, Pixels, false>(t, pixel, at);
    else depthwise_tile<K, Stride, Rows, Columns, Pixels, true>(t, pixel, at);
  }
}

/// Computes output rows of one image in tiles.
template <class Isa, int K, int Stride, int Rows, int Columns, int Pixels>
void depthwise_tiles(const depthwise_shape& s, const layer_operands& of, interval rows, interval vectors) {
  depthwise_rows t{};
  t.w = of.packed + vectors.begin * (K * K + 1) * f32_lanes, t.channels = s.channels, t.vectors = vectors,
  t.range = of.range;
  t.line = s.width * s.channels, t.out_line = s.out_width * s.channels;
  t.width = s.width, t.out_width = s.out_width, t.pad_left = s.pad_left;
  constexpr std::int64_t in_rows = (Rows - 1) * Stride + K;
  for (std::int64_t oy = rows.begin; oy < rows.end; oy += Rows) {
    const std::int64_t iy = oy * Stride - s.pad_top;
    t.rows = std::min<std::int64_t>(Rows, rows.end - oy);
    t.inside.begin = nnrt::detail::clamped(-iy, 0, in_rows),
    t.inside.end = nnrt::detail::clamped(s.height - iy, t.inside.begin, in_rows);
    t.x = advanced(address_of(of.x), iy * t.line);
    t.y = of.y + oy * t.out_line;
    depthwise_row_of_tiles<Isa, K, Stride, Rows, Columns, Pixels>(t);
  }
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
