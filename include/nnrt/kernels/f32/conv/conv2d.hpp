// conv2d: float conv2d over NHWC images with the tiles of f32/gemm/gemm.hpp; any kernel, stride, dilation, padding.
// Flow: a prepare step packs weights and bias once with conv_pack(); a plan's step calls conv() with arena scratch.
//
// Method: implicit gemm. In NHWC the values under one row of the kernel are contiguous, and adjacent output pixels
// start stride_w * channels floats apart. So a block of output pixels is a tile whose rows of A are in the image, with
// one run per kernel row. Only blocks at the border read a zero-padded copy; groups read a copy of their channels.
// Horizontal dilation splits the runs, and pixels a multiple of 4 KiB apart cause 4K aliasing. In both cases im2col
// copies the pixels of a few tiles at a time.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/taps.hpp>
#include <nnrt/kernels/f32/gemm/gemm.hpp>
#include <nnrt/kernels/f32/layer_operands.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Shape of a conv2d. x: [batch, height, width, in], w: [out, kernel_h, kernel_w, in / group], y: [batch, out_height,
/// out_width, out].
///
/// Extents may be 0, kernels larger than the padded image; stride and dilation are at least 1; group divides in and
/// out. The output extents imply the padding at the bottom and at the right. Negative pad_top or pad_left skips pixels
/// of the image.
struct conv_shape {
  std::int64_t batch = 1, height = 0, width = 0, in = 0, out = 0;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t out_height = 0, out_width = 0;
  std::int64_t group = 1;
  /// Strides of y with gaps, in floats: from one output pixel, row or image to the next. All 0 if y is contiguous.
  std::int64_t y_pixel = 0, y_row = 0, y_image = 0;

  constexpr bool has_gaps() const { return y_pixel != 0; }
  constexpr std::int64_t pixel_step() const { return has_gaps() ? y_pixel : out; }
  constexpr std::int64_t row_step() const { return has_gaps() ? y_row : out_width * out; }
  constexpr std::int64_t image_step() const { return has_gaps() ? y_image : out_pixels() * out; }
  constexpr std::int64_t group_in() const { return in / group; }
  constexpr std::int64_t group_out() const { return out / group; }
  /// Products per output value, and products per row of the kernel.
  constexpr std::int64_t depth() const { return kernel_h * run(); }
  constexpr std::int64_t run() const { return kernel_w * group_in(); }
  constexpr std::int64_t out_pixels() const { return out_height * out_width; }
  /// Input rows or columns from the first to the last tap of `outputs` outputs in a column or row.
  constexpr std::int64_t rows_under(std::int64_t outputs) const {
    return (outputs - 1) * stride_h + (kernel_h - 1) * dilation_h + 1;
  }
  constexpr std::int64_t columns_under(std::int64_t outputs) const {
    return (outputs - 1) * stride_w + (kernel_w - 1) * dilation_w + 1;
  }
  constexpr bool is_padded() const {
    return pad_top > 0 || pad_left > 0 || rows_under(out_height) - pad_top > height ||
           columns_under(out_width) - pad_left > width;
  }
};

/// Method of a convolution; follows from the shape alone.
enum class conv_method {
  product,  // gemm: A is the image itself; for 1x1 kernels, and kernels as large as the image
  direct,   // implicit gemm: tiles read the image, or a copy with padding or of one group's channels
  gather    // im2col: tiles read copies of the inputs of each pixel
};

namespace detail {

using kernels::conv_method;

/// The method that the shape alone permits.
constexpr conv_method method_of(const conv_shape& s) {
  const bool is_pointwise = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1;
  const bool is_whole_image =
      s.kernel_h == s.height && s.kernel_w == s.width && s.out_pixels() == 1 && s.dilation_h == 1 && s.dilation_w == 1;
  const bool is_same_size = s.out_height == s.height && s.out_width == s.width;
  const bool is_plain = s.group == 1 && !s.has_gaps() && s.pad_top == 0 && s.pad_left == 0;
  if (is_plain && ((is_pointwise && is_same_size) || is_whole_image)) return conv_method::product;
  // A padded copy holds all inputs under the outputs of a stripe. With very wide padding it would be much larger than
  // the image.
  const bool reaches_far =
      s.rows_under(s.out_height) > 2 * s.height + 64 || s.columns_under(s.out_width) > 2 * s.width + 64;
  return (s.dilation_w == 1 || s.kernel_w == 1) && !reaches_far ? conv_method::direct : conv_method::gather;
}

// --- blocks of pixels of the direct method ------------------------------------

/// Output rows per block. Two narrow rows share a tile; an image of one column uses a block of mr rows.
constexpr std::int64_t block_rows(const conv_shape& s) {
  if (s.out_width == 1) return mr;
  return 2 * s.out_width <= mr ? 2 : 1;
}
constexpr std::int64_t rows_of_blocks(const conv_shape& s) {
  return (s.out_height + block_rows(s) - 1) / block_rows(s);
}

/// True if stripes of the image are copied first: for the channels of a group, and for padding that nearly all blocks
/// touch.
constexpr bool copies_stripes(const conv_shape& s) { return s.group > 1 || (s.is_padded() && s.out_width <= 3 * mr); }
/// True if the pixels of a block suffer from 4K aliasing in the image; `size`: bytes per value. See rows_alias_4k().
constexpr bool pixels_alias_4k(const conv_shape& s, std::int64_t size) {
  if (method_of(s) == conv_method::product)
    return rows_alias_4k(s.batch * s.out_pixels(), s.depth() * size, s.group_out());
  const std::int64_t line = (copies_stripes(s) ? s.columns_under(s.out_width) : s.width) * s.group_in();
  return rows_alias_4k(block_rows(s) * s.out_width,
                       (s.out_width == 1 ? s.stride_h * line : s.stride_w * s.group_in()) * size, s.group_out());
}
/// True if im2col is faster than implicit gemm because lines of output pixels leave small tiles. With tiles of 6 rows,
/// lines of 7 pixels take half as long again. Copying a value takes as long as ten products.
/// - `panel_stays`: whether L1 holds the weights of a panel.
constexpr bool prefers_copied_tiles(const conv_shape& s, bool panel_stays) {
  // with gaps each line needs separate tiles
  if (mr > 6 || 2 * s.out_width <= mr || s.has_gaps()) return false;
  // Overhead of a tile in units of one row; higher if weights come from L2, which costs small tiles as much as large
  // ones.
  const std::int64_t beside = panel_stays ? 2 : 4;
  const auto cost = [&](std::int64_t rows) {
    const std::int64_t even_rows = (rows + 1) / 2 * 2;
    return static_cast<double>(even_rows + beside * m_blocking{rows}.count());
  };
  const double pixels = static_cast<double>(s.out_pixels()),
               copies = 10 * pixels / static_cast<double>(std::max<std::int64_t>(1, s.group_out()));
  return cost(s.out_pixels()) + copies < 0.95 * static_cast<double>(s.out_height) * cost(s.out_width);
}
/// The method of conv(): im2col also for 4K aliasing and for small tiles.
constexpr conv_method float_method_of(const conv_shape& s) {
  const conv_method method = method_of(s);
  const bool panel_stays = s.depth() <= 32 * 1024 / 4 / nr;
  return pixels_alias_4k(s, sizeof(float)) || (method == conv_method::direct && prefers_copied_tiles(s, panel_stays))
             ? conv_method::gather
             : method;
}

/// Rows of blocks per stripe; limits a copy to 1 MiB.
constexpr std::int64_t stripe_rows(const conv_shape& s) {
  const std::int64_t line = std::max<std::int64_t>(1, s.columns_under(s.out_width) * s.group_in());
  const std::int64_t fitting = (1024 * 1024 / 4 / line - s.rows_under(1)) / (block_rows(s) * s.stride_h);
  return nnrt::detail::clamped(fitting, 1, std::max<std::int64_t>(1, rows_of_blocks(s)));
}

/// Number of vertically adjacent blocks that use one panel of weights consecutively.
constexpr std::int64_t blocks_at_once(const conv_shape& s) {
  return std::min(pieces_at_once(block_rows(s) * s.stride_h * s.width * s.in),
                  std::max<std::int64_t>(1, rows_of_blocks(s)));
}

/// Floats of scratch of the implicit gemm: one stripe, or the padded blocks of one call.
constexpr std::int64_t direct_scratch(const conv_shape& s) {
  if (copies_stripes(s)) {
    const std::int64_t outputs = std::min(s.out_height, stripe_rows(s) * block_rows(s));
    return s.rows_under(outputs) * s.columns_under(s.out_width) * s.group_in();
  }
  if (!s.is_padded()) return 0;
  return s.rows_under(blocks_at_once(s) * block_rows(s)) * s.columns_under(std::min<std::int64_t>(s.out_width, mr)) *
         s.in;
}

/// Operands of one image, from the current group's first channel.
struct conv_buffers : layer_operands {
  std::int64_t in_pixel, out_pixel, out_row;  // floats from one pixel or row to the next
  tiling tiles;
  std::int64_t max_at_once;  // vertically adjacent blocks per call
};

/// A rectangle of pixels of an image; parts of it may be outside.
struct pixel_window {
  std::int64_t y, x, rows, columns;
};

/// Copies some pixels of an image, zeros outside it, without gaps. Pixels of the image are `pixel` floats apart. Not
/// inlined: one call per stripe is cheap, and inlining adds a kilobyte to each caller.
[[gnu::noinline]] inline void copy_padded(const conv_shape& s, const float* image, std::int64_t pixel,
                                          const pixel_window& window, float* out) {
  const auto [y, x, rows, columns] = window;
  const std::int64_t first = nnrt::detail::clamped(-x, 0, columns),
                     end = nnrt::detail::clamped(s.width - x, first, columns);
  for (std::int64_t i = y; i < y + rows; ++i, out += columns * s.in) {
    const std::int64_t left = i >= 0 && i < s.height ? first : end;  // outside the image everything is padding
    const std::int64_t run = pixel == s.in ? end - left : 1;         // contiguous pixels
    zero_floats(left * s.in, out);
    for (std::int64_t j = left; j < end; j += run)
      copy_floats(image + (i * s.width + x + j) * pixel, run * s.in, out + j * s.in);
    zero_floats((columns - end) * s.in, out + end * s.in);
  }
}

/// A row of blocks: its output rows, and the kernel rows inside the image. Kernel rows are skipped only for blocks of
/// one output row; higher blocks occur only with images that need no (further) padding.
struct block_row {
  std::int64_t y, height, first_tap, last_tap;

  block_row(const conv_shape& s, std::int64_t index)
      : y(index * block_rows(s)), height(std::min(block_rows(s), s.out_height - y)) {
    const interval inside = taps_inside(y * s.stride_h - s.pad_top, s.height, s.kernel_h, s.dilation_h);
    first_tap = inside.begin, last_tap = inside.end;
  }
  std::int64_t taps() const { return last_tap - first_tap; }
};

/// Number of rows of blocks, from this one, that one call computes: they have the same height and use all kernel rows.
/// 1 if kernel rows are skipped.
inline std::int64_t rows_alike(const conv_shape& s, const block_row& row) {
  if (row.taps() < s.kernel_h) return 1;
  const std::int64_t under_all = (s.height + s.pad_top - s.rows_under(1)) / s.stride_h + 1;
  return nnrt::detail::clamped((std::min(s.out_height, under_all) - row.y) / row.height, 1, blocks_at_once(s));
}

/// Vertically adjacent blocks: `alike` blocks from `row`, each of `width` output columns from x.
struct block_column {
  const block_row& row;
  std::int64_t alike, x, width;
};

/// Computes some blocks in the given panels. `t` holds the arguments that the blocks of the row share; the function
/// changes it.
template <class Isa>
void direct_column(const conv_shape& s, const conv_buffers& buffers, const block_column& blocks, interval panels,
                   tile_args& t, panel_prefetch& ahead) {
  const auto& [row, alike, x, width] = blocks;
  const std::int64_t iy = row.y * s.stride_h - s.pad_top + row.first_tap * s.dilation_h,
                     ix = x * s.stride_w - s.pad_left;
  // input rows from block to block
  const std::int64_t columns = s.columns_under(width), below = row.height * s.stride_h;
  std::int64_t line = s.width * s.in;
  address a = advanced(address_of(buffers.x), iy * line + ix * s.in);
  if (t.runs > 0 && (ix < 0 || ix + columns > s.width)) {
    copy_padded(s, buffers.x, buffers.in_pixel,
                {iy, ix, (alike - 1) * below + (t.runs - 1) * s.dilation_h + 1, columns}, buffers.scratch);
    a = address_of(buffers.scratch), line = columns * s.in;
  }
  t.lda = s.out_width == 1 ? s.stride_h * line : s.stride_w * s.in;
  t.run_stride = s.dilation_h * line;
  t.count = alike, t.a_step = below * line, t.c_step = row.height * buffers.out_row;
  set_rows(t, row.height * width, a, buffers.y + row.y * buffers.out_row + x * buffers.out_pixel);
  if (row.height == 2 && s.out_width > 1)
    t.a_second = advanced(a, s.stride_h * line), t.c_second = t.c + buffers.out_row;
  tile_row<Isa>(buffers.tiles, t, row.height * width, {buffers.packed, s.depth(), s.out, row.first_tap}, panels, ahead);
}

/// True if the image is not in L2: a large image, or one with few channels, which is the network's input.
constexpr bool image_comes_from_afar(const conv_shape& s) {
  return s.in <= 4 || comes_from_afar(s.height * s.width * s.in);
}

/// Computes the given rows of blocks; each group of panels stays in L2 for all blocks.
template <class Isa>
void direct_blocks(const conv_shape& s, const conv_buffers& buffers, interval rows, interval panels) {
  const std::int64_t block = panels_in_cache(s.depth());
  const m_blocking across{s.out_width};
  for (std::int64_t p = panels.begin; p < panels.end; p += block) {
    const interval some_panels{p, std::min(panels.end, p + block)};
    panel_prefetch ahead(packed_b{buffers.packed, s.depth(), s.out}.panel_address(some_panels.end),
                         buffers.tiles.weights_end);
    for (std::int64_t index = rows.begin; index < rows.end;) {
      const block_row row(s, index);
      const std::int64_t alike = std::min(std::min(rows_alike(s, row), rows.end - index), buffers.max_at_once);
      tile_args t{.a = address_of(buffers.x),
                  .k = s.run(),
                  .ldc = s.out_width == 1 ? buffers.out_row : buffers.out_pixel,
                  .range = buffers.range,
                  .runs = row.taps()};
      if (image_comes_from_afar(s)) {
        const std::int64_t line = s.width * s.in,
                           behind = row.y * s.stride_h - s.pad_top + s.rows_under(alike * row.height);
        ahead.rows_behind(advanced(address_of(buffers.x), behind * line), alike * row.height * s.stride_h * line);
      }
      for (std::int64_t i = 0; i < across.count(); ++i)
        direct_column<Isa>(s, buffers, {row, alike, across.begin(i), across.rows(i)}, some_panels, t, ahead);
      index += alike;
    }
  }
}

/// Computes the given rows of blocks from copies of the input, stripe by stripe.
template <class Isa>
void direct_stripes(const conv_shape& s, const conv_buffers& buffers, interval rows, interval panels) {
  const std::int64_t at_once = stripe_rows(s), block = block_rows(s);
  conv_shape padded = s;
  padded.width = s.columns_under(s.out_width), padded.pad_left = 0;
  conv_buffers of_stripe = buffers;
  of_stripe.x = buffers.scratch, of_stripe.in_pixel = s.in;
  for (std::int64_t row = rows.begin; row < rows.end; row += at_once) {
    const interval stripe{row, std::min(rows.end, row + at_once)};
    const std::int64_t y = stripe.begin * block, outputs = std::min(s.out_height, stripe.end * block) - y;
    // the stripe starts with the first input row of output row y
    padded.height = s.rows_under(outputs), padded.pad_top = y * s.stride_h;
    copy_padded(s, buffers.x, buffers.in_pixel, {y * s.stride_h - s.pad_top, -s.pad_left, padded.height, padded.width},
                buffers.scratch);
    direct_blocks<Isa>(padded, of_stripe, stripe, panels);
  }
}

/// Computes the given rows of blocks of one image, group by group.
template <class Isa> void direct_image(const conv_shape& s, const conv_buffers& image, interval rows, interval panels) {
  conv_shape of_group = s;
  of_group.in = s.group_in(), of_group.out = s.group_out(), of_group.group = 1;
  for (std::int64_t g = 0; g < s.group; ++g) {
    conv_buffers buffers = image;
    buffers.x += g * of_group.in, buffers.y += g * of_group.out;
    buffers.packed += g * packed_floats(s.depth(), of_group.out);
    if (copies_stripes(s)) direct_stripes<Isa>(of_group, buffers, rows, panels);
    else direct_blocks<Isa>(of_group, buffers, rows, panels);
  }
}

/// Implicit gemm: computes a part's rows of blocks (over all images) and panels.
template <class Isa> void conv_direct(const conv_shape& s, const conv_buffers& buffers, part p) {
  const std::int64_t rows = rows_of_blocks(s);
  const rectangle work = share(s.batch * rows, panels_of(s.group_out()), p);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t image = done / rows, first = done - image * rows;
    const interval of_image{first, std::min(rows, first + work.rows.end - done)};
    conv_buffers one = buffers;
    one.x += image * s.height * s.width * s.in, one.y += image * s.image_step();
    direct_image<Isa>(s, one, of_image, work.columns);
    done += of_image.size();
  }
}

// --- gathered pixels ----------------------------------------------------------

/// Copies the inputs of output pixel `pixel` (counted over all images), channels of one group, in the order of the
/// weights.
inline void gather_pixel(const conv_shape& s, const float* x, std::int64_t pixel, float* out) {
  const std::int64_t image = pixel / s.out_pixels(), oy = pixel % s.out_pixels() / s.out_width,
                     ox = pixel % s.out_width;
  const std::int64_t channels = s.group_in();
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w; ++kx, out += channels) {
      const std::int64_t iy = oy * s.stride_h - s.pad_top + ky * s.dilation_h,
                         ix = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
      const bool is_inside = iy >= 0 && iy < s.height && ix >= 0 && ix < s.width;
      if (is_inside) copy_floats(x + ((image * s.height + iy) * s.width + ix) * s.in, channels, out);
      else zero_floats(channels, out);
    }
}

/// im2col: computes a part's tiles of pixels (over all images) and panels.
template <class Isa> void conv_gather(const conv_shape& s, const conv_buffers& buffers, part p) {
  // All pixels form one line, unless the output has gaps between rows.
  const std::int64_t lines = s.has_gaps() ? s.batch * s.out_height : 1, line = s.batch * s.out_pixels() / lines;
  const std::int64_t tiles = m_blocking_of(line).count(), k = s.depth(), n = s.group_out();
  const rectangle work = share(lines * tiles, panels_of(n), p);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t row = done / tiles, first = done - row * tiles;
    const interval of_line{first, std::min(tiles, first + work.rows.end - done)};
    float* const y = buffers.y + row / s.out_height * s.image_step() + row % s.out_height * s.row_step();
    for (std::int64_t g = 0; g < s.group; ++g) {
      const auto gather = [&](std::int64_t i, float* to) {
        gather_pixel(s, buffers.x + g * s.group_in(), row * line + i, to);
      };
      const gemm_arguments of_group{.shape = {line, k, n},
                                    .packed = buffers.packed + g * packed_floats(k, n),
                                    .c = {y + g * n, s.pixel_step()},
                                    .range = buffers.range,
                                    .run = s.run()};
      gemm_of_copies<Isa>({of_group, buffers.tiles}, gather, buffers.scratch, {of_line, work.columns});
    }
    done += of_line.size();
  }
}

constexpr std::int64_t scratch_per_part(const conv_shape& s) {
  const conv_method method = float_method_of(s);
  if (method == conv_method::product || s.batch * s.out_pixels() * s.out == 0) return 0;
  const std::int64_t floats =
      method == conv_method::direct ? direct_scratch(s) : copied_rows_floats(s.batch * s.out_pixels(), s.depth());
  return nnrt::detail::rounded_up(floats, 16);  // whole cache lines, so that parts never share one
}

}  // namespace detail

/// Floats that conv_pack() writes.
constexpr std::int64_t conv_packed_floats(const conv_shape& s) {
  return s.group * packed_floats(s.depth(), s.group_out());
}

/// Packs weights [out, kernel_h, kernel_w, in / group] and bias [out] (null: zeros), group by group.
inline void conv_pack(const conv_shape& s, const float* w, const float* bias, float* out) {
  const std::int64_t k = s.depth(), n = s.group_out();
  for (std::int64_t g = 0; g < s.group; ++g)
    pack({w + g * n * k, 1, k}, {.k = k, .n = n, .bias = bias == nullptr ? nullptr : bias + g * n, .run = s.run()},
         out + g * packed_floats(k, n));
}

/// Floats of scratch for each part of conv().
constexpr std::int64_t conv_scratch_floats(const conv_shape& s) { return detail::scratch_per_part(s); }

/// The tile functions that conv_by() needs.
constexpr tile_set conv_tile_set(const conv_shape& s, conv_method method) {
  const std::int64_t pixels = s.batch * s.out_pixels(), n = s.group_out();
  if (pixels * n == 0) return {};
  if (method == conv_method::product) return tile_set_for(pixels, n);
  if (method == conv_method::gather) return tile_set_for(s.has_gaps() ? s.out_width : pixels, n);
  // The last block of a column or of pairs of rows may have fewer rows.
  const std::int64_t height = detail::block_rows(s), last = s.out_height % height;
  const auto of_block = [&](std::int64_t rows) {
    return rows == 1 ? tile_set_for(m_blocking{s.out_width}, n) : detail::tiles_along(rows * s.out_width, n);
  };
  return (s.out_height >= height ? of_block(height) : tile_set{}) | (last > 0 ? of_block(last) : tile_set{});
}

/// The tile functions that conv() needs.
constexpr tile_set conv_tile_set(const conv_shape& s) { return conv_tile_set(s, detail::float_method_of(s)); }

/// Maximum input rows under one output row for which row stripes are supported.
inline constexpr std::int64_t max_stripe_taps = 64;

/// True if conv() of a row stripe gives the same bits as conv() of the whole image. Tiles with few accumulators sum in
/// a different order. For 1x1 as gemm these are tiles of one or two pixels. If the last panel has one vector, it is
/// also all partly filled tiles; with tiles of 8 rows, the full tiles, too.
constexpr bool conv_has_stripes(const conv_shape& s) {
  switch (detail::float_method_of(s)) {
    case conv_method::product:
      return (s.out_width >= mr && detail::narrow_tiles_sum_alike()) ||
             (s.out_width >= 3 && (s.out % nr == 0 || s.out % nr > f32_lanes));
    case conv_method::direct:
      return s.group == 1 && s.out_width > 1 && detail::block_rows(s) == 1 && s.rows_under(1) <= max_stripe_taps;
    case conv_method::gather: break;
  }
  return false;
}

/// The tile functions for stripes of at most `rows` rows, computed by the method of the whole image; see narrowed().
constexpr tile_set conv_tile_set_of_stripes(const conv_shape& s, std::int64_t rows) {
  const conv_method method = detail::float_method_of(s);
  tile_set set;
  // Rows that fill whole tiles need the same functions at any number of rows.
  const std::int64_t most = s.out_width % mr == 0 ? 1 : std::min(rows, s.out_height);
  conv_shape stripe = s;
  stripe.batch = 1;
  for (stripe.out_height = 1; stripe.out_height <= most; ++stripe.out_height) {
    stripe.height = method == conv_method::product ? stripe.out_height : s.height;
    set = set | conv_tile_set(stripe, method);
  }
  return set;
}

/// conv() with a compile-time method: a program contains only the methods of its layers.
template <class Isa, conv_method Method>
void conv_by(const conv_shape& s, const layer_operands& of, part p, const tiling& tiles) {
  const std::int64_t pixels = s.batch * s.out_pixels();
  if (pixels * s.out == 0) return;
  const detail::conv_buffers buffers{of, s.in, s.pixel_step(), s.row_step(), tiles, detail::max_tiles_at_once(p)};
  if constexpr (Method == conv_method::product)
    gemm<Isa>({.shape = {pixels, s.depth(), s.out},
               .a = {of.x, s.depth()},
               .packed = of.packed,
               .c = {of.y, s.out},
               .range = of.range,
               .run = s.run()},
              {p}, tiles);
  else if constexpr (Method == conv_method::direct) detail::conv_direct<Isa>(s, buffers, p);
  else detail::conv_gather<Isa>(s, buffers, p);
}

/// y = clamp(conv2d(x, w) + bias).
///
/// Results do not depend on the number of parts. Padding may be multiplied as zeros: infinite weights can give NaN at
/// the border.
///
/// - `of.packed`: output of conv_pack() for weights and bias.
/// - `of.scratch`: conv_scratch_floats(s) floats.
/// - `tiles`: the functions of conv_tile_set(s), or more.
template <class Isa = native>
void conv(const conv_shape& s, const layer_operands& of, part p = {}, const tiling& tiles = tiles_of<Isa>) {
  const auto method = detail::float_method_of(s);
  if (method == conv_method::product) return conv_by<Isa, conv_method::product>(s, of, p, tiles);
  if (method == conv_method::direct) return conv_by<Isa, conv_method::direct>(s, of, p, tiles);
  return conv_by<Isa, conv_method::gather>(s, of, p, tiles);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
