// expand_dims_test: the rules, shapes and elements of expand_dims.
#include <nnrt/ops/expand_dims.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::expand_dims::rule;

namespace {

struct refusal {
  const char* what;
  shape_t x;
  operand axis;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"a rank of 9", {1, 2, 3, 4, 5, 6, 7, 8}, integer(numbers<0>), rule::output_rank_must_be_at_most_8, 9, 8},
    {"two axes", {3}, integers(numbers<0, 1>), rule::axis_must_be_one_number, 2, 1},
    {"a weight whose number nobody knows", {3}, weight({i32, {}}), rule::axis_must_be_known, 0, 1},
    {"an axis after the last of the output",
     {2, 3},
     integer(numbers<3>),
     rule::axis_must_be_an_axis_of_the_output,
     3,
     2},
    {"an axis before the first of the output",
     {2, 3},
     integer(numbers<-4>),
     rule::axis_must_be_an_axis_of_the_output,
     -4,
     2},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::expand_dims>({}, {computed(f32_of(r.x)), r.axis}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("expand_dims: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("expand_dims: the signature refuses a missing, a computed and a floating axis") {
  const tensor_desc x = f32_of({4});
  CHECK(breaks(infer<ops::expand_dims>({}, {computed(x)}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::expand_dims>({}, {computed(x), computed({i32, {}})}),
               signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::expand_dims>({}, {computed(x), weight({f32, {}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(i32)));
}

TEST_CASE("expand_dims: the new axis stands where the operand says, counted in the output") {
  struct row {
    const char* what;
    operand axis;
    tensor_desc x, y;
  };
  static constexpr row table[] = {
      {"in front", integer(numbers<0>), {f32, {2, 3}}, {f32, {1, 2, 3}}},
      {"at the end, as a list of one", integers(numbers<2>), {f32, {2, 3}}, {f32, {2, 3, 1}}},
      {"at the end, counted from there", integer(numbers<-1>), {f32, {2, 3}}, {f32, {2, 3, 1}}},
      {"in front, counted from the end", integer(numbers<-3>), {f32, {2, 3}}, {f32, {1, 2, 3}}},
      {"a scalar", integer(numbers<0>), {boolean, {}}, {boolean, {1}}},
      {"an unknown extent", integer(numbers<1>), {f32, {-1, 3}}, {f32, {-1, 1, 3}}},
      {"quantised", integer(numbers<0>), {i8, nd, {2}, quant{0.5F, 1}}, {i8, nd, {1, 2}, quant{0.5F, 1}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::expand_dims>({}, {computed(r.x), r.axis});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
}

static_assert(run<ops::expand_dims, float>({}, {2, 1}, filled<float>({2}, {1, 2}), filled<std::int32_t>({1}, {1}))
                  .elements == std::vector<float>{1, 2});

TEST_CASE("expand_dims: the elements do not change") {
  CHECK(run<ops::expand_dims, double>({}, {1, 2}, filled<double>({2}, {0.1, -0.0})).elements ==
        std::vector<double>{0.1, -0.0});
}

TEST_CASE("expand_dims: the keyword becomes a constant scalar operand") {
  builder g;
  auto y = expand_dims(g.input<f32, shape<3, 5>>("x"), axis<-2>);
  static_assert(decltype(y)::desc.shape == shape_t{3, 1, 5});
  REQUIRE(g.graph().nodes.size() == 1);
  const auto in = g.graph().inputs_of(g.graph().nodes[0]);
  REQUIRE(in.size() == 2);
  CHECK(g.graph().at(in[1]).desc == tensor_desc{i64, {}});
  CHECK(integers_of(g.graph(), in[1]) == std::vector<std::int64_t>{-2});
}
