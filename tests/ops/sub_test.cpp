// sub_test: rules, broadcasting, arithmetic and the DSL function of sub.
#include <nnrt/ops/sub.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using rule = ops::sub::rule;

static_assert(all_refused_as_stated<ops::sub>(rules_of_pairs<ops::sub>));
static_assert(all_refused_as_stated<ops::sub>(signature_of_pairs));
constexpr operand two = computed(f32_of({2})), three = computed(f32_of({3}));
static_assert(breaks(infer<ops::sub>({}, {computed({i16, {2}}), computed({u16, {2}})}),
                     rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<ops::sub>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(takes_the_common_type<ops::sub>());
static_assert(breaks(infer<ops::sub>({}, {two, three}), rule::extents_must_be_equal_or_1, 3, 2));

TEST_CASE("sub: what it cannot subtract is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<ops::sub>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::sub>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::sub>(row));
  }
}

TEST_CASE("sub: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<ops::sub>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<ops::sub>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

TEST_CASE("sub: the result has the dtype of higher precision") { CHECK(takes_the_common_type<ops::sub>()); }

TEST_CASE("sub: each element is the difference of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<ops::sub, float>(row, [](float a, float b) { return a - b; }) == -1);
    CHECK(first_difference<ops::sub, std::int32_t>(row, [](std::int32_t a, std::int32_t b) { return a - b; }) == -1);
  }
}

constexpr ops::sub::attrs fusing(activation fused) {
  ops::sub::attrs attrs;
  attrs.fused = fused;
  return attrs;
}

static_assert(gives<ops::sub, float>({1, -2, 0.5F}, {2, -3, 0.25F}, {-1, 1, 0.25F}));
static_assert(gives<ops::sub, float16>({float16(1.5F)}, {float16(2.25F)}, {float16(-0.75F)}));
static_assert(gives<ops::sub, float>({-3, 9, 20}, {1, 8, 1}, {0, 1, 6}, fusing(activation::relu6)));

TEST_CASE("sub: integers wrap around in their own width") {
  using limits64 = std::numeric_limits<std::int64_t>;
  static_assert(gives<ops::sub, std::int8_t>({127, -128}, {-1, 1}, {-128, 127}));
  static_assert(gives<ops::sub, std::uint8_t>({0}, {1}, {255}));
  CHECK(gives<ops::sub, std::int64_t>({limits64::min()}, {1}, {limits64::max()}));
  CHECK(gives<ops::sub, std::uint64_t>({0}, {1}, {~std::uint64_t{0}}, fusing(activation::relu)));
}

constexpr auto differences = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto w = b.weight<f32, shape<3>>("w");
  b.output("fused", sub(x, w, relu));
  b.output("scalar right", x - 2);
  b.output("scalar left", 0.5F - x);
  b.output("of two tensors", x - w);
};

TEST_CASE("sub: the DSL records a node with its activation, and scalars as constants of the tensor's dtype") {
  builder b;
  differences(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 4);
  CHECK(unpack<ops::sub::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu);
  CHECK(unpack<ops::sub::attrs>(g.attrs_of(g.nodes[3])).fused == activation::none);
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
  CHECK(g.inputs_of(g.nodes[2])[1] == g.inputs[0]);
  for (const ir::node& node : g.nodes) CHECK(node.op->code == op_code{38});
}

static_assert([] {
  builder b;
  differences(b);
  return b.graph().nodes.size();
}() == 4);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::sub>(quantised_rules));
static_assert(takes_the_wanted_scale<ops::sub>());

TEST_CASE("sub: quantised operands without the scales that it needs are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::sub>(row));
  }
}

/// Quantised values all over the range, in steps, sub of both.
template <class T>
constexpr std::vector<T> quantised_result_of(int step_a, quant a, int step_b, quant b, quant y, activation fused) {
  return run_quantised<ops::sub, T>(fusing(fused), {16}, y, spread<T>({16}, step_a, a), spread<T>({16}, step_b, b));
}

// Expected numbers: python integers through TFLite's definition. Each operand, shifted left by 20 bits (i16: 15), times
// scale / (2 * larger scale), b's multiplier negated, the sum times 2 * larger scale / (2^20 * scale of y), each
// product rounded by SRDHM and RDP.
TEST_CASE("sub: quantised values have the bits of TFLite's SUB") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.11F, 3}, activation::none) ==
        std::vector<std::int8_t>{123, 20, -82, 118, 15, -87, 113, -106, 94, -9, -111, 89, -14, 127, -33, -128});
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.11F, 3}, activation::relu6) ==
        std::vector<std::int8_t>{58, 20, 3, 58, 15, 3, 58, 3, 58, 3, 3, 58, 3, 58, 3, 3});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.11F, 131}, activation::none) ==
        std::vector<std::uint8_t>{251, 148, 46, 246, 143, 41, 241, 22, 222, 119, 17, 217, 114, 255, 95, 0});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.11F, 131}, activation::relu6) ==
        std::vector<std::uint8_t>{186, 148, 131, 186, 143, 131, 186, 131, 186, 131, 131, 186, 131, 186, 131, 131});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.0013F, 0}, activation::none) ==
        std::vector<std::int16_t>{-7562, -13783, -20004, 9063, 2842, -3380, 25688, -30946, -1879, -8100, -14321, 14746,
                                  8525, 32767, -19042, -25263});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.0013F, 0}, activation::relu6) ==
        std::vector<std::int16_t>{0, 0, 0, 4615, 2842, 0, 4615, 0, 0, 0, 0, 4615, 4615, 4615, 0, 0});
}

// 0 - -1 is half a step of 2: halves go away from zero.
static_assert(quantised_result_of<std::int8_t>(0, {1.0F, -128}, 0, {1.0F, -127}, {2.0F, 0}, activation::none)[0] == 1);

static_assert(survives_every_scale<ops::sub, std::int8_t, 2>() && survives_every_scale<ops::sub, std::int16_t, 2>());

}  // namespace
