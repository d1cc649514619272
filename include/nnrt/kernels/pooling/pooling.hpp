// pooling: maximum and mean over windows of an NHWC image, vectorised over channels.
// Flow: bind/pools.hpp calls pool_windows() for a part of the outputs.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/window.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/reduce/folds.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Windows along one axis of an image, in pixels.
struct pooled_axis {
  std::int64_t input = 0, kernel = 1, stride = 1, pad = 0, outputs = 0, pad_after = 0;

  static constexpr pooled_axis of(const window& at) {
    return {at.input, at.kernel, at.stride, at.pad_before(), at.outputs(), at.pad_after()};
  }
  /// Number of places of window i that are in the image or in its padding.
  constexpr std::int64_t places_of(std::int64_t i) const {
    const std::int64_t first = i * stride - pad;
    return std::min(first + kernel, input + pad_after) - first;
  }
  /// Pixels of window i that are in the image; padding is not pooled.
  constexpr interval pixels_of(std::int64_t i) const {
    const std::int64_t first = i * stride - pad, end = first + kernel;
    return {first > 0 ? first : 0, end < input ? end : input};
  }
  /// Windows that are completely in the image; an empty interval if there are none.
  constexpr interval whole_windows() const {
    const std::int64_t begin = pad > 0 ? (pad + stride - 1) / stride : 0, last = input + pad - kernel;
    return {begin, last >= 0 ? std::min(last / stride + 1, outputs) : 0};
  }
};

/// An NHWC image and the windows over it.
struct pooling_shape {
  std::int64_t n = 1, c = 1;
  pooled_axis h, w;
  std::int64_t counts_padding = 0;  // 1: means are divided by the places in the padding, too

  /// Number of output pixels.
  constexpr std::int64_t pixels() const { return n * h.outputs * w.outputs; }
  /// Number of places of an output pixel's window that are in the image or in its padding.
  constexpr std::int64_t places_of(std::int64_t pixel) const {
    return h.places_of(pixel / w.outputs % h.outputs) * w.places_of(pixel % w.outputs);
  }
};

namespace detail {

/// Calls fold(first, rows, columns, row_step, pixel) for the given output pixels: the first pixel of the window inside
/// the image, its intervals there, elements from row to row, and the output pixel.
template <class Element, class Fold>
[[gnu::always_inline]] inline void for_each_window(const pooling_shape& s, const Element* x, interval pixels,
                                                   const Fold& fold) {
  const std::int64_t rows = s.h.outputs, columns = s.w.outputs;
  const std::int64_t row_step = s.w.input * s.c, image_step = s.h.input * row_step;
  std::int64_t ow = pixels.begin % columns, oh = pixels.begin / columns % rows;
  const Element* image = x + pixels.begin / columns / rows * image_step;
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
    const interval ih = s.h.pixels_of(oh), iw = s.w.pixels_of(ow);
    fold(image + ih.begin * row_step + iw.begin * s.c, ih, iw, row_step, pixel);
    if (++ow < columns) continue;
    ow = 0;
    if (++oh < rows) continue;
    oh = 0;
    image += image_step;
  }
}

/// Window of one output pixel.
struct pooling_window {
  const float* first;  // first pixel inside the image
  std::int64_t rows, columns;
  std::int64_t row_step, column_step;  // in floats
  std::int64_t count;                  // divisor of a mean: pixels inside, or all places
};

/// Recomputes the results of a window that are not finite, in f64, before they are clamped.
template <class Fold>
[[gnu::noinline, gnu::cold]] void refold_window(const pooling_window& at, std::int64_t first, std::int64_t channels,
                                                float* results) {
  for (std::int64_t c = 0; c < channels; ++c)
    if (!math::is_finite(results[c]))
      results[c] = static_cast<float>(in_f64<Fold>(at.rows * at.columns, at.count, [&](std::int64_t i) {
        return at.first[i / at.columns * at.row_step + i % at.columns * at.column_step + first + c];
      }));
}

/// Pools Vectors vectors of channels of one output pixel; the last vector has `last` channels.
template <class V, class Fold, int Vectors>
[[gnu::always_inline]] inline void pool_channels(const pooling_window& at, std::int64_t channel, std::int64_t last,
                                                 clamp_range range, float* y) {
  V folded[Vectors];
  each<Vectors>([&](int k) __attribute__((always_inline)) { folded[k] = V(Fold::start); });
  for (std::int64_t i = 0; i < at.rows; ++i)
    for (std::int64_t j = 0; j < at.columns; ++j) {
      const float* const x = at.first + i * at.row_step + j * at.column_step + channel;
      each<Vectors>([&](int k) __attribute__((always_inline)) {
        folded[k] = Fold::step(folded[k], k + 1 < Vectors ? load(x + k * f32_lanes) : load_n(x + k * f32_lanes, last));
      });
    }
  const V count(static_cast<float>(at.count));
  V specials(0.0F);
  each<Vectors>([&](int k) __attribute__((always_inline)) {
    folded[k] = Fold::result(folded[k], count);
    specials = specials + (folded[k] - folded[k]);
  });
  if constexpr (may_overflow<Fold>)
    if (has_special_lane(specials)) {
      alignas(64) float results[Vectors * f32_lanes];
      each<Vectors>([&](int k) { store(results + k * f32_lanes, folded[k]); });
      refold_window<Fold>(at, channel, (Vectors - 1) * f32_lanes + last, results);
      each<Vectors>([&](int k) { folded[k] = load(results + k * f32_lanes); });
    }
  each<Vectors>([&](int k) __attribute__((always_inline)) {
    store_n(y + channel + k * f32_lanes, clamp(folded[k], V(range.lo), V(range.hi)),
            k + 1 < Vectors ? f32_lanes : last);
  });
}

/// Pools the channels `channels` of one output pixel, Vectors vectors at a time as long as possible.
template <class V, class Fold, int Vectors>
[[gnu::always_inline]] inline void pool_pixel(const pooling_window& at, interval channels, clamp_range range,
                                              float* y) {
  std::int64_t c = channels.begin;
  if constexpr (Vectors > 1)
    for (; c + Vectors * f32_lanes <= channels.end; c += Vectors * f32_lanes)
      pool_channels<V, Fold, Vectors>(at, c, f32_lanes, range, y);
  for (; c < channels.end; c += f32_lanes)
    pool_channels<V, Fold, 1>(at, c, channels.end - c < f32_lanes ? channels.end - c : f32_lanes, range, y);
}

}  // namespace detail

/// Number of vectors that pool_windows() should process at a time, for a number of channels.
inline constexpr int max_pooled_vectors = 4;
constexpr int pooled_vectors(std::int64_t channels) {
  return channels >= max_pooled_vectors * f32_lanes ? max_pooled_vectors : 1;
}

/// y[n, oh, ow, c] = clamp(fold of the window). Every window must cover at least one pixel of the image.
template <class Fold, int Vectors = max_pooled_vectors, class Isa = native>
void pool_windows(const pooling_shape& s, const float* x, clamp_range range, float* y, part p = {}) {
  const rectangle work = share(s.pixels(), (s.c + f32_lanes - 1) / f32_lanes, p);
  const interval channels{work.columns.begin * f32_lanes,
                          work.columns.end * f32_lanes < s.c ? work.columns.end * f32_lanes : s.c};
  detail::for_each_window(
      s, x, work.rows, [&](const float* first, interval ih, interval iw, std::int64_t row_step, std::int64_t pixel) {
        const std::int64_t count = s.counts_padding != 0 ? s.places_of(pixel) : ih.size() * iw.size();
        detail::pool_pixel<f32_vec, Fold, Vectors>({first, ih.size(), iw.size(), row_step, s.c, count}, channels, range,
                                                   y + pixel * s.c);
      });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
