// spatial_test: vectors of pixels against naive loops in double, at every edge, divided in every way; and when they
// are taken.
#include <nnrt/kernels/f32/conv/spatial.hpp>

#include "../../../support/convolutions.hpp"
#include "../../../support/fenced.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace {

using namespace nnrt::kernels;
using namespace nnrt_test;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// across_rows_of for a number that only a run knows.
template <int... I> across_function function_for(std::int64_t out, std::integer_sequence<int, I...>) {
  constexpr across_function all[] = {nullptr, across_rows_of<native, I + 1>...};
  return all[out];
}
across_function function_for(const conv_shape& s) {
  return function_for(s.out, std::make_integer_sequence<int, max_spatial_filters>());
}

struct problem {
  conv_shape s;
  clamp_range range;
  fenced x, w, bias, packed;

  problem(const conv_shape& shape, clamp_range limits, std::minstd_rand& random)
      : s(shape),
        range(limits),
        x(s.batch * s.height * s.width),
        w(s.out * s.depth()),
        bias(s.out),
        packed(across_packed_floats(s), nan) {
    randomize(x, random), randomize(w, random), randomize(bias, random);
    across_pack(s, w.data(), bias.data(), packed.data());
  }
  /// The parts run backwards, on scratch that holds NaN before.
  void run(fenced& y, std::int64_t parts) const {
    for (std::int64_t i = parts; i-- > 0;) {
      fenced scratch(across_scratch_floats(s), nan);
      conv_spatial(s, {x.data(), packed.data(), y.data(), scratch.data(), range}, function_for(s), {i, parts});
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
          const double limited = std::clamp<double>(want.sum, p.range.lo, p.range.hi);
          worst = std::max(worst, error_ratio(y[place(p.s, image, oy, ox) + o], limited, 2e-6 * want.size));
        }
  return worst;
}

void check(const conv_shape& s, clamp_range range, std::minstd_rand& random) {
  REQUIRE(is_across_shape(s));
  const problem p(s, range, random);
  fenced y(outputs(s), nan);
  p.run(y, 1);
  CHECK(worst_error(p, y) < 1);
  for (const std::int64_t parts : {2, 3, 7}) {
    CAPTURE(parts);
    fenced divided(outputs(s), nan);
    p.run(divided, parts);
    CHECK(same_bits(y, divided));
  }
}

constexpr std::int64_t most = max_spatial_filters;
const doctest::skip needs_vectors(f32_lanes == 1);

TEST_CASE("conv_across: every number of filters is right at the edges of tiles" * needs_vectors) {
  std::minstd_rand random(1);
  for (std::int64_t out = 1; out <= most; ++out)
    for (const std::int64_t width :
         {std::int64_t{1}, f32_lanes, 2 * f32_lanes - 1, 2 * f32_lanes, 2 * f32_lanes + 1, 5 * f32_lanes}) {
      CAPTURE(out);
      CAPTURE(width);
      check(padded(batched(layer(5, width, 1, out, 3, 3), 2), 1, 1, 1, 1), {}, random);
      check(padded(layer(4, width, 1, out, 2, 3), 0, 2, 0, 0), {-0.5F, 1.0F}, random);
    }
}

TEST_CASE("conv_across: every way of padding, striding and dilating is right" * needs_vectors) {
  struct row {
    std::string what;
    conv_shape s;
  };
  const row table[] = {
      {"a column of two pixels", padded(layer(4, 3, 1, 1, 3, 3), 0, 0, 0, 0)},
      {"no padding", padded(layer(9, 2 * f32_lanes + 4, 1, most, 5, 5), 0, 0, 0, 0)},
      {"padding of four kinds", padded(layer(6, 2 * f32_lanes, 1, most, 4, 5), 3, 1, 0, 4)},
      {"padding wider than the image", padded(layer(4, 5, 1, 1, 3, 3), 9, 2 * f32_lanes, 7, f32_lanes + 17)},
      {"pixels left out in front", padded(layer(9, 2 * f32_lanes + 3, 1, 1, 3, 3), -2, -3, 0, 1)},
      {"strides and gaps between taps, downwards",
       padded(dilated(strided(layer(23, 2 * f32_lanes, 1, most, 3, 4), 3, 1), 2, 1), 2, 0, 1, 3)},
      {"a kernel of one row", padded(layer(5, 19, 1, 1, 1, 5), 0, 2, 0, 2)},
      {"a kernel of one column", padded(layer(12, 19, 1, 2, 5, 1), 2, 0, 2, 0)},
      {"several bands", padded(batched(layer(300, 2 * f32_lanes + 40, 1, 2, 4, 3), 2), 1, 1, 1, 1)},
      {"lines too long for a band", padded(layer(5, 5000, 1, 1, 3, 3), 1, 1, 1, 1)},
      {"an empty image gives the bias", padded(layer(0, 0, 1, 2, 3, 3), 2, 2, 2, 2)},
  };
  std::minstd_rand random(2);
  for (const row& r : table) {
    CAPTURE(r.what);
    check(r.s, {}, random);
    check(r.s, {0.0F, 1.0F}, random);
  }
}

TEST_CASE("conv_across: no bias means zeros, and a NaN reaches exactly the outputs that see it" * needs_vectors) {
  const conv_shape s = padded(layer(6, 20, 1, 2, 3, 3), 1, 1, 1, 1);
  fenced x(120, 1.0F), w(18, 1.0F), packed(across_packed_floats(s), nan), y(240, nan),
      scratch(across_scratch_floats(s), nan);
  across_pack(s, w.data(), nullptr, packed.data());
  x[3 * 20 + 15] = nan;
  conv_spatial(s, {x.data(), packed.data(), y.data(), scratch.data()}, function_for(s));
  for (std::int64_t oy = 0; oy < 6; ++oy)
    for (std::int64_t ox = 0; ox < 20; ++ox)
      for (std::int64_t o = 0; o < 2; ++o) {
        const bool sees = oy >= 2 && oy <= 4 && ox >= 14 && ox <= 16;
        const float taps = static_cast<float>((oy == 0 || oy == 5 ? 2 : 3) * (ox == 0 || ox == 19 ? 2 : 3));
        if (sees) CHECK(std::isnan(y[(oy * 20 + ox) * 2 + o]));
        else CHECK(y[(oy * 20 + ox) * 2 + o] == taps);
      }
}

TEST_CASE("conv_across: a part uses no more scratch than it asks for" * needs_vectors) {
  const conv_shape s = padded(layer(9, 30, 1, 2, 3, 3), 1, 1, 1, 1);
  std::minstd_rand random(3);
  const problem p(s, {}, random);
  const std::int64_t own = across_scratch_floats(s);
  for (std::int64_t index = 0; index < 3; ++index) {
    fenced scratch(own + 16, 7.0F), y(outputs(s));
    conv_spatial(s, {p.x.data(), p.packed.data(), y.data(), scratch.data()}, function_for(s), {index, 3});
    for (std::int64_t i = own; i < own + 16; ++i) CHECK(scratch[i] == 7.0F);
  }
}

/// Stride and padding 1, the rest as given.
constexpr conv_shape grey(std::int64_t size, std::int64_t in, std::int64_t out) {
  conv_shape s;
  s.height = s.width = s.out_height = s.out_width = size, s.in = in, s.out = out, s.kernel_h = s.kernel_w = 3,
  s.pad_top = s.pad_left = 1;
  return s;
}
TEST_CASE("conv_across: is for machines with vectors") { CHECK(is_across_shape(grey(28, 1, 1)) == (f32_lanes > 1)); }
static_assert(goes_across(grey(28, 1, 6)) == (f32_lanes >= 8),
              "LeNet: 6 of 16 lanes would be in use, or 6 of 8 by tiles of few sums");
static_assert(goes_across(grey(4 * f32_lanes, 1, 1)) == (f32_lanes > 1));
static_assert(!goes_across(grey(28, 1, f32_lanes)), "no lane would be empty");
static_assert(!goes_across(grey(28, 2, 1)), "pixels of one channel do not lie side by side");
static_assert(!goes_across(grey(5, 1, 6)) && !goes_across(grey(2, 1, 3)), "most pixels of a vector would not exist");
static_assert(!is_across_shape([] {
  conv_shape s = grey(28, 1, 1);
  return s.stride_w = 2, s.out_width = 14, s;
}()));
static_assert(!is_across_shape([] {
  conv_shape s = grey(28, 1, 1);
  return s.dilation_w = 2, s.out_width = 26, s;
}()));

}  // namespace
