// resize: bilinear interpolation of float NHWC images, vectorised over channels.
// Flow: bind/resize_bilinear.hpp calls resize() for a part of the output rows.
#pragma once

#include <nnrt/core/resize.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// An NHWC image and its new size, in pixels; no extent is 0.
struct resize_shape {
  std::int64_t n = 1, c = 1;
  resized_axis h, w;
};

/// Bytes of scratch per part: the interpolated columns, computed once for all rows.
constexpr std::int64_t resize_scratch_bytes(const resize_shape& s) {
  return s.w.output * static_cast<std::int64_t>(sizeof(pixel_pair<float>));
}

namespace detail {

/// Input pixels of one output pixel, and their weights.
struct blended_pixels {
  const float* pixel[4] = {};
  float weight[4] = {};
  int count = 0;

  void add(const float* at, float its_weight) { pixel[count] = at, weight[count] = its_weight, ++count; }
};

/// Weighted sum of the first `Count` pixels, in the channels from c: a whole vector, or the first `used`.
template <bool Whole, class V, int Count>
[[gnu::always_inline]] inline V blended(const blended_pixels& from, const V (&weight)[Count], std::int64_t c,
                                        std::int64_t used) {
  const auto channels_of = [=](const float* pixel) __attribute__((always_inline)) {
    return Whole ? load(pixel + c) : load_n(pixel + c, used);
  };
  V sum = weight[0] * channels_of(from.pixel[0]);
  each<Count - 1>([&](int k) __attribute__((always_inline)) {
    sum = fma(weight[k + 1], channels_of(from.pixel[k + 1]), sum);
  });
  return sum;
}

/// y = the weighted sum of the first `Count` pixels, per channel.
template <class V, int Count> void blend(const blended_pixels& from, std::int64_t channels, float* y) {
  V weight[Count];
  each<Count>([&](int k) __attribute__((always_inline)) { weight[k] = V(from.weight[k]); });
  std::int64_t c = 0;
  for (; c + f32_lanes <= channels; c += f32_lanes) store(y + c, blended<true>(from, weight, c, f32_lanes));
  if (c < channels) store_n(y + c, blended<false>(from, weight, c, channels - c), channels - c);
}

/// One row of the output, between the input rows `above` and `below`.
template <class V>
void resize_row(const resize_shape& s, const float* above, const float* below, float down,
                const pixel_pair<float>* columns, float* y) {
  for (std::int64_t j = 0; j < s.w.output; ++j, y += s.c) {
    const std::int64_t left = columns[j].first * s.c, right = columns[j].second * s.c;
    const float across = columns[j].between;
    // Pixels of weight 0 are skipped: they may be infinite.
    blended_pixels from;
    from.add(above + left, (1.0F - down) * (1.0F - across));
    if (down != 0) from.add(below + left, down * (1.0F - across));
    if (across != 0) from.add(above + right, (1.0F - down) * across);
    if (down != 0 && across != 0) from.add(below + right, down * across);
    if (from.count == 1) copy_floats(from.pixel[0], s.c, y);
    else if (from.count == 2) blend<V, 2>(from, s.c, y);
    else blend<V, 4>(from, s.c, y);
  }
}

}  // namespace detail

/// y[n, i, j, c] = x, interpolated. A part computes a share of the rows.
/// - `columns`: resize_scratch_bytes(s) bytes for this part alone, uninitialised.
template <class Isa = native>
void resize(const resize_shape& s, const float* x, pixel_pair<float>* columns, float* y, part p = {}) {
  for (std::int64_t j = 0; j < s.w.output; ++j) columns[j] = distinct_pixels_around<float>(s.w, j);
  const interval rows = share(s.n * s.h.output, p);
  const std::int64_t in_row = s.w.input * s.c, out_row = s.w.output * s.c;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const auto pair = distinct_pixels_around<float>(s.h, row % s.h.output);
    const float* const image = x + row / s.h.output * s.h.input * in_row;
    detail::resize_row<f32_vec>(s, image + pair.first * in_row, image + pair.second * in_row, pair.between, columns,
                                y + row * out_row);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
