// winograd: float convolution by 3x3 kernels of stride 1 or 2 with Winograd's method, over NHWC images.
// Flow: winograd_choice() decides at plan time; a prepare step transforms weights with winograd_pack(); a plan's step
// calls conv_winograd() with arena scratch.
//
// Tiles of input pixels are transformed (f32/winograd/transforms.hpp). Each element of the transformed tiles is one
// matrix product, computed with the tiles of f32/gemm/gemm.hpp. The products are transformed back to Tile x Tile output
// pixels. Products per channel with stride 1: 16 instead of 36 (Tile = 2), 36 instead of 144 (Tile = 4). With stride 2
// the pixels of a tile form four phases, stored next to each other as additional channels: 25 products instead of 36,
// 81 instead of 144. Tiles are processed in blocks whose transformed input stays in L2 for all panels of weights.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>
#include <nnrt/kernels/f32/winograd/grid.hpp>
#include <nnrt/kernels/f32/winograd/transforms.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// True if the method supports this convolution. Shapes with fewer input channels than lanes are excluded: transforms
/// would leave lanes unused.
constexpr bool is_winograd_shape(const conv_shape& s) {
  return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == s.stride_w && s.stride_h <= 2 && s.dilation_h == 1 &&
         s.dilation_w == 1 && s.group == 1 && s.in >= f32_lanes && s.batch * s.out_pixels() * s.out > 0;
}

namespace detail {

/// Maximum floats of weights that are read twice, once for each half of the tiles (1 MiB).
inline constexpr std::int64_t weights_read_again = 1024 * 1024 / 4;

/// Extents that follow from a shape and the tile size.
struct winograd_extents : winograd_grid {
  std::int64_t stride, in, out;

  constexpr winograd_extents(const conv_shape& s, int side_of_tile)
      : winograd_grid(s, side_of_tile), stride(s.stride_h), in(s.in), out(s.out) {}

  /// Elements along one side of a transformed tile.
  constexpr std::int64_t side() const { return tile + winograd_taps(static_cast<int>(stride)) - 1; }
  constexpr std::int64_t elements() const { return side() * side(); }
  /// Phases with a product at element `place` of a line; at infinity (the last one) only the phase of several taps.
  constexpr std::int64_t phases_at(std::int64_t place) const { return place == side() - 1 ? 1 : stride; }
  /// Products per channel of a line, and of a tile.
  constexpr std::int64_t products_of_line() const { return (side() - 1) * stride + 1; }
  constexpr std::int64_t products() const { return products_of_line() * products_of_line(); }
  /// Products of the elements that precede element i of column j; elements are ordered by columns.
  constexpr std::int64_t products_before(std::int64_t i, std::int64_t j) const {
    return (j * products_of_line() + i * phases_at(j)) * stride;
  }
  /// Inner dimension (k) of an element's matrix product.
  constexpr std::int64_t depth(std::int64_t element) const {
    return phases_at(element % side()) * phases_at(element / side()) * in;
  }
  /// Input pixels along one side of a tile.
  constexpr std::int64_t pixels() const { return (tile - 1) * stride + 3; }

  /// Floats of the transformed weights.
  constexpr std::int64_t weights() const { return products() * in * whole_vectors(out); }
  /// Number of blocks of tiles. The transformed input of a block takes about 256 KiB, but at least 20 tiles form one
  /// block: so a 14x14 image reads its weights, which exceed L2, once. Beyond two full tiles of products, the number of
  /// blocks is even, for two threads. If weights exceed weights_read_again, one block remains and threads divide the
  /// columns. With a single panel, blocks are even beyond one tile of products.
  constexpr std::int64_t blocks() const {
    const std::int64_t most = std::max<std::int64_t>(20, 256 * 1024 / 4 / (products() * in));
    if (tiles() > most) return (tiles() + 2 * most - 1) / (2 * most) * 2;
    if (weights() > weights_read_again) return 1;
    return tiles() >= 2 * mr || (tiles() > mr && panels_of(out) == 1) ? 2 : 1;
  }
  constexpr interval block(std::int64_t index) const { return share(tiles(), {index, blocks()}); }
  constexpr std::int64_t largest_block() const { return (tiles() + blocks() - 1) / blocks(); }

  /// Division of a block of `rows` rows into tiles of products. Blocks differ by one row but have the same number of
  /// tiles, so two tile functions suffice.
  constexpr m_blocking tiles_of_products(std::int64_t rows) const {
    return {rows, m_blocking{largest_block()}.count()};
  }

  /// Floats from one transformed input to the next.
  constexpr std::int64_t row_step() const { return copied_row_floats(stride * stride * in); }
  /// Floats from one element's matrix to the next. One extra cache line avoids 4K aliasing of a tile's elements if the
  /// size of the block is a power of two.
  constexpr std::int64_t input_step(std::int64_t rows) const { return rows * row_step() + 16; }
  constexpr std::int64_t product_step(std::int64_t rows) const { return rows * nr + 16; }
  /// Floats of scratch for one block: transformed inputs, one panel of products, a copy of a tile's pixels.
  constexpr std::int64_t scratch() const {
    return elements() * (input_step(largest_block()) + product_step(largest_block())) + pixels() * pixels() * in;
  }
};

// --- one block of tiles ---------------------------------------------------------

/// Transforms a square of pixels in all channels; rows of pixels are `line` floats apart. The phases of an element are
/// adjacent.
template <int Tile, int Stride>
void transform_input(const float* pixels, std::int64_t line, std::int64_t channels, float* v, std::int64_t step) {
  constexpr int side = Tile + winograd_taps(Stride) - 1;
  const strides pixel(Stride * channels);
  for (std::int64_t c = 0; c < channels; c += f32_lanes) {
    const std::int64_t first = std::min(c, channels - f32_lanes);  // the last vector overlaps the previous one
    each<Stride * Stride>([&](auto phase) __attribute__((always_inline)) {
      constexpr int below = phase / Stride, beside = phase % Stride, rows = side - below, columns = side - beside;
      address row = address_of(pixels + below * line + beside * channels + first), to = address_of(v + first);
      transform_rectangle<rows, columns, rows, columns>(
          [](const auto& d, auto& t) __attribute__((always_inline)) { winograd_line<Tile, Stride>::input(d, t); },
          [&](auto, auto j) __attribute__((always_inline)) {
            const f32_vec value = load(floats_at(pixel.template from<j>(row)));
            if constexpr (j == columns - 1) row = advanced(row, Stride * line), optimization_barrier(row);
            return value;
          },
          [&](auto i, auto j, f32_vec value) __attribute__((always_inline)) {
            // NOLINTNEXTLINE(bugprone-branch-clone): they are the same for a stride of 1 only.
            store(reinterpret_cast<float*>(to) + (below * (j == side - 1 ? 1 : Stride) + beside) * channels, value);
            to = advanced(to, i == rows - 1 ? (1 + below) * step : step), optimization_barrier(to);
          });
    });
  }
}

/// Transforms the tile at a position of x. A tile that crosses the image's edge is read from a copy padded with zeros.
template <int Tile, int Stride>
void transform_tile(const conv_shape& s, const float* x, const tile_place& tile, float* copy, float* v,
                    std::int64_t step) {
  constexpr int pixels = (Tile - 1) * Stride + 3;
  const std::int64_t iy = tile.y * Stride - s.pad_top, ix = tile.x * Stride - s.pad_left;
  const float* const image = x + tile.image * s.height * s.width * s.in;
  if (iy >= 0 && ix >= 0 && iy + pixels <= s.height && ix + pixels <= s.width)
    return transform_input<Tile, Stride>(image + (iy * s.width + ix) * s.in, s.width * s.in, s.in, v, step);
  copy_padded(s, image, s.in, {iy, ix, pixels, pixels}, copy);
  transform_input<Tile, Stride>(copy, pixels * s.in, s.in, v, step);
}

/// Output of one vector of channels: their bias, their first output pixel, and the number of lanes in use.
struct winograd_channels {
  const float* bias;
  clamp_range range;
  float* y;
  std::int64_t used;
};

/// Transforms the products of one tile back for one vector of channels, and writes the pixels inside the output. The
/// products of an element are a row of m.
template <int Tile, int Stride>
void transform_output(const conv_shape& s, matrix_rows<const float> m, const tile_place& tile,
                      const winograd_channels& to) {
  const auto [bias, range, y, used] = to;
  constexpr int side = Tile + winograd_taps(Stride) - 1;
  const std::int64_t rows = s.out_height - tile.y, columns = s.out_width - tile.x;
  const strides pixel(s.pixel_step());
  const f32_vec start = load(bias), lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  address from = address_of(m.first),
          row = address_of(y + tile.image * s.image_step() + tile.y * s.row_step() + tile.x * s.pixel_step());
  transform_rectangle<side, side, Tile, Tile>(
      [](const f32_vec(&d)[side], f32_vec(&t)[Tile])
          __attribute__((always_inline)) { winograd_line<Tile, Stride>::output(d, t); },
      [&](auto, auto) __attribute__((always_inline)) {
        const f32_vec value = load(floats_at(from));
        from = advanced(from, m.stride), optimization_barrier(from);
        return value;
      },
      [&](auto j, auto i, f32_vec value) __attribute__((always_inline)) {
        if (i < rows && j < columns)
          store_n(reinterpret_cast<float*>(pixel.template from<j>(row)), clamp(value + start, lo, hi), used);
        if constexpr (j == Tile - 1) row = advanced(row, s.row_step()), optimization_barrier(row);
      });
}

/// Packed weights of all elements in one panel, and its columns in use.
struct winograd_panel {
  const float* packed;
  std::int64_t width;
};

/// Matrix products of one block: one per element of a tile, `rows` rows each.
template <class Isa>
void winograd_products(const winograd_extents& of, std::int64_t rows, const float* v, winograd_panel weights, float* m,
                       const tiling& tiles) {
  auto [packed, width] = weights;
  alignas(64) static constexpr float no_bias[nr] = {};
  constexpr std::int64_t floats_ahead = 32 * 1024;  // prefetch distance in the weights, which are read in order
  const std::int64_t vectors = whole_vectors(width);
  const m_blocking tiles_of_rows = of.tiles_of_products(rows);
  for (std::int64_t e = 0; e < of.elements(); ++e) {
    const std::int64_t depth = of.depth(e);
    for (std::int64_t i = 0; i < tiles_of_rows.count(); ++i) {
      const std::int64_t first = tiles_of_rows.begin(i), size = tiles_of_rows.rows(i);
      tile_args t{.lda = of.row_step(), .k = depth, .ldc = nr};
      t.b = packed, t.bias = no_bias, t.last = width - (vectors - f32_lanes);
      t.ahead = advanced(address_of(packed), floats_ahead + i * depth * vectors / tiles_of_rows.count()),
      t.ahead_step = bytes_ahead / tiles_of_rows.count();
      set_rows(t, size, advanced(address_of(v), first * of.row_step()), m + first * nr);
      if (t.ahead >= tiles.weights_end) t.ahead = t.a, t.ahead_step = 0;
      tiles.for_tile(size, width)(t);
    }
    v += of.input_step(rows), m += of.product_step(rows), packed += depth * vectors;
  }
}

}  // namespace detail

/// Floats that winograd_pack() writes.
constexpr std::int64_t winograd_packed_floats(const conv_shape& s, int tile) {
  return (detail::winograd_extents(s, tile).products() * s.in + 1) * whole_vectors(s.out);
}

/// Floats of scratch for each part of conv_winograd().
constexpr std::int64_t winograd_scratch_floats(const conv_shape& s, int tile) {
  return nnrt::detail::rounded_up(detail::winograd_extents(s, tile).scratch(), 16);
}

/// The tile functions that conv_winograd() needs.
constexpr tile_set winograd_tile_set(const conv_shape& s, int tile) {
  const detail::winograd_extents of(s, tile);
  tile_set set;
  for (const std::int64_t rows : {of.largest_block(), of.tiles() / of.blocks()}) {
    const m_blocking tiles = of.tiles_of_products(rows);
    for (std::int64_t i = 0; i < tiles.count(); ++i) set = set | detail::tiles_along(tiles.rows(i), s.out);
  }
  return set;
}

// --- the choice -----------------------------------------------------------------

namespace detail {

// Costs in fma of whole vectors, two per cycle; measured on Zen 5 with AVX-512 and AVX2. product_tile_cost is the
// overhead of a tile of products (start, store, call). The byte rates are bytes of weights that arrive per fma, from
// memory or from a cache that holds them all.
inline constexpr double product_tile_cost = 6 * mr * tile_vectors, bytes_from_memory = 4, bytes_from_cache = 10;
inline constexpr double l2_resident_bytes = 1024 * 1024, l3_resident_bytes = 8 * 1024 * 1024;

/// Costs are doubles: products of extents could overflow integers.
constexpr double vectors_of(std::int64_t channels) {
  const std::int64_t vectors = whole_vectors(channels) / f32_lanes;
  return static_cast<double>(vectors);
}
constexpr double product_tiles(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(m_blocking{rows}.count()) * static_cast<double>(panels_of(columns));
}

/// Cost of products with `weights` packed weights, read `passes` times: the larger of computing and waiting for
/// weights.
constexpr double cost_of_products(double computing, std::int64_t weights, std::int64_t passes) {
  const double bytes = static_cast<double>(weights) * 4;
  const double first = bytes / (bytes <= l2_resident_bytes ? bytes_from_cache : bytes_from_memory);
  const double again = bytes / (bytes <= l3_resident_bytes ? bytes_from_cache : bytes_from_memory);
  return std::max(computing, first + static_cast<double>(passes - 1) * again);
}

constexpr double direct_cost(const conv_shape& s) {
  const std::int64_t pixels = s.batch * s.out_pixels();
  const double products = static_cast<double>(pixels) * static_cast<double>(s.depth()) * vectors_of(s.out);
  return cost_of_products(products + product_tiles(pixels, s.out) * product_tile_cost, s.depth() * whole_vectors(s.out),
                          1);
}

constexpr double winograd_cost(const conv_shape& s, int tile) {
  const winograd_extents of(s, tile);
  const double input_cost = s.stride_h == 1 ? (tile == 4 ? 380 : 160) : (tile == 4 ? 480 : 120);
  const double output_cost = s.stride_h == 1 ? (tile == 4 ? 270 : 160) : (tile == 4 ? 125 : 50);
  const double tiles = static_cast<double>(of.tiles()), elements = static_cast<double>(of.elements());
  const double products = static_cast<double>(of.products()) * tiles * static_cast<double>(s.in) * vectors_of(s.out);
  const double calls = static_cast<double>(of.blocks() * m_blocking{of.largest_block()}.count() * panels_of(s.out));
  return cost_of_products(products + elements * calls * product_tile_cost, of.products() * s.in * whole_vectors(s.out),
                          of.blocks()) +
         tiles * (vectors_of(s.in) * input_cost + vectors_of(s.out) * output_cost);
}

}  // namespace detail

/// Tile size of the faster transform, 2 or 4; 0 if neither saves a tenth of the time of the implicit gemm.
constexpr int winograd_choice(const conv_shape& s) {
  if (!is_winograd_shape(s)) return 0;
  const double small = detail::winograd_cost(s, 2), large = detail::winograd_cost(s, 4);
  // With stride 2, the packed weights take nine times the filters' memory with large tiles, less than three times with
  // small ones.
  const bool may_be_large =
      s.stride_h == 1 || static_cast<double>(winograd_packed_floats(s, 4)) * 4 <= detail::l3_resident_bytes;
  const int tile = may_be_large && large <= small ? 4 : 2;
  return (tile == 4 ? large : small) > 0.9 * detail::direct_cost(s) ? 0 : tile;
}

// --- the method -----------------------------------------------------------------

namespace detail {

/// Transforms the taps of one phase of a filter, for `count` channels; writes zeros if `is_there` is false. Element i
/// of column j is written at out[of.products_before(i, j) * of.in * width], channels `width` floats apart, phases in
/// sequence.
template <int Tile, int Stride, int Phase>
void transform_filter(const winograd_extents& of, const float* filter, bool is_there, std::int64_t count, float* out,
                      std::int64_t width) {
  constexpr int side = Tile + winograd_taps(Stride) - 1, below = Phase / Stride, beside = Phase % Stride;
  constexpr int rows = winograd_taps(Stride) - below, columns = winograd_taps(Stride) - beside;
  transform_rectangle<rows, columns, side - below, side - beside>(
      [](const auto& g, auto& u) __attribute__((always_inline)) { winograd_line<Tile, Stride>::weights(g, u); },
      [&](auto i, auto j) __attribute__((always_inline)) {
        return is_there ? load_n(filter + ((below + i * Stride) * 3 + beside + j * Stride) * of.in, count)
                        : f32_vec(0.0F);
      },
      [&](auto i, auto j, f32_vec value) __attribute__((always_inline)) {
        float channels[f32_lanes];
        store(channels, value);
        float* const to = out + (of.products_before(i, j) + below * of.phases_at(j) + beside) * of.in * width;
        for (std::int64_t l = 0; l < count; ++l) to[l * width] = channels[l];
      });
}

}  // namespace detail

/// Transforms weights [out, 3, 3, in] and packs them with the bias [out] (null: zeros), in the order in which they are
/// read: [bias], then [panel][element][phase][in][columns of the panel].
template <int Tile, int Stride> void winograd_pack(const conv_shape& s, const float* w, const float* bias, float* out) {
  const detail::winograd_extents of(s, Tile);
  const std::int64_t padded = whole_vectors(s.out);
  for (std::int64_t j = 0; j < padded; ++j) *out++ = bias != nullptr && j < s.out ? bias[j] : 0.0F;
  for (std::int64_t n0 = 0; n0 < padded; n0 += nr) {
    const std::int64_t width = std::min(nr, padded - n0), used = std::min(width, s.out - n0);
    // from this column on, the preceding half vector is repeated
    const std::int64_t again = ends_in_half_vector(used) ? width - f32_lanes / 2 : width;
    for (std::int64_t c = 0; c < s.in; c += f32_lanes)
      for (std::int64_t n = 0; n < width; ++n) {
        // Branch-free: otherwise g++ splits the loop into two, of 16 KB each.
        const std::int64_t from = n - f32_lanes / 2 * static_cast<std::int64_t>(n >= again),
                           count = std::min(f32_lanes, s.in - c);
        const float* const filter = w + (n0 + from) * 9 * s.in + c;
        each<Stride * Stride>([&](auto phase) __attribute__((always_inline)) {
          detail::transform_filter<Tile, Stride, phase>(of, filter, from < used, count, out + c * width + n, width);
        });
      }
    for (std::int64_t e = 0; e < of.elements(); ++e) {
      const std::int64_t depth = of.depth(e);
      if constexpr (has_half_vector)
        if (is_lane_paired(used)) detail::pair_rows(out, depth, depth);
      out += depth * width;
    }
  }
}

/// y = clamp(conv2d(x, w) + bias) of a shape with is_winograd_shape().
///
/// Results do not depend on the number of parts. Errors are about ten times those of conv(). An infinity or NaN in x
/// reaches all pixels of the tiles that read it.
///
/// - `data.packed`: output of `winograd_pack<Tile, Stride>()` for weights and bias.
/// - `data.scratch`: winograd_scratch_floats(s, Tile) floats, aligned to 64 bytes.
/// - `tiles`: the functions of winograd_tile_set(s, Tile), or more.
template <class Isa, int Tile, int Stride>
void conv_winograd(const conv_shape& s, const layer_operands& data, part p, const tiling& tiles) {
  const auto [x, packed, y, scratch, range] = data;
  const detail::winograd_extents of(s, Tile);
  const rectangle work = share_of_transforms(of.blocks(), panels_of(s.out), p);
  const float* const weights = packed + whole_vectors(s.out);
  for (std::int64_t b = work.rows.begin; b < work.rows.end; ++b) {
    const interval block = of.block(b);
    const std::int64_t v_step = of.input_step(block.size()), m_step = of.product_step(block.size());
    float *const v = scratch, *const m = v + of.elements() * v_step, *const copy = m + of.elements() * m_step;
    for (std::int64_t t = 0; t < block.size(); ++t)
      detail::transform_tile<Tile, Stride>(s, x, {of, block.begin + t}, copy, v + t * of.row_step(), v_step);
    for (std::int64_t panel = work.columns.begin; panel < work.columns.end; ++panel) {
      const std::int64_t first = panel * nr, width = std::min(nr, s.out - first);
      detail::winograd_products<Isa>(of, block.size(), v, {weights + first * of.products() * s.in, width}, m, tiles);
      for (std::int64_t t = 0; t < block.size(); ++t)
        for (std::int64_t o = 0; o < width; o += f32_lanes)
          detail::transform_output<Tile, Stride>(
              s, {m + t * nr + o, m_step}, {of, block.begin + t},
              {packed + first + o, range, y + first + o, std::min(f32_lanes, width - o)});
    }
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
