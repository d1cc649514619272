// resize_bilinear_test: its rules one by one, its sizes, and its meaning against other ways to compute it.
#include <nnrt/ops/resize_bilinear.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::resize_bilinear;
using rule = op::rule;

struct form {
  extent2 size{4, 4};
  coordinates mode = coordinates::asymmetric;
  bool preserve = false, exclude = false;

  constexpr operator op::attrs() const {
    op::attrs a;
    a.new_height = size.h, a.new_width = size.w, a.coordinate_mode = mode, a.preserve_aspect_ratio = preserve,
    a.exclude_outside = exclude;
    return a;
  }
};
constexpr coordinates modes[] = {coordinates::asymmetric, coordinates::align_corners, coordinates::half_pixel};
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr operand x = computed(f32_of({1, 8, 8, 4}));

/// An image of one channel in another size.
template <class T> constexpr std::vector<T> resized(const form& a, extent2 from, std::vector<T> pixels) {
  return run<op, T>(a, {1, a.size.h, a.size.w, 1}, filled<T>({1, from.h, from.w, 1}, pixels)).elements;
}

}  // namespace

TEST_CASE("resize_bilinear: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"rank 3", form{}, {computed(f32_of({8, 8, 4}))}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(
      op, {"nchw", form{}, {computed({f32, nchw, {1, 4, 8, 8}})}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"no rows", form{}, {computed(f32_of({1, 0, 8, 4}))}, {}, rule::input_must_have_pixels, 0, 1});
  NNRT_CHECK_REFUSED(op,
                     {"no columns", form{}, {computed(f32_of({1, -1, 0, 4}))}, {}, rule::input_must_have_pixels, 0, 1});
  NNRT_CHECK_REFUSED(op, {"no size", {}, {x}, {}, rule::new_size_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"negative width", form{.size{4, -huge}}, {x}, {}, rule::new_size_must_be_positive, -huge, 1});
  NNRT_CHECK_REFUSED(
      op, {"three sides", form{}, {x, integers(numbers<4, 4, 4>)}, {}, rule::size_must_be_height_and_width, 3, 2});
  NNRT_CHECK_REFUSED(op,
                     {"a size that nobody knows", form{}, {x, weight({i32, {2}})}, {}, rule::size_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(
      op,
      {"an operand without columns", form{}, {x, integers(numbers<4, 0>)}, {}, rule::new_size_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"a mode from elsewhere",
                          form{.mode = coordinates{3}},
                          {x},
                          {},
                          rule::coordinate_mode_must_be_asymmetric_align_corners_or_half_pixel,
                          3,
                          2});
  NNRT_CHECK_REFUSED(op, {"a negative mode",
                          form{.mode = coordinates{-1}},
                          {x},
                          {},
                          rule::coordinate_mode_must_be_asymmetric_align_corners_or_half_pixel,
                          -1,
                          0});
}

TEST_CASE("resize_bilinear: the signature refuses dtypes, sizes and quantisations that it cannot give") {
  constexpr tensor_desc bytes{i8, nhwc, {1, 8, 8, 4}, quant{0.5F, 5}}, per_axis{i8, nhwc, {1, 8, 8, 4}, per_channel<3>};
  constexpr tensor_desc other{i8, nhwc, {1, 4, 4, 4}, quant{0.25F, 5}};
  CHECK(breaks(infer<op>(form{}, {computed({i32, {1, 8, 8, 4}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i32), int(i8)));
  CHECK(breaks(infer<op>(form{.size{huge, 4}}, {x}), signature_rule::tensor_must_not_exceed_the_size_limit, huge,
               max_elements));
  CHECK(breaks(infer<op>(form{.size{huge, huge}, .preserve = true}, {x}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
  CHECK(
      breaks(infer<op>(form{}, {x}, {f32_of({1, 4, 5, 4})}), signature_rule::declared_output_extent_must_match, 4, 5));
  CHECK(breaks(infer<op>(form{}, {computed(per_axis)}), signature_rule::quantised_operand_must_have_one_scale, 4, 1));
  CHECK_FALSE(infer<op>(form{}, {computed(bytes)}, {other}));
  CHECK(infer<op>(form{}, {computed(bytes)}).output(0) == tensor_desc{i8, nhwc, {1, 4, 4, 4}, quant{0.5F, 5}});
}

TEST_CASE("resize_bilinear: the output has the size that is asked for, or fits into it with the input's proportions") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, y;
  };
  static constexpr row table[] = {
      {"larger and smaller", form{.size{5, 2}}, {2, 3, 4, 6}, {2, 5, 2, 6}},
      {"one pixel", form{.size{1, 1}}, {2, 3, 4, 6}, {2, 1, 1, 6}},
      {"of a size unknown before", form{.size{5, 2}}, {-1, -1, 4, -1}, {-1, 5, 2, -1}},
      {"no images", form{.size{5, 2}}, {0, 3, 4, 6}, {0, 5, 2, 6}},
      {"no channels", form{.size{5, 2}}, {2, 3, 4, 0}, {2, 5, 2, 0}},
      {"width limits", form{.size{100, 8}, .preserve = true}, {1, 3, 4, 6}, {1, 6, 8, 6}},
      {"height limits", form{.size{6, 100}, .preserve = true}, {1, 3, 4, 6}, {1, 6, 8, 6}},
      {"both fit", form{.size{6, 8}, .preserve = true}, {1, 3, 4, 6}, {1, 6, 8, 6}},
      {"2.5 becomes 2", form{.size{100, 3}, .preserve = true}, {1, 5, 6, 6}, {1, 2, 3, 6}},
      {"3.5 becomes 4", form{.size{3, 100}, .preserve = true}, {1, 6, 7, 6}, {1, 3, 4, 6}},
      {"never below 1", form{.size{2, 2}, .preserve = true}, {1, 1000, 3, 6}, {1, 2, 1, 6}},
      {"columns unknown before", form{.size{6, 8}, .preserve = true}, {1, 3, -1, 6}, {1, -1, -1, 6}},
      {"proportions unknown before", form{.size{6, 8}, .preserve = true}, {1, -1, 4, 6}, {1, -1, -1, 6}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x))});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(r.y));
  }
  CHECK(infer<op>(form{}, {computed({f32, nd, {1, 8, 8, 4}})}).output(0).layout == nhwc);
}

TEST_CASE("resize_bilinear: an operand goes before the attributes, and leaves the size open while it is awaited") {
  CHECK(infer<op>(form{}, {x, integers(numbers<5, 2>)}).output(0) == f32_of({1, 5, 2, 4}));
  CHECK(infer<op>(form{.preserve = true}, {x, integers(numbers<16, 100>)}).output(0) == f32_of({1, 16, 16, 4}));
  operand size = weight({i64, {2}});
  size.awaited = true;
  CHECK(infer<op>(op::attrs{}, {x, size}).output(0) == f32_of({1, -1, -1, 4}));
  CHECK(infer<op>(form{.preserve = true}, {x, size}).output(0) == f32_of({1, -1, -1, 4}));
  CHECK(breaks(infer<op>(form{}, {x, computed({i64, {2}})}), signature_rule::operand_must_be_a_constant, 0, 1));
}

static_assert(resized<float>(form{.size{1, 3}, .mode = coordinates::align_corners}, {1, 2}, {1, 5}) ==
              std::vector<float>{1, 3, 5});
static_assert(resized<std::int8_t>(form{.size{1, 4}}, {1, 2}, {-3, 4}) == std::vector<std::int8_t>{-3, 1, 4, 4});

TEST_CASE("resize_bilinear: 2 x 2 pixels become 4 x 4 in each mode as one computes by hand") {
  const std::vector<double> pixels{1, 2, 3, 4}, third{1, 2, 3, 4};
  CHECK(resized(form{}, {2, 2}, pixels) == std::vector<double>{1, 1.5, 2, 2, 2, 2.5, 3, 3, 3, 3.5, 4, 4, 3, 3.5, 4, 4});
  CHECK(resized(form{.mode = coordinates::half_pixel}, {2, 2}, pixels) ==
        std::vector<double>{1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
  const auto corners = resized(form{.mode = coordinates::align_corners}, {2, 2}, pixels);
  for (int i = 0; i < 16; ++i)  // 1 + 1/3 for each column, 2/3 for each row
    CHECK(corners[static_cast<std::size_t>(i)] == doctest::Approx(1 + i % 4 / 3.0 + i / 4 * 2 / 3.0));
}

TEST_CASE("resize_bilinear: 4 x 4 pixels become 2 x 2 in each mode as one computes by hand") {
  std::vector<double> pixels;
  for (int i = 0; i < 16; ++i) pixels.push_back(i);
  CHECK(resized(form{.size{2, 2}}, {4, 4}, pixels) == std::vector<double>{0, 2, 8, 10});
  CHECK(resized(form{.size{2, 2}, .mode = coordinates::align_corners}, {4, 4}, pixels) ==
        std::vector<double>{0, 3, 12, 15});
  CHECK(resized(form{.size{2, 2}, .mode = coordinates::half_pixel}, {4, 4}, pixels) ==
        std::vector<double>{2.5, 4.5, 10.5, 12.5});
  CHECK(resized(form{.size{1, 1}, .mode = coordinates::align_corners}, {4, 4}, pixels) == std::vector<double>{0});
  CHECK(resized(form{.size{1, 1}, .mode = coordinates::half_pixel}, {4, 4}, pixels) == std::vector<double>{7.5});
}

namespace {

/// The place of output pixel i by the formulas of the docstring, moved into the image.
double place_of(const form& a, std::int64_t i, std::int64_t input, std::int64_t output) {
  const auto at = static_cast<double>(i), in = static_cast<double>(input), out = static_cast<double>(output);
  double place = at * in / out;
  if (a.mode == coordinates::align_corners) place = output == 1 ? 0 : at * (in - 1) / (out - 1);
  if (a.mode == coordinates::half_pixel) place = (at + 0.5) * in / out - 0.5;
  return std::clamp(place, 0.0, in - 1);
}

/// Another form of interpolation: every pixel of the image counts, by a tent around the place.
double tent_sum(const form& a, extent2 from, const std::vector<double>& pixels, std::int64_t i, std::int64_t j) {
  const double h = place_of(a, i, from.h, a.size.h), w = place_of(a, j, from.w, a.size.w);
  double sum = 0;
  for (std::int64_t y = 0; y < from.h; ++y)
    for (std::int64_t z = 0; z < from.w; ++z)
      sum += std::max(0.0, 1 - std::abs(h - static_cast<double>(y))) *
             std::max(0.0, 1 - std::abs(w - static_cast<double>(z))) * pixels[static_cast<std::size_t>(y * from.w + z)];
  return sum;
}

}  // namespace

TEST_CASE("resize_bilinear: each pixel is a sum with the weights of a tent around its place") {
  for (const coordinates mode : modes)
    for (const extent2 from : {extent2{1, 1}, extent2{1, 7}, extent2{3, 2}, extent2{6, 5}})
      for (const extent2 to : {extent2{1, 1}, extent2{2, 9}, extent2{5, 1}, extent2{6, 5}, extent2{13, 11}}) {
        CAPTURE(static_cast<int>(mode));
        CAPTURE(from.h);
        CAPTURE(to.h);
        CAPTURE(to.w);
        std::vector<double> pixels;
        for (std::int64_t i = 0; i < from.h * from.w; ++i) pixels.push_back(static_cast<double>(i * i % 17 - 5));
        const form a{.size = to, .mode = mode};
        const auto y = resized(a, from, pixels);
        const auto y32 = resized(a, from, std::vector<float>(pixels.begin(), pixels.end()));
        for (std::int64_t i = 0; i < to.h; ++i)
          for (std::int64_t j = 0; j < to.w; ++j) {
            const auto at = static_cast<std::size_t>(i * to.w + j);
            const double expected = tent_sum(a, from, pixels, i, j);
            CHECK(std::abs(y[at] - expected) < 1e-13);
            CHECK(std::abs(static_cast<double>(y32[at]) - expected) < 1e-5);
          }
      }
}

TEST_CASE("resize_bilinear: images and channels are resized alike, each for itself") {
  filled<float> images(shape_t{2, 2, 3, 2});
  for (int i = 0; i < 24; ++i) images.elements[static_cast<std::size_t>(i)] = static_cast<float>(i * i % 13);
  const form a{.size{3, 5}, .mode = coordinates::half_pixel};
  const auto together = run<op, float>(a, {2, 3, 5, 2}, images);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<float> one;
      for (std::size_t i = 0; i < 6; ++i) one.push_back(images.elements[n * 12 + i * 2 + c]);
      const auto alone = resized(a, {2, 3}, one);
      for (std::size_t i = 0; i < 15; ++i) CHECK(together.elements[n * 30 + i * 2 + c] == alone[i]);
    }
}

TEST_CASE("resize_bilinear: exclude_outside changes nothing, since one of two neighbours is always inside") {
  const std::vector<float> pixels{1, -2, 3, 4, 7, 0};
  for (const coordinates mode : modes)
    CHECK(resized(form{.size{7, 5}, .mode = mode, .exclude = true}, {3, 2}, pixels) ==
          resized(form{.size{7, 5}, .mode = mode}, {3, 2}, pixels));
}

TEST_CASE("resize_bilinear: float16 is interpolated in float, and infinity stays at the pixels that see it") {
  const auto half = [](float v) { return static_cast<float16>(v); };
  CHECK(static_cast<float>(resized<float16>(form{.size{1, 3}, .mode = coordinates::align_corners}, {1, 2},
                                            {half(65504), half(65500)})[1]) == 65504.0F);  // halfway, to even
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(resized<float>(form{.size{1, 4}}, {1, 2}, {1, inf}) == std::vector<float>{1, inf, inf, inf});
  CHECK(resized<float>(form{.size{1, 2}, .mode = coordinates::half_pixel}, {1, 2}, {-inf, inf}) ==
        std::vector<float>{-inf, inf});
}

// The integers below come from Python integers (i8: at = i * scale, scale = (1024 * from + to // 2) // to, in front of
// the image truncated toward zero; (sum ± 2^19) / 2^20 truncated) and from Python doubles rounded to float after every
// operation (u8), for 3 x 4 pixels k * 73 % 256 (- 128).
TEST_CASE("resize_bilinear: i8 and i16 are interpolated in fixed point as TFLite's reference does") {
  std::vector<std::int8_t> pixels;
  for (int i = 0; i < 12; ++i) pixels.push_back(static_cast<std::int8_t>(i * 73 % 256 - 128));
  struct row {
    form a;
    std::vector<std::int8_t> y;
  };
  const row table[] = {
      {{.size{5, 7}}, {-128, -86, -45, -3,  39,  81, 91, -106, -65, -23, 19,  60,  102, 113, -85, -43, -1, 40,
                       67,   80,  83,  -63, -22, 20, 62, 45,   -30, -49, -56, -14, 27,  69,  38,  -67, -93}},
      {{.size{2, 3}}, {-128, -31, 67, -74, 23, 35}},
      {{.size{5, 7}, .mode = coordinates::align_corners},
       {-128, -92, -55, -19, 18,  55, 91, -110, -74, -37, -1,  36,  73, 109, -92, -56, -19, 18,
        54,   91,  127, -74, -38, -1, 36, 72,   45,  17,  -56, -20, 17, 54,  90,  -2,  -93}},
      {{.size{2, 3}, .mode = coordinates::align_corners}, {-128, -19, 91, -56, 54, -93}},
      {{.size{5, 7}, .mode = coordinates::half_pixel},
       {-128, -102, -60, -19, 23,  65, 91, -114, -88, -46, -4,  38,  79, 105, -92, -66, -24, 17,
        59,   101,  127, -70, -44, -3, 39, 70,   24,  -5,  -56, -30, 12, 53,  77,  -27, -93}},
      {{.size{2, 3}, .mode = coordinates::half_pixel}, {-107, -10, 88, -53, 44, -18}},
  };
  for (const row& r : table) {
    CHECK(resized(r.a, {3, 4}, pixels) == r.y);
    const std::vector<std::int16_t> wide(pixels.begin(), pixels.end()), expected(r.y.begin(), r.y.end());
    CHECK(resized(r.a, {3, 4}, wide) == expected);
  }
}

TEST_CASE("resize_bilinear: halves go to the even number where the quantisation says so") {
  for (const quantised_rounding rounding : {quantised_rounding::tflite, quantised_rounding::half_to_even}) {
    CAPTURE(static_cast<int>(rounding));
    const quantisation q = quant{0.5F, 0, rounding};
    const tensor_desc narrow{i8, nhwc, {1, 1, 4, 1}, q}, wide{i8, nhwc, {1, 1, 8, 1}, q};
    std::int8_t from[] = {2, 3, -2, -5}, to[8] = {};
    const view x(&narrow, from), y(&wide, to);
    op::reference<std::int8_t>(form{.size{1, 8}}, arguments(std::span(&x, 1)), results(std::span(&y, 1)));
    const bool to_even = rounding == quantised_rounding::half_to_even;
    const std::vector<std::int8_t> expected = to_even ? std::vector<std::int8_t>{2, 2, 3, 0, -2, -4, -5, -5}
                                                      : std::vector<std::int8_t>{2, 3, 3, 1, -2, -4, -5, -5};
    CHECK(std::vector<std::int8_t>(std::begin(to), std::end(to)) == expected);
  }
}

TEST_CASE("resize_bilinear: u8 is interpolated in float as TFLite's reference does") {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 12; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 73 % 256));
  struct row {
    form a;
    std::vector<std::uint8_t> y;
  };
  const row table[] = {
      {{.size{5, 7}}, {0,   42,  83,  125, 167, 209, 219, 22,  63, 105, 147, 188, 230, 241, 43,  85, 127, 168,
                       195, 208, 211, 65,  107, 148, 190, 173, 98, 79,  72,  114, 155, 197, 166, 61, 35}},
      {{.size{5, 7}, .mode = coordinates::align_corners},
       {0,   37,  73,  110, 146, 183, 219, 18,  55,  91,  128, 164, 201, 237, 36,  73,  109, 146,
        182, 219, 255, 54,  91,  127, 164, 200, 173, 145, 72,  109, 145, 182, 218, 127, 35}},
      {{.size{5, 7}, .mode = coordinates::half_pixel},
       {0,   26,  68,  110, 151, 193, 219, 14,  40,  82,  124, 166, 207, 233, 36,  62,  104, 146,
        187, 229, 255, 58,  84,  125, 167, 198, 152, 123, 72,  98,  140, 182, 205, 100, 35}},
      {{.size{2, 3}, .mode = coordinates::half_pixel}, {21, 119, 216, 75, 173, 110}},
  };
  for (const row& r : table) CHECK(resized(r.a, {3, 4}, pixels) == r.y);
}

TEST_CASE("resize_bilinear: no integer is read outside the image, however much larger the output is") {
  // The rounded scale 2 / 1024 leads to 3998 / 1024, after the last of 3 pixels.
  const auto y = resized<std::int8_t>(form{.size{1, 2000}}, {1, 3}, {0, 50, 100});
  CHECK(y.front() == 0);
  CHECK(y.back() == 100);
  CHECK(std::ranges::is_sorted(y));
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, nnrt::shape<2, 8, 6, 4>>("x");
  auto y = resize_bilinear(x, size<16, 100>, preserve_aspect_ratio, half_pixel, exclude_outside);
  static_assert(y.desc == tensor_desc(f32, {2, 16, 12, 4}));
  g.output("y", resize_bilinear(y, align_corners, size<3, 5>));
};

TEST_CASE("resize_bilinear: keywords arrive as attributes") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto a = unpack<op::attrs>(g.attrs_of(g.nodes[0])), z = unpack<op::attrs>(g.attrs_of(g.nodes[1]));
  CHECK(a.new_height == 16);
  CHECK(a.new_width == 100);
  CHECK(a.preserve_aspect_ratio);
  CHECK(a.coordinate_mode == coordinates::half_pixel);
  CHECK(a.exclude_outside);
  CHECK(z.new_height == 3);
  CHECK(z.coordinate_mode == coordinates::align_corners);
  CHECK_FALSE(z.preserve_aspect_ratio);
  CHECK(g.inputs_of(g.nodes[0]).size() == 1);
}
