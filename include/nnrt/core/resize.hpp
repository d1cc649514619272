// resize: which input pixels an output pixel of a resized image lies between, and where between them.
// Flow: resize_bilinear's reference and its kernel use these functions, so that both read the same pixels.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/math.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// One axis of a resized image; extents in pixels, at least 1.
struct resized_axis {
  std::int64_t input = 1;
  std::int64_t output = 1;
  coordinates mode = coordinates::asymmetric;

  constexpr bool aligns_corners() const { return mode == coordinates::align_corners && output > 1; }
};

/// Two neighbouring pixels and the position's distance from the first, in units that depend on Number. Both are one
/// pixel at the border and where nothing is interpolated. The distance is negative before the first pixel.
template <class Number> struct pixel_pair {
  std::int64_t first = 0, second = 0;
  Number between{};
};

/// Input pixels around output pixel i; `between` in pixels. Coordinates are computed in the order of TFLite's reference
/// kernel, with its rounding if Real is float.
template <class Real> constexpr pixel_pair<Real> pixels_around(const resized_axis& axis, std::int64_t i) {
  const Real scale = axis.aligns_corners() ? static_cast<Real>(axis.input - 1) / static_cast<Real>(axis.output - 1)
                                           : static_cast<Real>(axis.input) / static_cast<Real>(axis.output);
  constexpr Real half{0.5};
  const Real at = axis.mode == coordinates::half_pixel ? math::product(static_cast<Real>(i) + half, scale) - half
                                                       : math::product(static_cast<Real>(i), scale);
  const auto below = static_cast<std::int64_t>(math::floor(at)), above = static_cast<std::int64_t>(math::ceil(at));
  const std::int64_t last = axis.input - 1;
  if (below > last) return {last, last, Real{0}};  // possible by rounding, with far more output than input pixels
  const std::int64_t first = below > 0 ? below : 0;
  return {first, above < last ? above : last, at - static_cast<Real>(first)};
}

/// Like pixels_around, with `between` 0 if both pixels are the same.
template <class Real> constexpr pixel_pair<Real> distinct_pixels_around(const resized_axis& axis, std::int64_t i) {
  pixel_pair<Real> pair = pixels_around<Real>(axis, i);
  if (pair.first == pair.second) pair.between = Real{0};
  return pair;
}

/// Like pixels_around, with `between` in 1/1024 of a pixel. Source: TFLite's reference kernel for integers.
constexpr pixel_pair<std::int64_t> pixels_around_in_1024ths(const resized_axis& axis, std::int64_t i) {
  constexpr std::int64_t one = 1024;
  const std::int64_t from = axis.aligns_corners() ? axis.input - 1 : axis.input,
                     to = axis.aligns_corners() ? axis.output - 1 : axis.output;
  const std::int64_t scale = (one * from + to / 2) / to, last = axis.input - 1;
  const std::int64_t at = axis.mode == coordinates::half_pixel ? i * scale + scale / 2 - one / 2 : i * scale;
  const std::int64_t below = at / one, above = (at + one - 1) / one;  // truncated: 0 for positions before the image
  if (below > last) return {last, last, 0};  // possible with a rounded scale, where TFLite would read after the image
  const std::int64_t first = below > 0 ? below : 0;
  return {first, above < last ? above : last, at - one * first};
}

/// Distance between positions of neighbouring output pixels, in 2^-bits pixels, rounded to nearest; centres of the
/// corner pixels coincide. 0 for a single output pixel. Source: the resizers of hbDNN's boards (16 bits on bayes, 8 on
/// bernoulli2).
constexpr std::int64_t resizing_step(std::int64_t input, std::int64_t output, int bits) {
  return output > 1 ? ((input - 1) * (std::int64_t{1} << bits) + (output - 1) / 2) / (output - 1) : 0;
}

/// Like pixels_around, at `i` steps from the first input pixel; `between` in 2^-bits pixels.
constexpr pixel_pair<std::int64_t> pixels_around_by_step(std::int64_t step, int bits, std::int64_t input,
                                                         std::int64_t i) {
  const std::int64_t at = i * step, below = at >> bits, last = input - 1;
  if (below >= last) return {last, last, 0};
  return {below, below + 1, at & ((std::int64_t{1} << bits) - 1)};
}

}}  // namespace nnrt::NNRT_ISA
