// padded_row: copies pixels of one row of an int8 image, with the zero point outside the image.
// Flow: int8/conv/conv2d.hpp copies stripes and windows with it; int8/conv/winograd.hpp copies tiles at the edges.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>
#include <nnrt/kernels/int8/gemm/values.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Copies of pixels: their encoding, and the zero point of pixels outside the image.
struct int8_padding {
  int8_encoding encoding;
  std::byte zero;
};

/// Copies some pixels of row y, the channels of one group of each. Pixels outside the image get the zero point.
inline void copy_padded_row(const conv_shape& s, const std::byte* image, std::int64_t y, interval pixels,
                            int8_padding padding, std::byte* out) {
  const auto [encoding, zero] = padding;
  const std::int64_t channels = s.group_in(), x = pixels.begin, count = pixels.size();
  const std::int64_t left = y < 0 || y >= s.height ? count : nnrt::detail::clamped(-x, 0, count),
                     right = nnrt::detail::clamped(s.width - x, left, count);
  const std::int64_t pixel = channels * encoding.size();
  set_values(left * channels, zero, encoding, out);
  if (left < right) {
    const std::byte* const row = image + (y * s.width + x + left) * s.in;
    if (s.group == 1) copy_values(row, (right - left) * channels, encoding, out + left * pixel);
    else
      for (std::int64_t i = left; i < right; ++i)
        copy_values(row + (i - left) * s.in, channels, encoding, out + i * pixel);
  }
  set_values((count - right) * channels, zero, encoding, out + right * pixel);
}

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
