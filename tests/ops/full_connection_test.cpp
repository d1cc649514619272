// full_connection_test: rules, axes, arithmetic and the DSL function of full_connection.
#include <nnrt/ops/full_connection.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu6.hpp>

#include <algorithm>

#include "support/operators.hpp"
#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;
using rule = ops::full_connection::rule;

constexpr ops::full_connection::attrs from_axis(std::int64_t axis, activation fused = activation::none) {
  ops::full_connection::attrs a;
  a.axis = axis;
  a.fused = fused;
  return a;
}
constexpr ops::full_connection::attrs plain{};

struct refused_row {
  const char* what;
  ops::full_connection::attrs attrs;
  tensor_desc x, w, b;
  rule broken;
  std::int64_t got, expected;
};
// In NNRt tensor 31 is the axis and 112 its use: an axis that is used, but not given, is the first one.
constexpr std::int64_t derived_axis(std::initializer_list<nnrt_given> given) {
  ops::full_connection::attrs attrs;
  attrs.axis = 2;
  ops::full_connection::nnrt_derive(attrs, std::span(given.begin(), given.size()), 0);
  return attrs.axis;
}
static_assert(derived_axis({}) == 2 && derived_axis({{112, 0}}) == 2 && derived_axis({{112, 1}}) == 0);
static_assert(derived_axis({{31, 2}, {112, 1}}) == 2 && derived_axis({{30, 2}, {112, 1}}) == 0);

constexpr tensor_desc x23 = f32_of({2, 3}), w43 = f32_of({4, 3}), none{};
constexpr refused_row refused[] = {
    {"a scalar", plain, f32_of({}), w43, none, rule::input_rank_must_be_at_least_1, 0, 1},
    {"axis after the last", from_axis(2), x23, w43, none, rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"axis before the first", from_axis(-3), x23, w43, none, rule::axis_must_be_an_axis_of_the_input, -3, 1},
    {"hostile axis", from_axis(max_elements), x23, w43, none, rule::axis_must_be_an_axis_of_the_input, max_elements, 1},
    {"weight of rank 1", plain, x23, f32_of({3}), none, rule::weight_rank_must_be_2, 1, 2},
    {"weight of rank 4", plain, x23, f32_of({4, 3, 1, 1}), none, rule::weight_rank_must_be_2, 4, 2},
    {"weight of another dtype", plain, x23, {f16, {4, 3}}, none, rule::weight_type_must_equal_input_type, 10, 11},
    {"inner extents", plain, x23, f32_of({3, 4}), none, rule::inner_extents_must_be_equal, 3, 4},
    {"inner extents of two axes", from_axis(0), x23, w43, none, rule::inner_extents_must_be_equal, 6, 3},
    {"a row that is not full", from_axis(no_axis), x23, f32_of({2, 4}), none, rule::elements_must_make_whole_rows, 6,
     4},
    {"rows of no elements", from_axis(no_axis), x23, f32_of({2, 0}), none, rule::elements_must_make_whole_rows, 6, 0},
    {"bias of another dtype", plain, x23, w43, {f64, {4}}, rule::bias_type_must_equal_input_type, 12, 11},
    {"bias too long", plain, x23, w43, f32_of({5}), rule::bias_must_have_one_element_for_each_output, 5, 4},
    {"bias for the inputs", plain, x23, w43, f32_of({3}), rule::bias_must_have_one_element_for_each_output, 3, 4},
};
constexpr bool refused_as_stated(const refused_row& r) {
  return breaks(infer<ops::full_connection>(r.attrs, {computed(r.x), weight(r.w), weight(r.b)}), r.broken, r.got,
                r.expected);
}
static_assert([] {
  for (const refused_row& row : refused)
    if (!refused_as_stated(row)) return false;
  return true;
}());
constexpr auto missing_rule = signature_rule::required_operand_must_be_given;
constexpr auto type_rule = signature_rule::operand_type_must_be_accepted_by_the_operator;
static_assert(breaks(infer<ops::full_connection>({}, {computed(x23)}), missing_rule, 1, 2));
static_assert(breaks(infer<ops::full_connection>({}, {computed({u16, {2, 3}}), weight(w43)}), type_rule, 7, 2));

TEST_CASE("full_connection: what does not fit is refused with the rule and both values") {
  for (const refused_row& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  CHECK(breaks(infer<ops::full_connection>({}, {computed(x23)}), missing_rule, 1, 2));
  CHECK(breaks(infer<ops::full_connection>({}, {computed({u16, {2, 3}}), weight(w43)}), type_rule, 7, 2));
}

TEST_CASE("full_connection: integers without a scale wrap around in their own width") {
  const tensor_desc x{i32, {1, 2}}, w{i32, {2, 2}}, b{i32, {2}}, y{i32, {1, 2}};
  CHECK(infer<ops::full_connection>({}, {computed(x), weight(w), weight(b)}).output(0) == y);
  std::int32_t of_x[] = {INT32_MAX, 3}, of_w[] = {2, 5, -1, 4}, of_b[] = {7, 1};
  std::int32_t of_y[2] = {};
  const view in[] = {{&x, of_x}, {&w, of_w}, {&b, of_b}}, out[] = {{&y, of_y}};
  ops::full_connection::reference<std::int32_t>({}, in, out);
  CHECK(of_y[0] == 20);  // 2 * (2^31 - 1) is -2
  CHECK(of_y[1] == -INT32_MAX + 13);
  CHECK(breaks(infer<ops::full_connection>({}, {computed({i32, nd, {1, 2}, quant{0.5F, 0}}), weight(w)}),
               rule::quantised_type_must_be_i8_u8_or_i16, int(i32), int(i8)));
}

struct quantised_row {
  const char* what;
  tensor_desc x, w, b, y;
  rule broken;
  std::int64_t got, expected;
};
constexpr quant half{.scale = 0.5F, .zero_point = 3}, tenth{.scale = 0.1F, .zero_point = 0};
constexpr tensor_desc of(dtype type, shape_t shape, quantisation q = {}) {
  return {type, default_format(shape.rank), shape, q};
}
constexpr tensor_desc x_i8 = of(i8, {2, 3}, half), w_i8 = of(i8, {4, 3}, tenth), y_i8 = of(i8, {2, 4}, half);
constexpr quantised_row quantised[] = {
    {"x plain", of(i8, {2, 3}), w_i8, none, y_i8, rule::quantised_input_must_have_one_scale, 0, 1},
    {"all plain", of(i8, {2, 3}), of(i8, {4, 3}), none, none, rule::quantised_input_must_have_one_scale, 0, 1},
    {"x per channel", of(i8, {2, 3}, per_channel<1>), w_i8, none, y_i8, rule::quantised_input_must_have_one_scale, 3,
     1},
    {"nothing wanted", x_i8, w_i8, none, none, rule::quantised_output_must_have_one_scale, 0, 1},
    {"y plain", x_i8, w_i8, none, of(i8, {2, 4}), rule::quantised_output_must_have_one_scale, 0, 1},
    {"y boolean along an axis that it has not", x_i8, w_i8, none, of(boolean, {2, 4}, per_channel<-3>),
     rule::quantised_output_must_have_one_scale, 0, 1},
    {"y per channel", x_i8, w_i8, none, of(i8, {2, 4}, per_channel<1>), rule::quantised_output_must_have_one_scale, 4,
     1},
    {"weight plain", x_i8, of(i8, {4, 3}), none, y_i8, rule::quantised_weight_must_have_a_scale, 0, 1},
    {"scales of the inputs", x_i8, of(i8, {4, 3}, per_channel<1>), none, y_i8,
     rule::weight_scales_must_run_along_the_output_channels, 1, 0},
    {"u8 with i8", x_i8, of(u8, {4, 3}, tenth), none, y_i8, rule::weight_type_must_equal_input_type, 6, 2},
    {"float bias", x_i8, w_i8, f32_of({4}), y_i8, rule::bias_type_of_a_quantised_input_must_be_i32, 11, 4},
    {"i32 bias with floats", x23, w43, of(i32, {4}), none, rule::bias_type_must_equal_input_type, 4, 11},
    {"u8 with i16", of(i16, {2, 3}, tenth), of(u8, {4, 3}, tenth), none, of(i16, {2, 4}, tenth),
     rule::weight_type_of_an_i16_input_must_be_i8, 6, 2},
    {"float bias with i16", of(i16, {2, 3}, tenth), w_i8, f32_of({4}), of(i16, {2, 4}, tenth),
     rule::bias_type_of_an_i16_input_must_be_i64_or_i32, 11, 5},
    {"bias too short", x_i8, w_i8, of(i32, {1}), y_i8, rule::bias_must_have_one_element_for_each_output, 1, 4},
};
constexpr bool refused_as_stated(const quantised_row& r) {
  return breaks(infer<ops::full_connection>({}, {computed(r.x), weight(r.w), weight(r.b)}, {r.y}), r.broken, r.got,
                r.expected);
}
static_assert(std::ranges::all_of(quantised, [](const quantised_row& r) { return refused_as_stated(r); }));
constexpr quant out_of_range{.scale = 0.5F, .zero_point = 128};
constexpr auto zero_rule = signature_rule::zero_point_must_be_a_number_of_the_type;
static_assert(breaks(infer<ops::full_connection>({}, {computed(x_i8), weight(w_i8)}, {of(i8, {2, 4}, out_of_range)}),
                     zero_rule, 128, 127));

TEST_CASE("full_connection: bytes need scales that the arithmetic can use, and say which result they want") {
  for (const quantised_row& row : quantised) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  const tensor_desc x = of(u8, {-1, 3}, half), w = of(u8, {4, 3}, per_channel<0>), y = of(u8, {2, 4}, tenth);
  CHECK(infer<ops::full_connection>({}, {computed(x), weight(w), weight(of(i32, {4}))}, {y}).output(0) == y);
}

struct shape_row {
  const char* what;
  std::int64_t axis;
  shape_t x, w, y;
  std::int64_t macs;
};
constexpr shape_row shapes[] = {
    {"a batch of vectors", -1, {3, 5}, {4, 5}, {3, 4}, 60},
    {"one vector without a batch", -1, {5}, {4, 5}, {4}, 20},
    {"the last axis of an image", -1, {2, 3, 3, 5}, {4, 5}, {2, 3, 3, 4}, 360},
    {"the last axis by its number", 3, {2, 3, 3, 5}, {4, 5}, {2, 3, 3, 4}, 360},
    {"everything after the batch", 1, {2, 3, 1, 5}, {4, 15}, {2, 4}, 120},
    {"everything after the batch, from the end", -3, {2, 3, 1, 5}, {4, 15}, {2, 4}, 120},
    {"everything", 0, {2, 3, 5}, {7, 30}, {7}, 210},
    {"one output", -1, {3, 5}, {1, 5}, {3, 1}, 15},
    {"an empty batch", -1, {0, 5}, {4, 5}, {0, 4}, 0},
    {"no inputs", -1, {2, 0}, {4, 0}, {2, 4}, 0},
    {"rows of one axis", no_axis, {3, 5}, {4, 5}, {3, 4}, 60},
    {"rows of several axes", no_axis, {2, 3, 1, 5}, {4, 15}, {2, 4}, 120},
    {"rows across the batch", no_axis, {2, 4}, {3, 8}, {1, 3}, 24},
    {"several rows of one axis", no_axis, {2, 6}, {5, 3}, {4, 5}, 60},
    {"one vector", no_axis, {4}, {1, 2}, {2, 1}, 4},
};

TEST_CASE("full_connection: the axes from axis on become one row, the others stay") {
  for (const shape_row& row : shapes) {
    CAPTURE(row.what);
    const operand in[] = {computed(f32_of(row.x)), weight(f32_of(row.w)), missing()};
    const verdict v = infer_node<ops::full_connection>(from_axis(row.axis), in, {});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(row.y));
    CHECK(ops::full_connection::macs(from_axis(row.axis), in, v.outputs) == row.macs);
  }
}

TEST_CASE("full_connection: unknown extents stay unknown, and refuse nothing") {
  const auto y = [](std::int64_t axis, shape_t x, shape_t w) {
    return shape_of(
        infer<ops::full_connection>(from_axis(axis), {computed(f32_of(x)), weight(f32_of(w)), weight(f32_of({-1}))}));
  };
  CHECK(y(-1, {-1, 5}, {4, 5}) == shape_t{-1, 4});
  CHECK(y(1, {2, -1, 5}, {4, 15}) == shape_t{2, 4});
  CHECK(y(-1, {2, 5}, {-1, 5}) == shape_t{2, -1});
  CHECK(y(no_axis, {-1, 2, 5}, {4, 5}) == shape_t{-1, 4});
  CHECK(y(no_axis, {2, 5}, {4, -1}) == shape_t{-1, 4});
}

TEST_CASE("full_connection: nothing is counted while an extent is unknown") {
  for (const auto& [x, w] : {std::pair(shape_t{2, -1}, shape_t{4, -1}), std::pair(shape_t{-1, 3}, shape_t{4, 3})}) {
    const operand in[] = {computed(f32_of(x)), weight(f32_of(w))};
    const verdict v = infer_node<ops::full_connection>({}, in, {});
    REQUIRE(v);
    CHECK(ops::full_connection::macs({}, in, v.outputs) == 0);
  }
}

TEST_CASE(
    "full_connection: macs beyond 64 bits, which only an unknown extent of x lets through, are the largest number") {
  const operand in[] = {computed(f32_of({max_elements, -1})), weight(f32_of({1, max_elements}))};
  const verdict v = infer<ops::full_connection>({}, {in[0], in[1]});
  REQUIRE(v);
  CHECK(ops::full_connection::macs({}, in, v.outputs) == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("full_connection: a result of the rank of x is nchw where x is; another one has the format of its rank") {
  const operand x = computed({f32, nchw, {1, 3, 4, 4}});
  CHECK(infer<ops::full_connection>({}, {x, weight(f32_of({7, 4}))}).output(0) == tensor_desc{f32, nchw, {1, 3, 4, 7}});
  CHECK(infer<ops::full_connection>(from_axis(1), {x, weight(f32_of({7, 48}))}).output(0) == f32_of({1, 7}));
  CHECK(infer<ops::full_connection>({}, {computed({f32, nd, {1, 3, 4, 4}}), weight(f32_of({7, 4}))}).output(0) ==
        f32_of({1, 3, 4, 7}));
}

TEST_CASE("full_connection: each output is a row of x times a row of the weight, whatever the axis") {
  for (const shape_row& row : shapes) {
    CAPTURE(row.what);
    filled<float> x(row.x), w(row.w), b(shape_t{row.w[0]});
    for (std::size_t i = 0; i < x.elements.size(); ++i) x.elements[i] = static_cast<float>(i % 11) - 4.5F;
    for (std::size_t i = 0; i < w.elements.size(); ++i) w.elements[i] = static_cast<float>(i % 5) - 2.0F;
    for (std::size_t i = 0; i < b.elements.size(); ++i) b.elements[i] = 100.0F * static_cast<float>(i);
    const filled<float> y = run<ops::full_connection, float>(from_axis(row.axis), row.y, x, w, b);
    const auto outputs = static_cast<std::size_t>(row.w[0]), inner = static_cast<std::size_t>(row.w[1]);
    for (std::size_t i = 0; i < y.elements.size(); ++i) {
      double sum = 100.0 * static_cast<double>(i % outputs);
      for (std::size_t k = 0; k < inner; ++k)
        sum += double{x.elements[i / outputs * inner + k]} * double{w.elements[i % outputs * inner + k]};
      REQUIRE(double{y.elements[i]} == sum);  // small halves: exact in float
    }
  }
}

// x = (1, 2, -1), weight rows (1, 0, 2), (-1, 1, 1), (3, 3, 0), bias (0.5, -1, 0): worked by hand.
template <class T>
constexpr bool gives(activation fused, std::initializer_list<T> with_bias, std::initializer_list<T> without) {
  const filled<T> x({1, 3}, {T(1), T(2), T(-1)}), b({3}, {T(0.5), T(-1), T(0)});
  const filled<T> w({3, 3}, {T(1), T(0), T(2), T(-1), T(1), T(1), T(3), T(3), T(0)});
  const auto attrs = from_axis(-1, fused);
  return run<ops::full_connection, T>(attrs, {1, 3}, x, w, b).elements == std::vector<T>(with_bias) &&
         run<ops::full_connection, T>(attrs, {1, 3}, x, w).elements == std::vector<T>(without);
}
static_assert(gives<float>(activation::none, {-0.5F, -1, 9}, {-1, 0, 9}));
static_assert(gives<double>(activation::relu, {0, 0, 9}, {0, 0, 9}));
static_assert(gives<float>(activation::relu6, {0, 0, 6}, {0, 0, 6}));

TEST_CASE("full_connection: float16 sums in float, and a bias that is missing counts as zero") {
  CHECK(gives<float16>(activation::none, {float16(-0.5F), float16(-1.0F), float16(9.0F)},
                       {float16(-1.0F), float16(0.0F), float16(9.0F)}));
  const filled<float16> x({1, 3}, {float16(2048.0F), float16(1.0F), float16(1.0F)}),
      w({1, 3}, {float16(1.0F), float16(1.0F), float16(1.0F)});
  CHECK(static_cast<float>(run<ops::full_connection, float16>({}, {1, 1}, x, w).elements[0]) == 2050.0F);
  const tensor_desc desc{f32, {1, 1}};
  float three[] = {3}, y[] = {0};
  const view in[] = {{&desc, three}, {&desc, three}, {}}, out[] = {{&desc, y}};
  ops::full_connection::reference<float>({}, in, out);
  CHECK(y[0] == 9);
}

/// x: i * 37 % 256 - 128 (zero point -7), [3, 5]; weight: i * 53 % 255 - 127, [4, 5]; u8: i * 37 % 256 (100) and
/// i * 53 % 256 (120); bias 1000, -2000, 300, 0; scales 0.02 and 0.03 to 0.2.
template <class T> struct layer_of_bytes {
  filled<T> x{shape_t{3, 5}}, w{shape_t{4, 5}}, y{shape_t{3, 4}};
  filled<std::int32_t> b{{4}, {1000, -2000, 300, 0}};
  static constexpr bool is_signed = std::is_same_v<T, std::int8_t>;

  constexpr layer_of_bytes() {
    for (std::size_t i = 0; i < 15; ++i) x.elements[i] = static_cast<T>(int(i) * 37 % 256 - (is_signed ? 128 : 0));
    for (std::size_t i = 0; i < 20; ++i)
      w.elements[i] = static_cast<T>(is_signed ? int(i) * 53 % 255 - 127 : int(i) * 53 % 256);
    x.desc.quantised = quant{0.02F, is_signed ? -7 : 100};
    w.desc.quantised = quant{0.03F, is_signed ? 0 : 120};
    y.desc.quantised = quant{0.2F, is_signed ? 11 : 128};
  }
  template <class Rounding = rounding::double_rounding>
  constexpr std::vector<T> run(activation fused, std::span<const float> scales = {}, bool with_bias = true) {
    view weight = w.as_view();
    weight.scales = scales;
    const view in[] = {x.as_view(), weight, with_bias ? b.as_view() : view{}}, out[] = {y.as_view()};
    ops::full_connection::reference<T, Rounding>(from_axis(-1, fused), in, out);
    return y.elements;
  }
};
using signed_numbers = std::vector<std::int8_t>;
using unsigned_numbers = std::vector<std::uint8_t>;

// Computed in Python integers: acc = sum of (x - zero point) * (w - zero point) + bias, times float32(sx * sw) / sy
// (per channel: the product in double) by SRDHM and RDP with its frexp form, + zero point, clamped.
static_assert([] {
  layer_of_bytes<std::int8_t> layer;
  return layer.run(activation::none) == signed_numbers{88, 72, 71, 63, -44, -56, -51, -54, -14, -20, -11, -9};
}());

TEST_CASE("full_connection: sums of bytes are scaled, rounded and clamped as TFLite's reference does") {
  layer_of_bytes<std::int8_t> layer;
  CHECK(layer.run(activation::none) == signed_numbers{88, 72, 71, 63, -44, -56, -51, -54, -14, -20, -11, -9});
  CHECK(layer.run(activation::relu) == signed_numbers{88, 72, 71, 63, 11, 11, 11, 11, 11, 11, 11, 11});
  CHECK(layer.run(activation::relu6) == signed_numbers{41, 41, 41, 41, 11, 11, 11, 11, 11, 11, 11, 11});
  CHECK(layer_of_bytes<std::uint8_t>().run(activation::none) ==
        unsigned_numbers{195, 183, 186, 182, 67, 58, 66, 66, 101, 97, 109, 113});
  layer.w.desc.quantised.zero_point = 9;
  CHECK(layer.run(activation::none) == signed_numbers{94, 78, 78, 70, -42, -54, -49, -52, -16, -22, -13, -12});
}

TEST_CASE("full_connection: each output may have its scale, and the bias may be missing") {
  layer_of_bytes<std::int8_t> layer;
  layer.w.desc.quantised = per_channel<0>;
  const float scales[] = {0.03F, 0.01F, 0.005F, 0.05F};
  CHECK(layer.run(activation::none, scales) == signed_numbers{88, 31, 21, 98, -44, -11, 1, -98, -14, 1, 7, -23});
  CHECK(layer.run(activation::none, scales, false) == signed_numbers{85, 33, 21, 98, -47, -9, 0, -98, -17, 3, 7, -23});
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const float hostile[] = {0, -1, nan, inf};  // a factor that is no positive number is 0
  CHECK(layer.run(activation::none, hostile) == signed_numbers(12, 11));
}

TEST_CASE("full_connection: without inputs the quantised bias is all there is; no rows and no outputs give none") {
  const auto rows_of = [](std::int64_t rows, std::int64_t inner, std::int64_t outputs) {
    filled<std::int8_t> x(shape_t{rows, inner}), w(shape_t{outputs, inner}), y(shape_t{rows, outputs});
    filled<std::int32_t> b(shape_t{outputs});
    for (std::int32_t& v : b.elements) v = 1000;
    x.desc.quantised = half, w.desc.quantised = tenth, y.desc.quantised = half;
    const view in[] = {x.as_view(), w.as_view(), b.as_view()}, out[] = {y.as_view()};
    ops::full_connection::reference<std::int8_t>(plain, in, out);
    return y.elements;
  };
  CHECK(rows_of(2, 0, 3) == signed_numbers(6, 103));
  CHECK(rows_of(0, 5, 3).empty());
  CHECK(rows_of(2, 5, 0).empty());
}

/// The sum is the bias, 100.5 * 2^20; y has 2^20 times the scale of sums, 0.1F * 0.1F, in float: 1 + 4.1e-8 of the
/// exact one.
template <class Rounding> int in_the_middle(const quantisation& of_weight) {
  layer_of_bytes<std::int8_t> layer;
  layer.x.elements.assign(15, std::int8_t{-7});
  layer.b.elements.assign(4, 105381888);
  layer.x.desc.quantised.scale = 0.1F, layer.w.desc.quantised = of_weight;
  layer.y.desc.quantised = quant{0.1F * 0.1F * 0x1p20F, 0};
  const float scales[] = {0.1F, 0.1F, 0.1F, 0.1F};
  return layer.run<Rounding>(activation::none,
                             of_weight.mode == quantisation::kind::per_channel ? scales : std::span<const float>{})[0];
}

TEST_CASE(
    "full_connection: one scale multiplies in float, scales of outputs in double, and Rounding decides in the middle") {
  CHECK(in_the_middle<rounding::double_rounding>(tenth) == 101);
  CHECK(in_the_middle<rounding::single_rounding>(tenth) == 101);
  CHECK(in_the_middle<rounding::half_to_even>(tenth) == 100);
  CHECK(in_the_middle<rounding::double_rounding>(per_channel<0>) == 100);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3, 4>>("x");
  auto h = full_connection(x, b.weight<f32, shape<5, 12>>("fc1.weight"), b.weight<f32, shape<5>>("fc1.bias"), axis<1>,
                           relu6);
  b.output("y", full_connection(h, b.weight<f32, shape<7, 5>>("fc2.weight")));
};

TEST_CASE("full_connection: axis<no_axis> makes rows of whatever there is") {
  builder b;
  const auto y = full_connection(b.input<f32, shape<2, 3, 4>>("x"), b.weight<f32, shape<5, 8>>("w"), axis<no_axis>);
  static_assert(y.desc == f32_of({3, 5}));
  CHECK(unpack<ops::full_connection::attrs>(b.graph().attrs_of(b.graph().nodes[0])).axis == no_axis);
}

TEST_CASE("full_connection: keywords arrive as attributes, and the weight names the node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto first = unpack<ops::full_connection::attrs>(g.attrs_of(g.nodes[0]));
  const auto second = unpack<ops::full_connection::attrs>(g.attrs_of(g.nodes[1]));
  CHECK((first.axis == 1 && first.fused == activation::relu6));
  CHECK((second.axis == -1 && second.fused == activation::none));
  CHECK(g.inputs_of(g.nodes[0]).size() == 3);
  CHECK(g.inputs_of(g.nodes[1]).size() == 2);
  CHECK(g.name_of(g.nodes[0].name) == "fc1");
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 7}));
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

constexpr auto layer_of_i8 = [](builder& b) {
  auto x = b.input<i8, shape<3, 5>, nd, quant{.scale = 0.02F, .zero_point = -7}>("x");
  auto w = b.weight<i8, shape<4, 5>, nd, per_channel<0>>("w");
  auto y = full_connection(x, w, b.weight<i32, shape<4>>("b"), into<quant{.scale = 0.2F, .zero_point = 11}>);
  static_assert(y.desc == of(i8, {3, 4}, quant{0.2F, 11}));
  b.output("y", y);
};

TEST_CASE("full_connection: a quantised output takes the scale that it is asked into") {
  builder b;
  layer_of_i8(b);
  CHECK(b.graph().nodes.size() == 1);
}

// Computed in Python integers: acc = sum of x * (w - zero) + bias, scaled to 0.02F from 0.0005F * scale, rounded to
// float where there is one scale: with a bias of 64 bits by a mantissa of 15 bits, rounded once; with one of 32
// bits, or none, by SRDHM and RDP.
TEST_CASE("full_connection: sums of 16-bit activations are scaled as TFLite's 16x8 layers do, in 64 bits or 32") {
  using op = ops::full_connection;
  const std::vector<std::int16_t> one_scale{32767,  -1116, -17641, 14442,  -18191, -28342,
                                            -19158, 32767, -32768, -29518, 5375,   32767};
  const std::vector<std::int16_t> four_scales{23164, -1116, -5880,  12035,  -12128, -28342,
                                              -6386, 32195, -30052, -29518, 1792,   32767};
  const std::vector<std::int16_t> narrow{32767,  -1116, -17641, 14443,  -18191, -28342,
                                         -19158, 32767, -32768, -29518, 5375,   32767};
  const std::vector<std::int16_t> shifted{32767,  2778, -13987, -11679, -16906, -27035,
                                          -18091, 9927, -32768, -30797, 3857,   32767};
  const shape_t x{3, 6}, w{4, 6}, y{3, 4};
  CHECK(layer_of_i16<op, std::int64_t>{{}, x, w, y, {0.3F}, 0.02F, {1000, -2000, 30000, 4000000}}.elements() ==
        one_scale);
  CHECK(layer_of_i16<op, std::int64_t>{{}, x, w, y, {0.2F, 0.3F, 0.1F, 0.25F}, 0.02F, {1000, -2000, 30000, 4000000}}
            .elements() == four_scales);
  CHECK(layer_of_i16<op, std::int32_t>{{}, x, w, y, {0.3F}, 0.02F, {1000, -2000, 30000, 4000000}}.elements() == narrow);
  CHECK(layer_of_i16<op, void>{{}, x, w, y, {0.3F}, 0.02F, {}, 0, 11}.elements() == shifted);
  CHECK(layer_of_i16<op, void>{{}, x, w, y, {0.2F, 0.3F, 0.1F, 0.25F}, 0.02F, {}}.elements() ==
        layer_of_i16<op, std::int32_t>{{}, x, w, y, {0.2F, 0.3F, 0.1F, 0.25F}, 0.02F, {0, 0, 0, 0}}.elements());
}

}  // namespace
