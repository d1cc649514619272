// squared_difference_test: rules, broadcasting, arithmetic and the DSL function of squared_difference.
#include <nnrt/ops/squared_difference.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::squared_difference;
using rule = op::rule;

static_assert(all_refused_as_stated<op>(rules_of_pairs<op>));
static_assert(all_refused_as_stated<op>(signature_of_pairs));
constexpr operand signed_ones = computed({i16, {2}}), unsigned_ones = computed({u16, {2}}),
                  booleans = computed({boolean, {2}}), two = computed(f32_of({2})), three = computed(f32_of({3}));
static_assert(breaks(infer<op>({}, {signed_ones, unsigned_ones}), rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<op>({}, {booleans, booleans}), rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(breaks(infer<op>({}, {two, three}), rule::extents_must_be_equal_or_1, 3, 2));
static_assert(takes_the_common_type<op>());

TEST_CASE("squared_difference: what it cannot subtract is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<op>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  CHECK(takes_the_common_type<op>());
}

TEST_CASE("squared_difference: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<op>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<op>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

TEST_CASE("squared_difference: each element is the square of the difference of those that broadcasting pairs") {
  const auto squared = [](auto a, auto b) { return (a - b) * (a - b); };
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<op, float>(row, squared) == -1);
    CHECK(first_difference<op, std::int32_t>(row, squared) == -1);
  }
}

static_assert(gives<op, float>({1, -2, 0.5F}, {3, -3, 0.25F}, {4, 1, 0.0625F}));
static_assert(gives<op, float16>({float16(1.5F)}, {float16(-1.0F)}, {float16(6.25F)}));
static_assert(gives<op, double>({0.1}, {0.4}, {0.09000000000000002}));

TEST_CASE("squared_difference: integers wrap around in their own width, unsigned ones below zero too") {
  static_assert(gives<op, std::int8_t>({-128, 100}, {127, 80}, {1, -112}));
  static_assert(gives<op, std::uint8_t>({3, 0}, {5, 20}, {4, 144}));
  CHECK(gives<op, std::int64_t>({std::numeric_limits<std::int64_t>::min()}, {1}, {1}));
}

TEST_CASE("squared_difference: infinities are squared, their difference is NaN, and a NaN stays one") {
  constexpr float infinity = math::infinity<float>, nan = math::nan<float>;
  const filled<float> a({3}, {-infinity, infinity, 1}), b({3}, {1, infinity, nan});
  const filled<float> y = run<op, float>({}, {3}, a, b);
  CHECK(y.elements[0] == infinity);
  CHECK(math::is_nan(y.elements[1]));
  CHECK(math::is_nan(y.elements[2]));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("y", squared_difference(x, b.weight<f32, shape<3>>("mean")));
  b.output("to one", squared_difference(1, x));
};

TEST_CASE("squared_difference: the DSL records a node, and a scalar as a constant of the tensor's dtype") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].op->code == op_code{34});
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[0]), 0) == 1.0F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<op>(quantised_rules));
static_assert(takes_the_wanted_scale<op>());

TEST_CASE("squared_difference: quantised operands without the scales that they need are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  CHECK(takes_the_wanted_scale<op>());
}

/// What becomes of 12 pairs of quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(quant a, quant b, quant y, const op::attrs& how = {}) {
  constexpr bool is_byte = sizeof(T) == 1;
  return run_quantised<op, T>(how, {12}, y, spread<T>({12}, is_byte ? 37 : 9973, a),
                              spread<T>({12}, is_byte ? 91 : 30011, b));
}

// Python integers: both times 2^7 and scale / (2 * the larger scale), by SRDHM and RDP; the square of the difference
// times (2 * the larger scale)^2 / (2^14 * scale of y), the same way, for i16 with 15 bits of the factor, rounded once.
TEST_CASE("squared_difference: quantised values are those of TFLite's SQUARED_DIFFERENCE") {
  CHECK(quantised_result_of<std::int8_t>({0.05F, -3}, {0.08F, 10}, {0.9F, -128}) ==
        std::vector<std::int8_t>{-103, -128, -87, -38, -114, -124, 65, -100, -6, -105, -127, -84});
  CHECK(quantised_result_of<std::uint8_t>({0.05F, 100}, {0.08F, 120}, {0.9F, 7}) ==
        std::vector<std::uint8_t>{31, 8, 51, 93, 20, 12, 194, 38, 134, 28, 8, 54});
  CHECK(quantised_result_of<std::int16_t>({0.0005F, 0}, {0.0003F, 100}, {0.02F, -30000}) ==
        std::vector<std::int16_t>{-27872, -24445, -19404, -29941, -29571, -21918, -26218, -26449, -22258, -29488,
                                  -29967, -19007});
}
static_assert(quantised_result_of<std::int8_t>({0.05F, -3}, {0.08F, 10}, {0.9F, -128})[3] == -38);
static_assert(survives_every_scale<op, std::int8_t, 2>() && survives_every_scale<op, std::int16_t, 2>());

}  // namespace
