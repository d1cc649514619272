// softmax_test: rules, probabilities along one and several axes, and the DSL function of softmax.
#include <nnrt/ops/softmax.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/operators.hpp"
#include "support/quantised.hpp"

#include <bit>
#include <limits>

namespace {

using namespace nnrt_test;
using rule = ops::softmax::rule;

constexpr ops::softmax::attrs along(axis_list axes) {
  ops::softmax::attrs a;
  a.axis = axes;
  return a;
}

struct refused_row {
  const char* what;
  axis_list axes;
  tensor_desc x;
  rule broken;
  std::int64_t got, expected;
};
constexpr refused_row refused[] = {
    {"a scalar has no axis", {}, f32_of({}), rule::input_rank_must_be_at_least_1, 0, 1},
    {"a scalar has no axis 0", {0}, f32_of({}), rule::input_rank_must_be_at_least_1, 0, 1},
    {"axis after the last", {2}, f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"axis before the first", {-3}, f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_input, -3, 1},
    {"hostile axis",
     {std::int64_t{1} << 40},
     f32_of({2, 3}),
     rule::axis_must_be_an_axis_of_the_input,
     std::int64_t{1} << 40,
     1},
    {"second axis wrong", {0, 5}, f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_input, 5, 1},
    {"one axis twice", {1, 1}, f32_of({2, 3}), rule::axes_must_differ, 2, 1},
    {"one axis by two names", {1, -1}, f32_of({2, 3}), rule::axes_must_differ, 2, 1},
};
constexpr bool refused_as_stated(const refused_row& r) {
  return breaks(infer<ops::softmax>(along(r.axes), {computed(r.x)}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const refused_row& row : refused)
    if (!refused_as_stated(row)) return false;
  return true;
}());
static_assert(breaks(infer<ops::softmax>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
static_assert(breaks(infer<ops::softmax>({}, {computed({i32, {3}})}),
                     signature_rule::operand_type_must_be_accepted_by_the_operator, 4, 2));

TEST_CASE("softmax: axes that the input does not have, or has once only, are refused with both values") {
  for (const refused_row& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  CHECK(breaks(infer<ops::softmax>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::softmax>({}, {computed({i32, {3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, 4, 2));
}

struct quantised_refusal {
  const char* what;
  tensor_desc x, y;
  rule broken;
  std::int64_t got, expected;
};
constexpr quant half{.scale = 0.5F, .zero_point = 3}, of_i8{.scale = 1.0F / 256, .zero_point = -128},
    of_u8{.scale = 1.0F / 256, .zero_point = 0};
constexpr std::int64_t bits(float real) { return std::bit_cast<std::int32_t>(real); }
constexpr tensor_desc of(dtype type, shape_t shape, quantisation q = {}) {
  return {type, default_format(shape.rank), shape, q};
}
constexpr quantised_refusal quantised_refusals[] = {
    {"plain", of(i8, {2, 3}), of(i8, {2, 3}, of_i8), rule::quantised_input_must_have_one_scale, 0, 1},
    {"all plain", of(u8, {2, 3}), {}, rule::quantised_input_must_have_one_scale, 0, 1},
    {"per channel", of(i8, {2, 3}, per_channel<1>), {}, rule::quantised_input_must_have_one_scale, 3, 1},
    {"nothing wanted", of(i8, {2, 3}, half), {}, rule::quantised_output_must_have_one_scale, 0, 1},
    {"to plain", of(i8, {2, 3}, half), of(i8, {2, 3}), rule::quantised_output_must_have_one_scale, 0, 1},
    {"i16 to plain", of(i16, {2, 3}, half), of(i16, {2, 3}), rule::quantised_output_must_have_one_scale, 0, 1},
};
constexpr bool refused_as_stated(const quantised_refusal& r) {
  return breaks(infer<ops::softmax>({}, {computed(r.x)}, {r.y}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const quantised_refusal& row : quantised_refusals)
    if (!refused_as_stated(row)) return false;
  return true;
}());

TEST_CASE("softmax: quantised values need a scale, and take any for their shares") {
  for (const quantised_refusal& row : quantised_refusals) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  const tensor_desc y = of(u8, {-1, 3}, of_u8);
  CHECK(infer<ops::softmax>({}, {computed(of(u8, {-1, 3}, half))}, {y}).output(0) == y);
  for (const dtype type : {i8, u8, i16})
    CHECK(infer<ops::softmax>({}, {computed(of(type, {4}, half))}, {of(type, {4}, half)}).output(0).quantised == half);
}

TEST_CASE("softmax: the output is like the input, unknown extents too") {
  static constexpr tensor_desc table[] = {
      {f32, {10}}, {f16, nchw, {3, 5, 7, 2}}, {f64, {-1, 4}}, {f32, {0, 2}}, {f32, {-1, -1, -1}}};
  for (const tensor_desc& x : table) {
    const verdict v = infer<ops::softmax>(along({0, -1}), {computed(x)});
    CHECK((x.rank() == 1 ? !v : v && v.output(0) == x));
    CHECK(infer<ops::softmax>({}, {computed(x)}).output(0) == x);
  }
}

template <class T> bool near(const filled<T>& y, std::initializer_list<double> expected, double tolerance) {
  std::size_t i = 0;
  for (const double e : expected) {
    const double got = static_cast<double>(y.elements[i++]);
    if (!(math::abs(got - e) <= tolerance)) return false;
  }
  return i == y.elements.size();
}

// Golden numbers by Python, for each group v: [math.exp(x - max(v)) / sum(math.exp(x - max(v)) for x in v) for x in v]
TEST_CASE("softmax: along the listed axes the elements become shares of 1") {
  const filled<float> x({2, 3}, {1, 2, 3, 0, -1, 4});
  struct row {
    const char* what;
    axis_list axes;
    std::initializer_list<double> y;
  };
  const row table[] = {
      {"last axis by default",
       {},
       {0.09003057317038046, 0.24472847105479764, 0.6652409557748218, 0.0178679818703045, 0.006573263185309083,
        0.9755587549443865}},
      {"last axis by number",
       {1},
       {0.09003057317038046, 0.24472847105479764, 0.6652409557748218, 0.0178679818703045, 0.006573263185309083,
        0.9755587549443865}},
      {"first axis",
       {0},
       {0.7310585786300049, 0.9525741268224334, 0.2689414213699951, 0.2689414213699951, 0.04742587317756679,
        0.7310585786300049}},
      {"both axes",
       {1, -2},
       {0.03154963320110002, 0.08576079462509835, 0.233122009623613, 0.011606461431184656, 0.00426977854528211,
        0.6336913225737218}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(near(run<ops::softmax, float>(along(r.axes), {2, 3}, x), r.y, 1e-7));
  }
  const filled<double> wide({1, 3, 1}, {1, 2, 3});
  CHECK(near(run<ops::softmax, double>(along({1}), {1, 3, 1}, wide),
             {0.09003057317038046, 0.24472847105479764, 0.6652409557748218}, 1e-16));
  const filled<float16> narrow({3}, {float16(1.0F), float16(2.0F), float16(3.0F)});
  CHECK(near(run<ops::softmax, float16>({}, {3}, narrow),
             {0.09003057317038046, 0.24472847105479764, 0.6652409557748218}, 2.5e-4));
}

TEST_CASE("softmax: two axes that are not neighbours form one group") {
  const filled<float> x({2, 2, 2}, {0, 5, 0, 7, 0, 5, 0, 7});     // axes 0 and 2 hold {0, 5, 0, 5} and {0, 7, 0, 7}
  const double e5 = 0.0033464254621424, e7 = 0.0004555255972003;  // 1 / (2 + 2 exp(5)), 1 / (2 + 2 exp(7))
  const filled<float> y = run<ops::softmax, float>(along({0, 2}), {2, 2, 2}, x);
  CHECK(near(y, {e5, 0.5 - e5, e7, 0.5 - e7, e5, 0.5 - e5, e7, 0.5 - e7}, 1e-7));
}

TEST_CASE("softmax: large numbers do not overflow, no elements are none") {
  CHECK(near(run<ops::softmax, float>({}, {2}, filled<float>({2}, {1e30F, 1e30F})), {0.5, 0.5}, 0));
  CHECK(
      near(run<ops::softmax, float>({}, {3}, filled<float>({3}, {-1000, 1000, -math::infinity<float>})), {0, 1, 0}, 0));
  CHECK(run<ops::softmax, float>({}, {2, 0}, filled<float>({2, 0})).elements.empty());
}

static_assert(run<ops::softmax, float>({}, {2, 2}, filled<float>({2, 2}, {1, 1, -3, -3})).elements ==
              std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F});
static_assert(run<ops::softmax, float>(along({0}), {2, 1}, filled<float>({2, 1}, {0, 0})).elements ==
              std::vector<float>{0.5F, 0.5F});

/// The probabilities of i * 37 % 256 (- 128 for i8), [3, 12], of this scale, as quantised values.
template <class T> constexpr std::vector<T> shares_of_bytes(float scale, const axis_list& axes = {}) {
  constexpr int first = std::is_same_v<T, std::int8_t> ? 128 : 0;
  filled<T> x(shape_t{3, 12}), y(shape_t{3, 12});
  for (std::size_t i = 0; i < 36; ++i) x.elements[i] = static_cast<T>(int(i) * 37 % 256 - first);
  x.desc.quantised = quant{scale, 7}, y.desc.quantised = quant{1.0F / 256, -first};
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  ops::softmax::reference<T>(along(axes), in, out);
  return y.elements;
}
using signed_numbers = std::vector<std::int8_t>;

// Computed in Python integers by the definitions of TFLite's SOFTMAX and of gemmlowp's exp_on_negative_values and
// one_over_one_plus_x_for_x_in_0_1.
static_assert(shares_of_bytes<std::int8_t>(0.05F) ==
              signed_numbers{-128, -128, -128, -127, -123, -95,  82,   -128, -128, -128, -127, -122,
                             -112, -27,  -128, -128, -128, -128, -125, -110, -11,  -128, -128, -128,
                             -128, -126, -112, -28,  -128, -128, -128, -128, -125, -110, -12,  -128});

TEST_CASE("softmax: bytes give the very numbers of TFLite's reference, along any axes") {
  CHECK(shares_of_bytes<std::int8_t>(0.05F) == signed_numbers{-128, -128, -128, -127, -123, -95,  82,   -128, -128,
                                                              -128, -127, -122, -112, -27,  -128, -128, -128, -128,
                                                              -125, -110, -11,  -128, -128, -128, -128, -126, -112,
                                                              -28,  -128, -128, -128, -128, -125, -110, -12,  -128});
  CHECK(shares_of_bytes<std::int8_t>(0.3F, {-1}) ==
        signed_numbers{-128, -128, -128, -128, -128, -128, 127,  -128, -128, -128, -128, -128,
                       -128, -54,  -128, -128, -128, -128, -128, -128, 54,   -128, -128, -128,
                       -128, -128, -128, -54,  -128, -128, -128, -128, -128, -128, 54,   -128});
  CHECK(shares_of_bytes<std::int8_t>(0.001F) == signed_numbers{-109, -108, -107, -106, -106, -105, -104, -109, -108,
                                                               -107, -106, -106, -105, -104, -109, -108, -107, -107,
                                                               -106, -105, -104, -109, -108, -107, -107, -106, -105,
                                                               -105, -109, -108, -108, -107, -106, -105, -104, -109});
  CHECK(shares_of_bytes<std::uint8_t>(0.05F) ==
        std::vector<std::uint8_t>{0, 0,  0,   1, 5, 33, 210, 0, 0,  0,   1, 6, 16, 101, 0, 0,  0,   0,
                                  3, 18, 117, 0, 0, 0,  0,   2, 16, 100, 0, 0, 0,  0,   3, 18, 116, 0});
  CHECK(shares_of_bytes<std::int8_t>(0.05F, {0}) ==
        signed_numbers{-128, -128, -127, -127, 119,  119,  119,  -128, -128, -127, -127, 119,
                       120,  120,  -128, -128, -120, -120, -120, 120,  120,  -128, -128, -120,
                       -120, -120, 127,  127,  -128, -128, -128, -120, -120, 127,  127,  -128});
  CHECK(shares_of_bytes<std::int8_t>(0.05F, {0, 1}) ==
        signed_numbers{-128, -128, -128, -128, -127, -123, -97,  -128, -128, -128, -128, -127,
                       -122, -92,  -128, -128, -128, -128, -127, -121, -86,  -128, -128, -128,
                       -128, -127, -120, -79,  -128, -128, -128, -128, -127, -119, -71,  -128});
}

TEST_CASE("softmax: of any scale, the numbers of bytes are those of the exact probabilities, rounded") {
  for (const float scale : {1e-6F, 0.003F, 0.02F, 0.1F, 0.7F, 4.0F}) {
    CAPTURE(scale);
    const std::vector<std::uint8_t> y = shares_of_bytes<std::uint8_t>(scale, {0, 1});
    double sum = 0, largest = 0;
    for (int i = 0; i < 36; ++i) largest = i * 37 % 256 > largest ? i * 37 % 256 : largest;
    const auto power = [&](int i) { return math::exp((i * 37 % 256 - largest) * double{scale}); };
    for (int i = 0; i < 36; ++i) sum += power(i);
    for (int i = 0; i < 36; ++i) {
      const double exact = 256 * power(i) / sum, got = y[static_cast<std::size_t>(i)];
      CHECK(math::abs(got - (exact < 255 ? exact : 255)) < 0.5001);
    }
  }
}

/// The quantised value that each of n equal numbers gets.
int share_of_equals(std::int64_t n, float scale) {
  filled<std::int8_t> x(shape_t{n}), y(shape_t{n});
  x.desc.quantised = quant{scale, 0}, y.desc.quantised = of_i8;
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  ops::softmax::reference<std::int8_t>({}, in, out);
  for (const std::int8_t v : y.elements) REQUIRE(v == y.elements[0]);
  return y.elements[0];
}

TEST_CASE("softmax: sums beyond 32 bits and hostile scales do no harm") {
  for (const float scale : {std::numeric_limits<float>::min(), 0.1F, std::numeric_limits<float>::max()}) {
    CHECK(share_of_equals(1, scale) == 127);
    CHECK(share_of_equals(2, scale) == 0);
    CHECK(share_of_equals(256, scale) == -127);
    CHECK(share_of_equals(511, scale) == -127);  // a bit more than half a 256th
    CHECK(share_of_equals(513, scale) == -128);
    CHECK(share_of_equals(5000, scale) == -128);
  }
  CHECK(shares_of_bytes<std::int8_t>(std::numeric_limits<float>::max()) == shares_of_bytes<std::int8_t>(10.0F));
  CHECK(shares_of_bytes<std::int8_t>(std::numeric_limits<float>::min()) == signed_numbers(36, -107));  // 256 / 12 = 21
}

constexpr auto three = [](builder& b) {
  auto x = b.input<f16, shape<2, 3, 4>>("x");
  b.output("y", softmax(softmax(softmax(x), axis<-2>), axes<1, 2>));
};

TEST_CASE("softmax: axis and axes both fill the list of axes") {
  builder b;
  three(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  const auto axes_of = [&](std::size_t node) { return unpack<ops::softmax::attrs>(g.attrs_of(g.nodes[node])).axis; };
  CHECK(axes_of(0) == axis_list{});
  CHECK(axes_of(1) == axis_list{-2});
  CHECK(axes_of(2) == axis_list{1, 2});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3, 4}});
}

constexpr auto classes_of_i8 = [](builder& b) {
  auto x = b.input<i8, shape<2, 10>, nd, quant{.scale = 0.05F, .zero_point = 7}>("x");
  auto y = softmax(x, into<quant{.scale = 1.0F / 256, .zero_point = -128}>);
  static_assert(y.desc == of(i8, {2, 10}, of_i8));
  b.output("y", y);
};

TEST_CASE("softmax: a quantised output is asked into its scale") {
  builder b;
  classes_of_i8(b);
  CHECK(b.graph().nodes.size() == 1);
}

constexpr ops::softmax::attrs sharpened(float beta) {
  ops::softmax::attrs a;
  a.beta = beta;
  return a;
}
constexpr float infinite = std::numeric_limits<float>::infinity(), min_float = std::numeric_limits<float>::min();
constexpr rule beta_rule = rule::beta_must_be_positive_and_finite;
static_assert(breaks(infer<ops::softmax>(sharpened(0), {computed(f32_of({3}))}), beta_rule, bits(0), bits(min_float)));

TEST_CASE("softmax: beta is a positive number") {
  constexpr float most = std::numeric_limits<float>::max();
  const operand x = computed(f32_of({3}));
  CHECK(breaks(infer<ops::softmax>(sharpened(0), {x}), beta_rule, bits(0), bits(min_float)));
  CHECK(breaks(infer<ops::softmax>(sharpened(-1), {x}), beta_rule, bits(-1), bits(min_float)));
  CHECK(breaks(infer<ops::softmax>(sharpened(infinite), {x}), beta_rule, bits(infinite), bits(most)));
  CHECK_FALSE(infer<ops::softmax>(sharpened(std::numeric_limits<float>::quiet_NaN()), {x}));
}

// Python: math.exp(b * (x - max(v))) / sum(math.exp(b * (x - max(v))) for x in v), b = 2.5 and 0.25
TEST_CASE_TEMPLATE("softmax: beta multiplies the exponents", T, float, double) {
  const filled<T> x({3}, {1, 2, 3});
  CHECK(near(run<ops::softmax, T>(sharpened(2.5F), {3}, x),
             {0.006188285272800035, 0.07538874796299667, 0.9184229667642032}, 1e-7));
  CHECK(near(run<ops::softmax, T>(sharpened(0.25F), {3}, x),
             {0.25427521259046565, 0.3264958357998367, 0.4192289516096977}, 1e-7));
}

TEST_CASE("softmax: beta multiplies the scale of quantised values, in double") {
  const auto x = spread<std::int8_t>({2, 6}, 37, quant{0.05F, 7}),
             twice = spread<std::int8_t>({2, 6}, 37, quant{0.1F, 7});
  CHECK(run_quantised<ops::softmax, std::int8_t>(sharpened(2), {2, 6}, of_i8, x) ==
        run_quantised<ops::softmax, std::int8_t>({}, {2, 6}, of_i8, twice));
  CHECK(run_quantised<ops::softmax, std::int8_t>(sharpened(2), {2, 6}, of_i8, x) !=
        run_quantised<ops::softmax, std::int8_t>({}, {2, 6}, of_i8, x));
  static_assert(run_quantised<ops::softmax, std::int8_t>(sharpened(1e30F), {2}, of_i8,
                                                         stored<std::int8_t>({2}, {3, 4}, quant{1e30F, 0})) ==
                std::vector<std::int8_t>{-128, 127});
}

// Two rows of i * 9973 % 2^16 - 2^15, scale 1e-4, by Python: exp and 1 / (1 + x) from tables of 513 numbers (round(f(x)
// * 2^15) minus half of what round(the mean of it and the next one) is above round(f(x + step / 2) * 2^15)), read at
//   the
// upper 9 bits of an argument and interpolated by the lower 7; [-65535, 0] are exponents of -10 to 0.
TEST_CASE("softmax: 16-bit shares are those of TFLite's tables") {
  const auto x = ramp<std::int16_t>({2, 6}, 9973, 65536, -32768, quant{0.0001F, 0});
  const quant of_i16{.scale = 1.0F / 32768, .zero_point = 0};
  CHECK(run_quantised<ops::softmax, std::int16_t>({}, {2, 6}, of_i16, x) ==
        std::vector<std::int16_t>{142, 384, 1041, 2821, 7648, 20732, 24667, 96, 258, 700, 1899, 5147});
  CHECK(run_quantised<ops::softmax, std::int16_t>(sharpened(2.5F), {2, 6}, of_i16, x) ==
        std::vector<std::int16_t>{2, 2, 17, 206, 2484, 30057, 32070, 2, 2, 4, 53, 637});
}
static_assert([] {
  const quant of_i16{.scale = 1.0F / 32768, .zero_point = 0};
  for (const float scale : {min_float, 1.0F, std::numeric_limits<float>::max()})
    run_quantised<ops::softmax, std::int16_t>(sharpened(1e30F), {2}, of_i16,
                                              stored<std::int16_t>({2}, {-32768, 32767}, quant{scale, 0}));
  return run_quantised<ops::softmax, std::int16_t>({}, {2}, of_i16, stored<std::int16_t>({2}, {7, 7}, quant{1, 7})) ==
         std::vector<std::int16_t>{16384, 16384};
}());

template <class T> void check_shares(quant to) {
  const auto x = spread<T>({12}, 37 << (8 * (sizeof(T) - 1)), quant{sizeof(T) == 1 ? 0.02F : 0.0001F, 0});
  const std::vector<T> y = run_quantised<ops::softmax, T>({}, {12}, to, x);
  double sum = 0;
  const auto power = [&](std::size_t i) { return math::exp(x.elements[i] * double{x.desc.quantised.scale}); };
  for (std::size_t i = 0; i < 12; ++i) sum += power(i);
  for (std::size_t i = 0; i < 12; ++i) {
    const double exact = to.zero_point + power(i) / sum / double{to.scale};
    constexpr double most = std::numeric_limits<T>::max();
    CHECK(math::abs(y[i] - (exact < most ? exact : most)) < 0.5001);
  }
}
TEST_CASE("softmax: shares of any other scale are the nearest ones") {
  for (const quant to : {quant{0.01F, 3}, quant{0.004F, 0}, quant{1.0F / 256, 1}, quant{1.0F / 1024, 100}}) {
    check_shares<std::int8_t>(to);
    check_shares<std::uint8_t>(to);
    check_shares<std::int16_t>(to);
  }
  check_shares<std::int16_t>({1.0F / 30000, -5});
}

}  // namespace
