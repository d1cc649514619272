// mul_test: rules, broadcasting, arithmetic and the DSL function of mul.
#include <nnrt/ops/mul.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using rule = ops::mul::rule;

static_assert(all_refused_as_stated<ops::mul>(rules_of_pairs<ops::mul>));
static_assert(all_refused_as_stated<ops::mul>(signature_of_pairs));
constexpr operand two = computed(f32_of({2})), three = computed(f32_of({3}));
static_assert(breaks(infer<ops::mul>({}, {computed({i16, {2}}), computed({u16, {2}})}),
                     rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<ops::mul>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(takes_the_common_type<ops::mul>());
static_assert(breaks(infer<ops::mul>({}, {two, three}), rule::extents_must_be_equal_or_1, 3, 2));

TEST_CASE("mul: what it cannot multiply is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<ops::mul>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::mul>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::mul>(row));
  }
}

TEST_CASE("mul: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<ops::mul>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<ops::mul>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

TEST_CASE("mul: the result has the dtype of higher precision") { CHECK(takes_the_common_type<ops::mul>()); }

TEST_CASE("mul: each element is the product of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<ops::mul, float>(row, [](float a, float b) { return a * b; }) == -1);
    CHECK(first_difference<ops::mul, std::int32_t>(row, [](std::int32_t a, std::int32_t b) { return a * b; }) == -1);
  }
}

constexpr ops::mul::attrs fusing(activation fused) {
  ops::mul::attrs attrs;
  attrs.fused = fused;
  return attrs;
}

template <class Op> float first_of(float a, float b) {
  return run<Op, float>({}, {1}, filled<float>({1}, {a}), filled<float>({1}, {b})).elements[0];
}

static_assert(gives<ops::mul, float>({1, -2, 0.5F}, {2, -3, 0.25F}, {2, 6, 0.125F}));
static_assert(gives<ops::mul, float16>({float16(1.5F)}, {float16(2.5F)}, {float16(3.75F)}));
static_assert(gives<ops::mul, float>({-3, 0.5F, 20}, {1, 8, 1}, {0, 4, 6}, fusing(activation::relu6)));

TEST_CASE("mul: integers wrap around in their own width") {
  using limits64 = std::numeric_limits<std::int64_t>;
  static_assert(gives<ops::mul, std::int8_t>({100, -128}, {3, -1}, {44, -128}));
  static_assert(gives<ops::mul, std::int32_t>({65536}, {65536}, {0}));
  CHECK(gives<ops::mul, std::int64_t>({limits64::min(), limits64::max()}, {-1, 2}, {limits64::min(), -2}));
  CHECK(gives<ops::mul, std::uint64_t>({~std::uint64_t{0}}, {1}, {~std::uint64_t{0}}, fusing(activation::relu)));
}

TEST_CASE("mul: floats follow IEEE 754") {
  CHECK(gives<ops::mul, float>({1e30F}, {1e30F}, {math::infinity<float>}));
  CHECK(math::is_nan(first_of<ops::mul>(math::infinity<float>, 0)));
}

constexpr auto products = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto w = b.weight<f32, shape<3>>("w");
  b.output("fused", mul(x, w, relu));
  b.output("scalar right", x * 2);
  b.output("scalar left", 0.5F * x);
  b.output("of two tensors", x * w);
};

TEST_CASE("mul: the DSL records a node with its activation, and scalars as constants of the tensor's dtype") {
  builder b;
  products(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 4);
  CHECK(unpack<ops::mul::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu);
  CHECK(unpack<ops::mul::attrs>(g.attrs_of(g.nodes[3])).fused == activation::none);
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
  CHECK(g.inputs_of(g.nodes[2])[1] == g.inputs[0]);
  for (const ir::node& node : g.nodes) CHECK(node.op->code == op_code{22});
}

static_assert([] {
  builder b;
  products(b);
  return b.graph().nodes.size();
}() == 4);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::mul>(quantised_rules));
static_assert(takes_the_wanted_scale<ops::mul>());

TEST_CASE("mul: quantised operands without the scales that it needs are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::mul>(row));
  }
}

/// Quantised values all over the range, in steps, mul of both.
template <class T>
constexpr std::vector<T> quantised_result_of(int step_a, quant a, int step_b, quant b, quant y, activation fused) {
  return run_quantised<ops::mul, T>(fusing(fused), {16}, y, spread<T>({16}, step_a, a), spread<T>({16}, step_b, b));
}

// Expected numbers: python integers through TFLite's definition: (a - zero) * (b - zero) times a multiplier that is
// made of the three scales in float, rounded by SRDHM and RDP.
TEST_CASE("mul: quantised values have the bits of TFLite's MUL") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.4F, -5}, activation::none) ==
        std::vector<std::int8_t>{127, 59, -46, 11, -5, 100, -94, -95, 127, 0, -16, -35, 39, -128, 21, -115});
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.4F, -5}, activation::relu6) ==
        std::vector<std::int8_t>{10, 10, -5, 10, -5, 10, -5, -5, 10, 0, -5, -5, 10, -5, 10, -5});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.4F, 123}, activation::none) ==
        std::vector<std::uint8_t>{255, 187, 82, 139, 123, 228, 34, 33, 255, 128, 112, 93, 167, 0, 149, 13});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.4F, 123}, activation::relu6) ==
        std::vector<std::uint8_t>{138, 138, 123, 138, 123, 138, 123, 123, 138, 128, 123, 123, 138, 123, 138, 123});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.02F, 0}, activation::none) ==
        std::vector<std::int16_t>{32767, 5558, -8452, 2084, 1222, 18371, -8559, -16721, 14888, -847, 1429, -4429, 10996,
                                  -27465, -649, -13246});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.02F, 0}, activation::relu6) ==
        std::vector<std::int16_t>{300, 300, 0, 300, 300, 300, 0, 0, 300, 0, 300, 0, 300, 0, 0, 0});
}

TEST_CASE("mul: products beyond 32 bits end at the ends of the range") {
  const auto a = stored<std::int16_t>({2}, {32767, -32768}, quant{1.0F, -32768}),
             b = stored<std::int16_t>({2}, {32767, 32767}, quant{1.0F, -32768});
  CHECK(run_quantised<ops::mul, std::int16_t>({}, {2}, quant{0x1p16F, 0}, a, b) == std::vector<std::int16_t>{32767, 0});
}

TEST_CASE("mul: products of 16-bit numbers with zero points that leave 32 bits are not cut") {
  const auto a = stored<std::int16_t>({2}, {32767, 32767}, quant{1.0F, -32768}),
             b = stored<std::int16_t>({2}, {32767, 0}, quant{1.0F, -32768});
  const auto c = stored<std::int16_t>({2}, {-32768, -32768}, quant{1.0F, 32767});
  constexpr quant y{0x1p18F, 0}, even{0x1p18F, 0, quantised_rounding::half_to_even};
  // 65535 * 65535 / 2^18 = 16383.500004, 65535 * 32768 / 2^18 = 8191.875
  CHECK(run_quantised<ops::mul, std::int16_t>({}, {2}, y, a, b) == std::vector<std::int16_t>{16384, 8192});
  CHECK(run_quantised<ops::mul, std::int16_t>({}, {2}, even, a, b) == std::vector<std::int16_t>{16384, 8192});
  CHECK(run_quantised<ops::mul, std::int16_t>({}, {2}, y, c, b) == std::vector<std::int16_t>{-16384, -8192});
}

TEST_CASE(
    "mul: scales whose product or quotient is beyond float saturate, or bring their products to a scale as large") {
  const auto one = stored<std::int8_t>({2}, {1, -1}, quant{1e20F, 0}),
             few = stored<std::int8_t>({2}, {1, 1}, quant{1e20F, 0});
  CHECK(run_quantised<ops::mul, std::int8_t>({}, {2}, quant{1.0F, 3}, one, few) == std::vector<std::int8_t>{127, -128});
  CHECK(run_quantised<ops::mul, std::int8_t>({}, {2}, quant{1e38F, 3}, one, few) == std::vector<std::int8_t>{103, -97});
}

static_assert(survives_every_scale<ops::mul, std::int8_t, 2>() && survives_every_scale<ops::mul, std::int16_t, 2>());

}  // namespace
