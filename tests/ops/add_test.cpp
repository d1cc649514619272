// add_test: rules, broadcasting, arithmetic and the DSL function of add.
#include <nnrt/ops/add.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

#include <algorithm>
#include <limits>

namespace {

using namespace nnrt_test;
using rule = ops::add::rule;

static_assert(all_refused_as_stated<ops::add>(rules_of_pairs<ops::add>));
static_assert(all_refused_as_stated<ops::add>(signature_of_pairs));
static_assert(breaks(infer<ops::add>({}, {computed({i16, {2}}), computed({u16, {2}})}),
                     rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<ops::add>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(takes_the_common_type<ops::add>());
static_assert(breaks(infer<ops::add>({}, {computed(f32_of({2})), computed(f32_of({3}))}),
                     rule::extents_must_be_equal_or_1, 3, 2));
static_assert(breaks(infer<ops::add>({}, {computed(f32_of({2}))}), signature_rule::required_operand_must_be_given, 1,
                     2));

TEST_CASE("add: what it cannot add is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<ops::add>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::add>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::add>(row));
  }
}

TEST_CASE("add: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<ops::add>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<ops::add>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

TEST_CASE("add: the result has the dtype of higher precision") { CHECK(takes_the_common_type<ops::add>()); }

TEST_CASE("add: the format is that of the operand that has the rank of the result") {
  const tensor_desc image{f32, nchw, {1, 3, 4, 4}}, channels{f32, {3, 1, 1}};
  CHECK(infer<ops::add>({}, {computed(image), computed(channels)}).output(0) == image);
  CHECK(infer<ops::add>({}, {computed(channels), computed(image)}).output(0) == image);
}

TEST_CASE("add: of one rank, the result is nchw where any of the two is, for nhwc may be a mere default") {
  const tensor_desc image{f32, nchw, {1, 3, 4, 4}}, scales{f32, {1, 3, 1, 1}}, unnamed{f32, nd, {1, 3, 4, 4}};
  REQUIRE(scales.layout == nhwc);
  CHECK(infer<ops::add>({}, {computed(image), weight(scales)}).output(0) == image);
  CHECK(infer<ops::add>({}, {weight(scales), computed(image)}).output(0) == image);
  CHECK(infer<ops::add>({}, {computed(unnamed), weight(scales)}).output(0) == unnamed);
}

TEST_CASE("add: each element is the sum of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<ops::add, float>(row, [](float a, float b) { return a + b; }) == -1);
    CHECK(first_difference<ops::add, std::int32_t>(row, [](std::int32_t a, std::int32_t b) { return a + b; }) == -1);
  }
}

static_assert(gives<ops::add, float>({1, -2, 0.5F}, {2, -3, 0.25F}, {3, -5, 0.75F}));
static_assert(gives<ops::add, float16>({float16(1.5F)}, {float16(2.25F)}, {float16(3.75F)}));
static_assert(gives<ops::add, double>({0.1}, {0.2}, {0.30000000000000004}));

/// 16777217 is no float, 300 no number of 8 bits: what is converted is the narrower operand, and to the common type.
static_assert(run<ops::add, float>({}, {2}, filled<std::int32_t>({2}, {16777217, -3}), filled<float>({2}, {0, 0.5F}))
                  .elements == std::vector<float>{16777216, -2.5F});
static_assert(run<ops::add, double>({}, {2}, filled<float>({}, {0.1F}), filled<double>({2}, {1, 2})).elements ==
              std::vector<double>{1.10000000149011612, 2.10000000149011612});
static_assert(run<ops::add, std::int16_t>({}, {2}, filled<std::int16_t>({2}, {300, -300}),
                                          filled<std::uint8_t>({1}, {255}))
                  .elements == std::vector<std::int16_t>{555, -45});

TEST_CASE("add: booleans with numbers count as 0 and 1, in either order") {
  filled<std::int8_t> y(shape_t{2}), numbers({2}, {5, -7});
  const tensor_desc booleans{boolean, {2}};
  bool flags[] = {true, false};
  const view out[] = {y.as_view()}, first[] = {{&booleans, flags}, numbers.as_view()}, second[] = {first[1], first[0]};
  for (const auto& in : {first, second}) {
    ops::add::reference<std::int8_t>({}, arguments(in, 2), out);
    CHECK(y.elements == std::vector<std::int8_t>{6, -7});
  }
}

constexpr ops::add::attrs fusing(activation fused) {
  ops::add::attrs attrs;
  attrs.fused = fused;
  return attrs;
}
static_assert(gives<ops::add, float>({-3, 1, 9}, {1, 1, 1}, {0, 2, 10}, fusing(activation::relu)));
static_assert(gives<ops::add, float>({-3, 1, 9}, {1, 1, 1}, {0, 2, 6}, fusing(activation::relu6)));
static_assert(gives<ops::add, std::int8_t>({-3, 1, 9}, {1, 1, 1}, {0, 2, 6}, fusing(activation::relu6)));

TEST_CASE("add: integers wrap around in their own width") {
  using limits64 = std::numeric_limits<std::int64_t>;
  static_assert(gives<ops::add, std::int8_t>({127, -128}, {1, -1}, {-128, 127}));
  static_assert(gives<ops::add, std::uint16_t>({65535}, {2}, {1}));
  static_assert(gives<ops::add, std::int64_t>({limits64::max()}, {1}, {limits64::min()}));
  CHECK(gives<ops::add, std::int64_t>({limits64::min()}, {-1}, {limits64::max()}));
  // A large unsigned number is not a negative one to the activation.
  CHECK(gives<ops::add, std::uint64_t>({~std::uint64_t{0} - 1}, {1}, {~std::uint64_t{0}}, fusing(activation::relu)));
}

constexpr auto sums = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto w = b.weight<f32, shape<3>>("w");
  b.output("fused", add(x, w, relu));
  b.output("scalar right", x + 2);
  b.output("scalar left", add(0.5, x));
};

TEST_CASE("add: the DSL records a node with its activation, and scalars as constants of the tensor's dtype") {
  builder b;
  sums(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  CHECK(unpack<ops::add::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu);
  CHECK(unpack<ops::add::attrs>(g.attrs_of(g.nodes[1])).fused == activation::none);
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  const ir::value& two = g.at(g.inputs_of(g.nodes[1])[1]);
  CHECK(two.desc == f32_of({}));
  CHECK(g.element<float>(two, 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
  CHECK(g.inputs_of(g.nodes[2])[1] == g.inputs[0]);
}
constexpr auto of_two_types = [](builder& b) {
  auto y = b.input<i32, shape<2, 3>>("x") + b.weight<f16, shape<3>>("w");
  static_assert(y.desc == tensor_desc{f16, {2, 3}});
  b.output("y", y);
};
static_assert([] {
  builder b;
  of_two_types(b);
  return b.graph().nodes[0].op->computes_on;
}() == types_of(f16));

static_assert([] {
  builder b;
  sums(b);
  return b.graph().nodes.size();
}() == 3);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::add>(quantised_rules));
static_assert(takes_the_wanted_scale<ops::add>());

TEST_CASE("add: quantised operands without the scales that it needs are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::add>(row));
  }
}

/// Quantised values all over the range, in steps, add of both.
template <class T>
constexpr std::vector<T> quantised_result_of(int step_a, quant a, int step_b, quant b, quant y, activation fused) {
  return run_quantised<ops::add, T>(fusing(fused), {16}, y, spread<T>({16}, step_a, a), spread<T>({16}, step_b, b));
}

// Expected numbers: python integers through TFLite's definition. Each operand, shifted left by 20 bits (i16: 15), times
// scale / (2 * larger scale), both sums times 2 * larger scale / (2^20 * scale of y), each product rounded by SRDHM and
// RDP.
TEST_CASE("add: quantised values have the bits of TFLite's ADD") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.11F, 3}, activation::none) ==
        std::vector<std::int8_t>{-128, -91, 45, -121, 15, 127, -15, 5, -128, -25, 111, -55, 81, -86, -66, 70});
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -7}, 101, {0.13F, 20}, {0.11F, 3}, activation::relu6) ==
        std::vector<std::int8_t>{3, 3, 45, 3, 15, 58, 3, 5, 3, 3, 58, 3, 58, 3, 3, 58});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.11F, 131}, activation::none) ==
        std::vector<std::uint8_t>{0, 37, 173, 7, 143, 255, 113, 133, 0, 103, 239, 73, 209, 42, 62, 198});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 121}, 101, {0.13F, 148}, {0.11F, 131}, activation::relu6) ==
        std::vector<std::uint8_t>{131, 131, 173, 131, 143, 186, 131, 133, 131, 131, 186, 131, 186, 131, 131, 186});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.0013F, 0}, activation::none) ==
        std::vector<std::int16_t>{-32768, -21286, 278, -13446, 8118, 29683, 15959, -12889, -26614, -5049, 16515, 2791,
                                  24355, 10631, -18217, 3348});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, 25801, {0.0007F, 0}, {0.0013F, 0}, activation::relu6) ==
        std::vector<std::int16_t>{0, 0, 278, 0, 4615, 4615, 4615, 0, 0, 0, 4615, 2791, 4615, 4615, 0, 3348});
}

TEST_CASE("add: quantised values broadcast like any others") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    const auto a = spread<std::int8_t>(row.a, 37, some_scale), b = spread<std::int8_t>(row.b, 101, other_scale);
    const std::vector<std::int8_t> y = run_quantised<ops::add, std::int8_t>({}, row.y, some_scale, a, b);
    for (std::int64_t i = 0; i < row.y.elements(); ++i) {
      const int twice = 2 * (element_at(a, row.y, i) - 3) + element_at(b, row.y, i) + 4;  // in steps of 0.25
      const int steps = twice / 2 + twice % 2;                                            // halves away from zero
      CHECK(int(y[static_cast<std::size_t>(i)]) == std::clamp(steps + 3, -128, 127));
    }
  }
}

constexpr auto quantised_sum = [](builder& b) {
  auto x = b.input<i8, shape<2, 3>, nd, quant{.scale = 0.5F, .zero_point = 3}>("x");
  auto w = b.weight<i8, shape<3>, nd, quant{.scale = 0.25F}>("w");
  b.output("y", add(x, w, into<quant{.scale = 0.75F, .zero_point = -1}>, relu));
};

TEST_CASE("add: a quantised sum takes its scale from the keyword") {
  builder b;
  quantised_sum(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(unpack<ops::add::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu);
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{i8, nd, {2, 3}, quant{.scale = 0.75F, .zero_point = -1}});
}

static_assert(survives_every_scale<ops::add, std::int8_t, 2>() && survives_every_scale<ops::add, std::int16_t, 2>());

}  // namespace
