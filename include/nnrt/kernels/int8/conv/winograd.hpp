// winograd: int8 conv2d with 3x3 kernels of stride 1 over NHWC images, by Winograd's F(2x2, 3x3) in i16.
// Flow: int8/conv/conv2d.hpp checks int8_winograd_pays() when it plans, packs with int8_winograd_pack() and runs
// int8_winograd().
//
// As in f32/winograd/winograd.hpp, tiles of 4x4 input pixels become 2x2 outputs with 16 products per channel instead of
// 36. Sums and differences of four bytes fit into i16. Machines without int8 dot products multiply i16 values in about
// the same time as int8 values.
//
// The results have the bits of the direct method. Filters are transformed by twice the f32 matrix, so that all terms
// are integers; accumulators are then four times the real sums.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/winograd/grid.hpp>
#include <nnrt/kernels/f32/winograd/transforms.hpp>
#include <nnrt/kernels/int16/products.hpp>
#include <nnrt/kernels/int8/conv/padded_row.hpp>
#include <nnrt/kernels/int8/gemm/gemm.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Whether the method can compute this convolution. Four times a sum must fit into 32 bits, and the channels must fill
/// the lanes of a vector at least once.
constexpr bool is_byte_winograd_shape(const conv_shape& s) {
  return has_wide_tiles && s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 &&
         s.dilation_h == 1 && s.dilation_w == 1 && s.group == 1 && s.in >= int16_lanes &&
         4 * s.depth() <= max_byte_products && s.batch * s.out_pixels() * s.out > 0;
}

/// Layout of the packed weights: the runs are the elements of a transformed tile, column by column.
constexpr int8_packing int8_winograd_packing(const conv_shape& s) { return {{16, s.in}, s.out}; }

namespace detail {

/// The tiles of a convolution, and the sizes of a block of tiles.
struct int8_winograd_tiles : winograd_grid {
  std::int64_t in;

  explicit constexpr int8_winograd_tiles(const conv_shape& s) : winograd_grid(s, 2), in(s.in) {}

  /// Bytes from one transformed tile to the next, and from the matrix of one element to the next. An additional cache
  /// line avoids conflicts between the elements.
  constexpr std::int64_t row_bytes() const { return bytes_apart(pieces_of(in, 4) * 8); }
  constexpr std::int64_t element_bytes(std::int64_t rows) const { return rounded_up(rows * row_bytes(), 64) + 64; }
  /// Accumulators from one element to the next: a panel's accumulators for each row tile.
  static constexpr std::int64_t element_sums(std::int64_t rows) {
    return m_blocking{rows}.count() * 2 * vector_of_sums + 16;
  }

  /// Number of blocks. The transformed tiles of a block take about 128 KiB of L2. If there are several row tiles, the
  /// number is even, so that two threads get equal shares.
  constexpr std::int64_t blocks() const {
    const std::int64_t most = std::max<std::int64_t>(4, 128 * 1024 / (16 * row_bytes()) / mr) * mr;
    if (tiles() > most) return pieces_of(tiles(), 2 * most) * 2;
    return tiles() >= 4 * mr ? 2 : 1;
  }
  constexpr interval block(std::int64_t index) const { return share(tiles(), {index, blocks()}); }
  constexpr std::int64_t largest_block() const { return pieces_of(tiles(), blocks()); }

  /// Number of adjacent tiles whose pixels are copied together, if they are copied: about 16 KiB.
  constexpr std::int64_t copied_at_once() const {
    return std::min(across, std::max<std::int64_t>(1, 2 * 1024 / in - 1));
  }
  /// Bytes of scratch per block: transformed tiles, accumulators of a panel, and a copy of pixels.
  constexpr std::int64_t scratch_bytes() const {
    return 16 * (element_bytes(largest_block()) + element_sums(largest_block()) * std::int64_t{sizeof(std::int32_t)}) +
           rounded_up(8 * (copied_at_once() + 1) * in, 64);
  }
};

// Costs in instructions, measured on Zen 3: per call of a tile, per transformed input vector, and per output vector. A
// step costs four instructions per vector (two products and two additions, or an int8 dot product) plus the broadcasts
// per panel. Weights are read at 4 bytes per instruction from a cache, 1.6 from memory.
inline constexpr double int8_call_cost = 60, int8_input_cost = 200, int8_output_cost = 130;

/// Cost of products of `rows` rows with `steps` steps of weights; each row is broadcast `broadcasts` times per step and
/// panel.
constexpr double cost_of_byte_products(const conv_shape& s, std::int64_t rows, std::int64_t steps,
                                       std::int64_t broadcasts) {
  const double of_row = static_cast<double>(steps) * static_cast<double>(4 * pieces_of(s.out, int_lanes) +
                                                                         broadcasts * pieces_of(s.out, 2 * int_lanes));
  const double weights = static_cast<double>(steps * dot_bytes) * static_cast<double>(pieces_of(s.out, int_lanes));
  return std::max(static_cast<double>(rows) * of_row, weights / (weights <= 8 * 1024 * 1024 ? 4 : 1.6));
}
constexpr double direct_byte_cost(const conv_shape& s) {
  return cost_of_byte_products(s, s.batch * s.out_pixels(), 3 * pieces_of(3 * s.in, 4), tiles_read_wide ? 2 : 1);
}
constexpr double int8_winograd_cost(const conv_shape& s) {
  const int8_winograd_tiles of(s);
  const std::int64_t calls = 16 * pieces_of(of.tiles(), mr) * pieces_of(s.out, 2 * int_lanes);
  const double transforms = int8_input_cost * static_cast<double>(pieces_of(s.in, int16_lanes)) +
                            int8_output_cost * static_cast<double>(pieces_of(s.out, int_lanes));
  return cost_of_byte_products(s, 2 * pieces_of(of.tiles(), 2), 16 * pieces_of(s.in, 4), 2) +
         static_cast<double>(of.tiles()) * transforms + static_cast<double>(calls) * int8_call_cost;
}

}  // namespace detail

/// Whether the method saves a seventh of the time of the direct method.
constexpr bool int8_winograd_pays(const conv_shape& s) {
  return is_byte_winograd_shape(s) && 7 * detail::int8_winograd_cost(s) < 6 * detail::direct_byte_cost(s);
}

/// Bytes of scratch that each part of int8_winograd() needs.
constexpr std::int64_t int8_winograd_scratch_bytes(const conv_shape& s) {
  return detail::int8_winograd_tiles(s).scratch_bytes();
}

// --- weights ----------------------------------------------------------------------

namespace detail {

/// Largest number of channels of is_byte_winograd_shape(), rounded up to whole vectors.
inline constexpr std::int64_t max_winograd_channels = rounded_up(max_byte_products / 36, int16_lanes);

/// A filter in i16 without its zero point; channels after the last are 0.
struct wide_filter {
  alignas(64) std::int16_t taps[9][max_winograd_channels];

  /// Widens a stored filter [3, 3, in], and returns the sums of its column.
  int8_column set(const std::byte* filter, std::int64_t in, const int8_factors& f) {
    int_vector all{}, above{};
    for (auto& tap : taps) {
      for (std::int64_t c = 0; c < in; c += int16_lanes)
        add(filter + c, std::min(int16_lanes, in - c), f, tap + c, all, above);
      filter += in;
    }
    const std::int64_t sum = reduce_add(all);
    return {sum, reach_of(sum, reduce_add(above), f)};
  }

 private:
  /// Widens up to int16_lanes weights; adds their sum to `all`, and the sum of those above 0 to `above`.
  static void add(const std::byte* from, std::int64_t count, const int8_factors& f, std::int16_t* to, int_vector& all,
                  int_vector& above) {
    std::byte some[int16_lanes];
    if (count < int16_lanes) {
      std::fill(some, some + int16_lanes, static_cast<std::byte>(f.b_zero));
      std::memcpy(some, from, static_cast<std::size_t>(count)), from = some;
    }
    const int16_vector ones = static_cast<std::int16_t>(1) - int16_vector{};
    const int16_vector x =
        (f.is_unsigned ? load_widened<false>(from) : load_widened<true>(from)) - static_cast<std::int16_t>(f.b_zero);
    store_vector(to, x);
    all = dot2(all, x, ones), above = dot2(above, larger_lanes(x, int16_vector{}), ones);
  }
};

/// Transforms three taps by twice the f32 matrix, so that all terms are integers.
[[gnu::always_inline]] inline void transform_taps(const int16_vector (&g)[3], int16_vector (&u)[4]) {
  const int16_vector ends = g[0] + g[2];
  u[0] = g[0] + g[0], u[1] = ends + g[1], u[2] = ends - g[1], u[3] = g[2] + g[2];
}

/// Stores a transformed filter in its lane, with `element` bytes between elements and `step` bytes between steps.
inline void store_transformed(const wide_filter& filter, std::int64_t in, std::int64_t lane, std::int64_t element,
                              std::int64_t step, std::byte* to) {
  for (std::int64_t c = 0; c < in; c += int16_lanes)
    transform_rectangle<3, 3, 4, 4, int16_vector>(
        transform_taps,
        [&](auto i, auto j)
            __attribute__((always_inline)) { return load_vector<int16_vector>(filter.taps[i * 3 + j] + c); },
        [&](auto i, auto j, int16_vector value) __attribute__((always_inline)) {
          std::int16_t numbers[int16_lanes];
          store_vector(numbers, value);
          std::byte* const first = to + (j * 4 + i) * element + c / 4 * step;
          for (std::int64_t k = 0; k < std::min(int16_lanes, in - c); k += 4)
            put_wide_weights(first + k / 4 * step, lane, numbers + k);
        });
}

}  // namespace detail

/// Packs weights, biases and scales.
///
/// filter_of(o) returns the bytes of the filter of output channel o, [3, 3, in], valid until the next call.
/// channel_of(o) returns factor and bias of output channel o.
template <class FilterOf, class ChannelOf>
void int8_winograd_pack(const conv_shape& s, const int8_factors& f, scaled_range range, FilterOf filter_of,
                        ChannelOf channel_of, std::byte* out) {
  const int8_packing packing = int8_winograd_packing(s);
  int8_factors as_seen = f;  // weights have no zero point any more, and pixels are stored values
  as_seen.b_zero = -f.b_offset(), as_seen.a_zero -= f.a_offset();
  std::fill(out + packing.starts_end(), out + packing.bytes(), std::byte{});
  detail::column_packer packer(packing, as_seen, range, out);
  detail::wide_filter filter;
  for (std::int64_t v = 0; v < packing.vectors(); ++v) {
    const std::int64_t panel = v / 2, step = packing.vectors_of(panel) * dot_bytes;
    int8_channel channels[int_lanes];
    detail::int8_column columns[int_lanes];
    for (std::int64_t lane = 0; lane < std::min(int_lanes, packing.n - v * int_lanes); ++lane) {
      columns[lane] = filter.set(filter_of(v * int_lanes + lane), s.in, f),
      channels[lane] = channel_of(v * int_lanes + lane);
      detail::store_transformed(filter, s.in, lane, packing.depth.steps() * step, step,
                                out + packing.panel_at(panel) + v % 2 * dot_bytes);
    }
    packer.add(v, channels, columns);
  }
}

// --- the method -------------------------------------------------------------------

namespace detail {

/// Transforms 4x4 pixels of all channels; rows of pixels start `line` bytes apart.
template <bool IsSigned>
void transform_byte_pixels(const std::byte* pixels, std::int64_t line, std::int64_t channels, std::byte* v,
                           std::int64_t element) {
  for (std::int64_t c = 0; c < channels; c += int16_lanes) {
    const std::int64_t first = std::min(c, channels - int16_lanes);  // the last vector overlaps the previous one
    transform_rectangle<4, 4, 4, 4, int16_vector>(
        [](const int16_vector(&d)[4], int16_vector(&t)[4])
            __attribute__((always_inline)) { winograd_line<2, 1>::input(d, t); },
        [&](auto i, auto j)
            __attribute__((always_inline)) { return load_widened<IsSigned>(pixels + i * line + j * channels + first); },
        [&](auto i, auto j, int16_vector value)
            __attribute__((always_inline)) { store_vector(v + (j * 4 + i) * element + 2 * first, value); });
  }
}

/// A block of the tiles of a convolution.
struct int8_winograd_block {
  const conv_shape& s;
  const int8_winograd_tiles& of;
  interval tiles;
};

/// Images of a convolution, the zero point outside them, and memory for a padded copy.
struct int8_winograd_images {
  const std::byte* x;
  std::byte zero;
  std::byte* copy;
};

/// Transforms adjacent tiles of a block, the first at `first`. Tiles that cross the edge of the image are read from a
/// copy that is padded with zero points.
template <bool IsSigned>
void transform_byte_tiles(const int8_winograd_block& block, const int8_winograd_images& images, const tile_place& first,
                          std::int64_t tiles, std::byte* v) {
  const conv_shape& s = block.s;
  const int8_winograd_tiles& of = block.of;
  const auto [x, zero, copy] = images;
  const std::int64_t element = of.element_bytes(block.tiles.size());
  const std::int64_t iy = first.y - s.pad_top, ix = first.x - s.pad_left, columns = 2 * tiles + 2;
  const std::byte* const image = x + first.image * s.height * s.width * s.in;
  const bool is_inside = iy >= 0 && ix >= 0 && iy + 4 <= s.height && ix + columns <= s.width;
  const std::byte* pixels = is_inside ? image + (iy * s.width + ix) * s.in : copy;
  const std::int64_t line = (is_inside ? s.width : columns) * s.in;
  for (std::int64_t row = 0; row < 4 && !is_inside; ++row)
    copy_padded_row(s, image, iy + row, {ix, ix + columns}, {{}, zero}, copy + row * line);
  for (std::int64_t i = 0; i < tiles; ++i, pixels += 2 * s.in, v += of.row_bytes())
    transform_byte_pixels<IsSigned>(pixels, line, s.in, v, element);
}
template <bool IsSigned>
void transform_byte_block(const int8_winograd_block& block, const int8_winograd_images& images, std::byte* v) {
  const int8_winograd_tiles& of = block.of;
  tile_place first(of, block.tiles.begin);
  for (std::int64_t left = block.tiles.size(), count = 0; left > 0;
       left -= count, first.advance(of, count), v += count * of.row_bytes()) {
    count = std::min(std::min(of.copied_at_once(), left), of.across - first.x / 2);
    transform_byte_tiles<IsSigned>(block, images, first, count, v);
  }
}

/// Multiplies a block with one panel: one matrix product per element of a tile, with `tiles` rows. The accumulators of
/// a row tile are contiguous.
template <class Isa>
void int8_winograd_products(const int8_product& p, const int8_winograd_tiles& of, std::int64_t tiles,
                            const std::byte* v, std::int64_t panel, std::int32_t* sums) {
  alignas(64) static constexpr std::int32_t no_start[2 * int_lanes] = {};
  const m_blocking rows{tiles};
  int8_tile t;
  t.lda = of.row_bytes(), t.steps = p.packing.depth.steps(), t.ends_in_half_vector = of.in % 4 == 1 || of.in % 4 == 2;
  t.start = reinterpret_cast<const std::byte*>(no_start), t.b = p.packed + p.packing.panel_at(panel);
  for (int element = 0; element < 16; ++element) {
    for (std::int64_t i = 0; i < rows.count(); i += t.count) {
      const std::int64_t count = rows.rows(i), second = second_half(count);
      t.a = address_of_bytes(v + rows.begin(i) * t.lda), t.a_second = bytes_further(t.a, second * t.lda);
      t.sums = sums + i * 2 * vector_of_sums, t.sums_second = t.sums + second * sum_stride;
      t.count = rows.alike(i), t.a_step = count * t.lda;
      wide_tiles<Isa>.for_tile(count, p.packing.vectors_of(panel))(t);
    }
    v += of.element_bytes(tiles), sums += of.element_sums(tiles);
    t.b += t.steps * p.packing.vectors_of(panel) * dot_bytes;
  }
}

/// Transforms the accumulators of a tile back, for one vector of columns. Row i, column j is stored at to[i * line + j
/// * sum_stride].
inline void transform_byte_sums(const std::int32_t* sums, std::int64_t element, const std::byte* start,
                                std::int32_t* to, std::int64_t line) {
  const auto starts = load_vector<int_vector>(start);
  transform_rectangle<4, 4, 2, 2, int_vector>(
      [](const int_vector(&m)[4], int_vector(&y)[2])
          __attribute__((always_inline)) { winograd_line<2, 1>::output(m, y); },
      [&](auto i, auto j)
          __attribute__((always_inline)) { return load_vector<int_vector>(sums + (i * 4 + j) * element); },
      [&](auto j, auto i, int_vector value)
          __attribute__((always_inline)) { store_vector(to + i * line + j * sum_stride, (value >> 2) + starts); });
}

/// Runs the output stage of a block in one panel: as many adjacent tiles at a time as finish_sums() takes.
template <class Isa>
void finish_byte_winograd(const int8_winograd_block& block, const int8_product& p, std::int64_t panel,
                          const std::int32_t* sums, std::byte* y) {
  const auto& [s, of, tiles] = block;
  constexpr std::int64_t at_once = vector_of_sums / sum_stride / 2, line = 2 * vector_of_sums;
  const m_blocking rows{tiles.size()};
  const std::byte* const start = p.packed + p.packing.bias_at() + 2 * panel * register_bytes;
  const auto* const scales = reinterpret_cast<const channel_scales*>(p.packed) + 2 * panel;
  const std::int64_t vectors = p.packing.vectors_of(panel), width = p.packing.width(panel),
                     element = of.element_sums(tiles.size());
  tile_place first(of, tiles.begin);
  std::int64_t row_tile = 0, row = 0, count = 0;  // of the next tile
  for (std::int64_t left = tiles.size(); left > 0; left -= count, first.advance(of, count)) {
    count = std::min(std::min(at_once, left), of.across - first.x / 2);
    alignas(64) std::int32_t finished[2 * line];
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t* const from = sums + row_tile * 2 * vector_of_sums + row * sum_stride;
      for (std::int64_t v = 0; v < vectors; ++v)
        transform_byte_sums(from + v * vector_of_sums, element, start + v * register_bytes,
                            finished + v * vector_of_sums + 2 * i * sum_stride, line);
      if (++row == rows.rows(row_tile)) ++row_tile, row = 0;
    }
    for (std::int64_t i = 0; i < std::min<std::int64_t>(2, s.out_height - first.y); ++i) {
      std::byte* const c = y + first.image * s.image_step() + (first.y + i) * s.row_step() + first.x * s.pixel_step() +
                           panel * int8_packing::panel_width;
      finish_sums<Isa>(p, finished + i * line, scales, {c, s.pixel_step(), std::min(2 * count, s.out_width - first.x)},
                       width);
    }
  }
}

}  // namespace detail

/// y = clamp(conv2d(x, w) + bias) of quantised values, for a shape with is_byte_winograd_shape(). p.packing is
/// int8_winograd_packing(s); p.packed was packed by int8_winograd_pack().
///
/// Every division into parts gives the same bits, which are the bits of the direct method. y must not overlap x.
/// `scratch` has int8_winograd_scratch_bytes(s) bytes for this part alone, aligned to 64, uninitialised.
template <class Isa = native>
void int8_winograd(const conv_shape& s, const int8_product& p, const std::byte* x, std::byte* y, std::byte* scratch,
                   part share_of = {}) {
  const detail::int8_winograd_tiles of(s);
  const rectangle work = share_of_transforms(of.blocks(), p.packing.panels(), share_of);
  for (std::int64_t b = work.rows.begin; b < work.rows.end && work.columns.size() > 0; ++b) {
    const interval tiles = of.block(b);
    const detail::int8_winograd_block block{s, of, tiles};
    const std::int64_t element = of.element_bytes(tiles.size());
    auto* const sums = reinterpret_cast<std::int32_t*>(scratch + 16 * element);
    std::byte* const copy =
        scratch + 16 * element + 16 * of.element_sums(tiles.size()) * std::int64_t{sizeof(std::int32_t)};
    const detail::int8_winograd_images images{x, static_cast<std::byte>(p.factors.a_zero), copy};
    if (p.factors.is_unsigned) detail::transform_byte_block<false>(block, images, scratch);
    else detail::transform_byte_block<true>(block, images, scratch);
    for (std::int64_t panel = work.columns.begin; panel < work.columns.end; ++panel) {
      detail::int8_winograd_products<Isa>(p, of, tiles.size(), scratch, panel, sums);
      detail::finish_byte_winograd<Isa>(block, p, panel, sums, y);
    }
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
