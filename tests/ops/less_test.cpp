// less_test: rules, broadcasting, comparisons and the DSL function of less.
#include <nnrt/ops/less.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/binary.hpp"
#include "support/booleans.hpp"

namespace {

using namespace nnrt_test;
using op = ops::less;
using rule = op::rule;

constexpr refused_pair<rule> refused[] = {
    {"signed and unsigned, equally wide", {i32, {2}}, {u32, {2}}, rule::types_must_have_a_common_type, 8, 4},
    {"signed and a wider unsigned", {u64, {}}, {i8, {2}}, rule::types_must_have_a_common_type, 2, 9},
    {"extents differ", f32_of({2, 3}), f32_of({2, 4}), rule::extents_must_be_equal_or_1, 4, 3},
    {"with an unknown extent", f32_of({-1, 3}), f32_of({2, 2}), rule::extents_must_be_equal_or_1, 2, 3},
};
static_assert(all_refused_as_stated<op>(refused) && all_refused_as_stated<op>(signature_of_pairs));

TEST_CASE("less: what it cannot compare is refused with the rule and both values") {
  check_refusals_of_comparison<op>(refused);
}

TEST_CASE("less: quantised values are compared by what they stand for") {
  CHECK(asks_for_scales_of_both<op, rule::operands_must_both_be_quantised_or_both_plain,
                                rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                                rule::quantised_operands_must_have_one_scale>());
  CHECK(compares_what_is_meant<op>([](double a, double b) { return a < b; }));
  CHECK(compares_what_is_large<op>([](double a, double b) { return a < b; }));
}

TEST_CASE("less: the result is boolean, of the common shape and its format, for any operands") {
  check_shapes_of_comparison<op>();
}

// Columns: below, equal, above.
static_assert(says<op, float>({1, 2, 3, -0.0F}, {2, 2, 2, 0}, {true, false, false, false}));
static_assert(says<op, bool>({false, false, true, true}, {false, true, false, true}, {false, true, false, false}));

TEST_CASE("less: every dtype compares as what it is") {
  CHECK(says<op, std::uint64_t>({~0ULL, 1, 7}, {1, ~0ULL, 7}, {false, true, false}));
  CHECK(says<op, std::int8_t>({-128, 127, -1}, {127, -128, -1}, {true, false, false}));
  CHECK(says<op, std::int64_t>({INT64_MIN, (1LL << 53) + 1}, {INT64_MAX, 1LL << 53}, {true, false}));
  CHECK(says<op, float16>({float16(1.0F), float16(2.0F)}, {float16(1.0F), float16(1.5F)}, {false, false}));
  CHECK(says<op, double>({1, 1}, {1 + 0x1p-52, 1}, {true, false}));
}

TEST_CASE("less: nothing is less than a NaN; infinities are at the ends") {
  constexpr float inf = math::infinity<float>, nan = math::nan<float>;
  CHECK(says<op, float>({nan, 0, nan, -inf, inf}, {0, nan, nan, nan, nan}, {false, false, false, false, false}));
  CHECK(says<op, float>({-inf, inf, inf, 1}, {-inf, inf, 1, inf}, {false, false, false, true}));
}

TEST_CASE("less: operands of two dtypes are compared in the one of higher precision") {
  CHECK(says<op, float, std::int32_t, float>({3, 2147483647}, {3.5F, 2147483648.0F}, {true, false}));
  CHECK(says<op, float, float, std::int32_t>({3.5F, -1}, {3, -1}, {false, false}));
  CHECK(says<op, std::int16_t, std::int16_t, std::uint8_t>({-1, 255, 256}, {0, 255, 255}, {true, false, false}));
  CHECK(says<op, std::int8_t, bool, std::int8_t>({true, false, true}, {1, -1, 0}, {false, false, false}));
}

TEST_CASE("less: each element compares those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_untruth<op, float>(row, [](float a, float b) { return !(b <= a); }) == -1);
  }
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto y = less(x, b.weight<f32, shape<3>>("limit"));
  static_assert(y.desc == tensor_desc{boolean, {2, 3}});
  b.output("y", y);
  b.output("of scalars", less(0, x));
};

TEST_CASE("less: the DSL records a node whose result is boolean") {
  builder b;
  network(b);
  check_graph_of_comparisons(b.graph(), op_code{61});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

}  // namespace
