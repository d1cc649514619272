#include <nnrt/policy/image_input.hpp>

#include <doctest/doctest.h>
#include <support/operators.hpp>

#include <array>
#include <limits>
#include <vector>

using namespace nnrt_test;

namespace {

/// An image of 2 rows and 4 columns: Y counts from 10 in tens, the left square has U 90 and V 240, the right one U 200
/// and V 30.
constexpr std::array<std::uint8_t, 12> frame{10, 20, 30, 40, 50, 60, 70, 80, 90, 240, 200, 30};
constexpr image_view nv12_frame{.type = image_type::nv12, .height = 2, .width = 4, .first = frame.data()};

template <std::size_t N> constexpr std::array<std::int8_t, N> stored(const image_view& image, colours wanted) {
  std::array<std::int8_t, N> to{};
  if (!store_image(image, wanted, to)) to[0] = 99;
  return to;
}

constexpr auto of_frame = stored<24>(nv12_frame, colours::yuv444);
// Pixels (0, 0), (1, 1), (0, 2), (1, 3), less 128.
static_assert(of_frame[0] == -118 && of_frame[1] == -38 && of_frame[2] == 112);
static_assert(of_frame[15] == -68 && of_frame[16] == -38 && of_frame[17] == 112);
static_assert(of_frame[6] == -98 && of_frame[7] == 72 && of_frame[8] == -98);
static_assert(of_frame[21] == -48 && of_frame[22] == 72 && of_frame[23] == -98);

// In two pieces, and with rows that are further apart: the same numbers.
static_assert([] {
  const image_view apart{
      .type = image_type::nv12_separate, .height = 2, .width = 4, .first = frame.data(), .second = frame.data() + 8};
  std::array<std::uint8_t, 18> wide{};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t i = 0; i < 4; ++i) wide[6 * row + i] = frame[4 * row + i];
  const image_view strided{.type = image_type::nv12, .height = 2, .width = 4, .first = wide.data(), .stride = 6};
  return stored<24>(apart, colours::yuv444) == of_frame && stored<24>(strided, colours::yuv444) == of_frame;
}());

// rgb and bgr, packed and planes.
constexpr std::array<std::uint8_t, 6> two_pixels{1, 2, 3, 251, 252, 253}, in_planes{1, 251, 2, 252, 3, 253};
static_assert(stored<6>({.type = image_type::rgb, .height = 1, .width = 2, .first = two_pixels.data()}, colours::rgb) ==
              std::array<std::int8_t, 6>{-127, -126, -125, 123, 124, 125});
static_assert(stored<6>({.type = image_type::rgb, .height = 1, .width = 2, .first = two_pixels.data()}, colours::bgr) ==
              std::array<std::int8_t, 6>{-125, -126, -127, 125, 124, 123});
static_assert(stored<6>({.type = image_type::bgr, .height = 1, .width = 2, .first = two_pixels.data()}, colours::bgr) ==
              std::array<std::int8_t, 6>{-127, -126, -125, 123, 124, 125});
static_assert(
    stored<6>({.type = image_type::rgb, .height = 1, .width = 2, .first = in_planes.data(), .is_planar = true},
              colours::rgb) ==
    stored<6>({.type = image_type::rgb, .height = 1, .width = 2, .first = two_pixels.data()}, colours::rgb));
// Planes whose rows are further apart than they are long.
constexpr std::array<std::uint8_t, 18> in_wide_planes{1, 4, 0, 7, 10, 0, 2, 5, 0, 8, 11, 0, 3, 6, 0, 9, 12, 0};
static_assert(stored<12>({.type = image_type::rgb,
                          .height = 2,
                          .width = 2,
                          .first = in_wide_planes.data(),
                          .stride = 3,
                          .is_planar = true},
                         colours::rgb) ==
              std::array<std::int8_t, 12>{-127, -126, -125, -124, -123, -122, -121, -120, -119, -118, -117, -116});
static_assert(stored<6>({.type = image_type::y, .height = 2, .width = 3, .first = two_pixels.data()},
                        colours::gray)[3] == 123);

// Mean and scale: (pixel - mean) * scale; as a layer on pixel - 128 the same.
constexpr normalisation usual{{123.675F, 116.28F, 103.53F}, {0.01712475F, 0.017507F, 0.01742919F}};
static_assert([] {
  std::array<float, 6> floats{};
  image_to_floats({.type = image_type::rgb, .height = 1, .width = 2, .first = two_pixels.data()}, colours::rgb, usual,
                  floats);
  const float by_layer = (1 - 128) * usual.weight(0) + usual.bias(0), difference = floats[0] - by_layer;
  return floats[0] < -2.10F && floats[0] > -2.11F && difference < 1e-6F && difference > -1e-6F;
}());

// What cannot be read.
constexpr image_view odd{.type = image_type::nv12, .height = 3, .width = 4, .first = frame.data()};
static_assert(breaks(check_image(odd, colours::rgb), image_rule::sides_of_nv12_must_be_even, 3, 2));
static_assert(breaks(check_image({.type = image_type::nv12_separate, .height = 2, .width = 4, .first = frame.data()},
                                 colours::rgb),
                     image_rule::image_must_have_pixels, 1, 2));
static_assert(breaks(check_image({.type = image_type::y, .height = 0, .width = 4, .first = frame.data()},
                                 colours::gray),
                     image_rule::image_must_have_pixels, 0, 1));
static_assert(breaks(
    check_image({.type = image_type::rgb, .height = 1, .width = 4, .first = frame.data(), .stride = 11}, colours::rgb),
    image_rule::stride_must_cover_a_row, 11, 12));
static_assert(breaks(check_image({.type = static_cast<image_type>(77), .height = 1, .width = 4, .first = frame.data()},
                                 colours::rgb),
                     image_rule::type_of_the_image_must_be_known, 77, 5));
static_assert(breaks(check_image({.type = image_type::rgb, .height = 1, .width = 4, .first = frame.data()},
                                 static_cast<colours>(9)),
                     image_rule::colours_of_the_network_must_be_known, 9, 3));
static_assert(breaks(check_image({.type = image_type::rgb,
                                  .height = 1,
                                  .width = 4,
                                  .first = frame.data(),
                                  .range = static_cast<colour_range>(-1)},
                                 colours::rgb),
                     image_rule::range_of_the_image_must_be_known, -1, 1));
static_assert(name_of(static_cast<image_type>(77)) == "unknown" && name_of(static_cast<colours>(4)) == "unknown" &&
              name_of(static_cast<colour_range>(2)) == "unknown");
// Sides whose product is 0 in 64 bits, a row of more bytes than there are numbers, and rows that lie too far apart.
constexpr std::int64_t far = std::int64_t{1} << 60;
static_assert(breaks(check_image({.type = image_type::y,
                                  .height = std::int64_t{1} << 32,
                                  .width = std::int64_t{1} << 32,
                                  .first = frame.data()},
                                 colours::gray),
                     image_rule::image_must_fit_into_memory, std::numeric_limits<std::int64_t>::max(), far));
static_assert(
    breaks(check_image({.type = image_type::rgb, .height = 1, .width = std::int64_t{1} << 62, .first = frame.data()},
                       colours::rgb),
           image_rule::image_must_fit_into_memory, std::numeric_limits<std::int64_t>::max(), far));
static_assert(breaks(check_image({.type = image_type::y, .height = 2, .width = 1, .first = frame.data(), .stride = far},
                                 colours::gray),
                     image_rule::image_must_fit_into_memory, 2 * far, far));

}  // namespace

TEST_CASE("image_input: which images a network can see") {
  using enum image_type;
  struct row {
    image_type type;
    bool gray, yuv444, rgb, bgr;
  };
  for (const row& r : {row{y, true, false, false, false}, row{nv12, false, true, true, true},
                       row{nv12_separate, false, true, true, true}, row{yuv444, false, true, true, true},
                       row{rgb, false, false, true, true}, row{bgr, false, false, true, true}}) {
    CAPTURE(static_cast<int>(r.type));
    const image_view image{.type = r.type, .height = 2, .width = 2, .first = frame.data(), .second = frame.data()};
    CHECK(bool(check_image(image, colours::gray)) == r.gray);
    CHECK(bool(check_image(image, colours::yuv444)) == r.yuv444);
    CHECK(bool(check_image(image, colours::rgb)) == r.rgb);
    CHECK(bool(check_image(image, colours::bgr)) == r.bgr);
  }
}

TEST_CASE("image_input: colours are those of BT.601") {
  // Python: R = Y + 1.402 v, G = Y - 0.344136286 u - 0.714136286 v, B = Y + 1.772 u with u = U - 128, v = V - 128,
  // rounded and clamped; video: Y' = 255 / 219 (Y - 16), u and v times 255 / 224.
  struct row {
    std::uint8_t y, u, v;
    colour_range range;
    int r, g, b;
  };
  constexpr colour_range full = colour_range::full, video = colour_range::bt601_video;
  for (const row& r :
       {row{0, 128, 128, full, 0, 0, 0}, row{255, 128, 128, full, 255, 255, 255}, row{76, 85, 255, full, 254, 0, 0},
        row{150, 44, 21, full, 0, 255, 1}, row{29, 255, 107, full, 0, 0, 254}, row{128, 100, 180, full, 201, 101, 78},
        row{16, 128, 128, video, 0, 0, 0}, row{235, 128, 128, video, 255, 255, 255}, row{81, 90, 240, video, 254, 0, 0},
        row{145, 54, 34, video, 0, 255, 1}, row{41, 240, 110, video, 0, 0, 255},
        row{100, 100, 180, video, 181, 67, 41}}) {
    CAPTURE(int{r.y});
    CAPTURE(int{r.u});
    const std::uint8_t pixel[] = {r.y, r.u, r.v};
    const image_view image{.type = image_type::yuv444, .height = 1, .width = 1, .first = pixel, .range = r.range};
    const auto rgb = stored<3>(image, colours::rgb), bgr = stored<3>(image, colours::bgr);
    CHECK(rgb[0] + 128 == r.r);
    CHECK(rgb[1] + 128 == r.g);
    CHECK(rgb[2] + 128 == r.b);
    CHECK(bgr == std::array<std::int8_t, 3>{rgb[2], rgb[1], rgb[0]});
  }
}

TEST_CASE("image_input: a range of another size is left as it is") {
  std::array<std::int8_t, 23> small{};
  CHECK_FALSE(store_image(nv12_frame, colours::rgb, small));
  CHECK(small == std::array<std::int8_t, 23>{});
  const image_view boundless{
      .type = image_type::y, .height = std::int64_t{1} << 32, .width = std::int64_t{1} << 32, .first = frame.data()};
  CHECK_FALSE(store_image(boundless, colours::gray, array_ref<std::int8_t>{}));
}
