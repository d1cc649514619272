// depthwise: float depthwise convolution over NHWC images, vectorised over channels; any kernel, stride, multiplier.
// Flow: a prepare step packs weights and bias once with depthwise_pack(); a plan's step calls depthwise().
//
// 3x3 and 5x5 kernels of stride 1 and 2 compute strips or tiles of output pixels for one vector of channels. An input
// is loaded once for up to kernel_h * kernel_w products. Images with half a vector of channels have two pixels per
// vector. All other shapes are computed pixel by pixel. Taps outside the image are skipped, not multiplied by zero.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/common/taps.hpp>
#include <nnrt/kernels/f32/depthwise/pack.hpp>
#include <nnrt/kernels/f32/depthwise/strip.hpp>
#include <nnrt/kernels/f32/depthwise/tile.hpp>
#include <nnrt/kernels/f32/gemm/tile.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Loads the inputs of `count` output channels from o; input channels start at x.
inline f32_vec load_inputs(const float* x, std::int64_t o, std::int64_t count, std::int64_t multiplier) {
  if (multiplier == 1) return load_n(x + o, count);
  float inputs[f32_lanes] = {};
  std::int64_t c = o / multiplier, left = multiplier - o % multiplier;
  for (std::int64_t l = 0; l < count; ++l) {
    inputs[l] = x[c];
    if (--left == 0) ++c, left = multiplier;
  }
  return load(inputs);
}

/// Computes the output pixel (oy, ox), which is at y; of.x is the image's first float.
inline void depthwise_pixel(const depthwise_shape& s, const layer_operands& of, float* y, std::int64_t oy,
                            std::int64_t ox, interval vectors) {
  const std::int64_t iy = oy * s.stride_h - s.pad_top, ix = ox * s.stride_w - s.pad_left, out = s.out(),
                     count = std::min(f32_lanes, out);
  const interval ky = taps_inside(iy, s.height, s.kernel_h, s.dilation_h),
                 kx = taps_inside(ix, s.width, s.kernel_w, s.dilation_w);
  const f32_vec lo = broadcast(&of.range.lo), hi = broadcast(&of.range.hi);
  const address corner = advanced(
      address_of(of.x), ((iy + ky.begin * s.dilation_h) * s.width + ix + kx.begin * s.dilation_w) * s.channels);
  const std::int64_t tap = s.dilation_w * s.channels, line = s.dilation_h * s.width * s.channels;
  const float* packed = of.packed + vectors.begin * (s.taps() + 1) * f32_lanes;
  for (std::int64_t v = vectors.begin; v < vectors.end; ++v, packed += (s.taps() + 1) * f32_lanes) {
    const std::int64_t o = first_channel(v, out);
    f32_vec sum = load(packed);
    address row = corner;
    for (std::int64_t i = ky.begin; i < ky.end; ++i, row = advanced(row, line)) {
      const float* w = packed + (i * s.kernel_w + kx.begin + 1) * f32_lanes;
      address pixel = row;
      for (std::int64_t j = kx.begin; j < kx.end; ++j, pixel = advanced(pixel, tap), w += f32_lanes)
        sum = fma(load_inputs(floats_at(pixel), o, count, s.multiplier), load(w), sum);
    }
    store_n(y + o, clamp(sum, lo, hi), count);
  }
}

/// Computes output rows of one image pixel by pixel.
template <class Isa>
void depthwise_row_pixels(const depthwise_shape& s, const layer_operands& of, interval rows, interval vectors) {
  for (std::int64_t oy = rows.begin; oy < rows.end; ++oy)
    for (std::int64_t ox = 0; ox < s.out_width; ++ox)
      depthwise_pixel(s, of, of.y + (oy * s.out_width + ox) * s.out(), oy, ox, vectors);
}

/// Share of a part: output rows over all images, and vectors of channels in cache lines of `line` channels.
///
/// Layers are divided as the neighbouring matrix products are, by pixels or by channels, so that a core reads what it
/// has written. They are divided by channels only if each part gets some cache lines, or if there are fewer rows than
/// parts. Overlapping vectors (see first_channel()) are not divided.
constexpr rectangle share_of_layer(const depthwise_shape& s, std::int64_t line, std::int64_t vectors, part p) {
  const std::int64_t rows = s.batch * s.out_height, lines = s.out() % line == 0 ? s.out() / line : 1;
  const std::int64_t tiles = m_blocking_of(rows * s.out_width).count();
  const bool has_enough = lines >= 4 * p.count && !takes_rows(tiles, panels_of(s.out()), p.count);
  if (p.count == 1 || lines == 1 || (rows >= p.count && !has_enough)) return {share(rows, p), {0, vectors}};
  const interval mine = share(lines, p);
  return {{0, rows}, {mine.begin * (vectors / lines), mine.end * (vectors / lines)}};
}

}  // namespace detail

/// Method of a depthwise convolution: strips or tiles of `columns` vectors, for square kernels of 3 or 5, stride 1 or
/// 2, one or two pixels per vector. Kernel 0: pixel by pixel.
struct depthwise_method {
  int kernel = 0;
  int stride = 0;
  int pixels = 1;
  int columns = 0;               // in vectors
  bool has_large_tiles = false;  // used instead of strips if the image exceeds L2

  friend constexpr bool operator==(const depthwise_method&, const depthwise_method&) = default;
};

namespace detail {
struct depthwise_method_list {
  depthwise_method of[32];
  int count = 1;  // the first one is pixel by pixel

  constexpr void add(depthwise_method method) { of[count++] = method; }
};
constexpr depthwise_method_list list_depthwise_methods() {
  depthwise_method_list list;
  for (int pixels = 1; pixels <= (has_half_vector ? 2 : 1); ++pixels)
    for (int stride = 1; stride <= (pixels == 2 ? 1 : 2); ++stride) {
      for (const int columns : tile_columns_of_5x5) list.add({5, stride, pixels, columns});
      for (const int columns : strip_columns_of_3x3)
        if (has_strips) list.add({3, stride, pixels, columns});
      for (const int columns : tile_columns_of_3x3)
        if (!has_strips) list.add({3, stride, pixels, columns});
    }
  for (const int columns : strip_columns_of_3x3)
    if (has_strips && columns >= large_tile) list.add({3, 1, 1, columns, true});
  return list;
}
}  // namespace detail

/// All methods; the number of a method is its index.
inline constexpr detail::depthwise_method_list depthwise_methods = detail::list_depthwise_methods();
constexpr int number_of(const depthwise_method& method) {
  int i = 0;
  while (depthwise_methods.of[i] != method) ++i;
  return i;
}

/// True if a 3x3 layer of stride 1 uses large tiles instead of strips: image and output exceed L2 (2 MiB). Tiles read
/// rows sequentially, so hardware prefetches them, and tiles are independent while lines arrive from L3. If both fit in
/// L2, strips are faster.
constexpr bool has_large_tiles(const depthwise_shape& s) {
  return has_strips && s.kernel_h == 3 && s.stride_h == 1 && depthwise_pixels(s) == 1 && s.out_width >= large_tile &&
         !detail::pixels_alias_4k(s) && detail::floats_of_layer(s) >= 512 * 1024;
}

/// The fastest method for a shape, chosen at plan time: a program contains only the methods of its layers. All methods
/// read the packing of depthwise_pack().
constexpr depthwise_method depthwise_method_of(const depthwise_shape& s) {
  if (!has_depthwise_tiles(s)) return {};
  const int kernel = static_cast<int>(s.kernel_h), pixels = depthwise_pixels(s);
  // columns read past the right edge of the image
  const std::int64_t behind = (s.out_width - 1) * s.stride_w - s.pad_left + kernel - s.width;
  if (s.pad_left < 0 || s.pad_left > kernel / 2 || behind > kernel / 2) return {};
  const int columns = kernel == 5  ? detail::columns_for(tile_columns_of_5x5, s.out_width, pixels)
                      : has_strips ? detail::columns_for(strip_columns_of_3x3, s.out_width, pixels)
                                   : detail::columns_for(tile_columns_of_3x3, s.out_width, pixels);
  return columns == 0 ? depthwise_method{}
                      : depthwise_method{kernel, static_cast<int>(s.stride_h), pixels, columns,
                                         columns >= large_tile && has_large_tiles(s)};
}

namespace detail {
/// Computes output rows of one image by a method.
template <class Isa, depthwise_method Method>
void depthwise_rows_by(const depthwise_shape& s, const layer_operands& of, interval rows, interval vectors,
                       bool is_shared, bool is_in_cache) {
  if constexpr (Method.kernel == 0) return depthwise_row_pixels<Isa>(s, of, rows, vectors);
  else if constexpr (Method.kernel == 5 || !has_strips)
    return depthwise_tiles<Isa, Method.kernel, Method.stride, 2, Method.columns, Method.pixels>(s, of, rows, vectors);
  else {
    // Each strip is a call: with few vectors in a low stripe, tiles are faster, in any cache.
    if constexpr (Method.has_large_tiles)
      if (!is_in_cache || vectors.size() < 4)
        return depthwise_tiles<Isa, 3, 1, large_tile, large_tile, 1>(s, of, rows, vectors);
    depthwise_strips<Isa, Method.columns, Method.stride, Method.pixels>(s, of, rows, vectors, is_shared);
  }
}
}  // namespace detail

/// y = clamp(depthwise_conv2d(x, w) + bias), computed by `Method`: depthwise_method_of(s), or the method of the image
/// of which s is a stripe.
///
/// Parts are output rows or cache lines of channels; results do not depend on the number of parts. Taps outside the
/// image are skipped.
///
/// - `of.packed`: output of depthwise_pack() for weights and bias. No scratch is needed.
/// - `is_stripe`: the image is a row stripe, and other threads may compute the adjacent ones.
/// - `is_in_cache`: the input has just been written and fits in L2, although the whole tensor may not.
template <class Isa, depthwise_method Method>
void depthwise_by(const depthwise_shape& s, const layer_operands& of, part p = {}, bool is_stripe = false,
                  bool is_in_cache = false) {
  if (s.out_width <= 0 || s.out() <= 0) return;
  const rectangle work =
      detail::share_of_layer(s, std::max<std::int64_t>(f32_lanes, 16), detail::channel_vectors(s.out()), p);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t image = done / s.out_height, first = done - image * s.out_height,
                       last = std::min(s.out_height, first + work.rows.end - done);
    const layer_operands of_image{.x = of.x + image * s.height * s.width * s.channels,
                                  .packed = of.packed,
                                  .y = of.y + image * s.out_height * s.out_width * s.out(),
                                  .range = of.range};
    detail::depthwise_rows_by<Isa, Method>(s, of_image, {first, last}, work.columns, is_stripe || p.count > 1,
                                           is_in_cache);
    done += last - first;
  }
}

/// depthwise_by() with the fastest method, chosen at run time.
template <class Isa = native> void depthwise(const depthwise_shape& s, const layer_operands& of, part p = {}) {
  const int number = number_of(depthwise_method_of(s));
  const auto by = [&](auto i) {
    if (number == i) depthwise_by<Isa, depthwise_methods.of[i]>(s, of, p);
  };
  each<depthwise_methods.count>(by);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
