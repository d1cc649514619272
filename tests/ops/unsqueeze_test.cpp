// unsqueeze_test: the rules, shapes and elements of unsqueeze.
#include <nnrt/ops/unsqueeze.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::unsqueeze::rule;

namespace {

constexpr ops::unsqueeze::attrs at(axis_list axes) {
  ops::unsqueeze::attrs a;
  a.axes = axes;
  return a;
}

struct refusal {
  const char* what;
  axis_list axes;
  shape_t x;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"no axis", {}, {3}, rule::axes_must_name_an_axis, 0, 1},
    {"a rank of 9", {0, 1}, {1, 2, 3, 4, 5, 6, 7}, rule::output_rank_must_be_at_most_8, 9, 8},
    {"an axis after the last of the output", {3}, {2, 3}, rule::axis_must_be_an_axis_of_the_output, 3, 2},
    {"an axis before the first of the output", {-4}, {2, 3}, rule::axis_must_be_an_axis_of_the_output, -4, 2},
    {"a huge axis", {INT64_MAX}, {2, 3}, rule::axis_must_be_an_axis_of_the_output, INT64_MAX, 2},
    {"an axis twice", {0, -3}, {3}, rule::axes_must_differ, 2, 1},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::unsqueeze>(at(r.axes), {computed(f32_of(r.x))}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("unsqueeze: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("unsqueeze: the signature refuses a missing and a second tensor") {
  CHECK(breaks(infer<ops::unsqueeze>(at({0}), {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::unsqueeze>(at({0}), {computed(f32_of({1})), computed(f32_of({1}))}),
               signature_rule::operands_must_not_exceed_the_signature, 2, 1));
}

TEST_CASE("unsqueeze: new axes stand where the list says, counted in the output") {
  struct row {
    const char* what;
    axis_list axes;
    tensor_desc x, y;
  };
  static constexpr row table[] = {
      {"in front", {0}, {f32, {2, 3}}, {f32, {1, 2, 3}}},
      {"at the end", {2}, {f32, {2, 3}}, {f32, {2, 3, 1}}},
      {"at the end, counted from there", {-1}, {f32, {2, 3}}, {f32, {2, 3, 1}}},
      {"in front, counted from the end", {-3}, {f32, {2, 3}}, {f32, {1, 2, 3}}},
      {"two", {0, 2}, {f32, {2, 3}}, {f32, {1, 2, 1, 3}}},
      {"two, out of order", {-1, 0}, {f32, {2, 3}}, {f32, {1, 2, 3, 1}}},
      {"a scalar", {0}, {i64, {}}, {i64, {1}}},
      {"an unknown extent", {1}, {f32, {-1, 3}}, {f32, {-1, 1, 3}}},
      {"quantised", {0}, {i8, nd, {2}, quant{0.5F, 1}}, {i8, nd, {1, 2}, quant{0.5F, 1}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::unsqueeze>(at(r.axes), {computed(r.x)});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
}

static_assert(run<ops::unsqueeze, float>(at({1}), {2, 1}, filled<float>({2}, {1, 2})).elements ==
              std::vector<float>{1, 2});

TEST_CASE("unsqueeze: the elements do not change") {
  CHECK(run<ops::unsqueeze, std::int8_t>(at({0}), {1, 2, 2}, filled<std::int8_t>({2, 2}, {1, -128, 0, 127})).elements ==
        std::vector<std::int8_t>{1, -128, 0, 127});
}

TEST_CASE("unsqueeze: axis and axes fill the same attribute") {
  builder g;
  auto x = g.input<f32, shape<3, 5>>("x");
  auto one = unsqueeze(x, axis<-1>);
  auto two = unsqueeze(x, axes<0, 2>);
  static_assert(decltype(one)::desc.shape == shape_t{3, 5, 1});
  static_assert(decltype(two)::desc == tensor_desc{f32, nhwc, {1, 3, 1, 5}});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(unpack<ops::unsqueeze::attrs>(made.attrs_of(made.nodes[0])).axes == axis_list{-1});
  CHECK(unpack<ops::unsqueeze::attrs>(made.attrs_of(made.nodes[1])).axes == axis_list{0, 2});
}
