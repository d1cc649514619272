// reduce_mean_test: the rules, shapes and elements of reduce_mean.
#include <nnrt/ops/reduce_mean.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/operators.hpp>
#include <support/quantised.hpp>

#include <algorithm>
#include <bit>
#include <limits>

using namespace nnrt_test;
using rule = ops::reduce_mean::rule;

namespace {

using attrs = ops::reduce_mean::attrs;

constexpr attrs keeping(bool keep_dims) {
  attrs a;
  a.keep_dims = keep_dims;
  return a;
}
constexpr attrs to_end(float coefficient, bool keep_dims = false) {
  attrs a = keeping(keep_dims);
  a.reduce_to_end = true;
  a.coefficient = coefficient;
  return a;
}

struct refusal {
  const char* what;
  shape_t x;
  operand axes;
  rule broken;
  std::int64_t got, expected;
};
constexpr std::array<std::int64_t, 2> zero_and_one = numbers<0, 1>;
constexpr refusal refusals[] = {
    {"a matrix of axes",
     {2, 3},
     {tensor_desc{i64, {1, 2}}, zero_and_one, true},
     rule::axes_must_be_a_list_or_one_number,
     2,
     1},
    {"a weight whose numbers nobody knows", {2, 3}, weight({i32, {1}}), rule::axes_must_be_known, 0, 1},
    {"an axis after the last", {2, 3}, integers(numbers<0, 2>), rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"an axis before the first", {2, 3}, integer(numbers<-3>), rule::axis_must_be_an_axis_of_the_input, -3, 1},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::reduce_mean>({}, {computed(f32_of(r.x)), r.axes}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

template <class T>
constexpr std::vector<T> mean(const attrs& a, shape_t y, filled<T> x, std::vector<std::int32_t> axes) {
  const auto count = static_cast<std::int64_t>(axes.size());
  return run<ops::reduce_mean, T>(a, y, x, filled<std::int32_t>({count}, axes)).elements;
}

}  // namespace

TEST_CASE("reduce_mean: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

namespace {

struct quantised_refusal {
  const char* what;
  attrs a;
  tensor_desc x, y;
  rule broken;
  std::int64_t got, expected;
};
constexpr quant half{.scale = 0.5F, .zero_point = 3};
constexpr float infinite = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
constexpr std::int64_t bits(float real) { return std::bit_cast<std::int32_t>(real); }
constexpr tensor_desc of(dtype type, shape_t shape, quantisation q = {}) {
  return {type, default_format(shape.rank), shape, q};
}
constexpr tensor_desc x_i8 = of(i8, {2, 3}, half), y_i8 = of(i8, {2}, half);
constexpr quantised_refusal quantised_refusals[] = {
    {"plain", {}, of(i8, {2, 3}), {}, rule::quantised_input_must_have_one_scale, 0, 1},
    {"plain to quantised", {}, of(u8, {2, 3}), of(u8, {2}, half), rule::quantised_input_must_have_one_scale, 0, 1},
    {"per channel", {}, of(i8, {2, 3}, per_channel<1>), y_i8, rule::quantised_input_must_have_one_scale, 3, 1},
    {"sums of 32 bits", {}, of(i32, {2, 3}, half), y_i8, rule::quantised_type_must_be_i8_u8_or_i16, int(i32), int(i8)},
    {"nothing wanted", {}, x_i8, {}, rule::quantised_output_must_have_one_scale, 0, 1},
    {"to plain", {}, x_i8, of(i8, {2}), rule::quantised_output_must_have_one_scale, 0, 1},
    {"infinite coefficient", to_end(-infinite), x_i8, y_i8, rule::coefficient_of_a_quantised_mean_must_be_finite,
     bits(-infinite), bits(-most)},
};
constexpr bool is_refused_quantised(const quantised_refusal& r) {
  return breaks(infer<ops::reduce_mean>(r.a, {computed(r.x), integers(numbers<1>)}, {r.y}), r.broken, r.got,
                r.expected);
}
static_assert(std::ranges::all_of(quantised_refusals, is_refused_quantised));

}  // namespace

TEST_CASE("reduce_mean: bytes need one scale, and say which result they want") {
  for (const quantised_refusal& r : quantised_refusals) {
    CAPTURE(r.what);
    CHECK(is_refused_quantised(r));
  }
  const tensor_desc y = of(u8, {-1}, quant{0.1F, 0});
  CHECK(infer<ops::reduce_mean>({}, {computed(of(u8, {-1, 3}, half)), integers(numbers<1>)}, {y}).output(0) == y);
  attrs unused;
  unused.coefficient = infinite;
  CHECK(infer<ops::reduce_mean>(unused, {computed(x_i8), integers(numbers<1>)}, {y_i8}));
}

TEST_CASE("reduce_mean: the signature refuses integers, computed and floating axes") {
  const operand x = computed(f32_of({4}));
  CHECK(breaks(infer<ops::reduce_mean>({}, {computed({u32, {4}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(u32), int(i8)));
  CHECK(
      breaks(infer<ops::reduce_mean>({}, {x, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::reduce_mean>({}, {x, weight({f32, {1}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(i32)));
}

TEST_CASE("reduce_mean: the axes of the mean go, or stay with extent 1") {
  struct row {
    const char* what;
    attrs a;
    shape_t x;
    operand axes;
    shape_t y;
  };
  static constexpr row table[] = {
      {"height and width", {}, {2, 5, 7, 3}, integers(numbers<1, 2>), {2, 3}},
      {"height and width, kept", keeping(true), {2, 5, 7, 3}, integers(numbers<-2, 1>), {2, 1, 1, 3}},
      {"one axis, as a scalar", {}, {2, 5}, integer(numbers<-1>), {2}},
      {"everything", {}, {2, 5}, integers(numbers<0, 1>), {}},
      {"axes listed twice, more of them than a tensor can have",
       {},
       {2, 5, 3},
       integers(numbers<1, 0, -2, -2, 1, 0, 1, 0, 1, 0>),
       {3}},
      {"no axis means all", {}, {2, 5}, integers(numbers<>), {}},
      {"no axis means all, kept", keeping(true), {2, 5}, integers(numbers<>), {1, 1}},
      {"no operand means all", {}, {2, 5}, missing(), {}},
      {"a scalar", {}, {}, missing(), {}},
      {"to the end", to_end(0), {2, 5, 7, 3}, integers(numbers<2>), {2, 5}},
      {"to the end, kept", to_end(0, true), {2, 5, 7, 3}, integers(numbers<-3>), {2, 1, 1, 1}},
      {"to the end from the first of a list", to_end(0), {2, 5, 7}, integers(numbers<1, 0>), {2}},
      {"with an unknown batch", {}, {-1, 5, 7, 3}, integers(numbers<1, 2>), {-1, 3}},
      {"along an unknown extent", keeping(true), {-1, 5}, integers(numbers<0>), {1, 5}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::reduce_mean>(r.a, {computed(f32_of(r.x)), r.axes});
    REQUIRE(got);
    CHECK(got.output(0) == tensor_desc{f32, r.y});
  }
}

static_assert(mean<float>({}, {2}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 9}), {-1}) == std::vector<float>{2, 6});

TEST_CASE("reduce_mean: the mean runs along exactly the axes that are named") {
  // x[a][b][c] = 100 a + 10 b + c: the mean along an axis puts the mean index of that axis in its place.
  filled<double> x({2, 3, 4});
  for (int i = 0; i < 24; ++i) x.elements[static_cast<std::size_t>(i)] = 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4;
  CHECK(mean({}, {3, 4}, x, {0}) == std::vector<double>{50, 51, 52, 53, 60, 61, 62, 63, 70, 71, 72, 73});
  CHECK(mean({}, {2, 4}, x, {1}) == std::vector<double>{10, 11, 12, 13, 110, 111, 112, 113});
  CHECK(mean(keeping(true), {2, 1, 1}, x, {2, 1}) == std::vector<double>{11.5, 111.5});
  CHECK(mean({}, {4}, x, {0, -2}) == std::vector<double>{60, 61, 62, 63});
  CHECK(mean({}, {}, x, {}) == std::vector<double>{61.5});
  CHECK(run<ops::reduce_mean, double>({}, {}, x).elements == std::vector<double>{61.5});
}

TEST_CASE("reduce_mean: the coefficient counts with reduce_to_end alone, and 0 means none") {
  const filled<float> x({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  attrs unused;
  unused.coefficient = 10;
  CHECK(mean(to_end(10), {2}, x, {1}) == std::vector<float>{25, 65});
  CHECK(mean(to_end(0), {2}, x, {1}) == std::vector<float>{2.5F, 6.5F});
  CHECK(mean(unused, {2}, x, {1, 2}) == std::vector<float>{2.5F, 6.5F});
}

TEST_CASE("reduce_mean: float16 sums in float, and the mean of nothing is NaN") {
  const auto half = [](float v) { return static_cast<float16>(v); };
  filled<float16> x(shape_t{4096});
  for (float16& v : x.elements) v = half(0.5F);  // a float16 sum would stop at 1024: 1024 + 0.5 rounds to 1024
  CHECK(static_cast<float>(mean({}, {}, x, {0})[0]) == 0.5F);
  const float nothing = mean({}, {}, filled<float>(shape_t{0}), {0})[0];
  CHECK(nothing != nothing);
}

namespace {

/// The mean of i * 37 % 256 (- 128 for i8), [2, 3, 5, 4], along `axes`.
template <class T, class Rounding = rounding::double_rounding>
constexpr std::vector<T> mean_of_bytes(const attrs& a, quant of_x, quant of_y, std::vector<std::int32_t> along,
                                       shape_t shape) {
  filled<T> x(shape_t{2, 3, 5, 4}), y(shape);
  for (std::size_t i = 0; i < 120; ++i)
    x.elements[i] = static_cast<T>(int(i) * 37 % 256 - (std::is_same_v<T, std::int8_t> ? 128 : 0));
  x.desc.quantised = of_x, y.desc.quantised = of_y;
  filled<std::int32_t> axes({static_cast<std::int64_t>(along.size())}, along);
  const view in[] = {x.as_view(), axes.as_view()}, out[] = {y.as_view()};
  ops::reduce_mean::reference<T, Rounding>(a, in, out);
  return y.elements;
}
using signed_numbers = std::vector<std::int8_t>;
using unsigned_numbers = std::vector<std::uint8_t>;
constexpr quant from{0.05F, -9}, to{0.02F, 17};

}  // namespace

// Computed in Python integers: (q, e) the frexp form of sx / sy, k = min(floor(log2 n), 32, 31 + e); (sum - n * zx)
// times (q * 2^k // n) * 2^(e - k - 31) by SRDHM and RDP, + zy, clamped.
static_assert(mean_of_bytes<std::int8_t>({}, from, to, {0, 1, 2}, {4}) == signed_numbers{29, 36, 22, 29});

TEST_CASE("reduce_mean: sums of bytes are scaled by scale and number at once, as TFLite's reference does") {
  CHECK(mean_of_bytes<std::int8_t>({}, from, to, {0, 1, 2}, {4}) == signed_numbers{29, 36, 22, 29});
  CHECK(mean_of_bytes<std::int8_t>(keeping(true), from, to, {1, 2}, {2, 1, 1, 4}) ==
        signed_numbers{5, 12, 20, 27, 52, 59, 23, 31});
  CHECK(mean_of_bytes<std::int8_t>({}, from, {0.3F, -5}, {0, 3}, {3, 5}) ==
        signed_numbers{-7, -3, -5, -2, -4, -1, -3, -10, -1, -9, 0, -7, -4, -1, -8});
  CHECK(mean_of_bytes<std::int8_t>({}, from, from, {-3}, {2, 5, 4}) ==
        signed_numbers{15, -34, -82, -45, -8,  29,  66, 18, -31, -79, -42, -5,  32,  69, 21, -28, -76, -39, -2, 35, 16,
                       53, 90,  42,  -92, -55, -18, 19, 56, 93,  -41, -89, -52, -15, 22, 59, 96,  -38, -86, -49});
  CHECK(mean_of_bytes<std::int8_t>({}, from, to, {}, {}) == signed_numbers{29});
  CHECK(mean_of_bytes<std::uint8_t>({}, {0.05F, 119}, {0.02F, 145}, {1, 2}, {2, 4}) ==
        unsigned_numbers{133, 140, 148, 155, 180, 187, 151, 159});
}

TEST_CASE("reduce_mean: of bytes, too, the coefficient counts with reduce_to_end alone") {
  CHECK(mean_of_bytes<std::int8_t>(to_end(0), from, to, {1}, {2}) == signed_numbers{16, 41});
  CHECK(mean_of_bytes<std::int8_t>(to_end(0.5F), from, to, {1}, {2}) == signed_numbers{17, 29});
  CHECK(mean_of_bytes<std::int8_t>(to_end(-8.0F), from, to, {1}, {2}) == signed_numbers{23, -128});
}

TEST_CASE("reduce_mean: hostile scales saturate, no bytes have the mean 0, and Rounding decides in the middle") {
  constexpr float least = std::numeric_limits<float>::min();
  CHECK(mean_of_bytes<std::int8_t>({}, {most, 127}, {least, 5}, {0, 1, 2, 3}, {}) == signed_numbers{-128});
  CHECK(mean_of_bytes<std::int8_t>({}, {least, 127}, {most, 5}, {0, 1, 2, 3}, {}) == signed_numbers{5});
  CHECK(mean_of_bytes<std::int8_t>(to_end(most), {most, 127}, {least, 5}, {0}, {}) == signed_numbers{-128});
  filled<std::int8_t> x(shape_t{2, 0}), two({2, 2}, {3, 4, -3, -4}), y(shape_t{2});
  x.desc.quantised = two.desc.quantised = y.desc.quantised = from;
  filled<std::int32_t> axis({1}, {1});
  const view none[] = {x.as_view(), axis.as_view()}, pairs[] = {two.as_view(), axis.as_view()}, out[] = {y.as_view()};
  ops::reduce_mean::reference<std::int8_t>({}, none, out);
  CHECK(y.elements == signed_numbers{-9, -9});
  two.desc.quantised = y.desc.quantised = quant{0.05F, 0};
  ops::reduce_mean::reference<std::int8_t>({}, pairs, out);
  CHECK(y.elements == signed_numbers{4, -3});  // 3.5 and -3.5: nothing is shifted right, and the product's ties go up
  ops::reduce_mean::reference<std::int8_t, rounding::half_to_even>({}, pairs, out);
  CHECK(y.elements == signed_numbers{4, -4});
}

TEST_CASE("reduce_mean: a quantised mean takes the scale that it is asked into") {
  builder g;
  auto x = g.input<i8, shape<1, 4, 4, 8>, nhwc, quant{.scale = 0.05F, .zero_point = -9}>("x");
  auto y = reduce_mean(x, axes<1, 2>, into<quant{.scale = 0.02F, .zero_point = 17}>);
  static_assert(decltype(y)::desc == of(i8, {1, 8}, to));
  CHECK(g.graph().nodes.size() == 1);
}

TEST_CASE("reduce_mean: axis and axes become a constant operand, the rest attributes") {
  builder g;
  auto x = g.input<f32, shape<1, 4, 4, 8>>("x");
  auto image = reduce_mean(x, axes<1, 2>, keep_dims);
  auto last = reduce_mean(image, axis<-1>);
  auto all = reduce_mean(x);
  auto end = reduce_mean(x, axis<1>, reduce_to_end, coefficient<0.5F>);
  static_assert(decltype(image)::desc == tensor_desc{f32, nhwc, {1, 1, 1, 8}} &&
                decltype(last)::desc.shape == shape_t{1, 1, 1});
  static_assert(decltype(all)::desc == tensor_desc{f32, {}} && decltype(end)::desc.shape == shape_t{1});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 4);
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{1, 2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims);
  CHECK(made.at(made.inputs_of(made.nodes[1])[1]).desc == tensor_desc{i64, {1}});
  CHECK(made.inputs_of(made.nodes[2]).size() == 1);
  const auto a = unpack<attrs>(made.attrs_of(made.nodes[3]));
  CHECK(a.reduce_to_end);
  CHECK_FALSE(a.keep_dims);
  CHECK(a.coefficient == 0.5F);
}

TEST_CASE("reduce_mean: 16-bit numbers are summed exactly, and the sum is scaled as that of bytes is") {
  // i * 9973 % 2^16 - 2^15, [9, 2]: sums of 9 in Python integers, by SRDHM and RDP with 0.0005F / 0.0002F, whose
  // mantissa is shifted left by 3 bits and divided by 9.
  const auto x = ramp<std::int16_t>({9, 2}, 9973, 65536, -32768, quant{0.0005F, 0});
  CHECK(run_quantised<ops::reduce_mean, std::int16_t>({}, {2}, quant{0.0002F, 0}, x, filled<std::int32_t>({1}, {0})) ==
        std::vector<std::int16_t>{-9891, -3163});
}

namespace {

/// The mean of all of x, where x and y are rounded to even.
template <class T>
std::vector<T> even_mean(std::vector<T> x, float from, int zero_x, float into, int zero_y, const attrs& a = {}) {
  constexpr auto to_even = quantised_rounding::half_to_even;
  const auto count = static_cast<std::int64_t>(x.size());
  return run_quantised<ops::reduce_mean, T>(a, {}, quant{into, zero_y, to_even},
                                            stored<T>({count}, std::move(x), quant{from, zero_x, to_even}));
}

}  // namespace

TEST_CASE(
    "reduce_mean: where the result is rounded to even, halves of any number of elements are, zero point included") {
  struct row {
    const char* what;
    signed_numbers x;
    float from;
    int zero_x;
    float into;
    int zero_y, expected;
  };
  static const row table[] = {
      {"1.5 of six", {1, 2, 1, 2, 1, 2}, 0.5F, 0, 0.5F, 0, 2},
      {"2.5 of six", {2, 3, 2, 3, 2, 3}, 0.5F, 0, 0.5F, 0, 2},
      {"-1.5 of six", {-1, -2, -1, -2, -1, -2}, 0.5F, 0, 0.5F, 0, -2},
      {"-2.5 of ten", {-2, -3, -2, -3, -2, -3, -2, -3, -2, -3}, 0.5F, 0, 0.5F, 0, -2},
      {"0.5 from an odd zero point", {0, 1, 0, 1, 0, 1}, 0.5F, 0, 0.5F, 7, 8},
      {"1.5 from an odd zero point", {1, 2, 1, 2, 1, 2}, 0.5F, 0, 0.5F, 7, 8},
      {"-1.5 from an odd zero point", {-1, -2, -1, -2, -1, -2}, 0.5F, 0, 0.5F, -7, -8},
      {"1.5 after the zero point of x", {-19, -18, -19, -18, -19, -18}, 0.5F, -20, 0.5F, 0, 2},
      {"7 / 3 * 1.5 = 3.5", {2, 2, 3}, 1.5F, 0, 1.0F, 0, 4},
      {"3 / 3 * 2.5 = 2.5", {1, 1, 1}, 2.5F, 0, 1.0F, 0, 2},
      {"5 / 3, which is no half", {1, 2, 2}, 0.5F, 0, 0.5F, 0, 2},
      {"8 / 7 * 1.75 = 2", {1, 1, 1, 1, 1, 1, 2}, 1.75F, 0, 1.0F, 0, 2},
      {"just below a half: 1.5 * (1 - 2^-24)", {1, 2, 1, 2, 1, 2}, 0x1.fffffep-1F, 0, 1.0F, 0, 1},
      {"just above: 2.5 * (1 + 2^-23)", {2, 3, 2, 3, 2, 3}, 0x1.000002p0F, 0, 1.0F, 0, 3},
      {"one element", {3}, 0.5F, 0, 1.0F, 0, 2},
      {"beyond the range", {100, 101, 100, 101, 100, 101}, 2.0F, 0, 0.5F, 0, 127},
      {"a factor of 2^100", {0, 0, 1}, 0x1p50F, 0, 0x1p-50F, 3, 127},
      {"none", {}, 0.5F, 3, 0.5F, 5, 5},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(even_mean<std::int8_t>(r.x, r.from, r.zero_x, r.into, r.zero_y) ==
          signed_numbers{static_cast<std::int8_t>(r.expected)});
  }
  CHECK(even_mean<std::int8_t>({1, 2, 1, 2, 1, 2}, 0.5F, 0, 0.5F, 0, to_end(-1)) == signed_numbers{-2});
  CHECK(even_mean<std::int16_t>({30001, 30002, 30001, 30002, 30001, 30002}, 0.5F, 0, 0.5F, 0) ==
        std::vector<std::int16_t>{30002});
}

TEST_CASE("reduce_mean: every mean of whole steps is rounded to even as the quotient is") {
  for (int count = 1; count <= 50; ++count)
    for (int sum = -3 * count; sum <= 3 * count; ++sum) {
      std::vector<std::int8_t> x(static_cast<std::size_t>(count));
      int left = sum;
      for (int i = 0; i < count; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(left / (count - i));
        left -= x[static_cast<std::size_t>(i)];
      }
      CAPTURE(count);
      CAPTURE(sum);
      CHECK(even_mean<std::int8_t>(x, 0.5F, 0, 0.5F, 0)[0] == math::quotient_to_even(sum, count));
    }
}

TEST_CASE("reduce_mean: sums of 16-bit numbers that leave 32 bits are not cut") {
  for (const auto rounding : {quantised_rounding::tflite, quantised_rounding::half_to_even})
    for (const std::int16_t element : {std::int16_t{32767}, std::int16_t{-32768}}) {
      const quant half{0.5F, 0, rounding};
      filled<std::int16_t> x({280, 250});
      std::ranges::fill(x.elements, element);
      x.desc.quantised = half;
      CAPTURE(element);
      CHECK(run_quantised<ops::reduce_mean, std::int16_t>({}, {}, half, x) == std::vector<std::int16_t>{element});
    }
}

TEST_CASE_TEMPLATE("reduce_mean: means of integers are truncated toward zero", T, std::int32_t, std::int64_t) {
  CHECK(mean<T>({}, {2}, filled<T>({2, 3}, {1, 2, 5, -1, -2, -5}), {1}) == std::vector<T>{2, -2});
  CHECK(mean<T>(to_end(-1.5F), {2}, filled<T>({2, 3}, {1, 2, 6, -1, -2, -6}), {1}) == std::vector<T>{-4, 4});
  CHECK(mean<T>({}, {2}, filled<T>({0, 2}), {0}) == std::vector<T>{0, 0});
  constexpr T most = std::numeric_limits<T>::max();
  if (sizeof(T) == 4) CHECK(mean<T>({}, {1}, filled<T>({3}, {most, most, most}), {0}) == std::vector<T>{most});
}
static_assert(mean<std::int32_t>({}, {1}, filled<std::int32_t>({2}, {3, 4}), {0}) == std::vector<std::int32_t>{3});
