// avg_pool: its rules one by one, its shapes, and its meaning against numbers that other code computed.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/relu.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::avg_pool;
using rule = op::rule;

struct form {
  extent2 kernel{2, 2}, stride{1, 1};
  pads pad{};
  bool ceil_mode = false, global = false;
  activation fused = activation::none;
  bool count_include_pad = false;

  constexpr operator op::attrs() const {
    op::attrs a;
    a.kernel = kernel, a.stride = stride, a.pad = pad, a.ceil_mode = ceil_mode, a.global = global, a.fused = fused;
    a.count_include_pad = count_include_pad;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same, 0, 0, 0, 0}, valid_pads{pad_mode::valid, 0, 0, 0, 0};
constexpr pads around(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {pad_mode::explicit_pads, top, bottom, left, right};
}
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr operand x = computed(f32_of({1, 8, 8, 4}));

TEST_CASE("avg_pool: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"rank 3", form{}, {computed(f32_of({8, 8, 4}))}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(
      op, {"nchw", form{}, {computed({f32, nchw, {1, 4, 8, 8}})}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"no kernel", {}, {x}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"negative kernel", form{.kernel{2, -1}}, {x}, {}, rule::kernel_must_be_positive, -1, 1});
  NNRT_CHECK_REFUSED(op, {"global of nothing",
                          form{.global = true},
                          {computed(f32_of({1, 8, 0, 4}))},
                          {},
                          rule::kernel_must_be_positive,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"stride 0", form{.stride{0, 1}}, {x}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"hostile stride", form{.stride{1, -huge}}, {x}, {}, rule::stride_must_be_positive, -huge, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative pad", form{.pad = around(0, -1, 0, 0)}, {x}, {}, rule::pads_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"hostile kernel",
                          form{.kernel{huge, 1}},
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"hostile kernel under same",
                          form{.kernel{1, huge}, .pad = same_pads},
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"hostile pads",
                          form{.pad = around(0, 0, huge, huge)},
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"9 rows", form{.kernel{9, 1}}, {x}, {}, rule::padded_input_must_cover_kernel, 8, 9});
  NNRT_CHECK_REFUSED(op, {"ceil, and a stride is missing",
                          form{.kernel{10, 1}, .stride{2, 1}, .ceil_mode = true},
                          {x},
                          {},
                          rule::padded_input_must_cover_kernel,
                          8,
                          10});
  NNRT_CHECK_REFUSED(op, {"11 columns of 10",
                          form{.kernel{1, 11}, .pad = around(0, 0, 1, 1)},
                          {x},
                          {},
                          rule::padded_input_must_cover_kernel,
                          10,
                          11});
  NNRT_CHECK_REFUSED(
      op,
      {"a window of padding", form{.pad = around(0, 2, 0, 0)}, {x}, {}, rule::pads_must_be_smaller_than_kernel, 2, 1});
  CHECK(breaks(infer<op>(form{}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>(form{}, {x, x}), signature_rule::operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<op>(form{}, {computed({boolean, {1, 8, 8, 4}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
}

TEST_CASE("avg_pool: means of integers without a scale are truncated toward zero") {
  const tensor_desc image{i32, nhwc, {1, 1, 4, 1}}, y{i32, nhwc, {1, 1, 2, 1}};
  op::attrs pair;
  pair.kernel = {1, 2}, pair.stride = {1, 2};
  CHECK(infer<op>(pair, {computed(image)}).output(0) == y);
  std::int32_t of_x[] = {INT32_MAX, INT32_MAX, -4, -3};
  std::int32_t of_y[2] = {};
  const view in[] = {{&image, of_x}}, out[] = {{&y, of_y}};
  op::reference<std::int32_t>(pair, in, out);
  CHECK(of_y[0] == INT32_MAX);
  CHECK(of_y[1] == -3);
  CHECK(breaks(infer<op>(pair, {computed({i32, nhwc, {1, 1, 4, 1}, quant{0.5F, 0}})}),
               op::rule::quantised_type_must_be_i8_u8_or_i16, int(i32), int(i8)));
}

TEST_CASE("avg_pool: an image of bytes has one scale, which the result has as well") {
  constexpr tensor_desc plain{i8, {1, 8, 8, 4}}, q{u8, nhwc, {1, 8, 8, 4}, quant{0.5F, 5}};
  constexpr tensor_desc like{u8, nhwc, {1, 7, 7, 4}, quant{0.5F, 5}}, other{u8, nhwc, {1, 7, 7, 4}, quant{0.5F, 4}};
  NNRT_CHECK_REFUSED(
      op, {"plain integers", form{}, {computed(plain)}, {}, rule::quantised_input_must_have_one_scale, 0, 1});
  CHECK(infer<op>(form{}, {computed(q)}).output(0) == like);
  CHECK(infer<op>(form{}, {computed(q)}, {like}).output(0) == like);
  CHECK(
      breaks(infer<op>(form{}, {computed(q)}, {other}), signature_rule::declared_output_quantisation_must_match, 5, 4));
  CHECK(breaks(infer<op>(form{}, {computed({i8, nhwc, {1, 8, 8, 4}, per_channel<3>})}),
               signature_rule::quantised_operand_must_have_one_scale, 4, 1));
}

TEST_CASE("avg_pool: the output has the extents of the window formula") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, y;
  };
  static constexpr row table[] = {
      {"identity", form{.kernel{1, 1}}, {2, 5, 7, 3}, {2, 5, 7, 3}},
      {"2x2 stride 2, odd edge", form{.stride{2, 2}}, {3, 5, 7, 3}, {3, 2, 3, 3}},
      {"four pads", form{.kernel{3, 2}, .stride{2, 1}, .pad = around(1, 1, 1, 1)}, {2, 5, 4, 3}, {2, 3, 5, 3}},
      {"same", form{.kernel{3, 3}, .stride{2, 2}, .pad = same_pads}, {1, 7, 8, 3}, {1, 4, 4, 3}},
      {"same, kernel above the image", form{.kernel{9, 9}, .pad = same_pads}, {1, 2, 3, 1}, {1, 2, 3, 1}},
      {"same, kernel at the limit", form{.kernel{max_window_length, 1}, .pad = same_pads}, {1, 2, 3, 1}, {1, 2, 3, 1}},
      {"valid", form{.kernel{3, 3}, .stride{2, 2}, .pad = valid_pads}, {1, 8, 8, 3}, {1, 3, 3, 3}},
      {"ceil: one more, in part", form{.kernel{3, 3}, .stride{2, 2}, .ceil_mode = true}, {1, 4, 8, 1}, {1, 2, 4, 1}},
      {"ceil where nothing is left over",
       form{.kernel{3, 3}, .stride{2, 2}, .ceil_mode = true},
       {1, 5, 7, 1},
       {1, 2, 3, 1}},
      {"ceil: a start after the image is dropped",
       form{.kernel{1, 1}, .stride{4, 3}, .ceil_mode = true},
       {1, 6, 6, 1},
       {1, 2, 2, 1}},
      {"ceil: a start in the padding after it is dropped",
       form{.kernel{2, 2}, .stride{3, 3}, .pad = around(0, 1, 1, 1), .ceil_mode = true},
       {1, 3, 3, 1},
       {1, 1, 2, 1}},
      {"ceil: a start on the last pixel stays",
       form{.kernel{2, 2}, .stride{3, 3}, .pad = around(1, 0, 0, 0), .ceil_mode = true},
       {1, 3, 4, 1},
       {1, 2, 2, 1}},
      {"ceil: one window, above the image",
       form{.kernel{3, 3}, .stride{2, 2}, .ceil_mode = true},
       {1, 2, 2, 1},
       {1, 1, 1, 1}},
      {"ceil says nothing about valid",
       form{.kernel{3, 3}, .stride{2, 2}, .pad = valid_pads, .ceil_mode = true},
       {1, 8, 8, 3},
       {1, 3, 3, 3}},
      {"global", form{.kernel{0, 0}, .stride{0, 0}, .global = true}, {2, 5, 7, 3}, {2, 1, 1, 3}},
      {"global over unknown extents", form{.global = true}, {-1, -1, -1, 3}, {-1, 1, 1, 3}},
      {"unknown height", form{}, {1, -1, 8, -1}, {1, -1, 7, -1}},
      {"no images", form{}, {0, 8, 8, 4}, {0, 7, 7, 4}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x))});
    REQUIRE(v);
    CHECK(shape_of(v) == r.y);
  }
}

/// A test pattern: element i is i * 7 % 11 - 5.
template <class T> filled<T> pattern(shape_t shape) {
  filled<T> t(shape);
  for (std::size_t i = 0; i < t.elements.size(); ++i) t.elements[i] = static_cast<T>(static_cast<int>(i) * 7 % 11 - 5);
  return t;
}

static_assert(run<op, float>(form{.stride{2, 2}}, {1, 1, 2, 1},
                             filled<float>({1, 2, 4, 1}, {1, 2, -3, -4, 4, 3, -2, -1}))
                  .elements == std::vector<float>{2.5F, -2.5F});

// x: i * 7 % 11 - 5, [2, 5, 4, 3]; kernel (3, 2), stride (2, 1), pads 1 all around. Python: sum / len of the pixels
// whose indices lie in the image, times 6 (windows have 2, 3, 4 or 6 of them).
constexpr double six_means[] = {-9,  0,   9,  4.5, -3,   6,   15, -9, 0,    9,   -15, -6,  6,  -18, -9,  10, 8,   6,
                                7,   5,   3,  1,   -1,   -3,  -5, -7, 2,    -8,  -10, 10,  18, -6,  3,   15, -9,  0,
                                9,   -15, -6, 3,   -4.5, 4.5, 0,  9,  18,   3,   12,  -12, 0,  9,   -15, -6, 3,   -4.5,
                                4.5, -3,  6,  18,  -6,   3,   0,  -2, -4,   -3,  -5,  -7,  2,  0,   -2,  7,  5,   3,
                                4,   2,   0,  -3,  6,    -18, -6, 3,  -4.5, 4.5, -3,  6,   15, -9,  0,   12, -12, -3};

TEST_CASE_TEMPLATE("avg_pool: the mean of each window's pixels in the image, padding left out", T, float16, float,
                   double) {
  const double tolerance = sizeof(T) == 2 ? 0.02 : 1e-5;
  for (const activation fused : {activation::none, activation::relu}) {
    const auto y = run<op, T>(form{.kernel{3, 2}, .stride{2, 1}, .pad = around(1, 1, 1, 1), .fused = fused},
                              {2, 3, 5, 3}, pattern<T>({2, 5, 4, 3}));
    for (std::size_t i = 0; i < y.elements.size(); ++i) {
      CAPTURE(i);
      const double expected = fused == activation::relu && six_means[i] < 0 ? 0 : six_means[i];
      CHECK(math::abs(6.0 * static_cast<double>(y.elements[i]) - expected) < tolerance);
    }
  }
}

TEST_CASE_TEMPLATE("avg_pool: padding that counts is zeros", T, float16, float, double) {
  // The windows of the table above have 6 places each.
  const auto y = run<op, T>(form{.kernel{3, 2}, .stride{2, 1}, .pad = around(1, 1, 1, 1), .count_include_pad = true},
                            {2, 3, 5, 3}, pattern<T>({2, 5, 4, 3}));
  for (std::size_t i = 0; i < y.elements.size(); ++i) {
    CAPTURE(i);
    const std::size_t row = i / 15 % 3, column = i / 3 % 5, pixels = (row == 1 ? 3U : 2U) * (column % 4 == 0 ? 1U : 2U);
    CHECK(math::abs(6.0 * static_cast<double>(y.elements[i]) - six_means[i] / 6 * static_cast<double>(pixels)) <
          (sizeof(T) == 2 ? 0.02 : 1e-5));
  }
}

TEST_CASE("avg_pool: what ceil_mode adds after the padding never counts, and SAME's padding may") {
  const filled<float> line({1, 1, 4, 1}, {1, 2, 3, 4});
  const form upwards{
      .kernel{1, 3}, .stride{1, 2}, .pad = around(0, 0, 1, 1), .ceil_mode = true, .count_include_pad = true};
  CHECK(run<op, float>(upwards, {1, 1, 3, 1}, line).elements == std::vector<float>{1, 3, 2});  // PyTorch 1.13
  const form same{.kernel{1, 3}, .stride{1, 2}, .pad = same_pads, .count_include_pad = true};
  CHECK(run<op, float>(same, {1, 1, 2, 1}, line).elements == std::vector<float>{2, 7.0F / 3});
}

/// The mean of a place of padding and of a pixel, where 0 is stored as the zero point.
template <class T> constexpr T mean_with_padding(quant q, T pixel) {
  filled<T> in_of({1, 1, 1, 1}, {pixel}), y(shape_t{1, 1, 1, 1});
  in_of.desc.quantised = y.desc.quantised = q;
  const view in[] = {in_of.as_view()}, out[] = {y.as_view()};
  op::reference<T>(form{.kernel{1, 2}, .pad = around(0, 0, 1, 0), .count_include_pad = true}, in, out);
  return y.elements[0];
}
constexpr quant even(std::int32_t zero_point) {
  quant q{0.5F, zero_point};
  q.rounding = quantised_rounding::half_to_even;
  return q;
}
static_assert(mean_with_padding<std::int8_t>({0.5F, -6}, 10) == 2 &&
              mean_with_padding<std::int8_t>({0.5F, -3}, -2) == -3);
static_assert(mean_with_padding<std::int8_t>({0.5F, 2}, 3) == 3 && mean_with_padding<std::int8_t>({0.5F, 3}, -4) == -1);
static_assert(mean_with_padding<std::int8_t>(even(2), 3) == 2 && mean_with_padding<std::int8_t>(even(-3), -2) == -2);
static_assert(mean_with_padding<std::uint8_t>({0.5F, 255}, 254) == 255 &&
              mean_with_padding<std::int16_t>({0.5F, 0}, -32768) == -16384);

TEST_CASE("avg_pool: global takes the mean of each channel, and f16 sums do not run out of range") {
  const auto y =
      run<op, float>(form{.global = true}, {2, 1, 1, 2}, filled<float>({2, 1, 2, 2}, {1, 8, 3, 4, -5, -6, -7, -2}));
  CHECK(y.elements == std::vector<float>{2, 6, -6, -4});
  const auto half =
      run<op, float16>(form{.global = true}, {1, 1, 1, 1},
                       filled<float16>({1, 1, 4, 1}, {float16(60000), float16(60000), float16(60000), float16(60000)}));
  CHECK(static_cast<float>(half.elements[0]) == static_cast<float>(float16(60000)));
}

/// Quantised values i * 37 % 256 (- 128), [2, 4, 5, 3]; kernel (3, 2), stride (2, 1), pads 1 all around.
template <class T> std::vector<T> mean_of_bytes(quant q, activation fused) {
  constexpr int first = std::is_same_v<T, std::int8_t> ? 128 : 0;
  filled<T> x(shape_t{2, 4, 5, 3}), y(shape_t{2, 2, 6, 3});
  for (std::size_t i = 0; i < x.elements.size(); ++i) x.elements[i] = static_cast<T>(int(i) * 37 % 256 - first);
  x.desc.quantised = y.desc.quantised = q;
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  op::reference<T>(form{.kernel{3, 2}, .stride{2, 1}, .pad = around(1, 1, 1, 1), .fused = fused}, in, out);
  return y.elements;
}

TEST_CASE("avg_pool: the mean of quantised values is rounded half away from zero, and clamped") {
  // Python: n = the number of pixels in the image, s their sum; int((s + n // 2) / n) for s > 0, else int((s - n // 2)
  // / n).
  std::vector<std::int8_t> expected{-107, -70, -33,  -51, -14, 23,  -4, -31, 6,  -21, -48, -11, 26,  -1, -28,
                                    82,   -10, -101, -42, -5,  32,  14, 8,   2,  -4,  -9,  -15, -21, 17, 11,
                                    5,    -1,  -6,   -25, -73, -36, 66, 103, 12, -7,  30,  3,   -24, 13, 50,
                                    23,   -4,  33,   6,   -21, 16,  -3, 35,  72, -41, -4,  -52, -28, 9,  4,
                                    -2,   -8,  29,   -19, -25, 12,  7,  1,   -5, 62,  14,  -35};
  CHECK(mean_of_bytes<std::int8_t>({0.5F, -3}, activation::none) == expected);
  for (std::int8_t& v : expected) v = v < -3 ? std::int8_t{-3} : v;
  CHECK(mean_of_bytes<std::int8_t>({0.5F, -3}, activation::relu) == expected);
  for (std::int8_t& v : expected) v = v > 9 ? std::int8_t{9} : v;
  CHECK(mean_of_bytes<std::int8_t>({0.5F, -3}, activation::relu6) == expected);
  const std::vector<std::uint8_t> unsigned_means{
      22,  59,  96,  77,  114, 151, 124, 97,  134, 107, 80,  117, 154, 127, 100, 210, 119, 28,
      86,  123, 160, 142, 136, 130, 125, 119, 113, 108, 145, 139, 133, 128, 122, 103, 55,  92,
      194, 231, 140, 121, 158, 131, 104, 141, 178, 151, 124, 161, 134, 107, 144, 126, 163, 200,
      87,  124, 76,  100, 137, 132, 126, 120, 157, 109, 103, 140, 135, 129, 123, 190, 142, 93};
  CHECK(mean_of_bytes<std::uint8_t>({0.5F, 125}, activation::none) == unsigned_means);
}

template <class T> constexpr T mean_of_two(T a, T b) {
  filled<T> x({1, 1, 2, 1}, {a, b}), y(shape_t{1, 1, 1, 1});
  x.desc.quantised = y.desc.quantised = quant{1.0F, 0};
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  op::reference<T>(form{.global = true}, in, out);
  return y.elements[0];
}
static_assert(mean_of_two<std::int8_t>(3, 4) == 4 && mean_of_two<std::int8_t>(-3, -4) == -4);
static_assert(mean_of_two<std::int8_t>(-128, -127) == -128 && mean_of_two<std::int8_t>(-1, 0) == -1);
static_assert(mean_of_two<std::uint8_t>(255, 254) == 255 && mean_of_two<std::uint8_t>(0, 1) == 1);

TEST_CASE("avg_pool: a NaN stays one") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto y = run<op, float>(form{.kernel{1, 2}, .fused = activation::relu6}, {1, 1, 2, 1},
                                filled<float>({1, 1, 3, 1}, {nan, 1, 3}));
  CHECK(y.elements[0] != y.elements[0]);
  CHECK(y.elements[1] == 2);
}

TEST_CASE("avg_pool: a huge kernel walks over the image, not over the padding") {
  const auto y = run<op, float>(form{.kernel{max_window_length, max_window_length}, .pad = same_pads}, {1, 1, 2, 1},
                                filled<float>({1, 1, 2, 1}, {1, 2}));
  CHECK(y.elements == std::vector<float>{1.5F, 1.5F});
}

constexpr auto network = [](builder& g) {
  auto input = g.input<f32, nnrt::shape<2, 10, 8, 4>>("x");
  auto y = avg_pool(input, kernel<3, 2>, stride<2, 1>, padding<1, 1, 1, 0>, ceil_mode, relu);
  static_assert(y.desc == tensor_desc(f32, {2, 6, 8, 4}));
  g.output("y", avg_pool(avg_pool(y, same, kernel<3, 3>), global));
};

TEST_CASE("avg_pool: keywords arrive as attributes") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  const auto a = unpack<op::attrs>(g.attrs_of(g.nodes[0]));
  CHECK(a.kernel == extent2{3, 2});
  CHECK(a.stride == extent2{2, 1});
  CHECK(a.pad == around(1, 1, 1, 0));
  CHECK(a.ceil_mode);
  CHECK(!a.global);
  CHECK(a.fused == activation::relu);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[1])).pad.mode == pad_mode::same);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[2])).global);
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size() == 3;
}());

TEST_CASE("avg_pool: the mean of 16-bit numbers is rounded half away from zero, and keeps their scale") {
  // i * 9973 % 2^16 - 2^15, [1, 3, 3, 2], windows of 2 x 2, in Python: (sum + 2) // 4 for a positive sum, else
  // -((2 - sum) // 4).
  const auto image = ramp<std::int16_t>({1, 3, 3, 2}, 9973, 65536, -32768, quant{0.1F, 0});
  CHECK(run_quantised<op, std::int16_t>(form{}, {1, 2, 2, 2}, quant{0.1F, 0}, image) ==
        std::vector<std::int16_t>{-9260, -15671, -5698, 4275, 1426, -4985, -11396, -1423});
  CHECK(run_quantised<op, std::int16_t>(form{.fused = activation::relu6}, {1, 2, 2, 2}, quant{0.1F, 0}, image) ==
        std::vector<std::int16_t>{0, 0, 0, 60, 60, 0, 0, 0});
  CHECK(infer<op>(form{}, {computed(image.desc)}).output(0) == tensor_desc{i16, nhwc, {1, 2, 2, 2}, quant{0.1F, 0}});
}

}  // namespace
