// winograd: float convolution by 3x3 kernels of stride 1 in fewer products, F(2x2, 3x3) and F(4x4, 3x3), over NHWC images.
// Flow: winograd_choice() says at plan time whether it pays; a prepare step transforms weights with winograd_pack(); a
// plan's step calls conv_winograd() with arena scratch.
//
// Tiles of (Tile + 2)^2 input pixels are transformed; every element of the transformed tiles is a matrix product of its
// own on the tiles of gemm.hpp; what comes out is transformed back to Tile x Tile output pixels: 16 products instead of
// 36 for each channel (Tile = 2), or 36 instead of 144 (Tile = 4). Tiles go in blocks whose transformed input stays in
// L2 while all panels of weights pass.
//
// Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015); interpolated at 0, 1, -1 and, for
// Tile = 4, 2, -2.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/convolution.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// Whether the method can compute this convolution at all. Fewer channels than lanes would leave lanes of every
/// transform unused.
constexpr bool is_winograd_shape(const conv_shape& s) {
  return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 && s.dilation_w == 1 &&
         s.group == 1 && s.in >= lanes && s.batch * s.out_pixels() * s.out > 0;
}

namespace detail {

/// The extents that follow from a shape and the output pixels along a tile's side.
struct winograd_layout {
  std::int64_t tile, in, out, batch, across, down;

  constexpr winograd_layout(const conv_shape& s, int side_of_tile)
      : tile(side_of_tile), in(s.in), out(s.out), batch(s.batch), across((s.out_width + tile - 1) / tile), down((s.out_height + tile - 1) / tile) {}

  /// Elements of a transformed tile.
  constexpr std::int64_t elements() const { return (tile + 2) * (tile + 2); }
  constexpr std::int64_t tiles() const { return batch * across * down; }

  /// Blocks of tiles. Their transformed inputs take about 256 KiB, but 20 tiles are always one block: so a 14x14 image
  /// reads its weights, more than a cache holds, once. Beyond two full tiles of products blocks are even in number, for two
  /// threads; where there is but one panel of columns to share out, and so few weights, beyond one.
  constexpr std::int64_t blocks() const {
    const std::int64_t most = std::max<std::int64_t>(20, 256 * 1024 / 4 / (elements() * in));
    if (tiles() > most) return (tiles() + 2 * most - 1) / (2 * most) * 2;
    return tiles() >= 2 * tile_rows || (tiles() > tile_rows && panels_of(out) == 1) ? 2 : 1;
  }
  constexpr interval block(std::int64_t index) const { return share(tiles(), {index, blocks()}); }
  constexpr std::int64_t largest_block() const { return (tiles() + blocks() - 1) / blocks(); }

  /// The tiles of products of a block of so many rows. Blocks differ by one row, but have as many tiles: two functions then make all of them.
  constexpr row_tiles tiles_of_products(std::int64_t rows) const { return {rows, row_tiles{largest_block()}.count()}; }

  /// Floats from one transformed input to the next.
  constexpr std::int64_t row_step() const { return copied_row_floats(in); }
  /// Floats from one element's matrix to the next. A further cache line keeps a tile's elements from falling on the same
  /// sets of the cache, where the block's size is a power of two.
  constexpr std::int64_t input_step(std::int64_t rows) const { return rows * row_step() + 16; }
  constexpr std::int64_t product_step(std::int64_t rows) const { return rows * panel_columns + 16; }
  /// What one block takes: transformed inputs, one panel of products, a copy of a tile's pixels.
  constexpr std::int64_t scratch() const {
    return elements() * (input_step(largest_block()) + product_step(largest_block()) + in);
  }
};

// --- transforms of a line -----------------------------------------------------

template <int Tile> struct winograd_line;

template <> struct winograd_line<2> {
  [[gnu::always_inline]] static void input(const vf (&d)[4], vf (&t)[4]) {
    t[0] = d[0] - d[2], t[1] = d[1] + d[2], t[2] = d[2] - d[1], t[3] = d[1] - d[3];
  }
  [[gnu::always_inline]] static void output(const vf (&m)[4], vf (&y)[2]) {
    y[0] = m[0] + m[1] + m[2], y[1] = m[1] - m[2] - m[3];
  }
  [[gnu::always_inline]] static void weights(const vf (&g)[3], vf (&u)[4]) {
    const vf half(0.5F), ends = half * (g[0] + g[2]), middle = half * g[1];
    u[0] = g[0], u[1] = ends + middle, u[2] = ends - middle, u[3] = g[2];
  }
};

template <> struct winograd_line<4> {
  [[gnu::always_inline]] static void input(const vf (&d)[6], vf (&t)[6]) {
    const vf two(2.0F), four(4.0F), five(5.0F);
    const vf even = d[4] - four * d[2], odd = d[3] - four * d[1], e = d[4] - d[2], o = two * (d[3] - d[1]);
    t[0] = fma(four, d[0], d[4] - five * d[2]);
    t[1] = even + odd, t[2] = even - odd;
    t[3] = e + o, t[4] = e - o;
    t[5] = fma(four, d[1], d[5] - five * d[3]);
  }
  [[gnu::always_inline]] static void output(const vf (&m)[6], vf (&y)[4]) {
    const vf two(2.0F), four(4.0F), eight(8.0F);
    const vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4];
    y[0] = m[0] + a + c, y[1] = fma(two, d, b), y[2] = fma(four, c, a), y[3] = fma(eight, d, b + m[5]);
  }
  [[gnu::always_inline]] static void weights(const vf (&g)[3], vf (&u)[6]) {
    const vf sixth(1.0F / 6), twelfth(1.0F / 12), quarter(0.25F), both = g[0] + g[2];
    const vf near = sixth * (both + g[1]), far = twelfth * g[1], sum = sixth * fma(quarter, g[0], g[2]);
    u[0] = quarter * g[0], u[1] = -near, u[2] = sixth * (g[1] - both);
    u[3] = sum + far, u[4] = sum - far, u[5] = g[2];
  }
};

/// Transforms the rows of a square, then its columns.
///
/// \param from from(i, j) gives element j of row i; called row by row
///
/// \param to to(i, j, value) takes element i of column j; called column by column
template <int From, int To, class Line, class Give, class Take>
[[gnu::always_inline]] inline void transform_square(Line line, Give from, Take to) {
  vf half[From][To];
  each<From>([&](auto i) __attribute__((always_inline)) {
    vf row[From];
    each<From>([&](auto j) __attribute__((always_inline)) { row[j] = from(i, j); });
    line(row, half[i]);
  });
  each<To>([&](auto j) __attribute__((always_inline)) {
    vf column[From], transformed[To];
    each<From>([&](auto i) __attribute__((always_inline)) { column[i] = half[i][j]; });
    line(column, transformed);
    each<To>([&](auto i) __attribute__((always_inline)) { to(i, j, transformed[i]); });
  });
}

// --- one block of tiles ---------------------------------------------------------

/// Where in the images a tile lies.
struct tile_place {
  std::int64_t image, y, x;  // of its first output pixel

  tile_place(const winograd_layout& of, std::int64_t index)
      : image(index / (of.across * of.down)), y(index / of.across % of.down * of.tile), x(index % of.across * of.tile) {}
};

/// Transforms square `pixels` of all channels; rows of pixels begin `line` floats apart.
template <int Tile> void transform_input(const float* pixels, std::int64_t line, std::int64_t channels, float* v, std::int64_t step) {
  constexpr int side = Tile + 2;
  const strides pixel(channels);
  for (std::int64_t c = 0; c < channels; c += lanes) {
    const std::int64_t first = std::min(c, channels - lanes);  // the last vector overlaps the one before
    address row = address_of(pixels + first), to = address_of(v + first);
    transform_square<side, side>(
        [](const vf(&d)[side], vf(&t)[side]) __attribute__((always_inline)) { winograd_line<Tile>::input(d, t); },
        [&](auto, auto j) __attribute__((always_inline)) {
          const vf value = load(floats_at(pixel.template from<j>(row)));
          if constexpr (j == side - 1) row = advanced(row, line), keep(row);
          return value;
        },
        [&](auto, auto, vf value) __attribute__((always_inline)) {
          store(reinterpret_cast<float*>(to), value);
          to = advanced(to, step), keep(to);
        });
  }
}

/// The same for the tile at a place of x; where it hangs over the edge, from a copy with zeros around it.
template <int Tile>
void transform_tile(const conv_shape& s, const float* x, const tile_place& tile, float* copy, float* v, std::int64_t step) {
  constexpr int side = Tile + 2;
  const std::int64_t iy = tile.y - s.pad_top, ix = tile.x - s.pad_left;
  const float* const image = x + tile.image * s.height * s.width * s.in;
  if (iy >= 0 && ix >= 0 && iy + side <= s.height && ix + side <= s.width)
    return transform_input<Tile>(image + (iy * s.width + ix) * s.in, s.width * s.in, s.in, v, step);
  copy_padded(s, image, s.in, iy, ix, side, side, copy);
  transform_input<Tile>(copy, side * s.in, s.in, v, step);
}

/// Transforms one tile's products back, one vector of `used` channels, and writes those of its pixels that exist.
template <int Tile>
void transform_output(const conv_shape& s, const float* m, std::int64_t step, const float* bias, clamp_range range, const tile_place& tile,
                      float* y, std::int64_t used) {
  constexpr int side = Tile + 2;
  const std::int64_t rows = s.out_height - tile.y, columns = s.out_width - tile.x;
  const strides pixel(s.pixel_step());
  const vf start = load(bias), lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  address from = address_of(m), row = address_of(y + tile.image * s.image_step() + tile.y * s.row_step() + tile.x * s.pixel_step());
  transform_square<side, Tile>(
      [](const vf(&d)[side], vf(&t)[Tile]) __attribute__((always_inline)) { winograd_line<Tile>::output(d, t); },
      [&](auto, auto) __attribute__((always_inline)) {
        const vf value = load(floats_at(from));
        from = advanced(from, step), keep(from);
        return value;
      },
      [&](auto j, auto i, vf value) __attribute__((always_inline)) {
        if (i < rows && j < columns)
          store_first(reinterpret_cast<float*>(pixel.template from<j>(row)), clamp(value + start, lo, hi), used);
        if constexpr (j == Tile - 1) row = advanced(row, s.row_step()), keep(row);
      });
}

/// The products of one block: as many matrices as a tile has elements, `rows` rows each.
template <class Isa>
void winograd_products(const winograd_layout& of, std::int64_t rows, const float* v, const float* packed, std::int64_t width, float* m,
                       const tiling& tiles) {
  alignas(64) static constexpr float no_bias[panel_columns] = {};
  constexpr std::int64_t floats_ahead = 32 * 1024;  // weights are read in order and asked for so much earlier
  const std::int64_t vectors = whole_vectors(width);
  const row_tiles tiles_of_rows = of.tiles_of_products(rows);
  for (std::int64_t e = 0; e < of.elements(); ++e) {
    for (std::int64_t i = 0; i < tiles_of_rows.count(); ++i) {
      const std::int64_t first = tiles_of_rows.begin(i), size = tiles_of_rows.rows(i);
      const std::int64_t second = size == 1 ? 0 : size - function_rows(size) / 2;  // see tile_args
      tile_args t{.lda = of.row_step(), .k = of.in, .ldc = panel_columns};
      t.b = packed, t.bias = no_bias, t.last = width - (vectors - lanes);
      t.ahead = advanced(address_of(packed), floats_ahead + i * of.in * vectors / tiles_of_rows.count()), t.ahead_step = 128 / tiles_of_rows.count();
      t.a = advanced(address_of(v), first * of.row_step()), t.a_second = advanced(t.a, second * of.row_step());
      if (t.ahead >= tiles.weights_end) t.ahead = t.a, t.ahead_step = 0;
      t.c = m + first * panel_columns, t.c_second = t.c + second * panel_columns;
      tiles.for_tile(size, width)(t);
    }
    v += of.input_step(rows), m += of.product_step(rows), packed += of.in * vectors;
  }
}

}  // namespace detail

/// Floats that winograd_pack() writes.
constexpr std::int64_t winograd_packed_floats(const conv_shape& s, int tile) {
  return ((tile + 2) * (tile + 2) * s.in + 1) * whole_vectors(s.out);
}

/// Floats of scratch that each part of conv_winograd() needs.
constexpr std::int64_t winograd_scratch_floats(const conv_shape& s, int tile) {
  return (detail::winograd_layout(s, tile).scratch() + 15) / 16 * 16;
}

/// The set of tiles that conv_winograd() makes do with.
constexpr tile_set winograd_tile_set(const conv_shape& s, int tile) {
  const detail::winograd_layout of(s, tile);
  tile_set set;
  for (const std::int64_t rows : {of.largest_block(), of.tiles() / of.blocks()}) {
    const row_tiles tiles = of.tiles_of_products(rows);
    for (std::int64_t i = 0; i < tiles.count(); ++i) set = set | detail::tiles_along(tiles.rows(i), s.out);
  }
  return set;
}

// --- the choice -----------------------------------------------------------------

namespace detail {

// Costs are counted in multiply-adds of whole vectors, two of which take one cycle. The numbers were measured on Zen 5
// with AVX-512 and AVX2: what a tile of products costs beside its products (start, store, call), what a transform of one
// vector of channels costs, and how many bytes of weights arrive meanwhile from memory when the second cache has no room
// for them.
inline constexpr double product_tile_cost = 6 * tile_rows * tile_vectors, bytes_per_cost = 4, bytes_in_cache = 1024 * 1024;

/// As doubles, since nobody has checked yet that products of so many extents fit into integers.
constexpr double vectors_of(std::int64_t channels) { return static_cast<double>(whole_vectors(channels) / lanes); }
constexpr double product_tiles(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(row_tiles{rows}.count()) * static_cast<double>(panels_of(columns));
}

/// Products with so many packed weights, read `passes` times: computing or waiting, whichever takes longer.
constexpr double cost_of_products(double computing, std::int64_t weights, std::int64_t passes) {
  const double bytes = static_cast<double>(weights) * 4;
  return bytes <= bytes_in_cache ? computing : std::max(computing, bytes * static_cast<double>(passes) / bytes_per_cost);
}

constexpr double direct_cost(const conv_shape& s) {
  const std::int64_t pixels = s.batch * s.out_pixels();
  const double products = static_cast<double>(pixels) * static_cast<double>(s.depth()) * vectors_of(s.out);
  return cost_of_products(products + product_tiles(pixels, s.out) * product_tile_cost, s.depth() * whole_vectors(s.out), 1);
}

constexpr double winograd_cost(const conv_shape& s, int tile) {
  const winograd_layout of(s, tile);
  const double input_cost = tile == 4 ? 380 : 160, output_cost = tile == 4 ? 270 : 160;
  const double tiles = static_cast<double>(of.tiles()), elements = static_cast<double>(of.elements());
  const double products = tiles * static_cast<double>(s.in) * vectors_of(s.out);
  const double calls = static_cast<double>(of.blocks() * row_tiles{of.largest_block()}.count() * panels_of(s.out));
  return cost_of_products(elements * (products + calls * product_tile_cost), of.elements() * s.in * whole_vectors(s.out), of.blocks()) +
         tiles * (vectors_of(s.in) * input_cost + vectors_of(s.out) * output_cost);
}

}  // namespace detail

/// Output pixels along a tile's side, 2 or 4, of the faster of both transforms; 0 where neither saves a tenth of the time
/// that the direct method takes.
constexpr int winograd_choice(const conv_shape& s) {
  if (!is_winograd_shape(s)) return 0;
  const double small = detail::winograd_cost(s, 2), large = detail::winograd_cost(s, 4);
  if (std::min(small, large) > 0.9 * detail::direct_cost(s)) return 0;
  return large <= small ? 4 : 2;
}

// --- the method -----------------------------------------------------------------

/// Transforms weights [out, 3, 3, in] and packs them with the bias [out] (null: zeros): [bias][panel][element][in]
/// [columns of the panel], in the order in which they are read.
template <int Tile> void winograd_pack(const conv_shape& s, const float* w, const float* bias, float* out) {
  constexpr int side = Tile + 2;
  const std::int64_t padded = whole_vectors(s.out);
  for (std::int64_t j = 0; j < padded; ++j) *out++ = bias != nullptr && j < s.out ? bias[j] : 0.0F;
  for (std::int64_t n0 = 0; n0 < padded; n0 += panel_columns) {
    const std::int64_t width = std::min(panel_columns, padded - n0), used = std::min(width, s.out - n0);
    const std::int64_t again = ends_in_half(used) ? width - lanes / 2 : width;  // from here on the half before is there a second time
    for (std::int64_t c = 0; c < s.in; c += lanes)
      for (std::int64_t n = 0; n < width; ++n) {
        // Without a branch, or g++ makes two loops of this one, of 16 KB each.
        const std::int64_t from = n - lanes / 2 * static_cast<std::int64_t>(n >= again), count = std::min(lanes, s.in - c);
        const float* const filter = w + (n0 + from) * 9 * s.in + c;
        detail::transform_square<3, side>(
            [](const vf(&g)[3], vf(&u)[side]) __attribute__((always_inline)) { detail::winograd_line<Tile>::weights(g, u); },
            [&](auto i, auto j) __attribute__((always_inline)) {
              return from < used ? load_first(filter + (i * 3 + j) * s.in, count) : vf(0.0F);
            },
            [&](auto i, auto j, vf value) __attribute__((always_inline)) {
              float channels[lanes];
              store(channels, value);
              for (std::int64_t l = 0; l < count; ++l) out[((j * side + i) * s.in + c + l) * width + n] = channels[l];
            });
      }
    if constexpr (has_halves)
      if (is_in_pairs(used))
        for (std::int64_t e = 0; e < side * side; ++e) detail::pair_rows(out + e * s.in * width, s.in, s.in);
    out += side * side * s.in * width;
  }
}

/// More parts of conv_winograd() than this would have nothing to do.
constexpr std::int64_t winograd_most_parts(const conv_shape& s, int tile) {
  return std::max(detail::winograd_layout(s, tile).blocks(), panels_of(s.out));
}

/// y = clamp(conv2d(x, w) + bias) of a shape for which is_winograd_shape().
///
/// Every division into parts gives the same bits. Sums are rounded otherwise than products one by one: errors are about
/// ten times as large, and an infinity or a NaN in x reaches all pixels of the tiles that see it. y must not overlap x.
///
/// \param packed what winograd_pack<Tile>() made of weights and bias
///
/// \param scratch winograd_scratch_floats(s, Tile) floats for this part alone, aligned to 64 bytes; need not be initialised
///
/// \param tiles the functions of winograd_tile_set(s, Tile), or more
template <class Isa, int Tile>
void conv_winograd(const conv_shape& s, const float* x, const float* packed, float* y, float* scratch, clamp_range range, part p,
              const tiling& tiles) {
  const detail::winograd_layout of(s, Tile);
  const rectangle work = share(of.blocks(), panels_of(s.out), p);
  const float* const weights = packed + whole_vectors(s.out);
  for (std::int64_t b = work.rows.begin; b < work.rows.end; ++b) {
    const interval block = of.block(b);
    const std::int64_t v_step = of.input_step(block.size()), m_step = of.product_step(block.size());
    float *const v = scratch, *const m = v + of.elements() * v_step, *const copy = m + of.elements() * m_step;
    for (std::int64_t t = 0; t < block.size(); ++t)
      detail::transform_tile<Tile>(s, x, {of, block.begin + t}, copy, v + t * of.row_step(), v_step);
    for (std::int64_t panel = work.columns.begin; panel < work.columns.end; ++panel) {
      const std::int64_t first = panel * panel_columns, width = std::min(panel_columns, s.out - first);
      detail::winograd_products<Isa>(of, block.size(), v, weights + first * of.elements() * s.in, width, m, tiles);
      for (std::int64_t t = 0; t < block.size(); ++t)
        for (std::int64_t o = 0; o < width; o += lanes)
          detail::transform_output<Tile>(s, m + t * panel_columns + o, m_step, packed + first + o, range, {of, block.begin + t},
                                         y + first + o, std::min(lanes, width - o));
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
