// mod_test: rules, broadcasting, arithmetic and the DSL function of mod.
#include <nnrt/ops/mod.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/booleans.hpp"

namespace {

using namespace nnrt_test;
using op = ops::mod;
using rule = op::rule;

static_assert(all_refused_as_stated<op>(rules_of_pairs<op>) && all_refused_as_stated<op>(signature_of_pairs));
static_assert(breaks(infer<op>({}, {computed({i16, {2}}), computed({u16, {2}})}), rule::types_must_have_a_common_type,
                     7, 3));
static_assert(breaks(infer<op>({}, {computed({boolean, {2}}), computed({boolean, {}})}),
                     rule::operands_must_not_both_be_boolean, 2, 1));
static_assert(breaks(infer<op>({}, {computed(f32_of({2})), computed(f32_of({3}))}), rule::extents_must_be_equal_or_1, 3,
                     2));
static_assert(takes_the_common_type<op>());

TEST_CASE("mod: what does not fit together is refused with the rule and both values") {
  for (const auto& row : rules_of_pairs<op>) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  constexpr operand stored = computed({i8, nd, {2}, quant{0.5F, 3}});
  CHECK(breaks(infer<op>({}, {stored, stored}), signature_rule::quantised_operands_must_be_accepted_by_the_operator, 2,
               0));
}

TEST_CASE("mod: shapes broadcast as NumPy's do, in either order, and the dtype is the one of higher precision") {
  for (const pair_of_shapes& row : broadcasting_shapes) CHECK(broadcasts_as_stated<op>(row));
  for (const pair_of_shapes& row : unknown_extents) CHECK(broadcasts_as_stated<op>(row));
  CHECK(takes_the_common_type<op>());
}

// The remainder by another way: the multiple of b that is nearest to a on the side of its sign is looked for.
template <class T> T by_steps(T a, T b) {
  if (b == T{0}) return T{0};
  while (b > T{0} ? a < T{0} : a > T{0}) a += b;
  while (b > T{0} ? a >= b : a <= b) a -= b;
  return a;
}

TEST_CASE("mod: each element comes of those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<op, float>(row, by_steps<float>) == -1);
    CHECK(first_difference<op, std::int32_t>(row, by_steps<std::int32_t>) == -1);
  }
}

// Python: a % b
static_assert(gives<op, double>({7.0, -7.0, 7.0, -7.0, 6.0, -6.0, 5.5, -5.5, 5.5, 0.375, -0.125},
                                {3.0, 3.0, -3.0, -3.0, 3.0, 3.0, 2.0, 2.0, -2.0, 0.25, 1024.0},
                                {1.0, 2.0, -2.0, -1.0, 0.0, 0.0, 1.5, 0.5, -0.5, 0.125, 1023.875}));
static_assert(gives<op, std::int8_t>({7, -7, 7, -7, -128, -128, 127, -128}, {3, 3, -3, -3, -1, 127, -128, 0},
                                     {1, 2, -2, -1, 0, 126, -1, 0}));

TEST_CASE("mod: every dtype has a remainder with the sign of the divisor, and integers 0 by zero") {
  CHECK(gives<op, float>({-5.5F, 5.5F}, {2, -2}, {0.5F, -0.5F}));
  CHECK(gives<op, float16>({float16(-5.5F)}, {float16(2.0F)}, {float16(0.5F)}));
  CHECK(gives<op, std::int64_t>({INT64_MIN, INT64_MIN, INT64_MIN, INT64_MAX}, {-1, 10, 0, -10}, {0, 2, 0, -3}));
  CHECK(gives<op, std::uint64_t>({~std::uint64_t{0}, 7, 7}, {10, ~std::uint64_t{0}, 0}, {5, 7, 0}));
  CHECK(gives<op, std::uint8_t>({255, 3}, {16, 0}, {15, 0}));
}

float of(float a, float b) {
  return run<op, float>({}, {1}, filled<float>({1}, {a}), filled<float>({1}, {b})).elements[0];
}

TEST_CASE("mod: no remainder by zero, nor of infinity; zeros have the divisor's sign") {
  constexpr float inf = math::infinity<float>;
  CHECK(math::is_nan(of(1, 0)));
  CHECK(math::is_nan(of(inf, 2)));
  CHECK(math::is_nan(of(math::nan<float>, 2)));
  CHECK(of(3, inf) == 3);
  CHECK(of(3, -inf) == -inf);
  CHECK(std::bit_cast<std::uint32_t>(of(4, -2)) == 0x80000000U);
  CHECK(std::bit_cast<std::uint32_t>(of(-4, 2)) == 0);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("of two tensors", mod(x, b.weight<f32, shape<3>>("w")));
  b.output("scalar right", mod(x, 2));
  b.output("scalar left", mod(0.5, x));
};

TEST_CASE("mod: the DSL records a node, and scalars as constants of the tensor's dtype") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  CHECK(g.nodes[0].op->code == op_code{83});
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 3);

}  // namespace
