// conv2d_transpose_test: conv_transpose() and depthwise_transpose() against naive scattering in double, divided in
// every way.
#include <nnrt/kernels/f32/conv/conv2d_transpose.hpp>

#include "../../../support/fenced.hpp"
#include "../../../support/tiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace nnrt::kernels;
using nnrt_test::fenced;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct problem {
  conv_transpose_shape s;
  clamp_range range;
  fenced x, w, bias, packed;

  problem(const conv_transpose_shape& shape, clamp_range limits, std::minstd_rand& random)
      : s(shape),
        range(limits),
        x(s.batch * s.h.input * s.w.input * s.in),
        w(s.out * s.h.kernel * s.w.kernel * (s.in / s.group)),
        bias(s.out),
        packed(conv_transpose_packed_floats(s), nan) {
    randomize(x, random), randomize(w, random), randomize(bias, random);
    conv_transpose_shape any_output = s;  // packing does not depend on it
    any_output.h.output = 0, any_output.w.output = 1;
    conv_transpose_pack(any_output, w.data(), bias.data(), packed.data());
  }
  std::int64_t outputs() const { return s.batch * s.h.output * s.w.output * s.out; }
  /// The parts run backwards, on scratch that holds NaN before.
  void run(fenced& y, std::int64_t parts) const {
    for (std::int64_t i = parts; i-- > 0;) {
      if (s.is_depthwise()) {
        depthwise_transpose(s, {.x = x.data(), .packed = packed.data(), .y = y.data(), .range = range}, {i, parts});
        continue;
      }
      fenced scratch(conv_transpose_scratch_floats(s), nan);
      conv_transpose(s, {x.data(), packed.data(), y.data(), scratch.data(), range}, {i, parts},
                     nnrt_test::tiles_in(conv_transpose_tile_set(s)));
    }
  }
};

/// Sums of all outputs, and of the sizes of their terms.
struct naive {
  std::vector<double> sum, size;
};
naive scattered(const problem& p) {
  const conv_transpose_shape& s = p.s;
  naive y;
  for (std::int64_t i = 0; i < p.outputs(); ++i) {
    y.sum.push_back(static_cast<double>(p.bias[i % s.out]));
    y.size.push_back(1 + std::abs(y.sum.back()));
  }
  const std::int64_t channels = s.in / s.group, filters = s.out / s.group;
  for (std::int64_t pixel = 0; pixel < s.batch * s.h.input * s.w.input; ++pixel)
    for (std::int64_t tap = 0; tap < s.h.kernel * s.w.kernel; ++tap) {
      const std::int64_t image = pixel / (s.h.input * s.w.input), i = pixel / s.w.input % s.h.input,
                         j = pixel % s.w.input;
      const std::int64_t oy = i * s.h.stride - s.h.pad + tap / s.w.kernel * s.h.dilation,
                         ox = j * s.w.stride - s.w.pad + tap % s.w.kernel * s.w.dilation;
      if (oy < 0 || oy >= s.h.output || ox < 0 || ox >= s.w.output) continue;
      for (std::int64_t o = 0; o < s.out; ++o)
        for (std::int64_t c = 0; c < channels; ++c) {
          const double product = static_cast<double>(p.x[pixel * s.in + o / filters * channels + c]) *
                                 p.w[(o * s.h.kernel * s.w.kernel + tap) * channels + c];
          const auto at = static_cast<std::size_t>(((image * s.h.output + oy) * s.w.output + ox) * s.out + o);
          y.sum[at] += product, y.size[at] += std::abs(product);
        }
    }
  return y;
}

void check(const problem& p) {
  fenced y(p.outputs(), nan);
  p.run(y, 1);
  const naive want = scattered(p);
  double worst = 0;
  for (std::int64_t i = 0; i < p.outputs(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double sum = std::clamp<double>(want.sum[at], p.range.lo, p.range.hi);
    worst = std::max(worst, nnrt_test::error_ratio(y[i], sum, 2e-6 * want.size[at]));
  }
  CHECK(worst < 1);
  for (const std::int64_t parts : {2, 3, 5}) {
    CAPTURE(parts);
    fenced divided(p.outputs(), nan);
    p.run(divided, parts);
    CHECK(nnrt_test::same_bits(y, divided));
  }
}

/// Pixels, kernel, stride; the whole output.
constexpr transposed_axis axis(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                               std::int64_t dilation = 1) {
  return {input, (input - 1) * stride + (kernel - 1) * dilation + 1, kernel, stride, dilation, 0};
}
/// Without some output pixels at the start and the end (or with more of them at the end).
constexpr transposed_axis cut(transposed_axis a, std::int64_t before, std::int64_t after) {
  a.pad = before, a.output -= before + after;
  return a;
}
constexpr conv_transpose_shape layer(std::int64_t in, std::int64_t out, transposed_axis h, transposed_axis w,
                                     std::int64_t group = 1, std::int64_t batch = 1) {
  return {batch, in, out, group, h, w};
}

TEST_CASE("conv_transpose: every way to spread pixels is right at its edges") {
  struct row {
    const char* what;
    conv_transpose_shape s;
  };
  static constexpr std::int64_t tile = mr;
  const row table[] = {
      {"stride 1: an ordinary convolution", layer(4, 19, axis(5, 3, 1), axis(7, 3, 1))},
      {"1x1", layer(6, 19, axis(5, 1, 1), axis(7, 1, 1), 1, 2)},
      {"kernel and stride 2", layer(5, 33, axis(6, 2, 2), axis(tile + 1, 2, 2), 1, 2)},
      {"3x3, stride 2", layer(3, 20, axis(7, 3, 2), axis(2 * tile + 3, 3, 2))},
      {"3x3, stride 2, cut as same", layer(3, 20, cut(axis(7, 3, 2), 0, 1), cut(axis(9, 3, 2), 0, 1), 1, 2)},
      {"4x4, stride 2, cut as usual", layer(8, 12, cut(axis(7, 4, 2), 1, 1), cut(axis(4 * tile, 4, 2), 1, 1))},
      {"5x3, strides 3 and 2, output padding", layer(4, 7, cut(axis(4, 5, 3), 2, -1), cut(axis(6, 3, 2), 1, -1))},
      {"kernel below the stride", layer(4, 5, cut(axis(4, 2, 5), 0, -4), cut(axis(3, 1, 3), 0, -2))},
      {"dilation that the stride divides", layer(4, 5, axis(5, 3, 2, 2), axis(6, 2, 2, 4))},
      {"dilation without a common divisor", layer(4, 5, axis(5, 3, 2, 3), axis(6, 4, 3, 2))},
      {"dilation that shares a divisor", layer(4, 5, axis(5, 4, 4, 2), cut(axis(6, 4, 6, 4), 3, 2))},
      {"more cut than a kernel is long", layer(3, 4, cut(axis(6, 3, 2), 7, 3), cut(axis(9, 2, 3), 11, 4))},
      {"more added than a kernel is long", layer(3, 4, cut(axis(2, 3, 9), 0, -8), cut(axis(2, 2, 7), 1, -6))},
      {"one pixel", layer(20, 18, axis(1, 4, 2), axis(1, 3, 1))},
      {"a column", layer(6, 9, axis(3 * tile + 2, 3, 2), axis(1, 1, 1))},
      {"one output", layer(6, 9, cut(axis(4, 3, 2), 4, 4), cut(axis(5, 3, 2), 5, 5))},
      {"two groups", layer(8, 12, axis(5, 3, 2), axis(6, 3, 2), 2, 2)},
      {"groups with dilation", layer(8, 6, axis(5, 3, 2, 2), axis(6, 3, 1, 2), 2)},
      {"depthwise", layer(5, 5, cut(axis(5, 4, 2), 1, 1), cut(axis(6, 4, 2), 1, 1), 5, 2)},
      {"depthwise, many channels",
       layer(3 * f32_lanes + 1, 3 * f32_lanes + 1, axis(4, 3, 2), axis(3, 2, 3), 3 * f32_lanes + 1)},
      {"depthwise with a multiplier", layer(6, 18, axis(4, 3, 2, 2), axis(3, 3, 2), 6)},
      {"no input channels give the bias", layer(0, 5, axis(3, 3, 2), axis(3, 3, 2))},
      {"no output channels", layer(3, 0, axis(3, 3, 2), axis(3, 3, 2))},
      {"no images", layer(3, 4, axis(3, 3, 2), axis(3, 3, 2), 1, 0)},
      {"weights in several blocks of panels", layer(130, 150, axis(4, 3, 2), axis(5, 3, 2))},
  };
  std::minstd_rand random(1);
  for (const row& r : table) {
    CAPTURE(r.what);
    check(problem(r.s, {}, random));
    check(problem(r.s, {0.0F, 1.0F}, random));
  }
}

TEST_CASE("conv_transpose: random shapes are right") {
  std::minstd_rand random(2);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto any_axis = [&](std::uint32_t longest) {
    transposed_axis a = axis(1 + below(longest), 1 + below(5), 1 + below(4), 1 + below(3));
    return cut(a, std::min(below(4), a.output / 2), std::min(below(4), (a.output - 1) / 2) - below(2));
  };
  for (int i = 0; i < 300; ++i) {
    const std::int64_t group = below(3) == 0 ? 1 + below(4) : 1;
    const transposed_axis h = any_axis(9), w = any_axis(below(6) == 0 ? 70 : 12);
    const conv_transpose_shape s = layer(group * below(6), group * below(24), h, w, group, 1 + below(2));
    CAPTURE(i);
    check(problem(s, {-0.5F, inf}, random));
  }
}

TEST_CASE("conv_transpose: no bias means zeros") {
  const conv_transpose_shape s = layer(2, 4, axis(2, 3, 3), axis(2, 2, 3), 2);
  fenced x(8, 1.0F), w(24, 1.0F), packed(conv_transpose_packed_floats(s), nan), y(6 * 5 * 4, nan),
      scratch(conv_transpose_scratch_floats(s), nan);
  conv_transpose_pack(s, w.data(), nullptr, packed.data());
  depthwise_transpose(s, {x.data(), packed.data(), y.data()});
  for (std::int64_t i = 0; i < 6 * 5 * 4; ++i) CHECK(y[i] == (i / 4 % 5 == 2 ? 0.0F : 1.0F));
}

TEST_CASE("conv_transpose: a NaN in the image reaches exactly the outputs under its window") {
  const conv_transpose_shape s = layer(2, 3, cut(axis(9, 3, 2), 1, 0), cut(axis(40, 3, 2), 1, 0));
  std::minstd_rand random(3);
  problem p(s, {0.0F, 6.0F}, random);
  p.x[(4 * 40 + 20) * 2] = nan;
  fenced y(p.outputs());
  p.run(y, 1);
  for (std::int64_t oy = 0; oy < s.h.output; ++oy)
    for (std::int64_t ox = 0; ox < s.w.output; ++ox)
      for (std::int64_t o = 0; o < 3; ++o)
        CHECK(std::isnan(y[(oy * s.w.output + ox) * 3 + o]) == (oy >= 7 && oy <= 9 && ox >= 39 && ox <= 41));
}

TEST_CASE("conv_transpose: a part uses no more scratch than it asks for") {
  std::minstd_rand random(4);
  for (const conv_transpose_shape& s :
       {layer(3, 5, axis(9, 3, 2), axis(9, 3, 2)), layer(4, 4, axis(9, 3, 1, 2), axis(20, 3, 2, 4), 2)}) {
    const problem p(s, {}, random);
    const std::int64_t own = conv_transpose_scratch_floats(s);
    CHECK(own > 0);
    for (std::int64_t index = 0; index < 3; ++index) {
      fenced scratch(own + 16, 7.0F), y(p.outputs());  // beyond the 16 a protected page
      conv_transpose(s, {p.x.data(), p.packed.data(), y.data(), scratch.data(), p.range}, {index, 3});
      for (std::int64_t i = own; i < own + 16; ++i) CHECK(scratch[i] == 7.0F);
    }
  }
}

}  // namespace
