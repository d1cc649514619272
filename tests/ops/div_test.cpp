// div_test: rules, broadcasting, arithmetic and the DSL function of div.
#include <nnrt/ops/div.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using rule = ops::div::rule;

static_assert(all_refused_as_stated<ops::div>(rules_of_pairs<ops::div>));
static_assert(all_refused_as_stated<ops::div>(signature_of_pairs));
constexpr operand two = computed(f32_of({2})), three = computed(f32_of({3}));
static_assert(breaks(infer<ops::div>({}, {computed({i16, {2}}), computed({u16, {2}})}),
                     rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<ops::div>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(takes_the_common_type<ops::div>());
static_assert(breaks(infer<ops::div>({}, {two, three}), rule::extents_must_be_equal_or_1, 3, 2));

TEST_CASE("div: what it cannot divide is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<ops::div>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::div>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::div>(row));
  }
}

TEST_CASE("div: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<ops::div>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<ops::div>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

TEST_CASE("div: the result has the dtype of higher precision") { CHECK(takes_the_common_type<ops::div>()); }

TEST_CASE("div: each element is the quotient of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<ops::div, float>(row, [](float a, float b) { return a / b; }) == -1);
    CHECK(first_difference<ops::div, std::int32_t>(row, [](std::int32_t a, std::int32_t b) { return a / b; }) == -1);
  }
}

constexpr ops::div::attrs fusing(activation fused) {
  ops::div::attrs attrs;
  attrs.fused = fused;
  return attrs;
}

template <class Op> float first_of(float a, float b) {
  return run<Op, float>({}, {1}, filled<float>({1}, {a}), filled<float>({1}, {b})).elements[0];
}

static_assert(gives<ops::div, float>({1, -3, 0.5F}, {2, -2, 0.25F}, {0.5F, 1.5F, 2}));
static_assert(gives<ops::div, float16>({float16(1.5F)}, {float16(2.0F)}, {float16(0.75F)}));
static_assert(gives<ops::div, float>({-3, 0.5F, 20}, {1, 2, 1}, {0, 0.25F, 6}, fusing(activation::relu6)));

TEST_CASE("div: integers are truncated toward zero, and over zero they are 0") {
  static_assert(gives<ops::div, std::int32_t>({7, -7, 7, -7, 6, 0}, {2, 2, -2, -2, 3, 5}, {3, -3, -3, 3, 2, 0}));
  static_assert(gives<ops::div, std::int8_t>({5, -5, 0, -128}, {0, 0, 0, 0}, {0, 0, 0, 0}));
  CHECK(gives<ops::div, std::uint64_t>({5, ~std::uint64_t{0}}, {0, 2}, {0, ~std::uint64_t{0} / 2}));
}

TEST_CASE("div: the most negative integer over -1 wraps around to itself") {
  using limits32 = std::numeric_limits<std::int32_t>;
  using limits64 = std::numeric_limits<std::int64_t>;
  static_assert(gives<ops::div, std::int8_t>({-128, 127}, {-1, -1}, {-128, -127}));
  CHECK(gives<ops::div, std::int32_t>({limits32::min()}, {-1}, {limits32::min()}));
  CHECK(gives<ops::div, std::int64_t>({limits64::min()}, {-1}, {limits64::min()}));
}

TEST_CASE("div: floats over zero follow IEEE 754, in constant evaluation too") {
  constexpr float infinity = math::infinity<float>;
  static_assert(
      gives<ops::div, float>({1, -1, 1, -1}, {0, 0, -0.0F, -0.0F}, {infinity, -infinity, -infinity, infinity}));
  CHECK(math::is_nan(first_of<ops::div>(0.0F, 0)));
  CHECK(math::is_nan(first_of<ops::div>(math::nan<float>, 0)));
  CHECK(gives<ops::div, double>({math::infinity<double>}, {0}, {math::infinity<double>}));
  CHECK(gives<ops::div, float16>({float16(2.0F)}, {float16(0.0F)}, {math::infinity<float16>}));
}

constexpr auto quotients = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto w = b.weight<f32, shape<3>>("w");
  b.output("fused", div(x, w, relu));
  b.output("scalar right", x / 2);
  b.output("scalar left", 0.5F / x);
  b.output("of two tensors", x / w);
};

TEST_CASE("div: the DSL records a node with its activation, and scalars as constants of the tensor's dtype") {
  builder b;
  quotients(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 4);
  CHECK(unpack<ops::div::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu);
  CHECK(unpack<ops::div::attrs>(g.attrs_of(g.nodes[3])).fused == activation::none);
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
  CHECK(g.inputs_of(g.nodes[2])[1] == g.inputs[0]);
  for (const ir::node& node : g.nodes) CHECK(node.op->code == op_code{11});
}

static_assert([] {
  builder b;
  quotients(b);
  return b.graph().nodes.size();
}() == 4);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::div>(quantised_rules));
static_assert(takes_the_wanted_scale<ops::div>());

TEST_CASE("div: quantised operands without the scales that it needs are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::div>(row));
  }
}

/// Quantised values all over the range, in steps, div of both.
template <class T>
constexpr std::vector<T> quantised_result_of(int step_a, quant a, int step_b, quant b, quant y, activation fused) {
  return run_quantised<ops::div, T>(fusing(fused), {16}, y, spread<T>({16}, step_a, a), spread<T>({16}, step_b, b));
}

// Expected numbers: python integers through TFLite's definition: gemmlowp's reciprocal of |b - zero|, a - zero shifted
// as far to the left as it goes, their SRDHM times a multiplier that is made of the three scales in float.
TEST_CASE("div: quantised values have the bits of TFLite's DIV") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.02F, 11}, activation::none) ==
        std::vector<std::int8_t>{27, 45, -6, 13, 11, 23, -25, -37, 25, 127, 10, 2, 43, -6, 127, -6});
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.02F, 11}, activation::relu6) ==
        std::vector<std::int8_t>{27, 45, 11, 13, 11, 23, 11, 11, 25, 127, 11, 11, 43, 11, 127, 11});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.02F, 139}, activation::none) ==
        std::vector<std::uint8_t>{155, 173, 122, 141, 139, 151, 103, 91, 153, 255, 138, 130, 171, 122, 255, 122});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.02F, 139}, activation::relu6) ==
        std::vector<std::uint8_t>{155, 173, 139, 141, 139, 151, 139, 139, 153, 255, 139, 139, 171, 139, 255, 139});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.001F, 0}, activation::none) ==
        std::vector<std::int16_t>{1429, 4674, -973, 195, 2077, 796, -4281, -2428, 1152, -4310, 71, -1467, 2077, -1789,
                                  -32768, -766});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.001F, 0}, activation::relu6) ==
        std::vector<std::int16_t>{1429, 4674, 0, 195, 2077, 796, 0, 0, 1152, 0, 71, 0, 2077, 0, 0, 0});
}

TEST_CASE("div: quantised values over a stored zero point are 0, and over 1 what they were") {
  const auto a = stored<std::int8_t>({4}, {-128, 3, 4, 127}, some_scale);
  CHECK(run_quantised<ops::div, std::int8_t>({}, {4}, other_scale, a, stored<std::int8_t>({1}, {-4}, other_scale)) ==
        std::vector<std::int8_t>{-4, -4, -4, -4});
  CHECK(run_quantised<ops::div, std::int8_t>({}, {4}, some_scale, a, stored<std::int8_t>({1}, {0}, other_scale)) ==
        std::vector<std::int8_t>{-128, 3, 4, 127});
}

TEST_CASE(
    "div: scales whose products or quotients leave float's range saturate, or bring quotients to a scale as large") {
  const auto of = [](float a, float b, float y) {
    return run_quantised<ops::div, std::int8_t>({}, {2}, quant{y, 3},
                                                stored<std::int8_t>({2}, {100, -100}, quant{a, 0}),
                                                stored<std::int8_t>({2}, {1, 1}, quant{b, 0}));
  };
  CHECK(of(1e38F, 1e20F, 1e19F) == std::vector<std::int8_t>{13, -7});
  CHECK(of(1e-38F, 1e-25F, 1e-25F) == std::vector<std::int8_t>{127, -128});
  CHECK(of(1e38F, 1e-5F, 1e-5F) == std::vector<std::int8_t>{127, -128});
}

static_assert(survives_every_scale<ops::div, std::int8_t, 2>() && survives_every_scale<ops::div, std::int16_t, 2>());

}  // namespace
