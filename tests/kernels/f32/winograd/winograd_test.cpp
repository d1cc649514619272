// winograd_test: both transforms against naive loops in double, at every edge, divided in every way; and when they are
// chosen.
#include <nnrt/kernels/f32/winograd/winograd.hpp>

#include "../../../support/convolutions.hpp"
#include "../../../support/fenced.hpp"
#include "../../../support/tiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace {

using namespace nnrt::kernels;
using namespace nnrt_test;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <int Tile, int Stride = 1> struct problem {
  conv_shape s;
  clamp_range range;
  fenced x, w, bias, packed;

  problem(const conv_shape& shape, clamp_range limits, std::minstd_rand& random)
      : s(shape),
        range(limits),
        x(s.batch * s.height * s.width * s.in),
        w(s.out * s.depth()),
        bias(s.out),
        packed(winograd_packed_floats(s, Tile), nan) {
    randomize(x, random), randomize(w, random), randomize(bias, random);
    winograd_pack<Tile, Stride>(s, w.data(), bias.data(), packed.data());
  }
  /// The parts run backwards, and so do the pieces of each, on scratch that holds NaN before.
  void run(fenced& y, std::int64_t parts) const {
    for (std::int64_t i = parts; i-- > 0;)
      for (std::int64_t pieces = 1 + i % 3, k = pieces; k-- > 0;) {
        fenced scratch(winograd_scratch_floats(s, Tile), nan);
        conv_winograd<native, Tile, Stride>(s, {x.data(), packed.data(), y.data(), scratch.data(), range},
                                            {i, parts, k, pieces}, tiles_in(winograd_tile_set(s, Tile)));
      }
  }
};

/// Largest error over the largest output that there would be without limits: of a single output, whose products may
/// cancel out, over the usual sum of that number of products of any sign.
template <class Problem> double relative_error(const Problem& p, const fenced& y) {
  double worst = 0, largest = 0;
  const double usual = outputs(p.s) == 1 ? 1 / std::sqrt(static_cast<double>(p.s.depth())) : 0;
  for (std::int64_t image = 0; image < p.s.batch; ++image)
    for (std::int64_t oy = 0; oy < p.s.out_height; ++oy)
      for (std::int64_t ox = 0; ox < p.s.out_width; ++ox)
        for (std::int64_t o = 0; o < p.s.out; ++o) {
          const naive want = naive_output(p, image, oy, ox, o);
          const float got = y[place(p.s, image, oy, ox) + o];
          largest = std::max({largest, std::abs(want.sum), want.size * usual});
          worst = std::max(worst, error_ratio(got, std::clamp<double>(want.sum, p.range.lo, p.range.hi), 1.0));
        }
  return worst / largest;
}

template <int Tile, int Stride = 1> void check(const conv_shape& s, clamp_range range, std::minstd_rand& random) {
  CAPTURE(Tile);
  REQUIRE(is_winograd_shape(s));
  const problem<Tile, Stride> p(s, range, random);
  fenced y(outputs(s), nan);
  p.run(y, 1);
  CHECK(relative_error(p, y) < (Tile == 4 ? 1e-5 : 2e-6));
  for (const std::int64_t parts : {2, 3, 5}) {
    CAPTURE(parts);
    fenced divided(outputs(s), nan);
    p.run(divided, parts);
    CHECK(same_bits(y, divided));
  }
}

/// A 3x3 convolution of an image, padded by as many zeros on each side.
constexpr conv_shape image(std::int64_t height, std::int64_t width, std::int64_t in, std::int64_t out,
                           std::int64_t padding = 1) {
  conv_shape s;
  s.height = height, s.width = width, s.in = in, s.out = out, s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = padding, s.out_height = height + 2 * padding - 2, s.out_width = width + 2 * padding - 2;
  return s;
}

/// Every second output pixel of it, in each direction.
constexpr conv_shape by_2(conv_shape s) {
  s.stride_h = s.stride_w = 2;
  s.out_height = (s.out_height + 1) / 2, s.out_width = (s.out_width + 1) / 2;
  return s;
}

void check_all(const conv_shape& s, clamp_range range, std::minstd_rand& random) {
  check<2>(s, range, random);
  check<4>(s, range, random);
  check<2, 2>(by_2(s), range, random);
  check<4, 2>(by_2(s), range, random);
}

TEST_CASE("winograd: all transforms are right at their edges") {
  struct row {
    std::string what;
    conv_shape s;
  };
  static constexpr std::int64_t half = f32_lanes / 2 == 0 ? 1 : f32_lanes / 2;
  const row table[] = {
      {"one whole tile", image(4, 4, f32_lanes, f32_lanes)},
      {"one pixel", image(3, 3, f32_lanes, 1, 0)},
      {"one pixel, all but one padding", image(1, 1, f32_lanes, 3)},
      {"a line of tiles", image(3, 17, f32_lanes, f32_lanes, 0)},
      {"a column of tiles", image(18, 3, f32_lanes, f32_lanes, 0)},
      {"odd extents", image(7, 9, f32_lanes, f32_lanes)},
      {"one whole tile of stride 2", image(9, 9, f32_lanes, f32_lanes, 0)},
      {"tiles of stride 2 inside of the image", image(33, 27, f32_lanes + 2, f32_lanes)},
      {"no padding", image(10, 9, f32_lanes, 5, 0)},
      {"wide padding", image(5, 6, f32_lanes, 5, 4)},
      {"padding of four kinds", padded(layer(6, 7, f32_lanes, 6, 3, 3), 1, 2, 3, 0)},
      {"padding below and right alone", padded(layer(6, 7, f32_lanes, 6, 3, 3), 0, 0, 2, 1)},
      {"pixels left out in front", padded(layer(9, 12, f32_lanes, 7, 3, 3), -2, -3, 0, 1)},
      {"channels past a vector", image(6, 6, f32_lanes + 1, f32_lanes + 1)},
      {"channels just short of two vectors", image(6, 6, 2 * f32_lanes - 1, 2 * f32_lanes - 1)},
      {"a panel and a half", image(6, 5, 2 * f32_lanes, nr + f32_lanes + half)},
      {"a vector and less than a half", image(9, 9, f32_lanes, f32_lanes + 1)},
      {"several panels", image(5, 5, f32_lanes + 3, 3 * nr)},
      {"several images", batched(image(5, 7, f32_lanes, 2 * f32_lanes), 3)},
      {"two blocks of one panel", image(4 * mr + 4, 4, f32_lanes, f32_lanes)},
      {"several blocks", image(41, 37, 2 * f32_lanes + 1, f32_lanes + 2)},
      {"one block for weights that are read but once", image(16, 13, 97, 90)},
      {"several blocks of several images", batched(image(20, 21, 4 * f32_lanes, 3), 3)},
      {"gaps", spread(image(7, 6, f32_lanes, f32_lanes + 1), 2, 3)},
      {"gaps between several images", spread(batched(image(5, 6, f32_lanes, 3), 2), 1, 2)},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    std::minstd_rand random(1);  // the same numbers for a shape whatever the lanes are, and so the same errors
    check_all(r.s, {}, random);
    check_all(r.s, {0.0F, 1.0F}, random);
  }
}

TEST_CASE("winograd: transformed inputs of channels with 4K aliasing are a line further apart") {
  const conv_shape s = image(15, 14, 1024, f32_lanes);
  CHECK(nnrt::kernels::detail::winograd_extents(s, 4).row_step() % 1024 != 0);
  std::minstd_rand random(9);
  const problem<4> p(s, {}, random);
  fenced y(outputs(s), nan), divided(outputs(s), nan);
  p.run(y, 1), p.run(divided, 3);
  CHECK(relative_error(p, y) < 3e-5);  // of 9,216 products
  CHECK(same_bits(y, divided));
}

TEST_CASE("winograd: random shapes are right") {
  std::minstd_rand random(2);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 60; ++i) {
    const std::int64_t channels = f32_lanes + below(3 * static_cast<std::uint32_t>(f32_lanes));
    const conv_shape s =
        padded(batched(layer(3 + below(14), 3 + below(14), channels, 1 + below(70), 3, 3), 1 + below(2)), below(4),
               below(4), below(4), below(4));
    CAPTURE(i);
    CAPTURE(s.out_height);
    CAPTURE(s.out_width);
    check_all(s, {-0.5F, 100.0F}, random);
  }
}

TEST_CASE("winograd: two threads have something to do each, unless reading the weights takes longest") {
  const std::int64_t line = 4 * mr;  // pixels of 4 * mr tiles
  const auto blocks = [](const conv_shape& s) { return nnrt::kernels::detail::winograd_extents(s, 4).blocks(); };
  CHECK(blocks(image(line, 4, f32_lanes, nr)) == 1);
  CHECK(blocks(image(line + 4, 4, f32_lanes, nr)) == 2);
  CHECK(blocks(image(line + 4, 4, f32_lanes, 3 * nr)) == 1);  // whose panels are shared out
  CHECK(blocks(image(2 * line, 4, f32_lanes, nr)) == 2);
}

TEST_CASE("winograd: no bias means zeros") {
  const conv_shape s = image(6, 6, f32_lanes, 3, 0);
  fenced x(36 * f32_lanes, 1.0F), w(27 * f32_lanes, 1.0F), y(48, nan);
  fenced packed(winograd_packed_floats(s, 4), nan), scratch(winograd_scratch_floats(s, 4), nan);
  winograd_pack<4, 1>(s, w.data(), nullptr, packed.data());
  conv_winograd<native, 4, 1>(s, {x.data(), packed.data(), y.data(), scratch.data()}, {}, tiles_of<native>);
  for (std::int64_t i = 0; i < 48; ++i) CHECK(y[i] == doctest::Approx(9.0 * static_cast<double>(f32_lanes)));
}

TEST_CASE("winograd: gaps are left alone") {
  const conv_shape s = spread(image(7, 6, f32_lanes, 5), 2, 3);
  std::minstd_rand random(3);
  const problem<4> p(s, {}, random);
  fenced y(outputs(s), 7.0F);
  p.run(y, 2);
  std::int64_t untouched = 0;
  for (std::int64_t i = 0; i < y.size(); ++i) untouched += y[i] == 7.0F ? 1 : 0;
  CHECK(untouched == y.size() - s.out_pixels() * s.out);
}

/// A NaN in pixel (5, 6) of 12x12.
template <int Stride> void check_spread_of_nan(const conv_shape& s) {
  std::minstd_rand random(4);
  problem<4, Stride> p(s, {0.0F, 6.0F}, random);
  p.x[(5 * 12 + 6) * f32_lanes] = nan;
  fenced y(outputs(s));
  p.run(y, 1);
  const auto sees = [&](std::int64_t output, std::int64_t pixel) { return std::abs(output * Stride - pixel) <= 1; };
  for (std::int64_t oy = 0; oy < s.out_height; ++oy)
    for (std::int64_t ox = 0; ox < s.out_width; ++ox) {
      const bool is_seen = sees(oy, 5) && sees(ox, 6), is_near = oy / 4 == 5 / Stride / 4 && ox / 4 == 6 / Stride / 4;
      for (std::int64_t o = 0; o < 3; ++o) {
        const bool is_nan = std::isnan(y[(oy * s.out_width + ox) * 3 + o]);
        CHECK((is_nan || !is_seen));
        CHECK((!is_nan || is_near));
      }
    }
}
TEST_CASE("winograd: a NaN reaches the outputs that see it, and others of their tiles at most") {
  const conv_shape s = image(12, 12, f32_lanes, 3);
  check_spread_of_nan<1>(s);
  check_spread_of_nan<2>(by_2(s));
}

template <int Stride> void check_scratch(const conv_shape& s) {
  std::minstd_rand random(5);
  const problem<4, Stride> p(s, {}, random);
  const std::int64_t own = winograd_scratch_floats(s, 4);
  for (std::int64_t index = 0; index < 3; ++index) {
    fenced scratch(own + 16, 7.0F), y(outputs(s));
    conv_winograd<native, 4, Stride>(s, {p.x.data(), p.packed.data(), y.data(), scratch.data()}, {index, 3},
                                     tiles_of<native>);
    for (std::int64_t i = own; i < own + 16; ++i) CHECK(scratch[i] == 7.0F);
  }
}
TEST_CASE("winograd: a part uses no more scratch than it asks for") {
  const conv_shape s = image(21, 22, f32_lanes + 1, f32_lanes + 2);
  check_scratch<1>(s);
  check_scratch<2>(by_2(s));
}

TEST_CASE("winograd: a layer takes one function for its products, or two, and its table has no others") {
  for (const std::int64_t channels : {f32_lanes, 4 * f32_lanes, 16 * f32_lanes})
    for (std::int64_t size = 1; size <= 100; ++size)
      for (const int tile : {2, 4}) {
        const conv_shape s = image(size, size, channels, nr);
        const tile_set set = winograd_tile_set(size % 2 == 0 ? s : by_2(s), tile);
        CHECK(std::popcount(set.rows) <= 2);
        unsigned rows = 0;
        for (const auto& of_columns : nnrt_test::table_for(set).of)
          for (unsigned r = 0; r < std::size(of_columns); ++r) rows |= of_columns[r] != nullptr ? 1U << r : 0;
        CHECK(rows == set.rows);
      }
}

/// The layers of a residual network, whose activations are positive: transforms then subtract large numbers.
TEST_CASE("winograd: the error stays below a ten thousandth where sums are long and one-sided") {
  struct row {
    conv_shape s;
  };
  const row table[] = {{image(14, 14, 64, 64)}, {image(8, 8, 256, 32)}, {image(7, 7, 512, 16)}};
  std::minstd_rand random(6);
  for (const row& r : table) {
    CAPTURE(r.s.in);
    const auto error_of = [&](auto p) {
      for (std::int64_t i = 0; i < p->x.size(); ++i) p->x[i] = std::abs(p->x[i]) + 1.0F;
      fenced y(outputs(p->s), nan);
      p->run(y, 1);
      return relative_error(*p, y);
    };
    problem<2> small(r.s, {}, random);
    problem<4> large(r.s, {}, random);
    CHECK(error_of(&small) < 1e-5);
    CHECK(error_of(&large) < 1e-4);
    problem<2, 2> small_by_2(by_2(r.s), {}, random);
    problem<4, 2> large_by_2(by_2(r.s), {}, random);
    CHECK(error_of(&small_by_2) < 1e-5);
    CHECK(error_of(&large_by_2) < 1e-4);
  }
}

constexpr conv_shape with_two_strides = [] {
  conv_shape s = by_2(image(56, 56, 64, 64));
  return s.stride_w = 1, s.out_width = 56, s;
}();
constexpr conv_shape with_stride_3 = [] {
  conv_shape s = image(56, 56, 64, 64);
  return s.stride_h = s.stride_w = 3, s.out_height = s.out_width = 19, s;
}();
constexpr conv_shape with_dilation = [] {
  conv_shape s = image(56, 56, 64, 64);
  s.dilation_w = 2, s.out_width = 54;
  return s;
}();
constexpr conv_shape in_groups = [] {
  conv_shape s = image(56, 56, 64, 64);
  s.group = 2;
  return s;
}();
constexpr conv_shape of_5x5 = [] {
  conv_shape s = image(56, 56, 64, 64, 2);
  s.kernel_h = s.kernel_w = 5, s.out_height = s.out_width = 56;
  return s;
}();

static_assert(winograd_choice(image(56, 56, 64, 64)) == 4);
static_assert(winograd_choice(image(28, 28, 128, 128)) == 4);
static_assert(winograd_choice(image(14, 14, 256, 256)) == 4);
static_assert(winograd_choice(image(7, 7, 512, 512)) == (f32_lanes < 8 ? 4 : 2),
              "36 MiB of weights for four tiles: waiting takes longer than computing");
static_assert(winograd_choice(image(1, 1, 64, 64)) == 0, "one tile, one pixel of it used");
static_assert(winograd_choice(image(56, 56, f32_lanes - 1, 64)) == 0, "fewer channels than lanes");
static_assert(winograd_choice(image(224, 224, 3, 64)) == 0);
static_assert(winograd_choice(by_2(image(56, 56, 64, 128))) == 4);
static_assert(winograd_choice(by_2(image(28, 28, 128, 256))) == 2, "10 MiB of weights for tiles of four");
static_assert(winograd_choice(by_2(image(8, 8, 64, 64))) != 4 || f32_lanes < 4, "one tile");
static_assert(winograd_choice(by_2(image(224, 224, 3, 64))) == 0);
static_assert(winograd_choice(with_two_strides) == 0);
static_assert(winograd_choice(with_stride_3) == 0);
static_assert(winograd_choice(with_dilation) == 0);
static_assert(winograd_choice(in_groups) == 0);
static_assert(winograd_choice(of_5x5) == 0);
static_assert(winograd_choice(image(2, 2, 64, 64, 0)) == 0, "no output pixels");
// Extents of a graph that nobody has checked must not overflow.
static_assert(winograd_choice(image(1 << 20, 1 << 20, 1 << 10, 1 << 10)) == 4);

}  // namespace
