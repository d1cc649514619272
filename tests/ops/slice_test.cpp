// slice_test: the rules, shapes and elements of slice.
#include <nnrt/ops/slice.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::slice::rule;

namespace {

constexpr ops::slice::attrs along(axis_list axes) {
  ops::slice::attrs a;
  a.axes = axes;
  return a;
}

struct refusal {
  const char* what;
  axis_list axes;
  shape_t x;
  operand begin, size;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"an axis after the last",
     {2},
     {4, 6},
     integers(numbers<0>),
     integers(numbers<1>),
     rule::axis_must_be_an_axis_of_the_input,
     2,
     1},
    {"an axis twice", {1, -1}, {4, 6}, integers(numbers<0, 0>), integers(numbers<1, 1>), rule::axes_must_differ, 2, 1},
    {"a begin too few",
     {},
     {4, 6},
     integers(numbers<0>),
     integers(numbers<1, 1>),
     rule::begin_must_have_one_number_for_each_axis,
     1,
     2},
    {"a begin too many for the axes",
     {1},
     {4, 6},
     integers(numbers<0, 0>),
     integers(numbers<1>),
     rule::begin_must_have_one_number_for_each_axis,
     2,
     1},
    {"a size too many",
     {},
     {4, 6},
     integers(numbers<0, 0>),
     integers(numbers<1, 1, 1>),
     rule::size_must_have_one_number_for_each_axis,
     3,
     2},
    {"a begin that nobody knows", {}, {4}, weight({i32, {1}}), integers(numbers<1>), rule::begin_must_be_known, 0, 1},
    {"a size that nobody knows", {}, {4}, integers(numbers<0>), weight({i32, {1}}), rule::size_must_be_known, 0, 1},
    {"a begin before the tensor",
     {},
     {4},
     integers(numbers<-1>),
     integers(numbers<1>),
     rule::begin_must_not_be_negative,
     -1,
     0},
    {"a begin after the tensor",
     {},
     {4},
     integers(numbers<5>),
     integers(numbers<-1>),
     rule::begin_must_lie_in_the_input,
     5,
     4},
    {"a begin in a tensor without elements",
     {},
     {0},
     integers(numbers<1>),
     integers(numbers<-1>),
     rule::begin_must_lie_in_the_input,
     1,
     0},
    {"a negative size",
     {},
     {4},
     integers(numbers<0>),
     integers(numbers<-2>),
     rule::size_must_not_be_less_than_minus_1,
     -2,
     -1},
    {"a box that ends after the tensor",
     {-1},
     {4, 6},
     integers(numbers<5>),
     integers(numbers<2>),
     rule::size_must_not_exceed_what_is_left,
     2,
     1},
    {"a huge size",
     {},
     {4},
     integers(numbers<3>),
     integers(numbers<INT64_MAX>),
     rule::size_must_not_exceed_what_is_left,
     INT64_MAX,
     1},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::slice>(along(r.axes), {computed(f32_of(r.x)), r.begin, r.size}), r.broken, r.got,
                r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("slice: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE(
    "slice: the signature refuses a missing size, a computed begin, a floating size and a size beyond the limit") {
  const operand x = computed(f32_of({4})), one = integers(numbers<1>), large = integers(numbers<INT64_MAX>);
  CHECK(breaks(infer<ops::slice>({}, {x, one}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(
      breaks(infer<ops::slice>({}, {x, computed({i32, {1}}), one}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::slice>({}, {x, one, weight({f32, {1}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(i32)));
  CHECK(breaks(infer<ops::slice>({}, {computed(f32_of({-1})), one, large}),
               signature_rule::tensor_must_not_exceed_the_size_limit, INT64_MAX, max_elements));
}

TEST_CASE("slice: the output has the sizes that are given, and the rest of the input along the others") {
  struct row {
    const char* what;
    axis_list axes;
    shape_t x;
    operand begin, size;
    shape_t y;
  };
  static constexpr row table[] = {
      {"everything", {}, {4, 6}, integers(numbers<0, 0>), integers(numbers<-1, -1>), {4, 6}},
      {"a box", {}, {4, 6}, integers(numbers<1, 2>), integers(numbers<3, 1>), {3, 1}},
      {"up to the end", {}, {4, 6}, integers(numbers<3, 2>), integers(numbers<-1, -1>), {1, 4}},
      {"one axis", {-1}, {2, 4, 6}, integers(numbers<2>), integers(numbers<3>), {2, 4, 3}},
      {"axes out of order", {2, 0}, {2, 4, 6}, integers(numbers<1, 0>), integers(numbers<5, 1>), {1, 4, 5}},
      {"no elements", {}, {4, 6}, integers(numbers<0, 1>), integers(numbers<0, 2>), {0, 2}},
      {"none after the last", {}, {4, 6}, integers(numbers<4, 6>), integers(numbers<0, -1>), {0, 0}},
      {"of a tensor without any", {0}, {0, 6}, integers(numbers<0>), integers(numbers<-1>), {0, 6}},
      {"a scalar", {}, {}, integers(numbers<>), integers(numbers<>), {}},
      {"an unknown extent", {}, {-1, -1}, integers(numbers<1, 1>), integers(numbers<2, -1>), {2, -1}},
      {"with an unknown extent", {1}, {-1, 6}, integers(numbers<1>), integers(numbers<-1>), {-1, 5}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::slice>(along(r.axes), {computed(f32_of(r.x)), r.begin, r.size});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
}

static_assert(run<ops::slice, float>({}, {1, 2}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
                                     filled<std::int32_t>({2}, {1, 1}), filled<std::int32_t>({2}, {1, -1}))
                  .elements == std::vector<float>{5, 6});

TEST_CASE("slice: the element at an index is the one that lies begin further") {
  // x[a][b][c] = 100 a + 10 b + c, cut from b = 1 and c = 2 on.
  filled<std::int16_t> x({2, 3, 4});
  for (int i = 0; i < 24; ++i)
    x.elements[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
  const auto y = run<ops::slice, std::int16_t>(along({-1, 1}), {2, 2, 1}, x, filled<std::int64_t>({2}, {2, 1}),
                                               filled<std::int64_t>({2}, {1, 2}));
  CHECK(y.elements == std::vector<std::int16_t>{12, 22, 112, 122});
}

TEST_CASE("slice: a box without elements begins with the tensor, so that no view of it lies outside") {
  const operand in[] = {computed(f32_of({4, 6})), integers(numbers<4, 6>), integers(numbers<0, -1>)};
  const tensor_desc out[] = {f32_of({0, 0})};
  CHECK(ops::slice::part_offset({}, in, out, 0) == 0);
}

TEST_CASE("slice: keywords become constant operands, axes an attribute") {
  builder g;
  auto x = g.input<f32, shape<1, 6, 6, 8>>("x");
  auto all = slice(x, begin<0, 1, 1, 0>, nnrt::size<1, 4, 4, -1>);
  auto rows = slice(x, nnrt::size<2>, axis<1>, begin<3>);
  static_assert(decltype(all)::desc == tensor_desc{f32, nhwc, {1, 4, 4, 8}});
  static_assert(decltype(rows)::desc.shape == shape_t{1, 2, 6, 8});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{0, 1, 1, 0});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[2]) == std::vector<std::int64_t>{1, 4, 4, -1});
  CHECK(integers_of(made, made.inputs_of(made.nodes[1])[1]) == std::vector<std::int64_t>{3});
  CHECK(unpack<ops::slice::attrs>(made.attrs_of(made.nodes[1])).axes == axis_list{1});
}

TEST_CASE("slice: begin and size that shapes will tell leave the extents open") {
  operand begin = weight({i32, {1}}), size = integers(numbers<3>);
  begin.awaited = true;
  const verdict got = infer<ops::slice>(along({1}), {computed(f32_of({4, 6})), begin, size});
  REQUIRE(got);
  CHECK(got.output(0).shape == shape_t{4, -1});
  operand all = weight({i32, {2}});
  all.awaited = true;
  CHECK(infer<ops::slice>({}, {computed(f32_of({4, 6})), integers(numbers<0, 0>), all}).output(0).shape ==
        shape_t{-1, -1});
}
