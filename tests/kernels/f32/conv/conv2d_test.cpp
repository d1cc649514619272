// conv2d_test: conv() against naive loops in double, for every way it can go, divided in every way.
#include <nnrt/kernels/f32/conv/conv2d.hpp>

#include "../../../support/convolutions.hpp"
#include "../../../support/fenced.hpp"
#include "../../../support/tiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace nnrt::kernels;
using namespace nnrt_test;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct problem {
  conv_shape s;
  clamp_range range;
  fenced x, w, bias, packed;

  problem(const conv_shape& shape, clamp_range limits, std::minstd_rand& random)
      : s(shape),
        range(limits),
        x(s.batch * s.height * s.width * s.in),
        w(s.out * s.depth()),
        bias(s.out),
        packed(conv_packed_floats(s), nan) {
    randomize(x, random), randomize(w, random), randomize(bias, random);
    conv_pack(s, w.data(), bias.data(), packed.data());
  }
  std::int64_t outputs() const { return nnrt_test::outputs(s); }
  /// The parts run backwards, on scratch that holds NaN before.
  void run(fenced& y, std::int64_t parts) const {
    for (std::int64_t i = parts; i-- > 0;) {
      fenced scratch(conv_scratch_floats(s), nan);
      conv(s, {x.data(), packed.data(), y.data(), scratch.data(), range}, {i, parts},
           nnrt_test::tiles_in(conv_tile_set(s)));
    }
  }
};

/// Largest error in units of what rounding may cost.
double worst_error(const problem& p, const fenced& y) {
  double worst = 0;
  for (std::int64_t image = 0; image < p.s.batch; ++image)
    for (std::int64_t oy = 0; oy < p.s.out_height; ++oy)
      for (std::int64_t ox = 0; ox < p.s.out_width; ++ox)
        for (std::int64_t o = 0; o < p.s.out; ++o) {
          const naive want = naive_output(p, image, oy, ox, o);
          const float got = y[place(p.s, image, oy, ox) + o];
          worst = std::max(worst, nnrt_test::error_ratio(got, std::clamp<double>(want.sum, p.range.lo, p.range.hi),
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

TEST_CASE("convolution: every method is right at its edges") {
  struct row {
    const char* what;
    conv_shape s;
  };
  static constexpr std::int64_t tile = mr;
  const row table[] = {
      {"1x1, the image itself", padded(layer(5, 7, 6, 19, 1, 1), 0, 0, 0, 0)},
      {"1x1 of several images", padded(batched(layer(3, 3, 4, 5, 1, 1), 3), 0, 0, 0, 0)},
      {"1x1 strided", padded(strided(layer(9, 8, 5, 6, 1, 1), 2, 3), 0, 0, 0, 0)},
      {"1x1 padded", padded(layer(4, 4, 3, 5, 1, 1), 1, 2, 0, 1)},
      {"kernel as large as the image", padded(batched(layer(4, 5, 3, 40, 4, 5), 4), 0, 0, 0, 0)},
      {"3x3, no padding, narrow pairs", padded(layer(8, tile / 2 + 2, 4, 20, 3, 3), 0, 0, 0, 0)},
      {"3x3, pairs with an odd row left", padded(layer(7, tile / 2, 4, 20, 3, 3), 1, 1, 1, 1)},
      {"3x3 same, image padded first", padded(layer(9, 2 * tile + 3, 5, 33, 3, 3), 1, 1, 1, 1)},
      {"3x3 same, wide", padded(layer(6, 4 * tile + 1, 3, 16, 3, 3), 1, 1, 1, 1)},
      {"3x3 stride 2, extra column right", padded(strided(layer(12, 8 * tile, 3, 18, 3, 3), 2, 2), 0, 0, 1, 1)},
      {"many rows below each other, borders copied",
       padded(strided(layer(40, 8 * tile, 3, 8, 3, 3), 2, 2), 1, 1, 1, 1)},
      {"more rows than are made at once, two images and panels",
       padded(batched(layer(30, 50, 4, 40, 3, 3), 2), 1, 1, 1, 1)},
      {"many pairs of narrow rows", padded(layer(41, tile / 2 + 2, 4, 20, 3, 3), 0, 0, 0, 0)},
      {"dilated down, many rows", padded(dilated(layer(50, 60, 2, 5, 3, 3), 4, 1), 4, 1, 4, 1)},
      {"a column of many tiles", padded(layer(9 * tile + 2, 1, 6, 9, 3, 1), 1, 0, 1, 0)},
      {"7x7 stride 2 of 3 channels, wide", padded(strided(layer(17, 7 * tile, 3, 10, 7, 7), 2, 2), 3, 3, 3, 3)},
      {"a column: 3x1 kernel", padded(layer(3 * tile + 2, 1, 6, 9, 3, 1), 1, 0, 1, 0)},
      {"a column without padding", padded(layer(2 * tile + 2, 3, 6, 9, 4, 3), 0, 0, 0, 0)},
      {"10x4 stride 2 of one channel", padded(strided(layer(49, 10, 1, 8, 10, 4), 2, 2), 4, 1, 5, 1)},
      {"1x5 kernel", padded(layer(5, 19, 4, 6, 1, 5), 0, 2, 0, 2)},
      {"dilated down only", padded(dilated(layer(13, 60, 3, 5, 3, 3), 4, 1), 4, 1, 4, 1)},
      {"dilated far beyond the image", padded(dilated(layer(3, 9, 3, 5, 3, 1), 1000, 1), 1000, 0, 1000, 0)},
      {"dilated both ways", padded(dilated(layer(14, 15, 5, 18, 3, 3), 2, 3), 2, 3, 2, 3)},
      {"two groups", padded(grouped(layer(7, 9, 8, 12, 3, 3), 2), 1, 1, 1, 1)},
      {"as many groups as channels", padded(grouped(layer(6, 6, 5, 10, 3, 3), 5), 1, 1, 1, 1)},
      {"groups of a 1x1 of several images", padded(grouped(batched(layer(4, 5, 6, 6, 1, 1), 2), 3), 0, 0, 0, 0)},
      {"dilated, strided groups",
       padded(strided(dilated(grouped(layer(16, 17, 4, 6, 3, 2), 2), 2, 2), 2, 3), 1, 1, 2, 2)},
      {"kernel larger than the image", padded(layer(2, 2, 3, 5, 5, 5), 2, 2, 2, 2)},
      {"kernel rows all outside", padded(layer(2, 50, 3, 5, 2, 2), 4, 0, 4, 0)},
      {"kernel columns all outside", padded(layer(3, 2, 3, 5, 2, 2), 0, 5, 0, 60)},
      {"no output rows", padded(layer(2, 2, 3, 5, 3, 1), 0, 0, 0, 0)},
      {"no output columns", padded(layer(2, 2, 3, 5, 1, 3), 0, 0, 0, 0)},
      {"no images", padded(batched(layer(5, 5, 3, 5, 3, 3), 0), 1, 1, 1, 1)},
      {"no input channels give the bias", padded(layer(4, 4, 0, 5, 3, 3), 1, 1, 1, 1)},
      {"no output channels", padded(layer(4, 4, 3, 0, 3, 3), 1, 1, 1, 1)},
      {"an empty image gives the bias", padded(layer(0, 0, 3, 4, 3, 3), 2, 2, 2, 2)},
      {"several images, padded first", padded(batched(layer(5, 6, 3, 7, 3, 3), 3), 1, 1, 1, 1)},
      {"several wide images", padded(batched(layer(3, 50, 3, 7, 3, 3), 3), 1, 1, 1, 1)},
      {"more than one padded band", padded(layer(70, 30, 160, 4, 3, 3), 1, 1, 1, 1)},
      {"1x1 of pixels with 4K aliasing", padded(batched(layer(5, 4, 1024, 40, 1, 1), 2), 0, 0, 0, 0)},
      {"1x1 strided, every other pixel collides", padded(strided(layer(13, 13, 512, 33, 1, 1), 2, 2), 0, 0, 0, 0)},
      {"3x3 of pixels with 4K aliasing, in pairs of narrow rows", padded(layer(4, 7, 1024, 32, 3, 3), 1, 1, 1, 1)},
      {"groups whose copied pixels collide", padded(grouped(layer(3, 14, 2048, 64, 1, 3), 2), 0, 1, 0, 1)},
      {"a column whose rows collide", padded(layer(tile + 2, 1, 1024, 32, 3, 1), 0, 0, 0, 0)},
      {"weights in several blocks of panels", padded(layer(5, 6, 130, 150, 3, 3), 1, 1, 1, 1)},
      {"lines of few pixels, gathered where tiles have 6 rows",
       padded(batched(layer(7, 7, 12, 70, 3, 3), 2), 1, 1, 1, 1)},
  };
  std::minstd_rand random(1);
  for (const row& r : table) {
    CAPTURE(r.what);
    check(problem(r.s, {}, random));
    check(problem(r.s, {0.0F, 1.0F}, random));
  }
}

TEST_CASE("convolution: an output with gaps is written where it lies, and its gaps are left alone") {
  struct row {
    const char* what;
    conv_shape s;
  };
  static constexpr std::int64_t tile = mr;
  const row table[] = {
      {"1x1", padded(layer(5, 7, 6, 19, 1, 1), 0, 0, 0, 0)},
      {"kernel as large as the image", padded(batched(layer(4, 5, 3, 40, 4, 5), 4), 0, 0, 0, 0)},
      {"narrow pairs of rows", padded(batched(layer(8, tile / 2 + 2, 4, 20, 3, 3), 2), 0, 0, 0, 0)},
      {"pairs with an odd row left", padded(layer(7, tile / 2, 4, 20, 3, 3), 1, 1, 1, 1)},
      {"image padded first", padded(batched(layer(9, 2 * tile + 3, 5, 33, 2, 3), 2), 1, 1, 1, 1)},
      {"wide rows", padded(layer(6, 4 * tile + 1, 3, 16, 3, 3), 1, 1, 1, 1)},
      {"many wide rows", padded(strided(layer(40, 8 * tile, 3, 8, 3, 3), 2, 2), 1, 1, 1, 1)},
      {"a column", padded(batched(layer(3 * tile + 2, 1, 6, 9, 3, 1), 2), 1, 0, 1, 0)},
      {"gathered", padded(dilated(batched(layer(14, 15, 5, 18, 3, 3), 2), 2, 3), 2, 3, 2, 3)},
      {"wide and gathered", padded(dilated(layer(3, 40 * tile, 5, 3, 2, 2), 1, 2), 0, 1, 0, 1)},
      {"groups", padded(grouped(batched(layer(7, 9, 8, 12, 3, 3), 2), 2), 1, 1, 1, 1)},
      {"gathered groups", padded(dilated(grouped(layer(7, 9, 8, 12, 3, 3), 2), 2, 2), 1, 1, 1, 1)},
      {"pixels left out in front", padded(layer(9, 12, 5, 33, 3, 3), -2, -3, 0, 1)},
      {"wide pixels left out in front", padded(layer(9, 6 * tile, 5, 3, 3, 3), -2, -3, 1, 1)},
      {"all pixels left out in front", padded(layer(3, 4, 5, 6, 2, 2), -4, 0, 6, 0)},
  };
  std::minstd_rand random(5);
  for (const row& r : table) {
    CAPTURE(r.what);
    check(problem(r.s, {}, random));
    check(problem(spread(r.s, 1, 1), {}, random));
    check(problem(spread(r.s, 2, 3), {0.0F, 1.0F}, random));
  }
  const problem p(spread(table[2].s, 2, 3), {}, random);
  fenced y(p.outputs(), 7.0F);
  p.run(y, 2);
  std::int64_t untouched = 0;
  for (std::int64_t i = 0; i < p.outputs(); ++i) untouched += y[i] == 7.0F ? 1 : 0;
  CHECK(untouched == p.outputs() - p.s.batch * p.s.out_pixels() * p.s.out);
}

TEST_CASE("convolution: random shapes are right") {
  std::minstd_rand random(2);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 300; ++i) {
    const std::int64_t group = below(4) == 0 ? 1 + below(3) : 1, wide = below(6) == 0 ? 60 : 1;
    conv_shape s =
        layer(below(12), below(20) + wide - 1, group * below(6), group * below(24), 1 + below(4), 1 + below(4));
    s = batched(grouped(strided(s, 1 + below(3), 1 + below(3)), group), 1 + below(2));
    if (below(4) == 0) s = dilated(s, 1 + below(3), 1 + below(3));
    s = padded(s, below(4), below(4), below(4), below(4));
    CAPTURE(i);
    CAPTURE(s.height);
    CAPTURE(s.width);
    CAPTURE(s.out_width);
    check(problem(s, {-0.5F, inf}, random));
  }
}

TEST_CASE("convolution: no bias means zeros") {
  const conv_shape s = padded(grouped(layer(3, 3, 2, 4, 2, 2), 2), 0, 0, 0, 0);
  fenced x(18, 1.0F), w(16, 1.0F), packed(conv_packed_floats(s), nan), y(16, nan), scratch(conv_scratch_floats(s), nan);
  conv_pack(s, w.data(), nullptr, packed.data());
  conv(s, {x.data(), packed.data(), y.data(), scratch.data()});
  CHECK(nnrt_test::same_bits(y, fenced(16, 4.0F)));
}

TEST_CASE("convolution: a NaN in the image reaches exactly the outputs that see it") {
  const conv_shape s = padded(layer(9, 50, 2, 3, 3, 3), 1, 1, 1, 1);
  std::minstd_rand random(3);
  problem p(s, {0.0F, 6.0F}, random);
  p.x[(4 * 50 + 20) * 2] = nan;
  fenced y(p.outputs());
  p.run(y, 1);
  for (std::int64_t oy = 0; oy < 9; ++oy)
    for (std::int64_t ox = 0; ox < 50; ++ox)
      for (std::int64_t o = 0; o < 3; ++o)
        CHECK(std::isnan(y[(oy * 50 + ox) * 3 + o]) == (oy >= 3 && oy <= 5 && ox >= 19 && ox <= 21));
}

TEST_CASE("convolution: pointwise and wide unpadded windows need no scratch") {
  CHECK(conv_scratch_floats(padded(layer(9, 9, 8, 8, 1, 1), 0, 0, 0, 0)) == 0);
  CHECK(conv_scratch_floats(padded(layer(99, 99, 8, 8, 3, 3), 0, 0, 0, 0)) == 0);
  CHECK(conv_scratch_floats(padded(layer(9, 9, 8, 8, 3, 3), 1, 1, 1, 1)) > 0);
  static_assert(conv_scratch_floats(conv_shape{}) == 0);
}

TEST_CASE("convolution: pixels with 4K aliasing are gathered where tiles are high enough for it") {
  const conv_method method = mr > 12 ? conv_method::gather : conv_method::product;
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(7, 7, 1024, 32, 1, 1), 0, 0, 0, 0)) == method);
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(7, 7, 1040, 32, 1, 1), 0, 0, 0, 0)) ==
        conv_method::product);
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(7, 7, 1024, 8, 1, 1), 0, 0, 0, 0)) ==
        (nr > 8 ? conv_method::product : method));
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(3, 4, 1024, 32, 1, 1), 0, 0, 0, 0)) ==
        conv_method::product);
  const conv_method strides = mr > 12 ? conv_method::gather : conv_method::direct;
  CHECK(nnrt::kernels::detail::float_method_of(padded(strided(layer(36, 36, 512, 64, 3, 3), 2, 2), 1, 1, 1, 1)) ==
        strides);
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(14, 14, 512, 64, 3, 3), 1, 1, 1, 1)) ==
        conv_method::direct);
}

TEST_CASE(
    "convolution: lines whose last tile has few rows are gathered where tiles have 6, if enough filters share the "
    "copies") {
  const conv_method gathered = mr > 6 ? conv_method::direct : conv_method::gather;
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(7, 7, 512, 512, 3, 3), 1, 1, 1, 1)) == gathered);
  CHECK(nnrt::kernels::detail::float_method_of(padded(strided(layer(14, 14, 256, 512, 3, 3), 2, 2), 1, 1, 1, 1)) ==
        gathered);
  CHECK(nnrt::kernels::detail::float_method_of(padded(strided(layer(14, 14, 256, 512, 1, 1), 2, 2), 0, 0, 0, 0)) ==
        gathered);
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(12, 12, 256, 512, 3, 3), 1, 1, 1, 1)) ==
        conv_method::direct);
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(7, 7, 512, 8, 3, 3), 1, 1, 1, 1)) == conv_method::direct);
  CHECK(nnrt::kernels::detail::float_method_of(padded(layer(7, 3, 512, 512, 3, 3), 1, 1, 1, 1)) == conv_method::direct);
}

TEST_CASE("convolution: scratch is no larger than what is gathered, however far a kernel reaches") {
  constexpr std::int64_t far = 2147483647;
  CHECK(conv_scratch_floats(padded(dilated(layer(9, 9, 8, 8, 3, 1), far, 1), far, 0, far, 0)) < 10000);
  CHECK(conv_scratch_floats(padded(dilated(layer(9, 9, 8, 8, 1, 3), 1, far), 0, far, 0, far)) < 10000);
  for (const std::int64_t stride : {std::int64_t{100'000}, far}) {
    const std::int64_t scratch =
        conv_scratch_floats(padded(strided(layer(8, 8, 2, 1, 1, 1), stride, stride), stride, stride, stride, stride));
    CHECK(scratch >= 0);
    CHECK(scratch < 10000);
  }
}

TEST_CASE("convolution: where there are bands, some rows of a product alone have the bits of the whole") {
  std::minstd_rand random(11);
  int banded = 0;
  for (const std::int64_t out :
       {std::int64_t{1}, f32_lanes, f32_lanes + 1, 2 * f32_lanes, 2 * f32_lanes + 1, 3 * f32_lanes + 1})
    for (std::int64_t width = 1; width <= 2 * mr + 3; ++width) {
      conv_shape s{.batch = 1,
                   .height = 7,
                   .width = width,
                   .in = 37,
                   .out = out,
                   .kernel_h = 1,
                   .kernel_w = 1,
                   .out_height = 7,
                   .out_width = width};
      if (!conv_has_stripes(s)) continue;
      ++banded;
      CAPTURE(out);
      CAPTURE(width);
      const problem p(s, {}, random);
      fenced whole(p.outputs()), y(p.outputs(), nan);
      p.run(whole, 1);
      for (const std::int64_t rows : {1, 2, 3}) {
        for (std::int64_t first = 0; first < p.s.height; first += rows) {
          s.height = s.out_height = std::min(rows, p.s.height - first);
          conv(s, {.x = p.x.data() + first * width * s.in,
                   .packed = p.packed.data(),
                   .y = y.data() + first * width * out,
                   .range = p.range});
        }
        std::int64_t same = 0;
        for (std::int64_t i = 0; i < p.outputs(); ++i) same += y[i] == whole[i] ? 1 : 0;
        CHECK(same == p.outputs());
      }
    }
  CHECK(banded > 0);
}

TEST_CASE("convolution: a part uses no more scratch than it asks for") {
  struct row {
    const char* what;
    conv_shape s;
  };
  const row table[] = {
      {"image padded first", padded(layer(9, 9, 3, 5, 3, 3), 1, 1, 1, 1)},
      {"blocks padded", padded(layer(9, 60, 3, 5, 3, 3), 1, 1, 1, 1)},
      {"groups", padded(grouped(layer(9, 9, 4, 4, 3, 3), 2), 1, 1, 1, 1)},
      {"gathered", padded(dilated(layer(20, 20, 3, 5, 3, 3), 2, 2), 2, 2, 2, 2)},
      {"pixels with 4K aliasing", padded(layer(4, 5, 1024, 32, 1, 1), 0, 0, 0, 0)},
  };
  std::minstd_rand random(4);
  for (const row& r : table) {
    CAPTURE(r.what);
    const problem p(r.s, {}, random);
    const std::int64_t own = conv_scratch_floats(p.s);
    for (std::int64_t index = 0; index < 3; ++index) {
      fenced scratch(own + 16, 7.0F), y(p.outputs());  // beyond the 16 a protected page
      conv(p.s, {p.x.data(), p.packed.data(), y.data(), scratch.data(), p.range}, {index, 3});
      for (std::int64_t i = own; i < own + 16; ++i) CHECK(scratch[i] == 7.0F);
    }
  }
}

}  // namespace
