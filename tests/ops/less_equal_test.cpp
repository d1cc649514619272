// less_equal_test: rules, broadcasting, comparisons and the DSL function of less_equal.
#include <nnrt/ops/less_equal.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/binary.hpp"
#include "support/booleans.hpp"
#include "support/quantised.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::less_equal;
using rule = op::rule;

constexpr refused_pair<rule> refused[] = {
    {"signed and unsigned, equally wide", {i32, {2}}, {u32, {2}}, rule::types_must_have_a_common_type, 8, 4},
    {"signed and a wider unsigned", {u64, {}}, {i8, {2}}, rule::types_must_have_a_common_type, 2, 9},
    {"extents differ", f32_of({2, 3}), f32_of({2, 4}), rule::extents_must_be_equal_or_1, 4, 3},
    {"outer extents differ", f32_of({5, 1, 3}), f32_of({6, 2, 1}), rule::extents_must_be_equal_or_1, 6, 5},
    {"with an unknown extent", f32_of({-1, 3}), f32_of({2, 2}), rule::extents_must_be_equal_or_1, 2, 3},
};
static_assert(all_refused_as_stated<op>(refused));
constexpr quant half{.scale = 0.5F, .zero_point = 3};
constexpr tensor_desc quantised_of(dtype type, shape_t shape, quantisation q = half) { return {type, nd, shape, q}; }
constexpr refused_pair<rule> refused_quantised[] = {
    {"the first plain", {i8, {2}}, quantised_of(i8, {2}), rule::operands_must_both_be_quantised_or_both_plain, 1, 0},
    {"the second plain", quantised_of(u8, {2}), {u8, {}}, rule::operands_must_both_be_quantised_or_both_plain, 0, 1},
    {"32 bits", quantised_of(i32, {2}), quantised_of(i32, {2}), rule::quantised_types_must_be_i8_u8_or_i16, 4, 2},
    {"i8 and i16", quantised_of(i8, {2}), quantised_of(i16, {2}), rule::quantised_types_must_be_equal, 3, 2},
    {"the first per channel", quantised_of(i8, {2}, per_channel<0>), quantised_of(i8, {2}),
     rule::quantised_operands_must_have_one_scale, 2, 1},
    {"the second per channel", quantised_of(i8, {2, 3}), quantised_of(i8, {2, 3}, per_channel<1>),
     rule::quantised_operands_must_have_one_scale, 3, 1},
    {"extents differ", quantised_of(i8, {2, 3}), quantised_of(i8, {2, 4}), rule::extents_must_be_equal_or_1, 4, 3},
};
static_assert(all_refused_as_stated<op>(refused_quantised));
static_assert(all_refused_as_stated<op>(signature_of_pairs));

TEST_CASE("less_equal: what it cannot compare is refused with the rule and both values") {
  for (const auto& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  for (const auto& row : refused_quantised) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
}

TEST_CASE("less_equal: the result is boolean, of the common shape and its format, for any operands") {
  for (int type = 1; type < dtype_count; ++type) {
    const tensor_desc x{static_cast<dtype>(type), nchw, {2, 3, 4, 5}}, channels{static_cast<dtype>(type), {3, 1, 1}};
    CHECK(infer<op>({}, {computed(x), computed(channels)}).output(0) == tensor_desc{boolean, nchw, {2, 3, 4, 5}});
    CHECK(infer<op>({}, {computed(channels), computed(x)}).output(0) == tensor_desc{boolean, nchw, {2, 3, 4, 5}});
  }
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<op>({}, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
    CHECK(shape_of(infer<op>({}, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
}

/// What the reference says of a <= b, one bool after the other.
template <class T, class A, class B>
constexpr bool says(std::initializer_list<A> a, std::initializer_list<B> b, std::initializer_list<bool> expected) {
  const shape_t shape{static_cast<std::int64_t>(expected.size())};
  const tensor_desc x{dtype_for<A>(), shape}, y{dtype_for<B>(), shape}, z{boolean, shape};
  A left[8] = {};
  B right[8] = {};
  bool got[8] = {};
  for (std::size_t i = 0; i < a.size(); ++i) left[i] = a.begin()[i], right[i] = b.begin()[i];
  const view in[] = {{&x, left}, {&y, right}}, out[] = {{&z, got}};
  op::reference<T>({}, in, out);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (got[i] != expected.begin()[i]) return false;
  return true;
}

static_assert(says<float, float, float>({1, 2, 3, -0.0F}, {2, 2, 2, 0}, {true, true, false, true}));
static_assert(says<std::uint64_t, std::uint64_t, std::uint64_t>({~0ULL, 1}, {1, ~0ULL}, {false, true}));
static_assert(says<bool, bool, bool>({false, false, true, true}, {false, true, false, true},
                                     {true, true, false, true}));

TEST_CASE("less_equal: nothing is less than, or equal to, a NaN; infinities are at the ends") {
  constexpr float infinity = math::infinity<float>, nan = math::nan<float>;
  CHECK(says<float, float, float>({nan, 0, nan, -infinity, infinity}, {0, nan, nan, nan, nan},
                                  {false, false, false, false, false}));
  CHECK(says<float, float, float>({-infinity, infinity, infinity, 1}, {-infinity, infinity, 1, infinity},
                                  {true, true, false, true}));
  CHECK(says<float16, float16, float16>({float16(1.0F), float16(2.0F)}, {float16(1.0F), float16(1.5F)}, {true, false}));
}

TEST_CASE("less_equal: operands of two dtypes are compared in the one of higher precision") {
  using limits = std::numeric_limits<std::int32_t>;
  CHECK(says<float, std::int32_t, float>({3, limits::max()}, {3.5F, 2147483648.0F}, {true, true}));
  CHECK(says<float, float, std::int32_t>({3.5F, -1}, {3, -1}, {false, true}));
  CHECK(says<std::int16_t, std::int16_t, std::uint8_t>({-1, 255, 256}, {0, 255, 255}, {true, true, false}));
  CHECK(says<std::int8_t, bool, std::int8_t>({true, false, true}, {1, -1, 0}, {true, false, false}));
}

TEST_CASE("less_equal: each element compares those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    const filled<float> a = counting<float>(row.a, -7, 3), b = counting<float>(row.b, 2, 1);
    const tensor_desc booleans{boolean, row.y};
    bool got[1024] = {};
    REQUIRE(row.y.elements() <= 1024);
    filled<float> left = a, right = b;
    const view in[] = {left.as_view(), right.as_view()}, out[] = {{&booleans, got}};
    op::reference<float>({}, in, out);
    for (std::int64_t i = 0; i < row.y.elements(); ++i)
      CHECK(got[i] == (element_at(a, row.y, i) <= element_at(b, row.y, i)));
  }
}

/// What the reference says of quantised values a <= b with these scales, one bool after the other.
template <class T>
constexpr bool says_of_quantised(quant of_a, quant of_b, std::initializer_list<T> a, std::initializer_list<T> b,
                                 std::initializer_list<bool> expected) {
  const shape_t shape{static_cast<std::int64_t>(expected.size())};
  const tensor_desc x = quantised_of(dtype_for<T>(), shape, of_a), y = quantised_of(dtype_for<T>(), shape, of_b);
  const tensor_desc z{boolean, shape};
  T left[8] = {}, right[8] = {};
  bool got[8] = {};
  for (std::size_t i = 0; i < a.size(); ++i) left[i] = a.begin()[i], right[i] = b.begin()[i];
  const view in[] = {{&x, left}, {&y, right}}, out[] = {{&z, got}};
  op::reference<T>({}, in, out);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (got[i] != expected.begin()[i]) return false;
  return true;
}

// 0.5 (q - 3) and 0.25 (q + 100): 2 and 1.75, 2, 2.25; -64 and -7; 62 and 56.75.
static_assert(says_of_quantised<std::int8_t>({.scale = 0.5F, .zero_point = 3}, {.scale = 0.25F, .zero_point = -100},
                                             {7, 7, 7, -125, 127}, {-93, -92, -91, -128, 127},
                                             {false, true, true, true, false}));
static_assert(says_of_quantised<std::uint8_t>(half, half, {0, 255, 4, 4}, {255, 0, 4, 3}, {true, false, true, false}));

TEST_CASE("less_equal: quantised values are compared by what they stand for, in steps of 1/256") {
  // 1/1024 a step: 3 and 4 steps are 0.75 and 1 of those of 1/256 and so both 1; 1 and 2 are 0.25 and 0.5, 0 and 1.
  constexpr quant fine{.scale = 1.0F / 1024, .zero_point = 0};
  CHECK(
      says_of_quantised<std::int8_t>(fine, fine, {4, 2, 1, -2, 6}, {3, 1, 2, -1, 5}, {true, false, true, true, false}));
  constexpr quant vast{.scale = 3e38F, .zero_point = 0}, tiny{.scale = 2e-38F, .zero_point = 0};
  CHECK(says_of_quantised<std::int8_t>(vast, tiny, {1, -1, 0}, {127, -128, 0}, {false, true, true}));
  CHECK(says_of_quantised<std::uint8_t>(tiny, vast, {255, 255}, {0, 1}, {true, true}));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto y = less_equal(x, b.weight<f32, shape<3>>("limit"));
  static_assert(y.desc == tensor_desc{boolean, {2, 3}});
  b.output("y", y);
  b.output("of scalars", less_equal(0, x));
};

TEST_CASE("less_equal: the DSL records a node whose result is boolean") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].op->code == op_code{18});
  CHECK(g.at(g.outputs[1].value).desc == tensor_desc{boolean, {2, 3}});
  CHECK(g.at(g.inputs_of(g.nodes[1])[0]).desc == f32_of({}));
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

TEST_CASE("less_equal: large scales leave quantised values different") {
  CHECK(compares_what_is_large<op>([](double a, double b) { return a <= b; }));
}

TEST_CASE("less_equal: quantised values of 16 bits are compared as those of 8 are") {
  // 0.01 * (x - 5) and 0.02 * (x + 3), times 256: 2.56 and 5.12 for each step.
  bool y[4] = {};
  const tensor_desc of_y{boolean, {4}};
  const auto a = stored<std::int16_t>({4}, {5, 305, 306, -32768}, quant{0.01F, 5}),
             b = stored<std::int16_t>({4}, {-3, 147, 147, 32767}, quant{0.02F, -3});
  const tensor_desc descs[] = {a.desc, b.desc};
  filled<std::int16_t> left = a, right = b;
  const view in[] = {left.as_view(), right.as_view()}, out[] = {{&of_y, y}};
  op::reference<std::int16_t>({}, in, out);
  CHECK((y[0] && y[1] && !y[2] && y[3]));
  CHECK(infer<op>({}, {computed(descs[0]), computed(descs[1])}));
}

}  // namespace
