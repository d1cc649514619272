// conv2d: int8 conv2d over NHWC images with the tiles of int8/gemm/gemm.hpp; any kernel, stride, dilation, padding,
// group.
// Flow: a prepare step packs weights, bias and scales with int8_conv_pack(). A plan's step calls int8_conv().
//
// The values under one row of the kernel are contiguous. So tiles read the image in place if no padding is needed
// (implicit gemm). With padding, a stripe of rows is copied with zero points around it. The copy takes about 1 % of the
// time of the products, and tiles need no code for borders. With horizontal dilation the values are not contiguous, and
// pixels are gathered (im2col).
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>
#include <nnrt/kernels/int8/conv/padded_row.hpp>
#include <nnrt/kernels/int8/conv/winograd.hpp>
#include <nnrt/kernels/int8/gemm/gemm.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Whether AMX blocks should read copied pixels. Blocks within one line take as long for 7 pixels as for 16, and its
/// runs may fill registers partly. The right-hand side adds the cycles of a copy, per kernel row and per byte.
constexpr bool prefers_copied_blocks(const conv_shape& s) {
  if (s.out_width <= 1 || !suits_blocks(4 * s.out_width, s.depth(), s.group_out())) return false;
  const std::int64_t vectors = pieces_of(s.group_out(), int_lanes),
                     lines = pieces_of(s.out_width, register_rows) * s.kernel_h *
                             pieces_of(s.kernel_w * s.group_in(), register_bytes);
  return lines * vectors * 16 >
         s.out_width * (pieces_of(s.depth(), register_bytes) * vectors + s.kernel_h * 48 + s.depth() / 16);
}
/// Whether L1 holds the weights of a panel while lines pass.
constexpr bool panel_stays(const int8_packing& packing) { return 2 * packing.vector_bytes() <= 32 * 1024; }
/// Method of the convolution. As for f32, except that dot products read groups of four values: other depths of a 1x1
/// convolution need readable bytes after each row, so they are gathered.
constexpr conv_method int8_method_of(const conv_shape& s) {
  const conv_method method = method_of(s);
  if (pixels_alias_4k(s, 1) || (method == conv_method::product && s.depth() % 4 != 0)) return conv_method::gather;
  if (method != conv_method::direct) return method;
  const bool is_gathered =
      prefers_copied_blocks(s) ||
      (tiles_read_wide &&
       prefers_copied_tiles(s, panel_stays({{s.kernel_h, s.kernel_w * s.group_in()}, s.group_out()})));
  return is_gathered ? conv_method::gather : method;
}
/// Whether the direct method reads a copy of the input: for padding, groups, runs that are no multiple of 4, and
/// encodings other than the stored one.
constexpr bool copies_byte_stripes(const conv_shape& s, const int8_encoding& encoding) {
  return !encoding.is_quantised() || s.group > 1 || s.is_padded() || s.kernel_w * s.in % 4 != 0;
}
/// Bytes per value of a copied stripe, and bytes per line.
inline constexpr std::int64_t stripe_value_bytes = int8_encoding{tiles_read_wide}.size();
constexpr std::int64_t stripe_line(const conv_shape& s) {
  return s.columns_under(s.out_width) * s.group_in() * stripe_value_bytes;
}
/// Estimated instructions per output pixel if `pixels` adjacent pixels are computed together: dot products, broadcasts
/// and output stage. Four instructions start at a time.
constexpr double cost_of_pixels(const conv_shape& s, std::int64_t pixels) {
  const int8_packing packing{{s.kernel_h, (s.kernel_w + (pixels - 1) * s.stride_w) * s.in}, pixels * s.out};
  const std::int64_t steps = packing.depth.runs * packing.depth.steps(),
                     broadcasts = packing.is_lane_paired(0) ? steps / 2 : steps * packing.panels();
  // rows of whole vectors are stored directly
  const std::int64_t to_bytes = 8 * packing.vectors() + (packing.n % int_lanes != 0 ? 8 : 0);
  return static_cast<double>(2 * steps * packing.vectors() + broadcasts + to_bytes) / static_cast<double>(pixels);
}
/// The convolution that computes `pixels` adjacent output pixels of s as one: a wider kernel, with filters per pixel.
constexpr conv_shape joined(conv_shape s, std::int64_t pixels) {
  s.kernel_w += (pixels - 1) * s.stride_w, s.stride_w *= pixels, s.out *= pixels, s.out_width /= pixels;
  return s;
}
/// Number of adjacent output pixels to compute together. More than one pays if few filters leave lanes unused, or if
/// the runs of one pixel do not fill dot products.
constexpr std::int64_t pixels_at_once(const conv_shape& s) {
  if (s.out > int_lanes || s.group > 1 || s.has_gaps() || s.dilation_w != 1 || int8_method_of(s) == conv_method::gather)
    return 1;
  std::int64_t best = 1;
  for (const std::int64_t pixels : {2, 4, 8, 16})
    if (s.out_width % pixels == 0 && s.out_width > pixels && !pixels_alias_4k(joined(s, pixels), 1) &&
        cost_of_pixels(s, pixels) < 0.9 * cost_of_pixels(s, best))
      best = pixels;
  return best;
}

}  // namespace detail

/// How a convolution is computed: the method, and the number of adjacent pixels that are computed as one pixel with
/// more filters. The plan is made once: finding it takes too long for a small layer. Stripes of the image use the same
/// plan.
struct int8_conv_plan {
  conv_shape s;
  conv_method method;
  std::int16_t pixels;       // computed as one
  std::int16_t in_winograd;  // 1: int8_winograd() is used, not `method`

  static constexpr int8_conv_plan of(const conv_shape& shape) {
    if (int8_winograd_pays(shape)) return {shape, conv_method::direct, 1, 1};
    const std::int64_t pixels = detail::pixels_at_once(shape);
    const conv_shape s = detail::joined(shape, pixels);
    return {s, detail::int8_method_of(s), static_cast<std::int16_t>(pixels), 0};
  }
};

namespace detail {

/// Output rows per stripe: the copy takes at most 160 KiB, unless a single row needs more.
constexpr std::int64_t byte_stripe_rows(const conv_shape& s) {
  const std::int64_t line = std::max<std::int64_t>(1, stripe_line(s)),
                     fitting = (160 * 1024 / line - s.rows_under(1)) / s.stride_h;
  return nnrt::detail::clamped(fitting + 1, 1, std::max<std::int64_t>(1, s.out_height));
}
/// Enables AMX blocks in `packing` if they suit four lines of outputs. The choice does not depend on the height, so
/// that weights have the same packing for a stripe of the image. With a single column, tiles run down the image.
constexpr int8_packing with_blocks(const conv_shape& s, int8_packing packing) {
  packing.in_blocks =
      !packing.is_for_one_row && s.out_width > 1 && suits_blocks(4 * s.out_width, packing.depth.products(), packing.n);
  return packing;
}
/// Layout of the weights of one group for the methods that read pixels as rows of a matrix.
constexpr int8_packing int8_matrix_packing(const conv_shape& s) {
  return with_blocks(s, int8_packing::of(s.batch * s.out_pixels(), s.depth(), s.group_out()));
}

}  // namespace detail

/// Whether int8_conv() can compute some output rows alone. Integer sums do not depend on their order, but the packing
/// of the weights must not depend on the height.
constexpr bool byte_conv_has_stripes(const int8_conv_plan& plan) {
  return plan.in_winograd == 0 && plan.method != conv_method::gather && plan.s.out_width > 1 &&
         plan.s.rows_under(1) <= max_stripe_taps;
}

/// Layout of the weights of one group.
constexpr int8_packing int8_conv_packing(const int8_conv_plan& plan) {
  const conv_shape& s = plan.s;
  if (plan.in_winograd != 0) return int8_winograd_packing(s);
  if (plan.method == conv_method::direct)
    return detail::with_blocks(s, {{s.kernel_h, s.kernel_w * s.group_in()}, s.group_out()});
  return detail::int8_matrix_packing(s);
}
constexpr std::int64_t int8_conv_packed_bytes(const int8_conv_plan& plan) {
  return plan.s.group * int8_conv_packing(plan).bytes();
}
/// Bytes of scratch that each part of int8_conv() needs.
constexpr std::int64_t int8_conv_scratch_bytes(const int8_conv_plan& plan) {
  const conv_shape& s = plan.s;
  const std::int64_t pixels = s.batch * s.out_pixels();
  if (pixels * s.out == 0) return 0;
  if (plan.in_winograd != 0) return int8_winograd_scratch_bytes(s);
  if (plan.method == conv_method::product) return int8_matrix_scratch_bytes(int8_conv_packing(plan), pixels);
  if (plan.method == conv_method::gather) return copied_rows_bytes(int8_conv_packing(plan), pixels);
  if (!detail::copies_byte_stripes(s, worst_case_encoding)) return 0;
  return rounded_up(s.rows_under(detail::byte_stripe_rows(s)) * detail::stripe_line(s) + 3 * detail::stripe_value_bytes,
                    64);
}

/// Packs weights, group by group.
///
/// weight_of(o, i) returns the stored weight i of the filter of output channel o, in the order [kernel_h, kernel_w, in
/// / group]. channel_of(o) returns factor and bias of output channel o.
template <class WeightOf, class ChannelOf>
void int8_conv_pack(const conv_shape& s, const int8_factors& f, scaled_range range, WeightOf weight_of,
                    ChannelOf channel_of, std::byte* out) {
  const int8_conv_plan plan = int8_conv_plan::of(s);
  if (plan.in_winograd != 0) {
    std::byte filter[9 * detail::max_winograd_channels];
    const auto filter_of = [&](std::int64_t o) {
      for (std::int64_t i = 0; i < s.depth(); ++i) filter[i] = static_cast<std::byte>(weight_of(o, i));
      return &filter[0];
    };
    return int8_winograd_pack(s, f, range, filter_of, channel_of, out);
  }
  const int8_packing packing = int8_conv_packing(plan);
  const std::int64_t pixels = plan.pixels;  // the kernel of pixel p is shifted by p strides to the right
  const auto weight_at = [&](std::int64_t o, std::int64_t pixel, std::int64_t run, std::int64_t i) {
    if (pixels == 1) return weight_of(o, run * packing.depth.length + i);
    const std::int64_t place = i - pixel * s.stride_w * s.in, line = s.kernel_w * s.in;
    return place < 0 || place >= line ? f.b_zero : weight_of(o, run * line + place);
  };
  for (std::int64_t first = 0; first < s.out; first += s.group_out(), out += packing.bytes())
    int8_pack(
        packing, f, range,
        [&](std::int64_t j, std::int64_t run, std::int64_t i) {
          return weight_at(first + j % s.group_out(), j / s.group_out(), run, i);
        },
        [&](std::int64_t j) { return channel_of(first + j % s.group_out()); }, out);
}

/// Packs contiguous filters [out, kernel_h, kernel_w, in / group].
template <class ChannelOf>
void int8_conv_pack(const conv_shape& s, const int8_factors& f, scaled_range range, const std::byte* filters,
                    ChannelOf channel_of, std::byte* out) {
  const int8_conv_plan plan = int8_conv_plan::of(s);
  const int8_packing packing = int8_conv_packing(plan);
  const std::int64_t filter = s.depth();
  if (plan.in_winograd != 0)
    return int8_winograd_pack(
        s, f, range, [&](std::int64_t o) { return filters + o * filter; }, channel_of, out);
  if (plan.pixels > 1)
    return int8_conv_pack(
        s, f, range, [&](std::int64_t o, std::int64_t i) { return f.at(filters, o * filter + i); }, channel_of, out);
  for (std::int64_t first = 0; first < s.out; first += s.group_out(), out += packing.bytes())
    int8_pack(
        packing, f, range,
        int8_matrix{.first = filters + first * filter, .column = filter, .run = packing.depth.length, .element = 1},
        [&](std::int64_t j) { return channel_of(first + j); }, out);
}

/// Input, output and scratch of a call.
struct int8_conv_buffers {
  const std::byte* x;
  std::byte* y;
  std::byte* scratch;
};

namespace detail {

/// Input of a stripe of output rows: address of the first byte under the first output, and bytes per line.
struct byte_stripe {
  address first;
  std::int64_t line;
};

/// Computes the tiles of some lines: panel by panel if a panel fits into L1, otherwise line by line.
template <class Isa>
void int8_fma_tiles(const int8_product& p, const int8_rows& first, const int8_lines& lines, interval panels) {
  if (panel_stays(p.packing)) return int8_tile_columns<Isa>(p, first, lines, panels);
  int8_rows line = first;
  for (std::int64_t i = 0; i < lines.count; ++i) {
    int8_tile_rows<Isa>(p, line, panels);
    line.a = bytes_further(line.a, lines.a_step), line.c += lines.c_step;
  }
}

/// Computes a stripe in AMX blocks; its lines of outputs are below each other.
template <class Isa>
void byte_stripe_blocks(const int8_product& p, const int8_rows& first, const int8_lines& lines, interval panels) {
  const row_blocks blocks(first.rows);
  block_walk<Isa> walk(p, first.lda, first.run_stride, first.ldc);
  walk.walk(lines.count * blocks.count, blocks.height, panels, [&](std::int64_t i) -> int8_block {
    const std::int64_t line = i / blocks.count, block = i - line * blocks.count, begin = blocks.begin(block);
    return {bytes_further(first.a, line * lines.a_step + begin * first.lda),
            first.c + line * lines.c_step + begin * first.ldc, blocks.repeated(block)};
  });
}

/// Computes the tiles of a stripe; its first output row is row 0 of y.
template <class Isa>
void byte_stripe_tiles(const conv_shape& s, const int8_product& p, const byte_stripe& stripe, std::int64_t rows,
                       std::byte* y, interval panels) {
  const bool is_column = s.out_width == 1;  // tiles run down the image
  const std::int64_t lines = is_column ? 1 : rows, outputs = is_column ? rows : s.out_width;
  const std::int64_t row_step = s.stride_h * stripe.line;
  int8_rows at{};
  at.lda = is_column ? row_step : s.stride_w * s.group_in() * stripe_value_bytes,
  at.run_stride = s.dilation_h * stripe.line;
  at.are_wide = tiles_read_wide;
  at.ldc = is_column ? s.row_step() : s.pixel_step();
  at.rows = outputs, at.a = stripe.first, at.c = y;
  if constexpr (has_matrix_registers)
    if (goes_in_blocks(p)) return byte_stripe_blocks<Isa>(p, at, {lines, row_step, s.row_step()}, panels);
  // Short lines share tiles in pairs; with an odd number of lines, the last has separate tiles.
  const bool are_pairs = 2 * outputs <= int8_tile_height && lines > 1;
  int8_rows pair = at, last = at;
  pair.rows = 2 * outputs, pair.second_a = row_step, pair.second_c = s.row_step();
  last.a = bytes_further(at.a, (lines - 1) * row_step), last.c += (lines - 1) * s.row_step();
  const std::int64_t block = int8_panels_in_cache(p.packing);
  for (std::int64_t panel = panels.begin; panel < panels.end; panel += block) {
    const interval some{panel, std::min(panels.end, panel + block)};
    if (!are_pairs) int8_fma_tiles<Isa>(p, at, {lines, row_step, s.row_step()}, some);
    else int8_fma_tiles<Isa>(p, pair, {lines / 2, 2 * row_step, 2 * s.row_step()}, some);
    if (are_pairs && lines % 2 != 0) int8_fma_tiles<Isa>(p, last, {}, some);
  }
}

/// Computes the given output rows of one image from copied stripes, group by group.
template <class Isa>
void int8_conv_image(const conv_shape& s, const int8_product& p, const int8_conv_buffers& of, interval rows,
                     interval panels) {
  const int8_padding padding{encoding_of_rows(p), static_cast<std::byte>(p.factors.a_zero)};
  const std::int64_t line = stripe_line(s), columns = s.columns_under(s.out_width), at_once = byte_stripe_rows(s);
  for (std::int64_t g = 0; g < s.group; ++g) {
    int8_product of_group = p;
    of_group.packed += g * p.packing.bytes();
    std::byte* const y = of.y + g * s.group_out();
    for (std::int64_t row = rows.begin; row < rows.end; row += at_once) {
      const std::int64_t count = std::min(at_once, rows.end - row), top = row * s.stride_h - s.pad_top;
      for (std::int64_t i = 0; i < s.rows_under(count); ++i)
        copy_padded_row(s, of.x + g * s.group_in(), top + i, {-s.pad_left, columns - s.pad_left}, padding,
                        of.scratch + i * line);
      byte_stripe_tiles<Isa>(s, of_group, {address_of_bytes(of.scratch), line}, count, y + row * s.row_step(), panels);
    }
  }
}

template <class Isa>
void int8_conv_direct(const conv_shape& s, const int8_product& p, const int8_conv_buffers& of, part share_of) {
  const rectangle work = share(s.batch * s.out_height, p.packing.panels(), share_of, int8_row_length);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t image = done / s.out_height, first = done - image * s.out_height;
    const interval rows{first, std::min(s.out_height, first + work.rows.end - done)};
    int8_conv_buffers one = of;
    one.x += image * s.height * s.width * s.in, one.y += image * s.image_step();
    if (copies_byte_stripes(s, encoding_of_rows(p))) {
      int8_conv_image<Isa>(s, p, one, rows, work.columns);
    } else {
      const std::int64_t line = s.width * s.in;
      const address begin =
          bytes_further(address_of_bytes(one.x), (rows.begin * s.stride_h - s.pad_top) * line - s.pad_left * s.in);
      byte_stripe_tiles<Isa>(s, p, {begin, line}, rows.size(), one.y + rows.begin * s.row_step(), work.columns);
    }
    done += rows.size();
  }
}

/// Copies the inputs of output pixel `pixel` (counted over all images) for one group, in the order of the weights.
inline void gather_bytes(const conv_shape& s, const std::byte* x, std::int64_t pixel, int8_padding padding,
                         std::byte* out) {
  const std::int64_t image = pixel / s.out_pixels(), oy = pixel % s.out_pixels() / s.out_width,
                     ox = pixel % s.out_width;
  const std::int64_t side_by_side = s.dilation_w == 1 ? s.kernel_w : 1;
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w;
         kx += side_by_side, out += side_by_side * s.group_in() * padding.encoding.size()) {
      const std::int64_t ix = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
      copy_padded_row(s, x + image * s.height * s.width * s.in, oy * s.stride_h - s.pad_top + ky * s.dilation_h,
                      {ix, ix + side_by_side}, padding, out);
    }
}

template <class Isa>
void int8_conv_gather(const conv_shape& s, const int8_product& p, const int8_conv_buffers& of, part share_of) {
  const auto zero = static_cast<std::byte>(p.factors.a_zero);
  // All pixels are one line, unless the rows of the output have gaps.
  const std::int64_t lines = s.has_gaps() ? s.batch * s.out_height : 1, line = s.batch * s.out_pixels() / lines;
  for (std::int64_t i = 0; i < lines; ++i)
    for (std::int64_t g = 0; g < s.group; ++g) {
      int8_product of_group = p;
      of_group.packed += g * p.packing.bytes();
      std::byte* const y = of.y + i / s.out_height * s.image_step() + i % s.out_height * s.row_step();
      int8_gemm_of_copies<Isa>(
          of_group, line,
          [&](const interval& pixels, const int8_encoding& encoding, std::byte* to, std::int64_t step) {
            for (std::int64_t j = pixels.begin; j < pixels.end; ++j, to += step)
              gather_bytes(s, of.x + g * s.group_in(), i * line + j, {encoding, zero}, to);
          },
          of.scratch, {y + g * s.group_out(), s.pixel_step()}, {share_of});
    }
}

}  // namespace detail

/// y = clamp(conv2d(x, w) + bias) of quantised values. p.packing is int8_conv_packing(plan); p.packed was packed by
/// int8_conv_pack().
///
/// Every division into parts gives the same bits. y must not overlap x.
template <class Isa = native>
void int8_conv(const int8_conv_plan& plan, const int8_product& p, const int8_conv_buffers& of, part share_of = {}) {
  const conv_shape& s = plan.s;
  if (s.batch * s.out_pixels() * s.out == 0) return;
  if constexpr (has_wide_tiles)
    if (plan.in_winograd != 0) return int8_winograd<Isa>(s, p, of.x, of.y, of.scratch, share_of);
  switch (plan.method) {
    case conv_method::product:
      return int8_matrix_product<Isa>(p, s.batch * s.out_pixels(), of.x, of.scratch, of.y, {share_of});
    case conv_method::direct: return detail::int8_conv_direct<Isa>(s, p, of, share_of);
    case conv_method::gather: return detail::int8_conv_gather<Isa>(s, p, of, share_of);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
