// depthwise_tile: tiles of two rows of output pixels of a float depthwise convolution, for square kernels and strides of 1 and 2.
// Flow: depthwise.hpp walks over rows of tiles; depthwise_pack.hpp laid out what they read. 3x3 kernels have strips instead where registers
// are enough, see depthwise_strip.hpp.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/depthwise_pack.hpp>
#include <nnrt/kernels/depthwise_sums.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels::detail {

/// Vectors in a row of a tile, which has two rows: 14 accumulators of 32 registers, 8 of 16.
inline constexpr int depthwise_vectors = vector_registers == 32 ? 7 : 4;

/// One tile of outputs in one image.
struct depthwise_tile_args {
  const float* w;
  float* y;   // first output pixel
  address x;  // input pixel under the first tap, which may lie outside the image
  std::int64_t channels;
  interval vectors;                  // of channels that are wanted
  std::int64_t line, out_line;       // floats from one row to the next
  std::int64_t first_row, last_row;  // rows of the tile's input that lie in the image
  std::uint32_t columns_inside;      // bit j: input column j lies in the image
  std::int64_t rows, columns;        // output rows and columns wanted of the tile
  clamp_range range;
};

/// Which of a tile's two output rows see a row of the input.
enum class seen_by { upper, both, lower };

/// One vector of channels of a tile, or, with two Pixels, the channels of two neighbouring ones in each vector: what lies under a tap begins at
/// every column then, and outputs are two columns apart. A Checked tile leaves out input outside the image and outputs not wanted, and may
/// have fewer channels than lanes if masks are free; any other is whole.
template <int K, int Stride, int Pixels, bool Checked> struct depthwise_vector {
  static_assert(Pixels == 1 || Stride == 1);
  using sums = depthwise_sums<K, Stride * Pixels, depthwise_vectors>;
  static constexpr std::int64_t kernel_row = K * lanes;
  const depthwise_tile_args& t;
  strides step;
  const float* w;     // taps of these channels
  std::int64_t used;  // channels, at most lanes
  std::uint32_t inside;
  sums upper, lower;

  /// Adds row i of the input, which lies at `row`.
  template <seen_by Rows> [[gnu::always_inline]] void add_row(std::int64_t i, address row) {
    vf upper_w[K], lower_w[K];
    each<K>([&](auto k) __attribute__((always_inline)) {
      if constexpr (Rows != seen_by::lower) upper_w[k] = load(w + i * kernel_row + k * lanes);
      if constexpr (Rows != seen_by::upper) lower_w[k] = load(w + (i - Stride) * kernel_row + k * lanes);
    });
    const address bases[] = {row, row + step.x7, row + 2 * step.x7};
    asm volatile("" : "+r"(inside));  // or g++ 12 tests all bits ahead of the rows and parks the answers in vector registers
    each<sums::in_columns>([&](auto j) __attribute__((always_inline)) {
      if (Checked && (inside >> j & (Pixels == 2 ? 3U : 1U)) == 0) return;
      const float* const p = floats_at(step.template from<j % 7>(bases[j / 7]));
      if constexpr (Checked && Pixels == 2) {
        const some_halves there(inside >> j & 3U);
        vf x = load_halves(p, there);
        keep(x);
        if constexpr (Rows != seen_by::lower) upper.template add<j>(x, upper_w, there);
        if constexpr (Rows != seen_by::upper) lower.template add<j>(x, lower_w, there);
      } else {
        vf x = Checked && masks_are_free ? load_first(p, used) : load(p);
        keep(x);
        if constexpr (Rows != seen_by::lower) upper.template add<j>(x, upper_w);
        if constexpr (Rows != seen_by::upper) lower.template add<j>(x, lower_w);
      }
    });
  }
  /// Adds rows i … end - 1 of the input, of which the next one lies at `row`.
  template <seen_by Rows> [[gnu::always_inline]] void add_rows(std::int64_t& i, std::int64_t end, address& row) {
    for (; i < end; ++i, row = advanced(row, t.line)) add_row<Rows>(i, row);
  }
  [[gnu::always_inline]] void store_row(const sums& row, float* y) const {
    const vf lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    each<depthwise_vectors>([&](auto c) __attribute__((always_inline)) {
      const std::int64_t wanted = t.columns - c * Pixels;
      if (Checked && wanted <= 0) return;
      const vf value = clamp(row.of[c], lo, hi);
      float* const to = reinterpret_cast<float*>(step.template from<c * Pixels % 7>(address_of(y)) + c * Pixels / 7 * step.x7);
      if constexpr (Checked && masks_are_free) store_first(to, value, wanted < Pixels ? t.channels : used);
      else store(to, value);
    });
  }
  /// Adds all rows of a tile that lies in the image as a whole, the first of them at `row`. Written out, which takes 8 % less time.
  [[gnu::always_inline]] void add_all(address row) {
    each<Stride + K>([&](auto i) __attribute__((always_inline)) {
      add_row<i < Stride ? seen_by::upper : i < K ? seen_by::both : seen_by::lower>(i, row);
      row = advanced(row, t.line);
    });
  }
  /// Adds the rows that lie in the image; what would be row 0 is at `row`.
  [[gnu::always_inline]] void add_inside(address row) {
    std::int64_t i = t.first_row;
    row = advanced(row, i * t.line);
    add_rows<seen_by::upper>(i, std::min<std::int64_t>(t.last_row, t.rows == 1 ? K : Stride), row);
    add_rows<seen_by::both>(i, std::min<std::int64_t>(t.last_row, K), row);
    add_rows<seen_by::lower>(i, t.rows == 1 ? 0 : t.last_row, row);
  }
  [[gnu::always_inline]] void run(std::int64_t channel) {
    const vf bias = load(w);
    w += lanes;
    upper.start(bias), lower.start(bias);
    if constexpr (Checked) add_inside(advanced(t.x, channel));
    else add_all(advanced(t.x, channel));
    store_row(upper, t.y + channel);
    if (!Checked || t.rows == 2) store_row(lower, t.y + t.out_line + channel);
  }
};

/// Channels of one tile.
template <class Isa, int K, int Stride, int Pixels, bool Checked>
[[gnu::noinline]] void depthwise_tile(const depthwise_tile_args& t) {
  const strides step(t.channels);
  const float* w = t.w + t.vectors.begin * (K * K + 1) * lanes;
  for (std::int64_t v = t.vectors.begin; v < t.vectors.end; ++v, w += (K * K + 1) * lanes)
    depthwise_vector<K, Stride, Pixels, Checked>{t, step, w, Pixels == 2 ? lanes : std::min(lanes, t.channels), t.columns_inside, {}, {}}.run(
        first_channel(v, t.channels));
}

/// One or two output rows, from row oy of an image on.
template <class Isa, int K, int Stride, int Pixels>
void depthwise_row_tiles(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                         std::int64_t oy, std::int64_t rows, interval vectors) {
  constexpr std::int64_t columns = depthwise_vectors * Pixels, in_rows = Stride + K, in_columns = (columns - 1) * Stride + K;
  const std::int64_t iy = oy * Stride - s.pad_top;
  depthwise_tile_args t{};
  t.w = packed, t.channels = s.channels, t.vectors = vectors, t.range = range, t.rows = rows;
  t.line = s.width * s.channels, t.out_line = s.out_width * s.channels;
  t.first_row = nnrt::detail::clamped(-iy, 0, in_rows),
  t.last_row = nnrt::detail::clamped(s.height - iy, t.first_row, in_rows);
  const bool has_all_rows = rows == 2 && t.last_row - t.first_row == in_rows;
  for (std::int64_t ox = 0; ox < s.out_width; ox += columns) {
    const std::int64_t ix = ox * Stride - s.pad_left;
    t.x = advanced(address_of(x), iy * t.line + ix * s.channels);
    t.y = y + (oy * s.out_width + ox) * s.channels;
    t.columns = std::min<std::int64_t>(columns, s.out_width - ox);
    const std::int64_t left = nnrt::detail::clamped(-ix, 0, in_columns),
                       right = nnrt::detail::clamped(s.width - ix, left, in_columns);
    t.columns_inside = (1U << right) - (1U << left);
    if (has_all_rows && left == 0 && right == in_columns && t.columns == columns && Pixels * s.channels >= lanes)
      depthwise_tile<Isa, K, Stride, Pixels, false>(t);
    else depthwise_tile<Isa, K, Stride, Pixels, true>(t);
  }
}

/// Output rows of one image in tiles.
template <class Isa, int K, int Stride, int Pixels>
void depthwise_tiles(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range, interval rows, interval vectors) {
  for (std::int64_t oy = rows.begin; oy < rows.end; oy += 2)
    depthwise_row_tiles<Isa, K, Stride, Pixels>(s, x, packed, y, range, oy, std::min<std::int64_t>(2, rows.end - oy), vectors);
}

}  // namespace nnrt::inline NNRT_ISA::kernels::detail
