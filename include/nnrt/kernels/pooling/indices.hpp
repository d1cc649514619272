// indices: maxima over windows of an NHWC image with the index of their pixel per channel, and the inverse (unpool).
// Flow: bind/max_pool_indices.hpp and bind/max_unpool.hpp call these for a part of the work.
#pragma once

#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/pooling/pooling.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// What the indices of pool_with_indices() count: pixels of the image, or (in_window) places of the window, padding
/// included.
struct counted_pixels {
  std::int64_t in_window = 0;
  clamp_range range;
};

namespace detail {

/// Vector of the bits of an integer. The vector may only be moved: f32 arithmetic may flush small values to 0.
[[gnu::always_inline]] inline f32_vec bits_of_index(std::int64_t index) {
  const auto bits = static_cast<std::int32_t>(index) - f32_vec::integers{};
  return f32_vec(machine::from_bits(bits));
}

/// Indices of the pixels of a window: that of the first one, and the distance of indices from row to row.
struct pixel_indices {
  std::int64_t first, row_step;
};

/// Finds the first maximum of each of `channels` channels in a window, and its index. A NaN is larger than any number.
inline void find_maxima(const pooling_window& window, pixel_indices numbers, std::int64_t channels, clamp_range range,
                        float* y, std::int32_t* indices) {
  const auto [first, rows, columns, row_step, column_step, count] = window;
  const auto [index, index_step] = numbers;
  f32_vec best = load_n(first, channels), found = bits_of_index(index);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = i == 0 ? 1 : 0; j < columns; ++j) {
      const f32_vec pixel = load_n(first + i * row_step + j * column_step, channels),
                    here = bits_of_index(index + i * index_step + j);
      const auto of_larger = [&](f32_vec yes, f32_vec no) __attribute__((always_inline)) {
        return where_nan(best, no, where_nan(pixel, yes, where_less(best, pixel, yes, no)));
      };
      found = of_larger(here, found);
      best = of_larger(pixel, best);
    }
  store_n(y, clamp(best, f32_vec(range.lo), f32_vec(range.hi)), channels);
  float bits[static_cast<std::size_t>(f32_lanes)];
  store(bits, found);
  std::memcpy(indices, bits, static_cast<std::size_t>(channels) * sizeof(float));
}

}  // namespace detail

/// y = clamp(maximum of each window), indices = index of its pixel. Parts are output pixels.
template <class Isa = native>
void pool_with_indices(const pooling_shape& s, const counted_pixels& counted, const float* x, float* y,
                       std::int32_t* indices, part p) {
  const interval mine = share(s.pixels(), p);
  const bool in_window = counted.in_window != 0;
  const std::int64_t index_step = in_window ? s.w.kernel : s.w.input;
  detail::for_each_window(
      s, x, mine, [&](const float* first, interval ih, interval iw, std::int64_t row_step, std::int64_t pixel) {
        const std::int64_t top = in_window ? pixel / s.w.outputs % s.h.outputs * s.h.stride - s.h.pad : 0,
                           left = in_window ? pixel % s.w.outputs * s.w.stride - s.w.pad : 0,
                           index = (ih.begin - top) * index_step + iw.begin - left;
        for (std::int64_t c = 0; c < s.c; c += f32_lanes)
          detail::find_maxima({first + c, ih.size(), iw.size(), row_step, s.c, 1}, {index, index_step},
                              s.c - c < f32_lanes ? s.c - c : f32_lanes, counted.range, y + pixel * s.c + c,
                              indices + pixel * s.c + c);
      });
}

/// Operands of unpool(): images of shape `small` with an index per element, and images of shape `large`.
template <class T> struct unpool_arguments {
  const shape_t& small;
  const T* x;
  const std::int32_t* indices;
  const shape_t& large;
  T* y;
  T zero;  // of pixels that get no x
};

/// Sets y to `zero`, and writes each x to the pixel that pixel_of(index, h, w) returns, if it is inside y. Parts are
/// images.
template <class T, class PixelOf> void unpool(const unpool_arguments<T>& of, part p, const PixelOf& pixel_of) {
  const auto& [small, x, indices, large, y, zero] = of;
  const interval images = share(small[0], p);
  const std::int64_t channels = small[3], of_x = small[1] * small[2] * channels, of_y = large[1] * large[2] * channels;
  for (std::int64_t n = images.begin; n < images.end; ++n) {
    T* const image = y + n * of_y;
    std::fill(image, image + of_y, zero);
    for (std::int64_t h = 0, i = n * of_x; h < small[1]; ++h)
      for (std::int64_t w = 0; w < small[2]; ++w)
        for (std::int64_t c = 0; c < channels; ++c, ++i) {
          const extent2 to = pixel_of(indices[i], extent2{h, w});
          if (to.h >= 0 && to.h < large[1] && to.w >= 0 && to.w < large[2])
            image[(to.h * large[2] + to.w) * channels + c] = x[i];
        }
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
