// convolutions: shapes of convolutions in words, and their outputs one by one, in double.
// Flow: tests of convolution.hpp and winograd.hpp compare kernels with them.
#pragma once

#include <nnrt/kernels/f32/conv/conv2d.hpp>

#include <cmath>
#include <cstdint>

namespace nnrt_test {

using nnrt::kernels::conv_shape;

/// The sum of one output value and of the sizes of its terms.
struct naive {
  double sum, size;
};
template <class Problem>
naive naive_output(const Problem& p, std::int64_t image, std::int64_t oy, std::int64_t ox, std::int64_t o) {
  const conv_shape& s = p.s;
  naive out{p.bias[o], std::abs(p.bias[o]) + 1.0};
  const std::int64_t channels = s.group_in(), first = o / s.group_out() * channels;
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const std::int64_t iy = oy * s.stride_h + ky * s.dilation_h - s.pad_top,
                         ix = ox * s.stride_w + kx * s.dilation_w - s.pad_left;
      if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
      for (std::int64_t c = 0; c < channels; ++c) {
        const double product = static_cast<double>(p.x[((image * s.height + iy) * s.width + ix) * s.in + first + c]) *
                               p.w[((o * s.kernel_h + ky) * s.kernel_w + kx) * channels + c];
        out.sum += product, out.size += std::abs(product);
      }
    }
  return out;
}

/// Image, channels in and out, kernel; the rest as named.
inline conv_shape layer(std::int64_t h, std::int64_t w, std::int64_t in, std::int64_t out, std::int64_t kh,
                        std::int64_t kw) {
  conv_shape s;
  s.height = h, s.width = w, s.in = in, s.out = out, s.kernel_h = kh, s.kernel_w = kw;
  return s;
}
/// Output extents for padding of top, left, bottom, right; 0 where the kernel does not fit.
inline conv_shape padded(conv_shape s, std::int64_t top, std::int64_t left, std::int64_t bottom, std::int64_t right) {
  s.pad_top = top, s.pad_left = left;
  const auto windows = [](std::int64_t room, std::int64_t stride) { return room < 0 ? 0 : room / stride + 1; };
  s.out_height = windows(s.height + top + bottom - ((s.kernel_h - 1) * s.dilation_h + 1), s.stride_h);
  s.out_width = windows(s.width + left + right - ((s.kernel_w - 1) * s.dilation_w + 1), s.stride_w);
  return s;
}
inline conv_shape strided(conv_shape s, std::int64_t h, std::int64_t w) { return s.stride_h = h, s.stride_w = w, s; }
inline conv_shape dilated(conv_shape s, std::int64_t h, std::int64_t w) {
  return s.dilation_h = h, s.dilation_w = w, s;
}
inline conv_shape grouped(conv_shape s, std::int64_t group) { return s.group = group, s; }
inline conv_shape batched(conv_shape s, std::int64_t batch) { return s.batch = batch, s; }
/// Number of pixels between two of the output, vertically and horizontally.
inline conv_shape spread(conv_shape s, std::int64_t h, std::int64_t w) {
  s.y_pixel = w * s.out, s.y_row = h * (s.out_width * s.y_pixel + 3), s.y_image = s.out_height * s.y_row + 5;
  return s;
}

/// Where an output pixel lies.
inline std::int64_t place(const conv_shape& s, std::int64_t image, std::int64_t oy, std::int64_t ox) {
  return image * s.image_step() + oy * s.row_step() + ox * s.pixel_step();
}
/// Floats from the first output to the last.
inline std::int64_t outputs(const conv_shape& s) {
  if (s.batch * s.out_pixels() * s.out == 0) return 0;
  return place(s, s.batch - 1, s.out_height - 1, s.out_width - 1) + s.out;
}

}  // namespace nnrt_test
