// maximum_test: rules, broadcasting, arithmetic and the DSL function of maximum.
#include <nnrt/ops/maximum.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;
using rule = ops::maximum::rule;

static_assert(all_refused_as_stated<ops::maximum>(rules_of_pairs<ops::maximum>));
static_assert(all_refused_as_stated<ops::maximum>(signature_of_pairs));
constexpr operand two = computed(f32_of({2})), three = computed(f32_of({3}));
static_assert(breaks(infer<ops::maximum>({}, {computed({i16, {2}}), computed({u16, {2}})}),
                     rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<ops::maximum>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(takes_the_common_type<ops::maximum>());
static_assert(breaks(infer<ops::maximum>({}, {two, three}), rule::extents_must_be_equal_or_1, 3, 2));

TEST_CASE("maximum: what it cannot compare is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<ops::maximum>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::maximum>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::maximum>(row));
  }
}

TEST_CASE("maximum: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<ops::maximum>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<ops::maximum>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

TEST_CASE("maximum: the result has the dtype of higher precision") { CHECK(takes_the_common_type<ops::maximum>()); }

TEST_CASE("maximum: each element is the larger one of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<ops::maximum, float>(row, [](float a, float b) { return a > b ? a : b; }) == -1);
    CHECK(first_difference<ops::maximum, std::int32_t>(
              row, [](std::int32_t a, std::int32_t b) { return a > b ? a : b; }) == -1);
  }
}

template <class Op> float first_of(float a, float b) {
  return run<Op, float>({}, {1}, filled<float>({1}, {a}), filled<float>({1}, {b})).elements[0];
}

static_assert(gives<ops::maximum, float>({1, -2, 0.5F}, {2, -3, 0.5F}, {2, -2, 0.5F}));
static_assert(gives<ops::maximum, float16>({float16(1.5F)}, {float16(2.25F)}, {float16(2.25F)}));

TEST_CASE("maximum: integers of every width compare as what they are") {
  static_assert(gives<ops::maximum, std::int8_t>({127, -128}, {-1, 1}, {127, 1}));
  CHECK(gives<ops::maximum, std::uint64_t>({~std::uint64_t{0}, 0}, {1, 1}, {~std::uint64_t{0}, 1}));
  CHECK(gives<ops::maximum, std::int64_t>({-1}, {1}, {1}));
}

TEST_CASE("maximum: a NaN on either side wins") {
  CHECK(math::is_nan(first_of<ops::maximum>(math::nan<float>, 1)));
  CHECK(math::is_nan(first_of<ops::maximum>(1, math::nan<float>)));
  CHECK(gives<ops::maximum, float>({-math::infinity<float>}, {-1e38F}, {-1e38F}));
  CHECK(math::is_nan(static_cast<float>(run<ops::maximum, float16>({}, {1}, filled<float16>({1}, {math::nan<float16>}),
                                                                   filled<float16>({1}, {float16(3.0F)}))
                                            .elements[0])));
}

constexpr auto larger = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto w = b.weight<f32, shape<3>>("w");
  b.output("of two tensors", maximum(x, w));
  b.output("scalar right", maximum(x, 2));
  b.output("scalar left", maximum(0.5, x));
};

TEST_CASE("maximum: the DSL records a node, and scalars as constants of the tensor's dtype") {
  builder b;
  larger(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  CHECK(g.nodes[0].op->fused_word == -1);
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
  CHECK(g.inputs_of(g.nodes[2])[1] == g.inputs[0]);
}

static_assert([] {
  builder b;
  larger(b);
  return b.graph().nodes.size();
}() == 3);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::maximum>(quantised_rules));
static_assert(takes_the_wanted_scale<ops::maximum>());

TEST_CASE("maximum: quantised operands without the scales that it needs are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::maximum>(row));
  }
}

TEST_CASE("maximum: quantised values of equal scales are compared without rescaling") {
  const auto a = spread<std::uint8_t>({64}, 37, quant{0.1F, 7}), b = spread<std::uint8_t>({64}, 101, quant{0.1F, 7});
  const std::vector<std::uint8_t> y = run_quantised<ops::maximum, std::uint8_t>({}, {64}, quant{0.1F, 7}, a, b);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(y[i] == (a.elements[i] > b.elements[i] ? a.elements[i] : b.elements[i]));
}

// a: -1, 0.5 and 3.5 in steps of 0.5 from 3; b: 0.25, 0.75 and 32.75 in steps of 0.25 from -4; y: steps of 0.25 from 0.
static_assert(run_quantised<ops::maximum, std::int8_t>({}, {3}, quant{0.25F, 0},
                                                       stored<std::int8_t>({3}, {1, 4, 10}, some_scale),
                                                       stored<std::int8_t>({3}, {-3, -1, 127}, other_scale)) ==
              std::vector<std::int8_t>{1, 3, 127});

static_assert(survives_every_scale<ops::maximum, std::int8_t, 2>() &&
              survives_every_scale<ops::maximum, std::int16_t, 2>());

}  // namespace
