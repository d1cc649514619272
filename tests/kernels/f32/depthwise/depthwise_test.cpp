// depthwise_test: depthwise() against naive loops in double, tiles and single pixels, divided in every way.
#include <nnrt/kernels/f32/depthwise/depthwise.hpp>

#include "../../../support/fenced.hpp"

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
  depthwise_shape s;
  clamp_range range;
  fenced x, w, bias, packed;

  problem(const depthwise_shape& shape, clamp_range limits, std::minstd_rand& random)
      : s(shape),
        range(limits),
        x(s.batch * s.height * s.width * s.channels),
        w(s.out() * s.taps()),
        bias(s.out()),
        packed(depthwise_packed_floats(s), nan) {
    randomize(x, random), randomize(w, random), randomize(bias, random);
    depthwise_pack(s, w.data(), bias.data(), packed.data());
  }
  std::int64_t outputs() const { return s.batch * s.out_height * s.out_width * s.out(); }
  void run(fenced& y, std::int64_t parts) const {
    for (std::int64_t i = parts; i-- > 0;)
      depthwise(s, {.x = x.data(), .packed = packed.data(), .y = y.data(), .range = range}, {i, parts});
  }
};

/// The sum of one output value and of the sizes of its terms.
struct naive {
  double sum, size;
};
naive naive_output(const problem& p, std::int64_t image, std::int64_t oy, std::int64_t ox, std::int64_t o) {
  const depthwise_shape& s = p.s;
  naive out{p.bias[o], std::abs(p.bias[o]) + 1.0};
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const std::int64_t iy = oy * s.stride_h + ky * s.dilation_h - s.pad_top,
                         ix = ox * s.stride_w + kx * s.dilation_w - s.pad_left;
      if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
      const double product =
          static_cast<double>(p.x[((image * s.height + iy) * s.width + ix) * s.channels + o / s.multiplier]) *
          p.w[(o * s.kernel_h + ky) * s.kernel_w + kx];
      out.sum += product, out.size += std::abs(product);
    }
  return out;
}

double worst_error(const problem& p, const fenced& y) {
  double worst = 0;
  std::int64_t i = 0;
  for (std::int64_t image = 0; image < p.s.batch; ++image)
    for (std::int64_t oy = 0; oy < p.s.out_height; ++oy)
      for (std::int64_t ox = 0; ox < p.s.out_width; ++ox)
        for (std::int64_t o = 0; o < p.s.out(); ++o, ++i) {
          const naive want = naive_output(p, image, oy, ox, o);
          worst = std::max(worst, nnrt_test::error_ratio(y[i], std::clamp<double>(want.sum, p.range.lo, p.range.hi),
                                                         2e-6 * want.size));
        }
  return worst;
}

void check(const problem& p) {
  fenced y(p.outputs(), nan);
  p.run(y, 1);
  CHECK(worst_error(p, y) < 1);
  for (const std::int64_t parts : {2, 3, 5}) {
    CAPTURE(parts);
    fenced divided(p.outputs(), nan);
    p.run(divided, parts);
    CHECK(nnrt_test::same_bits(y, divided));
  }
}

/// Square kernel and stride; output extents for `pad` above and left and `pad_after` below and right, 0 where the
/// kernel does not fit.
depthwise_shape layer(std::int64_t h, std::int64_t w, std::int64_t channels, std::int64_t kernel, std::int64_t stride,
                      std::int64_t pad, std::int64_t pad_after) {
  depthwise_shape s;
  s.height = h, s.width = w, s.channels = channels, s.kernel_h = s.kernel_w = kernel, s.stride_h = s.stride_w = stride;
  s.pad_top = s.pad_left = pad;
  const auto windows = [&](std::int64_t extent) {
    return extent + pad + pad_after < kernel ? 0 : (extent + pad + pad_after - kernel) / stride + 1;
  };
  s.out_height = windows(h), s.out_width = windows(w);
  return s;
}

/// As many channels as share a vector with those of another pixel, where pixels do.
constexpr std::int64_t half = f32_lanes / 2 == 0 ? 1 : f32_lanes / 2;

TEST_CASE("depthwise: parts are as many rows each, of pixels that the same part of a product around the layer has") {
  const auto rows_of = [](const depthwise_shape& s, part p) {
    return detail::share_of_layer(s, 64, detail::channel_vectors(s.out()), p).rows;
  };
  const depthwise_shape even = layer(14, 14, 384, 3, 1, 1, 1);
  for (const std::int64_t parts : {1, 2, 3, 5}) {
    CAPTURE(parts);
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < parts; ++i) {
      const interval rows = rows_of(even, {i, parts});
      CHECK(rows.begin == next);
      CHECK(rows.size() >= 14 / parts);
      CHECK(rows.size() <= (14 + parts - 1) / parts);
      next = rows.end;
    }
    CHECK(next == 14);
  }
  if (mr == 14) {
    const m_blocking tiles{14 * 14};
    CHECK(rows_of(even, {0, 2}).end * 14 == tiles.begin(share(tiles.count(), {0, 2}).end));
  }
  CHECK(rows_of(layer(25, 10, 64, 3, 1, 1, 1), {0, 2}).end == 13);
  CHECK(rows_of(layer(2, 10, 64, 3, 1, 1, 1), {1, 2}).size() == 1);
}

TEST_CASE("depthwise: every width and channel count around a tile is right for the kernels that have tiles") {
  std::minstd_rand random(1);
  for (const std::int64_t kernel : {3, 5})
    for (const std::int64_t stride : {1, 2})
      for (std::int64_t width = 1; width <= 3 * 14 + 2; ++width)
        for (const std::int64_t channels : {half, f32_lanes, f32_lanes + 1, 3 * f32_lanes - 1}) {
          CAPTURE(kernel);
          CAPTURE(stride);
          CAPTURE(width);
          CAPTURE(channels);
          check(problem(layer(1 + width % 6, width, channels, kernel, stride, kernel / 2, kernel / 2), {}, random));
        }
}

TEST_CASE("depthwise: every way of padding is right") {
  std::minstd_rand random(2);
  for (const std::int64_t kernel : {1, 2, 3, 4, 5})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t pad : {0, 1, 2, 6})
        for (const std::int64_t pad_after : {0, 1, 7})
          for (const std::int64_t channels : {half, f32_lanes + 2}) {
            CAPTURE(kernel);
            CAPTURE(stride);
            CAPTURE(pad);
            CAPTURE(pad_after);
            CAPTURE(channels);
            check(problem(layer(6, 17, channels, kernel, stride, pad, pad_after), {0.0F, 6.0F}, random));
          }
}

TEST_CASE("depthwise: every channel count up to three vectors is right") {
  std::minstd_rand random(3);
  for (std::int64_t channels = 0; channels <= 3 * f32_lanes + 1; ++channels) {
    CAPTURE(channels);
    check(problem(layer(5, 9, channels, 3, 1, 1, 1), {}, random));
  }
}

TEST_CASE("depthwise: multipliers, dilation, unequal strides and kernels, batches are right") {
  std::minstd_rand random(4);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    depthwise_shape s;
    s.batch = below(3), s.height = below(9), s.width = below(20), s.channels = below(40), s.multiplier = 1 + below(4);
    s.kernel_h = 1 + below(6), s.kernel_w = 1 + below(6), s.stride_h = 1 + below(3), s.stride_w = 1 + below(3);
    s.dilation_h = 1 + below(3), s.dilation_w = 1 + below(3), s.pad_top = below(4), s.pad_left = below(4);
    s.out_height = below(8), s.out_width = below(17);
    check(problem(s, {-0.5F, inf}, random));
  }
}

TEST_CASE("depthwise: no bias means zeros") {
  const depthwise_shape s = layer(3, 3, f32_lanes, 3, 1, 0, 0);
  fenced x(9 * f32_lanes, 1.0F), w(9 * f32_lanes, 1.0F), packed(depthwise_packed_floats(s), nan), y(f32_lanes, nan);
  depthwise_pack(s, w.data(), nullptr, packed.data());
  depthwise(s, {x.data(), packed.data(), y.data()});
  CHECK(nnrt_test::same_bits(y, fenced(f32_lanes, 9.0F)));
}

TEST_CASE("depthwise: a NaN reaches exactly the outputs of its channel that see it") {
  for (const std::int64_t channels : {half, f32_lanes + 3})
    for (const std::int64_t column : {0, 13, 14, 20, 29}) {
      CAPTURE(channels);
      CAPTURE(column);
      const depthwise_shape s = layer(7, 30, channels, 3, 1, 1, 1);
      std::minstd_rand random(5);
      problem p(s, {0.0F, 6.0F}, random);
      p.x[(4 * 30 + column) * channels + channels - 1] = nan;
      fenced y(p.outputs());
      p.run(y, 1);
      for (std::int64_t oy = 0; oy < 7; ++oy)
        for (std::int64_t ox = 0; ox < 30; ++ox)
          for (std::int64_t c = 0; c < channels; ++c)
            CHECK(std::isnan(y[(oy * 30 + ox) * channels + c]) ==
                  (c == channels - 1 && oy >= 3 && oy <= 5 && ox >= column - 1 && ox <= column + 1));
    }
}

TEST_CASE("depthwise: infinite weights do no harm at the border, for padding is left out") {
  for (const std::int64_t channels : {half, f32_lanes})
    for (const std::int64_t width : {1, 2}) {
      CAPTURE(channels);
      CAPTURE(width);
      const depthwise_shape s = layer(1, width, channels, 3, 1, 1, 1);
      fenced x(width * channels, 2.0F), w(9 * channels, inf), packed(depthwise_packed_floats(s)),
          y(width * channels, nan);
      for (std::int64_t c = 0; c < channels; ++c) {
        w[c * 9 + 4] = 3.0F;
        if (width == 2) w[c * 9 + 3] = w[c * 9 + 5] = 3.0F;  // each pixel is the other's neighbour
      }
      depthwise_pack(s, w.data(), nullptr, packed.data());
      depthwise(s, {x.data(), packed.data(), y.data()});
      CHECK(nnrt_test::same_bits(y, fenced(width * channels, 6.0F * static_cast<float>(width))));
    }
}

TEST_CASE("depthwise: images of half a vector of channels have two pixels in each") {
  depthwise_shape s = layer(4, 4, half, 3, 1, 1, 1);
  CHECK(depthwise_method_of(s).pixels == (has_half_vector ? 2 : 1));
  CHECK(depthwise_pixels(s) == (has_half_vector ? 2 : 1));
  s.height = s.width = s.out_height = s.out_width = 0;  // weights are packed for any image
  CHECK(depthwise_pixels(s) == (has_half_vector ? 2 : 1));
  CHECK(depthwise_pixels(layer(4, 4, half, 3, 2, 1, 1)) == 1);
  CHECK(depthwise_pixels(layer(4, 4, half + 1, 3, 1, 1, 1)) == 1);
  CHECK(depthwise_method_of(layer(4, 4, half, 3, 2, 1, 1)).pixels == 1);
  CHECK(depthwise_method_of(layer(4, 4, half + 1, 3, 1, 1, 1)).pixels == 1);
}

TEST_CASE("depthwise: each method has a number, and strips and tiles are for images that they fit") {
  for (int i = 0; i < depthwise_methods.count; ++i) CHECK(number_of(depthwise_methods.of[i]) == i);
  const auto columns = [](const depthwise_shape& s) { return depthwise_method_of(s).columns; };
  const std::int64_t channels = 2 * f32_lanes;
  if (!has_depthwise_tiles(layer(9, 14, channels, 3, 1, 1, 1))) return;
  CHECK(columns(layer(9, 14, channels, 3, 1, 1, 1)) == (has_strips ? 7 : 5));
  CHECK(columns(layer(9, 10, channels, 3, 1, 1, 1)) == 5);
  CHECK(columns(layer(9, 12, channels, 3, 2, 1, 1)) == (has_strips ? 6 : 3));
  CHECK(columns(layer(9, 112, channels, 5, 2, 2, 2)) == tile_columns_of_5x5[0]);
  CHECK(columns(layer(9, 7, channels, 5, 1, 2, 2)) == tile_columns_of_5x5[0]);
  CHECK(columns(layer(9, 3, channels, 5, 1, 2, 2)) == 3);
  for (const std::int64_t kernel : {3, 5}) {
    CAPTURE(kernel);
    const std::int64_t pad = kernel / 2;
    CHECK(depthwise_method_of(layer(9, 7, channels, kernel, 1, pad, pad)).kernel == kernel);
    // too many columns next to the image
    CHECK(depthwise_method_of(layer(9, 14, channels, kernel, 1, pad + 1, pad + 1)) == depthwise_method{});
    CHECK(depthwise_method_of(layer(9, 14, channels, kernel, 1, 0, pad + 1)) == depthwise_method{});
    // narrower than any strip or tile
    CHECK(depthwise_method_of(layer(9, 1, channels, kernel, 1, pad, pad)) == depthwise_method{});
  }
}

TEST_CASE("depthwise: the columns of strips and tiles waste as little as can be and never pass the image") {
  const auto check_all = [](const auto& choices, int fewest) {
    for (const int pixels : {1, 2})
      for (std::int64_t width = 0; width <= 300; ++width) {
        CAPTURE(fewest);
        CAPTURE(width);
        const std::int64_t columns = detail::columns_for(choices, width, pixels);
        CHECK(columns * pixels <= width);
        CHECK((columns == 0) == (width < fewest * pixels));
        if (pixels == 1 && width >= 8)
          CHECK((fewest == 2 ? 5 : 2) * ((width + columns - 1) / columns * columns - width) <= width);
      }
  };
  check_all(strip_columns_of_3x3, 2);
  check_all(tile_columns_of_3x3, 3);
  check_all(tile_columns_of_5x5, 3);
}

TEST_CASE("depthwise: every height is right, in strips of all rows and of some") {
  std::minstd_rand random(6);
  for (const std::int64_t channels : {f32_lanes, std::int64_t{512}, std::int64_t{1024}})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t pad : {0, 1})
        for (std::int64_t height = 1; height <= (channels == f32_lanes ? 19 : 8); ++height) {
          CAPTURE(channels);
          CAPTURE(stride);
          CAPTURE(pad);
          CAPTURE(height);
          check(problem(layer(height, 9, channels, 3, stride, pad, 1), {-1, 1}, random));
        }
  // more than L2 holds, with AVX-512
  for (const std::int64_t stride : {1, 2})
    check(problem(layer(37, 150, 8 * f32_lanes, 3, stride, 1, 1), {-1, 1}, random));
}

TEST_CASE("depthwise: large tiles are right for every height and width, with fewer channels than lanes and more") {
  constexpr depthwise_method method{3, 1, 1, 4, true};
  if (!has_strips) return;
  std::minstd_rand random(7);
  // the last in strips where they are in the cache
  for (const std::int64_t channels : {f32_lanes - 3, f32_lanes, 2 * f32_lanes + 5, 4 * f32_lanes})
    for (const std::int64_t pad : {0, 1})
      for (std::int64_t height = 1; height <= 10; ++height)
        for (std::int64_t width = 4 + 2 * (1 - pad); width <= 13; ++width) {
          CAPTURE(channels);
          CAPTURE(pad);
          CAPTURE(height);
          CAPTURE(width);
          const problem p(layer(height + 2 * (1 - pad), width, channels, 3, 1, pad, pad), {-1, 1}, random);
          if (!has_depthwise_tiles(p.s)) continue;
          fenced y(p.outputs(), nan), in_cache(p.outputs(), nan);
          layer_operands of{.x = p.x.data(), .packed = p.packed.data(), .y = y.data(), .range = p.range};
          depthwise_by<native, method>(p.s, of);
          CHECK(worst_error(p, y) < 1);
          of.y = in_cache.data();
          depthwise_by<native, method>(p.s, of, {}, true, true);
          CHECK(nnrt_test::same_bits(y, in_cache));
        }
}

TEST_CASE("depthwise: images that no L2 holds have large tiles where there are registers for them") {
  const auto has_them = [](std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t stride) {
    return depthwise_method_of(layer(height, width, channels, 3, stride, 1, 1)).has_large_tiles;
  };
  CHECK(has_them(112, 112, 32, 1) == has_strips);
  CHECK(has_them(50000, 4, 32, 1) == has_strips);
  CHECK_FALSE(has_them(56, 56, 32, 1));
  CHECK_FALSE(has_them(112, 112, 96, 2));
  CHECK_FALSE(has_them(56, 56, 512, 1));
  CHECK_FALSE(has_them(50000, 3, 32, 1));
  CHECK_FALSE(has_them(600, 600, f32_lanes / 2, 1));
}

TEST_CASE(
    "depthwise: small images of many channels are shared out by channels, in whole lines of the cache, each by one "
    "part alone") {
  std::minstd_rand random(5);
  for (const std::int64_t size : {1, 3, 6})
    for (const std::int64_t channels : {std::int64_t{64}, std::int64_t{80}, 20 * f32_lanes, 20 * f32_lanes + 8})
      for (const std::int64_t kernel : {3, 4, 5})
        for (const std::int64_t multiplier : {1, 2}) {
          CAPTURE(size);
          CAPTURE(channels);
          CAPTURE(kernel);
          depthwise_shape s = layer(size, size, channels, kernel, 1, kernel / 2, (kernel - 1) / 2);
          s.batch = 2, s.multiplier = multiplier;
          const problem p(s, {-1, 1}, random);
          check(p);
          if (s.out() % 16 != 0) continue;
          std::vector<int> writers(static_cast<std::size_t>(p.outputs()));
          for (std::int64_t part = 0; part < 3; ++part) {
            fenced y(p.outputs(), nan);
            depthwise(s, {.x = p.x.data(), .packed = p.packed.data(), .y = y.data(), .range = p.range}, {part, 3});
            for (std::int64_t i = 0; i < p.outputs(); ++i)
              writers[static_cast<std::size_t>(i)] += std::isnan(y[i]) ? 0 : 1;
            if (size > 1) continue;
            for (std::int64_t i = 0; i < p.outputs(); i += 16)
              for (std::int64_t j = 1; j < 16; ++j) CHECK(std::isnan(y[i + j]) == std::isnan(y[i]));
          }
          CHECK(std::count(writers.begin(), writers.end(), 1) == p.outputs());
        }
}

}  // namespace
