// winograd_test: the transform of quantised values has the bits of the definition, at every edge, divided in every
// way; and when it is chosen.
#include <nnrt/kernels/int8/conv/conv2d.hpp>

#include <support/byte_products.hpp>
#include <support/convolutions.hpp>
#include <support/kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace nnrt;
using namespace nnrt::kernels;
using namespace nnrt_test;
using nnrt_test::byte_products::quantisation_cases, nnrt_test::byte_products::lines,
    nnrt_test::byte_products::quantisation_case;

namespace {

/// A 3x3 convolution of an image, padded by as many zero points on each side.
constexpr conv_shape image(std::int64_t height, std::int64_t width, std::int64_t in, std::int64_t out,
                           std::int64_t padding = 1) {
  conv_shape s;
  s.height = height, s.width = width, s.in = in, s.out = out, s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = padding, s.out_height = height + 2 * padding - 2, s.out_width = width + 2 * padding - 2;
  return s;
}

struct problem {
  conv_shape s;
  quantisation_case how;
  std::vector<std::byte> x, filters;

  problem(const conv_shape& shape, const quantisation_case& stored)
      : s(shape),
        how(stored),
        x(byte_products::random_bytes(s.batch * s.height * s.width * s.in, 3)),
        filters(byte_products::random_bytes(s.out * s.depth(), 4)) {}

  int8_channel channel(std::int64_t o) const { return byte_products::channel_of(o, s.depth()); }
  /// Bytes of y that are nobody's are 0x55.
  std::vector<std::byte> blank() const {
    return std::vector<std::byte>(static_cast<std::size_t>(outputs(s)), std::byte{0x55});
  }

  /// The parts run backwards.
  std::vector<std::byte> run(std::int64_t parts) const {
    lines packed(int8_winograd_packing(s).bytes());
    int8_winograd_pack(
        s, how.factors(), how.range(), [&](std::int64_t o) { return filters.data() + o * s.depth(); },
        [&](std::int64_t o) { return channel(o); }, packed.data());
    const int8_product p{int8_winograd_packing(s), packed.data(), how.factors(), how.narrowed()};
    fenced_bytes image(x), y(blank());
    for (std::int64_t i = parts; i-- > 0;) {
      const std::int64_t own = int8_winograd_scratch_bytes(s);
      lines scratch(own + 64);
      std::fill(scratch.data(), scratch.data() + own + 64, std::byte{0x77});
      if constexpr (has_wide_tiles) int8_winograd(s, p, image.data(), y.data(), scratch.data(), {i, parts});
      CHECK(std::all_of(scratch.data() + own, scratch.data() + own + 64,
                        [](std::byte b) { return b == std::byte{0x77}; }));
    }
    return y.copy();
  }

  /// What the definition says.
  std::vector<std::byte> expected() const {
    std::vector<std::byte> y = blank();
    for (std::int64_t i = 0; i < s.batch; ++i)
      for (std::int64_t oy = 0; oy < s.out_height; ++oy)
        for (std::int64_t ox = 0; ox < s.out_width; ++ox)
          for (std::int64_t o = 0; o < s.out; ++o) {
            const std::int64_t sum = nnrt::kernels::detail::scaled(sum_of(i, oy, ox, o), channel(o)) + how.c_zero;
            y[static_cast<std::size_t>(place(s, i, oy, ox) + o)] =
                static_cast<std::byte>(std::clamp<std::int64_t>(sum, how.low(), how.high()));
          }
    return y;
  }

 private:
  std::int64_t sum_of(std::int64_t i, std::int64_t oy, std::int64_t ox, std::int64_t o) const {
    const int8_factors f = how.factors();
    std::int64_t sum = channel(o).bias;
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      const std::int64_t iy = oy + tap / 3 - s.pad_top, ix = ox + tap % 3 - s.pad_left;
      if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
      const std::int64_t pixel = ((i * s.height + iy) * s.width + ix) * s.in, weight = o * s.depth() + tap * s.in;
      for (std::int64_t c = 0; c < s.in; ++c)
        sum += std::int64_t{f.at(x.data(), pixel + c) - f.a_zero} * (f.at(filters.data(), weight + c) - f.b_zero);
    }
    return sum;
  }
};

void check(const problem& p) {
  REQUIRE(is_byte_winograd_shape(p.s));
  const std::vector<std::byte> expected = p.expected();
  for (const std::int64_t parts : {1, 2, 3, 5}) {
    CAPTURE(parts);
    CHECK(p.run(parts) == expected);
  }
}

TEST_CASE("byte winograd: results are those of the definition, at all edges") {
  if (!has_wide_tiles) return;
  constexpr std::int64_t few = int16_lanes, panel = int8_packing::panel_width;
  struct row {
    const char* what;
    conv_shape s;
  };
  const row table[] = {
      {"one whole tile", image(4, 4, few, panel, 0)},
      {"one pixel", image(3, 3, few, 1, 0)},
      {"one pixel, all but one padding", image(1, 1, few, 3)},
      {"a line of tiles", image(3, 17, few, panel, 0)},
      {"a column of tiles", image(18, 3, few, panel, 0)},
      {"odd extents", image(7, 9, few, panel)},
      {"wide padding", image(5, 6, few, 5, 4)},
      {"padding of four kinds", padded(layer(6, 7, few, 6, 3, 3), 1, 2, 3, 0)},
      {"pixels left out in front", padded(layer(9, 12, few, 7, 3, 3), -2, -3, 0, 1)},
      {"channels past a vector", image(6, 6, few + 1, panel + 1)},
      {"channels past a step", image(6, 5, few + 2, 2 * panel - 1)},
      {"channels just short of two vectors", image(5, 6, 2 * few - 1, int_lanes - 1)},
      {"a panel and a half", image(6, 5, 2 * few + 4, panel + int_lanes)},
      {"several panels", image(5, 5, few + 3, 3 * panel)},
      {"several images", batched(image(5, 7, few, 2 * panel), 3)},
      {"several blocks", image(41, 37, 2 * few + 1, panel + 2)},
      {"several blocks of several images", batched(image(20, 21, 8 * few, 3), 3)},
      {"gaps", spread(image(7, 6, few, panel + 1), 2, 3)},
      {"gaps between several images", spread(batched(image(5, 6, few, 3), 2), 1, 2)},
  };
  for (const row& r : table)
    for (const quantisation_case& how : quantisation_cases) {
      CAPTURE(r.what);
      CAPTURE(how.a_zero);
      check({r.s, how});
    }
}

TEST_CASE("byte winograd: random shapes have the bits of the definition") {
  if (!has_wide_tiles) return;
  std::minstd_rand random(2);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 40; ++i) {
    const std::int64_t channels = int16_lanes + below(2 * static_cast<std::uint32_t>(int16_lanes));
    const conv_shape s =
        padded(batched(layer(3 + below(14), 3 + below(14), channels, 1 + below(50), 3, 3), 1 + below(2)), below(4),
               below(4), below(4), below(4));
    CAPTURE(i);
    check({s, quantisation_cases[static_cast<std::size_t>(i) % std::size(quantisation_cases)]});
  }
}

TEST_CASE("byte winograd: the largest sums that there can be stay exact") {
  if (!has_wide_tiles) return;
  constexpr std::int64_t most = max_byte_products / 36;
  CHECK_FALSE(is_byte_winograd_shape(image(4, 4, most + 1, 3)));
  for (const quantisation_case& how : {quantisation_case{true, 0, 0, 0}, quantisation_case{true, 255, 255, 255},
                                       quantisation_case{false, -128, 127, 0}, quantisation_case{false, 127, 0, 3}})
    for (const int pattern : {0, 1, 2, 3}) {
      CAPTURE(how.a_zero);
      CAPTURE(pattern);
      problem p(image(5, 5, most, 3), how);
      // Both ends of the range, in every arrangement that a line's transform adds up or takes off.
      const auto fill = [&](std::vector<std::byte>& bytes, std::int64_t of_pixel, int which) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          const auto pixel = static_cast<int>(static_cast<std::int64_t>(i) / of_pixel);
          const bool is_high = which == 0 || (which == 1 && pixel % 2 == 0) || (which == 2 && pixel / 3 % 2 == 0);
          bytes[i] = static_cast<std::byte>(is_high ? how.high() : how.low());
        }
      };
      fill(p.x, most, pattern), fill(p.filters, most, 3 - pattern);
      check(p);
    }
}

TEST_CASE("byte winograd: filters that say no byte more than one constant are one") {
  if (!has_wide_tiles) return;
  problem p(image(6, 7, int16_lanes, 3), quantisation_cases[0]);
  std::fill(p.filters.begin(), p.filters.begin() + p.s.depth(), std::byte{0});
  check(p);
}

TEST_CASE("byte winograd: chosen where tiles may be wide and it saves a seventh") {
  const auto pays = [](const conv_shape& s) { return int8_winograd_pays(s); };
  for (const conv_shape& s : {image(56, 56, 64, 64), image(28, 28, 128, 128), image(14, 14, 256, 256),
                              image(7, 7, 512, 512), image(8, 8, 64, 64)})
    CHECK(pays(s) == has_wide_tiles);
  CHECK_FALSE(pays(image(1, 1, 64, 64)));
  CHECK_FALSE(pays(image(5, 5, 16, 8)));
  CHECK_FALSE(pays(image(56, 56, 3, 64)));
  CHECK_FALSE(pays(strided(image(56, 56, 64, 64), 2, 2)));
  CHECK_FALSE(pays(dilated(image(56, 56, 64, 64), 2, 2)));
  CHECK_FALSE(pays(grouped(image(56, 56, 64, 64), 2)));
  CHECK_FALSE(pays(batched(image(56, 56, 64, 64), 0)));
  const int8_conv_plan plan = int8_conv_plan::of(image(56, 56, 64, 64));
  CHECK((plan.in_winograd != 0) == has_wide_tiles);
  CHECK(byte_conv_has_stripes(plan) != has_wide_tiles);
}

}  // namespace
