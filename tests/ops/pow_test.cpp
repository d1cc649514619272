// pow_test: rules, broadcasting, powers of every kind of number and the DSL function of pow.
#include <nnrt/ops/pow.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::pow;
using rule = op::rule;

static_assert(all_refused_as_stated<op>(rules_of_pairs<op>));
static_assert(all_refused_as_stated<op>(signature_of_pairs));
constexpr operand signed_ones = computed({i16, {2}}), unsigned_ones = computed({u16, {2}}),
                  booleans = computed({boolean, {2}}), two = computed(f32_of({2})), three = computed(f32_of({3}));
static_assert(breaks(infer<op>({}, {signed_ones, unsigned_ones}), rule::types_must_have_a_common_type, 7, 3));
static_assert(breaks(infer<op>({}, {booleans, booleans}), rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(breaks(infer<op>({}, {two, three}), rule::extents_must_be_equal_or_1, 3, 2));
static_assert(takes_the_common_type<op>());

TEST_CASE("pow: what it cannot raise is refused with the rule and both values") {
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

TEST_CASE("pow: shapes broadcast as NumPy's do, in either order") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<op>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<op>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

constexpr op::attrs with(float scale, float shift) {
  op::attrs a;
  a.scale = scale, a.shift = shift;
  return a;
}

static_assert(gives<op, float>({2, 3, -2, 9, 4}, {3, 2, 3, 0.5F, -1}, {8, 9, -8, 3, 0.25F}));
static_assert(gives<op, std::int32_t>({2, -3, 5, 0, 7}, {10, 3, 0, 0, 1}, {1024, -27, 1, 1, 7}));

TEST_CASE("pow: floats of every width are rounded once") {
  // By Python: 2 ** 0.5, 1.5 ** -2.25, 3 ** -0.5
  CHECK(gives<op, double>({2, 1.5}, {-3, 4}, {0.125, 5.0625}));
  CHECK(run<op, double>({}, {1}, filled<double>({1}, {1.5}), filled<double>({1}, {-2.25})).elements[0] ==
        doctest::Approx(0.40160089049326436).epsilon(4e-16));
  CHECK(gives<op, float>({2, 1.5F, 3}, {0.5F, -2.25F, -0.5F}, {1.4142135F, 0.40160089F, 0.57735026F}));
  CHECK(gives<op, float16>({float16(2.0F), float16(-3.0F)}, {float16(0.5F), float16(3.0F)},
                           {float16(1.4142135F), float16(-27.0F)}));
}

TEST_CASE("pow: the special values are those of C") {
  constexpr float infinity = math::infinity<float>, nan = math::nan<float>;
  CHECK(gives<op, float>({0, -0.0F, nan, infinity, -2}, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}));
  CHECK(gives<op, float>({1, 1, -1}, {nan, infinity, infinity}, {1, 1, 1}));
  CHECK(gives<op, float>({0, 0, -0.0F, 0.5F, 2}, {-1, infinity, -3, -infinity, -infinity},
                         {infinity, 0, -infinity, infinity, 0}));
  for (const float y :
       run<op, float>({}, {3}, filled<float>({3}, {-2, nan, 2}), filled<float>({3}, {0.5F, 1, nan})).elements)
    CHECK(math::is_nan(y));
}

TEST_CASE("pow: integers wrap around, and negative powers are truncated to whole numbers") {
  using limits = std::numeric_limits<std::int64_t>;
  CHECK(gives<op, std::int8_t>({2, 2, 3, -2}, {7, 8, 5, 7}, {-128, 0, -13, -128}));
  CHECK(gives<op, std::uint8_t>({3, 255, 16}, {5, 255, 2}, {243, 255, 0}));
  CHECK(gives<op, std::int64_t>({3, -1}, {39, limits::max()}, {4052555153018976267, -1}));
  CHECK(gives<op, std::int32_t>({1, -1, -1, 2, -5, 0}, {-7, -3, -4, -1, -2, -1}, {1, -1, 1, 0, 0, 0}));
  CHECK(gives<op, std::int64_t>({-1, 2}, {limits::min(), limits::min()}, {1, 0}));
}

TEST_CASE("pow: scale and shift come first") {
  CHECK(gives<op, float>({1, 2, -3}, {2, 3, 1}, {9, 125, -5}, with(2, 1)));
  CHECK(gives<op, double>({8, 0}, {2, 5}, {0, -32}, with(0.25F, -2)));
  CHECK(op::attrs{}.scale == 1);
  CHECK(op::attrs{}.shift == 0);
}

TEST_CASE("pow: scaled integers are computed as real numbers and converted once, as cast does") {
  CHECK(gives<op, std::int32_t>({3, 5, 0}, {2, 2, -1}, {2, 6, 2147483647}, with(0.5F, 0)));  // 1.5^2, 2.5^2, 1/0
  CHECK(gives<op, std::uint8_t>({1, 20}, {2, 2}, {0, 255}, with(1, -1)));
  CHECK(gives<op, std::int8_t>({2, 3}, {-1, 3}, {0, 127}, with(1, 3)));  // 1/5, 216
}

TEST_CASE("pow: operands of two dtypes meet in the one of higher precision") {
  const filled<std::int32_t> n({3}, {2, -1, 0});
  const filled<float> x({3}, {3, 2, 5});
  CHECK(run<op, float>({}, {3}, x, n).elements == std::vector<float>{9, 0.5F, 1});
  CHECK(run<op, float>({}, {3}, n, x).elements == std::vector<float>{8, 1, 0});
}

TEST_CASE("pow: each element is the power of those that broadcasting pairs") {
  const auto power = [](std::int32_t a, std::int32_t b) {
    std::uint32_t y = 1;
    for (std::int32_t i = 0; i < b; ++i) y *= static_cast<std::uint32_t>(a);
    return static_cast<std::int32_t>(y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<op, std::int32_t>(row, power) == -1);
  }
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("square", pow(x, 2));
  b.output("exponential", pow(2, x));
  b.output("all", pow(x, b.weight<f32, shape<3>>("power"), shifted_by<1>, scaled_by<0.5>));
};

TEST_CASE("pow: the DSL's scale and shift arrive, and a number may be the base or the power") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  for (const ir::node& n : g.nodes) CHECK(n.op->code == op_code{25});
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[0])).scale == 1);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[2])).scale == 0.5F);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[2])).shift == 1);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[0])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[0]), 0) == 2.0F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 3);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<op>(quantised_rules));
static_assert(takes_the_wanted_scale<op>());

TEST_CASE("pow: quantised operands without the scales that they need are refused") {
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

// Python: math.pow((scale *) x (+ shift), y) of the real numbers, rounded to float, times float(1 / scale of z), halves
// away from zero; NaN is the zero point, infinity the largest number.
TEST_CASE("pow: each quantised value is the nearest to the real power") {
  CHECK(quantised_result_of<std::int8_t>({0.02F, -60}, {0.02F, 5}, {0.05F, -100}) ==
        std::vector<std::int8_t>{-100, -100, -97, -72, -84, -39, -98, -100, -100, 127, -80, -45});
  op::attrs moved;
  moved.scale = 0.5F, moved.shift = 2;
  CHECK(quantised_result_of<std::int8_t>({0.02F, -60}, {0.02F, 5}, {0.05F, -100}, moved) ==
        std::vector<std::int8_t>{-90, -87, -59, -97, -88, -8, -98, -81, -51, -94, -76, 60});
}
static_assert(run_quantised<op, std::int16_t>({}, {2}, quant{0.001F, 1},
                                              stored<std::int16_t>({2}, {3, -2}, quant{0.5F, 0}),
                                              stored<std::int16_t>({2}, {2, 3}, quant{1, 0})) ==
              std::vector<std::int16_t>{2251, -999});  // 1.5^2, (-1)^3
static_assert(survives_every_scale<op, std::int8_t, 2>());

}  // namespace
