// rows: maxima over windows of images with few channels, first down the rows and then along them.
// Flow: bind/detail/pooling.hpp calls max_pool_rows() for images whose pixels are a few vectors at most.
// pooling/pooling.hpp has the kernel for other images.
//
// The rows under a window are folded into one row, in whole vectors that may span pixels. Only the fold along that row
// works pixel by pixel. Results are written to a buffer, because vectors may exceed a pixel.
//
// Several rows are folded before the first is read again: a load that overlaps two recent stores waits for both to
// leave the store buffer.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/pooling/int8.hpp>
#include <nnrt/kernels/pooling/pooling.hpp>
#include <nnrt/kernels/reduce/folds.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Elements of the buffer for folded rows.
inline constexpr std::int64_t folded_row_capacity = 2048;

/// Maxima of floats; the result is NaN if the window has a NaN.
struct float_maxima {
  using element = float;
  using vector = f32_vec;
  using pixel = f32_vec;
  static constexpr std::int64_t vector_elements = f32_lanes, pixel_elements = f32_lanes;
  /// Pixels with as many channels are pooled faster by pool_windows() (measured).
  static constexpr std::int64_t fewer_channels = max_pooled_vectors * f32_lanes;
  /// Up to this many elements per row of a window, overlapping windows are faster by rows for any pixel size
  /// (measured).
  static constexpr std::int64_t max_overlapping = folded_row_capacity / 2;
  clamp_range range;

  [[gnu::always_inline]] static vector load_vector(const float* x) { return load(x); }
  [[gnu::always_inline]] static vector load_some(const float* x, std::int64_t n) { return load_n(x, n); }
  [[gnu::always_inline]] static pixel load_pixel(const float* x) { return load(x); }
  [[gnu::always_inline]] static void put(float* to, f32_vec x) { store(to, x); }
  template <class V> [[gnu::always_inline]] static V larger(V a, V b) { return maximum_of(a, b); }
  [[gnu::always_inline]] pixel finished(pixel x) const { return clamp(x, f32_vec(range.lo), f32_vec(range.hi)); }
};

/// Maxima of bytes, compared as i8.
struct int8_maxima {
  using element = std::byte;
  using vector = int8_vector;
  using pixel = int8_limits<16>::vector;
  static constexpr std::int64_t vector_elements = register_bytes, pixel_elements = 16;
  /// As in float_maxima; the alternative is max_pool_bytes().
  static constexpr std::int64_t fewer_channels = register_bytes, max_overlapping = 0;
  int8_vector flip;
  int8_limits<16> limits;

  explicit int8_maxima(const pooled_bytes& bytes)
      : flip((int8_vector)int_lanes_of(bytes.is_unsigned ? static_cast<std::int32_t>(0x80808080U) : 0)),
        limits(bytes.range.low, bytes.range.high, bytes.is_unsigned) {}

  [[gnu::always_inline]] vector load_vector(const std::byte* x) const {
    return kernels::load_vector<int8_vector>(x) ^ flip;
  }
  [[gnu::always_inline]] vector load_some(const std::byte* x, std::int64_t n) const { return load_bytes(x, n) ^ flip; }
  [[gnu::always_inline]] static pixel load_pixel(const std::byte* x) {
    pixel p;
    __builtin_memcpy(&p, x, sizeof p);
    return p;
  }
  template <class V> [[gnu::always_inline]] static void put(std::byte* to, V x) { __builtin_memcpy(to, &x, sizeof x); }
  template <class V> [[gnu::always_inline]] static V larger(V a, V b) { return larger_lanes(a, b); }
  [[gnu::always_inline]] pixel finished(pixel x) const { return limits.limited(x); }
};

namespace detail {

/// Buffers and loops for rows of windows over images.
template <class Maxima> struct folded_rows {
  using element = typename Maxima::element;
  const pooling_shape& s;
  const Maxima& of;
  std::int64_t columns, row_step;
  alignas(64) element folded[folded_row_capacity + Maxima::vector_elements],
      results[folded_row_capacity + Maxima::pixel_elements];

  folded_rows(const pooling_shape& shape, const Maxima& maxima)
      : s(shape), of(maxima), columns(shape.w.outputs), row_step(shape.w.input * shape.c) {}

  /// Takes the maxima of `rows` rows, for n contiguous elements.
  [[gnu::noinline]] void fold_down(const element* x, std::int64_t n, std::int64_t rows, element* to) const {
    const std::int64_t step = row_step;
    const auto fold = [&](std::int64_t i, auto load) __attribute__((always_inline)) {
      auto most = load(x + i);
      for (std::int64_t k = 1; k < rows; ++k) most = of.larger(most, load(x + k * step + i));
      of.put(to + i, most);
    };
    std::int64_t i = 0;
    for (; i + Maxima::vector_elements <= n; i += Maxima::vector_elements)
      fold(
          i, [&](const element* from) __attribute__((always_inline)) { return of.load_vector(from); });
    if (i < n)
      fold(
          i, [&](const element* from) __attribute__((always_inline)) { return of.load_some(from, n - i); });
  }
  /// Takes the maximum of `count` adjacent pixels with `channels` channels, and clamps it.
  template <class Count>
  [[gnu::always_inline]] void fold_pixels(const element* from, Count count, std::int64_t channels, element* to) const {
    for (std::int64_t c = 0; c < channels; c += Maxima::pixel_elements) {
      auto most = of.load_pixel(from + c);
      for (std::int64_t j = 1; j < count; ++j) most = of.larger(most, of.load_pixel(from + j * channels + c));
      of.put(to + c, of.finished(most));
    }
  }
  /// Folds along a row that starts with pixel `first`, for the given outputs. Whole windows are a stride apart; the
  /// others are cut by an edge of the image.
  [[gnu::noinline]] void fold_along(const element* row, std::int64_t first, interval outputs, element* to) const {
    const interval whole = s.w.whole_windows();
    // Copies, because compilers must assume that stores change s.
    const std::int64_t channels = s.c, step = s.w.stride * channels;
    const std::int64_t begin = nnrt::detail::clamped(whole.begin, outputs.begin, outputs.end),
                       end = nnrt::detail::clamped(whole.end, begin, outputs.end);
    const auto at_edge = [&](interval some) __attribute__((noinline)) {
      for (std::int64_t ow = some.begin; ow < some.end; ++ow, to += channels) {
        const interval iw = s.w.pixels_of(ow);
        fold_pixels(row + (iw.begin - first) * channels, iw.size(), channels, to);
      }
    };
    const auto of_size = [&](auto pixels) __attribute__((always_inline)) {
      const element* from = row + (begin * s.w.stride - s.w.pad - first) * channels;
      for (std::int64_t ow = begin; ow < end; ++ow, from += step, to += channels)
        fold_pixels(from, pixels, channels, to);
    };
    at_edge({outputs.begin, begin});
    if (s.w.kernel == 2) of_size(std::integral_constant<std::int64_t, 2>{});
    else of_size(s.w.kernel);
    at_edge({end, outputs.end});
  }
  static void copy(const element* from, std::int64_t n, element* to) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(element));
  }

  /// Number of rows that are folded together; one if not even that fits into the buffers.
  std::int64_t rows_at_once() const {
    return std::max<std::int64_t>(1, folded_row_capacity / std::max(row_step, columns * s.c));
  }

  /// Computes `count` rows of outputs; rows_of(i) returns the rows of x under output row i. If a row exceeds the
  /// buffers, it is computed in several intervals of outputs.
  template <class RowsOf> void make_rows(std::int64_t count, const element* x, RowsOf rows_of, element* y) {
    const std::int64_t most = folded_row_capacity / s.c;
    for (interval outputs; outputs.end < columns; outputs.begin = outputs.end) {
      const std::int64_t first = s.w.pixels_of(outputs.begin).begin;
      while (outputs.end < columns && outputs.size() < most && s.w.pixels_of(outputs.end).end - first <= most)
        ++outputs.end;
      const std::int64_t width = (s.w.pixels_of(outputs.end - 1).end - first) * s.c, made = outputs.size() * s.c;
      for (std::int64_t i = 0; i < count; ++i) {
        const interval rows = rows_of(i);
        fold_down(x + rows.begin * row_step + first * s.c, width, rows.size(), folded + i * width);
      }
      // If pixels are whole vectors, none exceeds its pixel.
      element *const of_outputs = y + outputs.begin * s.c, *const to =
                                                               s.c % Maxima::pixel_elements == 0 ? of_outputs : results;
      for (std::int64_t i = 0; i < count; ++i) fold_along(folded + i * width, first, outputs, to + i * made);
      if (to != of_outputs) copy(results, count * made, of_outputs);
    }
  }
};

}  // namespace detail

/// Whether windows overlap so much that folding by rows reads and writes fewer elements than the windows have.
constexpr bool overlaps(const pooling_shape& s) {
  const std::int64_t rows = std::min(s.h.kernel, s.h.input), columns = std::min(s.w.kernel, s.w.input);
  return s.w.stride < columns && 10 * ((rows + 1) * s.w.stride + columns + 1) < 9 * rows * columns;
}
/// Whether max_pool_rows() supports this shape and is fast: pixels are small or windows overlap, a window fits into the
/// buffer, and windows skip little of a row.
template <class Maxima> constexpr bool has_max_pool_rows(const pooling_shape& s) {
  const std::int64_t kernel = std::min(s.w.kernel, s.w.input);
  if (s.c >= Maxima::fewer_channels) return kernel * s.c <= Maxima::max_overlapping && overlaps(s);
  return kernel * s.c <= folded_row_capacity && s.w.stride <= 2 * kernel;
}

/// y[n, oh, ow, c] = clamp(maximum of the window). Parts are output rows.
template <class Isa, class Maxima>
void max_pool_rows(const pooling_shape& s, const typename Maxima::element* x, const Maxima& of,
                   typename Maxima::element* y, part p = {}) {
  const std::int64_t rows = s.h.outputs;
  const interval work = share(s.n * rows, p);
  detail::folded_rows<Maxima> fold(s, of);
  const auto rows_of = [&](std::int64_t row) {  // of all images, below each other
    const interval in_image = s.h.pixels_of(row % rows);
    const std::int64_t first = row / rows * s.h.input;
    return interval{first + in_image.begin, first + in_image.end};
  };
  const std::int64_t at_once = fold.rows_at_once();
  for (std::int64_t row = work.begin, count = 0; row < work.end; row += count) {
    count = std::min(at_once, work.end - row);
    fold.make_rows(
        count, x, [&](std::int64_t i) { return rows_of(row + i); }, y + row * fold.columns * s.c);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
