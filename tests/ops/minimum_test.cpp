// minimum_test: rules, broadcasting, arithmetic and the DSL function of minimum.
#include <nnrt/ops/minimum.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/booleans.hpp"
#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;
using op = ops::minimum;
using rule = op::rule;

static_assert(all_refused_as_stated<op>(rules_of_pairs<op>) && all_refused_as_stated<op>(signature_of_pairs));
static_assert(breaks(infer<op>({}, {computed({i16, {2}}), computed({u16, {2}})}), rule::types_must_have_a_common_type,
                     7, 3));
static_assert(breaks(infer<op>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(breaks(infer<op>({}, {computed(f32_of({2})), computed(f32_of({3}))}), rule::extents_must_be_equal_or_1, 3,
                     2));
static_assert(takes_the_common_type<op>());

TEST_CASE("minimum: what does not fit together is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<op>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
}

TEST_CASE("minimum: shapes broadcast as NumPy's do, in either order, and the dtype is the one of higher precision") {
  for (const pair_of_shapes& row : broadcasting_shapes) CHECK(broadcasts_as_stated<op>(row));
  for (const pair_of_shapes& row : unknown_extents) CHECK(broadcasts_as_stated<op>(row));
  CHECK(takes_the_common_type<op>());
}

TEST_CASE("minimum: each element comes of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<op, float>(row, [](float a, float b) { return b > a ? a : b; }) == -1);
    CHECK(first_difference<op, std::int32_t>(row, [](std::int32_t a, std::int32_t b) { return b > a ? a : b; }) == -1);
  }
}

static_assert(gives<op, float>({1, -2, 0.5F}, {2, -3, 0.5F}, {1, -3, 0.5F}));
static_assert(gives<op, std::int8_t>({127, -128}, {-1, 1}, {-1, -128}));

TEST_CASE("minimum: every dtype compares as what it is") {
  CHECK(gives<op, float16>({float16(1.5F)}, {float16(2.25F)}, {float16(1.5F)}));
  CHECK(gives<op, std::uint64_t>({~std::uint64_t{0}, 0}, {1, 1}, {1, 0}));
  CHECK(gives<op, std::int64_t>({-1, INT64_MIN}, {1, INT64_MAX}, {-1, INT64_MIN}));
  CHECK(gives<op, double>({1}, {1 + 0x1p-52}, {1}));
}

template <class T> bool is_nan_of(float a, float b) {
  const auto y = run<op, T>({}, {1}, filled<T>({1}, {T(a)}), filled<T>({1}, {T(b)}));
  return math::is_nan(math::convert<double>(y.elements[0]));
}

TEST_CASE("minimum: a NaN on either side wins") {
  constexpr float nan = math::nan<float>;
  CHECK(is_nan_of<float>(nan, 1));
  CHECK(is_nan_of<float>(1, nan));
  CHECK(is_nan_of<float16>(nan, 1));
  CHECK(is_nan_of<double>(1, nan));
  CHECK(gives<op, float>({-math::infinity<float>}, {-1e38F}, {-math::infinity<float>}));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("of two tensors", minimum(x, b.weight<f32, shape<3>>("w")));
  b.output("scalar right", minimum(x, 2));
  b.output("scalar left", minimum(0.5, x));
};

TEST_CASE("minimum: the DSL records a node, and scalars as constants of the tensor's dtype") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  CHECK(g.nodes[0].op->code == op_code{97});
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 3);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<op::rule::operands_must_both_be_quantised_or_both_plain,
                             op::rule::quantised_types_must_be_i8_u8_or_i16, op::rule::quantised_types_must_be_equal,
                             op::rule::quantised_operands_must_have_one_scale,
                             op::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<op>(quantised_rules));
static_assert(takes_the_wanted_scale<op>());

TEST_CASE("minimum: quantised operands without the scales that it needs are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
}

TEST_CASE("minimum: quantised values of equal scales are compared without rescaling") {
  const auto a = spread<std::uint8_t>({64}, 37, quant{0.1F, 7}), b = spread<std::uint8_t>({64}, 101, quant{0.1F, 7});
  const std::vector<std::uint8_t> y = run_quantised<op, std::uint8_t>({}, {64}, quant{0.1F, 7}, a, b);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(y[i] == (a.elements[i] < b.elements[i] ? a.elements[i] : b.elements[i]));
}

// a: -1, 0.5 and 3.5 in steps of 0.5 from 3; b: 0.25, 0.75 and 32.75 in steps of 0.25 from -4; y: steps of 0.25 from 0.
static_assert(run_quantised<op, std::int8_t>({}, {3}, quant{0.25F, 0}, stored<std::int8_t>({3}, {1, 4, 10}, some_scale),
                                             stored<std::int8_t>({3}, {-3, -1, 127}, other_scale)) ==
              std::vector<std::int8_t>{-4, 2, 14});

static_assert(survives_every_scale<op, std::int8_t, 2>() && survives_every_scale<op, std::int16_t, 2>());

}  // namespace
