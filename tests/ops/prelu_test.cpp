// prelu: its rules one by one, and its meaning by hand.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/prelu.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::prelu;
using rule = op::rule;

constexpr operand x = computed(f32_of({1, 8, 8, 4})), c4 = weight(f32_of({4}));

TEST_CASE("prelu: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"scalar", {}, {computed(f32_of({})), c4}, {}, rule::input_must_have_a_channel_axis, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"nchw", {}, {computed({f32, nchw, {1, 4, 8, 8}}), c4}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(
      op, {"dtype", {}, {x, weight({f16, {4}})}, {}, rule::parameter_types_must_equal_input_type, int(f16), int(f32)});
  NNRT_CHECK_REFUSED(
      op, {"rank", {}, {x, weight(f32_of({1, 1, 1, 1, 4}))}, {}, rule::weight_rank_must_not_exceed_input_rank, 5, 4});
  NNRT_CHECK_REFUSED(
      op, {"count", {}, {x, weight(f32_of({2}))}, {}, rule::weight_extents_must_be_1_or_those_of_the_input, 2, 4});
  NNRT_CHECK_REFUSED(
      op, {"rows", {}, {x, weight(f32_of({4, 1, 1}))}, {}, rule::weight_extents_must_be_1_or_those_of_the_input, 4, 8});
  NNRT_CHECK_REFUSED(
      op, {"none", {}, {x, weight(f32_of({0}))}, {}, rule::weight_extents_must_be_1_or_those_of_the_input, 0, 4});
  CHECK(breaks(infer<op>({}, {x}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<op>({}, {computed({i32, {4}}), c4}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(i32), int(i8)));
}

TEST_CASE("prelu: slopes of any shape that broadcasts to the input leave its shape as it is") {
  static constexpr shape_t table[] = {{}, {1}, {1, 1, 4}, {1, 1, 1, 4}, {8, 1, 1}, {1, 8, 8, 4}, {-1, 1}, {1, 8, 8, 1}};
  for (const shape_t& slopes : table) {
    const verdict v = infer<op>({}, {x, weight(f32_of(slopes))});
    REQUIRE(v);
    CHECK(v.output(0) == x.desc);
  }
  CHECK_FALSE(infer<op>({}, {computed(f32_of({1, 4})), weight(f32_of({3, 4}))}));
}

TEST_CASE("prelu: the output is like the input, for one slope as for one a channel") {
  static constexpr shape_t table[] = {{4}, {3, 4}, {2, 5, 7, 4}, {0, 4}, {-1, 4}, {2, -1}};
  for (const shape_t& shape : table)
    for (const std::int64_t slopes : {1, 4, -1}) {
      const verdict v = infer<op>({}, {computed(f32_of(shape)), weight(f32_of({slopes}))});
      REQUIRE(v);
      CHECK(v.output(0) == f32_of(shape));
    }
}

template <class T> constexpr filled<T> sloped(filled<T> weight) {
  return run<op, T>({}, {2, 1, 2}, filled<T>({2, 1, 2}, {T(-4), T(-4), T(3), T(0)}), weight);
}
static_assert(sloped<float>({{2}, {0.5F, -2}}).elements == std::vector<float>{-2, 8, 3, 0});

TEST_CASE_TEMPLATE("prelu: positive numbers pass, others are multiplied with their slope", T, float16, float, double) {
  CHECK(sloped<T>({{2}, {T(0.5), T(-2)}}).elements == std::vector<T>{T(-2), T(8), T(3), T(0)});
  CHECK(sloped<T>({{1}, {T(0.25)}}).elements == std::vector<T>{T(-1), T(-1), T(3), T(0)});
  CHECK(sloped<T>({{}, {T(0.25)}}).elements == std::vector<T>{T(-1), T(-1), T(3), T(0)});
  CHECK(sloped<T>({{1, 1, 2}, {T(0.5), T(-2)}}).elements == std::vector<T>{T(-2), T(8), T(3), T(0)});
}

TEST_CASE_TEMPLATE("prelu: slopes stand at the axes that broadcasting gives them", T, float16, float, double) {
  const auto with = [](filled<T> weight) {
    return run<op, T>({}, {2, 2, 2}, filled<T>({2, 2, 2}, {T(-1), T(-2), T(-3), T(-4), T(5), T(-6), T(-7), T(-8)}),
                      weight)
        .elements;
  };
  CHECK(with({{2, 1, 1}, {T(2), T(3)}}) == std::vector<T>{T(-2), T(-4), T(-6), T(-8), T(5), T(-18), T(-21), T(-24)});
  CHECK(with({{2, 1}, {T(2), T(3)}}) == std::vector<T>{T(-2), T(-4), T(-9), T(-12), T(5), T(-12), T(-21), T(-24)});
  CHECK(with({{2, 1, 2}, {T(0), T(1), T(2), T(3)}}) ==
        std::vector<T>{T(0), T(-2), T(0), T(-4), T(5), T(-18), T(-14), T(-24)});
}

TEST_CASE("prelu: a NaN stays one, and infinities keep to the formula") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto y = run<op, float>({}, {3}, filled<float>({3}, {nan, inf, -inf}), filled<float>({1}, {0.5F}));
  CHECK(y.elements[0] != y.elements[0]);
  CHECK(y.elements[1] == inf);
  CHECK(y.elements[2] == -inf);
}

constexpr auto network = [](builder& g) {
  auto input = g.input<f32, nnrt::shape<2, 3, 4>>("x");
  auto y = prelu(prelu(input, g.weight<f32, nnrt::shape<4>>("slopes")), g.weight<f32, nnrt::shape<1>>("slope"));
  static_assert(y.desc == f32_of({2, 3, 4}));
  g.output("y", y);
};

TEST_CASE("prelu: each call is one node with two operands") {
  builder b;
  network(b);
  REQUIRE(b.graph().nodes.size() == 2);
  CHECK(b.graph().inputs_of(b.graph().nodes[1]).size() == 2);
}

TEST_CASE("prelu: quantised operands have one scale each, and so has the result") {
  constexpr operand q4 = computed(i8_of({2, 4})), slopes = weight(i8_of({4}));
  constexpr tensor_desc y = wish(other_scale), each = i8_of({2, 4}, per_channel<1>);
  NNRT_CHECK_REFUSED(
      op, {"plain x", {}, {computed({i8, {2, 4}}), slopes}, {y}, rule::quantised_input_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"x per channel", {}, {computed(each), slopes}, {y}, rule::quantised_input_must_have_one_scale, 4, 1});
  NNRT_CHECK_REFUSED(
      op, {"plain slopes", {}, {q4, weight({i8, {4}})}, {y}, rule::quantised_weight_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"slopes per channel",
                          {},
                          {q4, weight(i8_of({4}, per_channel<0>))},
                          {y},
                          rule::quantised_weight_must_have_one_scale,
                          4,
                          1});
  NNRT_CHECK_REFUSED(op, {"nothing wanted", {}, {q4, slopes}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  const verdict v = infer<op>({}, {q4, slopes}, {y});
  REQUIRE(v);
  CHECK(v.output(0) == i8_of({2, 4}, other_scale));
}

/// What prelu makes of 16 quantised values all over the range in 8 rows of two channels.
template <class T>
constexpr std::vector<T> sloped_quantised(int step, quant x, std::vector<T> slopes, quant slope, quant y) {
  return run_quantised<op, T>({}, {8, 2}, y, spread<T>({8, 2}, step, x), stored<T>({2}, slopes, slope));
}

// Expected numbers: python integers through TFLite's definition: x - zero where that is no less than 0, else times
// slope - its zero, by a multiplier of the scales in float, rounded by SRDHM and RDP.
TEST_CASE("prelu: quantised values have the bits of TFLite's PRELU") {
  CHECK(sloped_quantised<std::int8_t>(37, {0.1F, -20}, {40, -30}, {0.02F, 5}, {0.07F, -10}) ==
        std::vector<std::int8_t>{-118, 61, -44, -6, 47, 100, 127, 95, -78, 21, -1, 51, 104, 127, -112, 55});
  CHECK(sloped_quantised<std::uint8_t>(37, {0.1F, 108}, {168, 98}, {0.02F, 133}, {0.07F, 118}) ==
        std::vector<std::uint8_t>{10, 189, 84, 122, 175, 228, 255, 223, 50, 149, 127, 179, 232, 255, 16, 183});
  CHECK(sloped_quantised<std::int16_t>(9973, {0.001F, 0}, {10000, -5000}, {0.0001F, 0}, {0.0007F, 0}) ==
        std::vector<std::int16_t>{-32768, 16282, -18317, 2035, 10177, 24424, 32767, 20352, -26457, 6105, 2037, 16284,
                                  30531, 32767, -32768, 10175});
}
static_assert(sloped_quantised<std::int8_t>(37, {0.1F, -20}, {40, -30}, {0.02F, 5}, {0.07F, -10})[1] == 61);

TEST_CASE("prelu: products of 16-bit numbers with zero points that leave 32 bits are not cut") {
  const auto x = stored<std::int16_t>({1}, {-32768}, quant{1.0F, 32767});
  CHECK(run_quantised<op, std::int16_t>({}, {1}, quant{0x1p18F, 0}, x,
                                        stored<std::int16_t>({1}, {32767}, quant{1.0F, -32768})) ==
        std::vector<std::int16_t>{-16384});  // 65535 * 65535 / 2^18 = 16383.500004
  CHECK(run_quantised<op, std::int16_t>({}, {1}, quant{0x1p18F, 0}, x,
                                        stored<std::int16_t>({1}, {-32768}, quant{1.0F, 32767})) ==
        std::vector<std::int16_t>{16384});
}

TEST_CASE(
    "prelu: scales whose product or quotient is beyond float saturate, or bring their products to a scale as large") {
  const auto x = stored<std::int8_t>({2}, {-1, 1}, quant{1e20F, 0}),
             slope = stored<std::int8_t>({1}, {-1}, quant{1e20F, 0});
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{1.0F, 3}, x, slope) == std::vector<std::int8_t>{127, 127});
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{1e38F, 3}, x, slope) == std::vector<std::int8_t>{103, 3});
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{1e-20F, 3}, x, slope) == std::vector<std::int8_t>{127, 127});
}

static_assert(survives_every_scale<op, std::int8_t, 2>() && survives_every_scale<op, std::int16_t, 2>());

}  // namespace
