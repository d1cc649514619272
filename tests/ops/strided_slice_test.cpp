// strided_slice_test: the rules, shapes and elements of strided_slice under each of its masks.
#include <nnrt/ops/strided_slice.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

#include <initializer_list>

using namespace nnrt_test;
using rule = ops::strided_slice::rule;

namespace {

/// Bits of begin, end, ellipsis, new axis and shrink axis.
constexpr ops::strided_slice::attrs masked(std::int64_t begin, std::int64_t end, std::int64_t ellipsis = 0,
                                           std::int64_t new_axis = 0, std::int64_t shrink_axis = 0) {
  ops::strided_slice::attrs a;
  a.begin_mask = begin;
  a.end_mask = end;
  a.ellipsis_mask = ellipsis;
  a.new_axis_mask = new_axis;
  a.shrink_axis_mask = shrink_axis;
  return a;
}

constexpr operand of(shape_t shape) { return computed(f32_of(shape)); }
constexpr operand late(std::int64_t count) { return computed({i32, {count}}); }
template <std::int64_t... Numbers> constexpr operand list() { return integers(numbers<Numbers...>); }
constexpr operand one_each = list<1, 1>();

}  // namespace

TEST_CASE("strided_slice: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(ops::strided_slice, {"begin is a number",
                                          {},
                                          {of({4}), integer(numbers<0>), list<1>(), list<1>()},
                                          {},
                                          rule::begin_must_be_a_list,
                                          0,
                                          1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"who knows how many numbers",
                                          {},
                                          {of({4}), late(-1), late(-1), late(-1)},
                                          {},
                                          rule::length_of_begin_must_be_known,
                                          0,
                                          1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"more numbers than any mask can use",
                                          masked(0, 0, 0, -1),
                                          {of({4}), late(18), late(18), late(18)},
                                          {},
                                          rule::begin_must_have_at_most_17_numbers,
                                          18,
                                          17});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"numbers without end",
                                          {},
                                          {of({4}), late(max_elements), late(1), late(1)},
                                          {},
                                          rule::begin_must_have_at_most_17_numbers,
                                          max_elements,
                                          17});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"an end too many",
                                          {},
                                          {of({4}), list<0>(), list<1, 1>(), list<1>()},
                                          {},
                                          rule::end_must_be_as_long_as_begin,
                                          2,
                                          1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"a stride too few",
                                          {},
                                          {of({4, 6}), late(2), late(2), late(1)},
                                          {},
                                          rule::strides_must_be_as_long_as_begin,
                                          1,
                                          2});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"two ellipses",
                                          masked(0, 0, 3),
                                          {of({4, 6}), one_each, one_each, one_each},
                                          {},
                                          rule::only_one_ellipsis_may_be_given,
                                          2,
                                          1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"every bit of every mask",
                                          masked(-1, -1, -1, -1, -1),
                                          {of({4, 6}), one_each, one_each, one_each},
                                          {},
                                          rule::only_one_ellipsis_may_be_given,
                                          2,
                                          1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"a number too many",
                                          {},
                                          {of({4}), one_each, one_each, one_each},
                                          {},
                                          rule::numbers_must_not_exceed_the_axes,
                                          2,
                                          1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"a number too many with an ellipsis",
                                          masked(0, 0, 1),
                                          {of({}), one_each, one_each, one_each},
                                          {},
                                          rule::numbers_must_not_exceed_the_axes,
                                          1,
                                          0});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"new axes without room",
                                          masked(0, 0, 0, 3),
                                          {of({1, 1, 1, 1, 1, 1, 1}), one_each, one_each, one_each},
                                          {},
                                          rule::output_rank_must_be_at_most_8,
                                          9,
                                          8});
  NNRT_CHECK_REFUSED(
      ops::strided_slice,
      {"no step", {}, {of({4, 6}), list<0, 0>(), list<1, 1>(), list<1, 0>()}, {}, rule::stride_must_not_be_0, 0, 1});
  NNRT_CHECK_REFUSED(
      ops::strided_slice,
      {"no step, the rest unknown", {}, {of({-1}), late(1), late(1), list<0>()}, {}, rule::stride_must_not_be_0, 0, 1});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"the element after the last",
                                          masked(0, 0, 0, 0, 1),
                                          {of({4}), list<4>(), list<5>(), list<1>()},
                                          {},
                                          rule::begin_of_a_shrunk_axis_must_lie_in_it,
                                          4,
                                          3});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"the element before the first",
                                          masked(0, 0, 0, 0, 2),
                                          {of({4, 6}), list<0, -7>(), one_each, one_each},
                                          {},
                                          rule::begin_of_a_shrunk_axis_must_lie_in_it,
                                          -7,
                                          -6});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"an element far away",
                                          masked(0, 0, 0, 0, 1),
                                          {of({4}), list<INT64_MIN>(), list<0>(), list<1>()},
                                          {},
                                          rule::begin_of_a_shrunk_axis_must_lie_in_it,
                                          INT64_MIN,
                                          -4});
  NNRT_CHECK_REFUSED(ops::strided_slice, {"the first element of none",
                                          masked(1, 0, 0, 0, 1),
                                          {of({0}), list<0>(), list<0>(), list<1>()},
                                          {},
                                          rule::begin_of_a_shrunk_axis_must_lie_in_it,
                                          0,
                                          -1});
}

TEST_CASE("strided_slice: the signature refuses missing and floating lists, and what becomes too large") {
  CHECK(breaks(infer<ops::strided_slice>({}, {of({4}), list<0>(), list<0>()}),
               signature_rule::required_operand_must_be_given, 3, 4));
  CHECK(breaks(infer<ops::strided_slice>({}, {of({4}), weight(f32_of({1})), list<0>(), list<1>()}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(f32),
               static_cast<int>(i32)));
}

TEST_CASE("strided_slice: extents follow begin, end, strides and the masks") {
  struct row {
    const char* what;
    ops::strided_slice::attrs a;
    shape_t x;
    operand begin, end, strides;
    shape_t y;
  };
  static constexpr row table[] = {
      {"a box", {}, {4, 6}, list<1, 2>(), list<3, 6>(), one_each, {2, 4}},
      {"every second and third", {}, {5, 7}, list<0, 0>(), list<5, 7>(), list<2, 3>(), {3, 3}},
      {"from the end", {}, {5, 7}, list<-3, -7>(), list<-1, -6>(), one_each, {2, 1}},
      {"backwards", {}, {5, 7}, list<4, -1>(), list<0, -8>(), list<-1, -2>(), {4, 4}},
      {"beyond the borders", {}, {5, 7}, list<-99, INT64_MIN>(), list<99, INT64_MAX>(), one_each, {5, 7}},
      {"backwards beyond the borders",
       {},
       {5, 7},
       list<99, INT64_MAX>(),
       list<-99, INT64_MIN>(),
       list<-1, -1>(),
       {5, 7}},
      {"nothing between", {}, {5, 7}, list<3, 2>(), list<3, 1>(), one_each, {0, 0}},
      {"nothing backwards", {}, {5, 7}, list<1, 0>(), list<3, 0>(), list<-1, -1>(), {0, 0}},
      {"huge steps", {}, {5, 7}, list<1, 6>(), list<5, 0>(), list<INT64_MAX, INT64_MIN>(), {1, 1}},
      {"of nothing", {}, {0, 7}, list<0, 0>(), list<9, 9>(), one_each, {0, 7}},
      {"of nothing, backwards", {}, {0}, list<5>(), list<-5>(), list<-1>(), {0}},
      {"the first axis alone", {}, {4, 6, 3}, list<1>(), list<2>(), list<1>(), {1, 6, 3}},
      {"no number at all", {}, {4, 6}, list<>(), list<>(), list<>(), {4, 6}},
      {"a scalar", {}, {}, list<>(), list<>(), list<>(), {}},
      {"begin mask", masked(1, 0), {4, 6}, list<3, 3>(), list<4, 4>(), one_each, {4, 1}},
      {"begin mask, backwards", masked(2, 0), {4, 6}, list<3, 3>(), list<1, 1>(), list<-1, -1>(), {2, 4}},
      {"end mask", masked(0, 2), {4, 6}, list<1, 2>(), list<2, 2>(), one_each, {1, 4}},
      {"end mask, backwards", masked(0, 1), {4, 6}, list<2, 2>(), list<1, 1>(), list<-1, -1>(), {3, 1}},
      {"an ellipsis in front", masked(0, 0, 1), {2, 3, 4, 5}, list<0, 1>(), list<0, 3>(), one_each, {2, 3, 4, 2}},
      {"an ellipsis in between",
       masked(0, 0, 2),
       {2, 3, 4, 5},
       list<1, 9, 1>(),
       list<2, 9, 3>(),
       list<1, 9, 1>(),
       {1, 3, 4, 2}},
      {"an ellipsis for nothing", masked(0, 0, 2), {2, 3}, list<1, 9, 1>(), list<2, 9, 3>(), list<1, 9, 1>(), {1, 2}},
      {"an ellipsis alone", masked(0, 0, 1), {2, 3}, list<9>(), list<9>(), list<0>(), {2, 3}},
      {"a new axis in front", masked(0, 0, 0, 1), {2, 3}, list<9, 1>(), list<9, 2>(), list<0, 1>(), {1, 1, 3}},
      {"new axes after an ellipsis",
       masked(0, 0, 1, 6),
       {2, 3},
       list<9, 9, 9>(),
       list<9, 9, 9>(),
       list<9, 9, 9>(),
       {2, 3, 1, 1}},
      {"up to rank 8",
       masked(0, 0, 0, 7),
       {1, 2, 1, 2, 1},
       list<0, 0, 0>(),
       list<0, 0, 0>(),
       list<1, 1, 1>(),
       {1, 1, 1, 1, 2, 1, 2, 1}},
      {"one element", masked(0, 0, 0, 0, 1), {4, 6}, list<-4>(), list<0>(), list<1>(), {6}},
      {"one element of each axis", masked(0, 0, 0, 0, 3), {4, 6}, list<3, -1>(), list<0, 0>(), one_each, {}},
      {"the last one, by the mask", masked(2, 0, 0, 0, 2), {4, 6}, list<0, 99>(), list<4, 0>(), list<1, -1>(), {4}},
      {"all masks",
       masked(0b00001, 0b01000, 0b00010, 0b00100, 0b10000),
       {2, 3, 4, 5, 6},
       list<9, 9, 9, 1, -2>(),
       list<1, 9, 9, 9, 9>(),
       list<1, 1, 1, 2, 1>(),
       {1, 3, 4, 1, 2}},
      {"an ellipsis goes before a new axis, that before the rest",
       masked(0, 0, 1, 3, 3),
       {2, 3},
       list<0, 0>(),
       list<0, 0>(),
       list<1, 1>(),
       {2, 3, 1}},
      {"a new axis in place of another",
       masked(0, 0, 0, 1, 2),
       {1, 2, 1, 1, 1, 1, 1, 3},
       list<9, 0>(),
       list<9, 1>(),
       one_each,
       {1, 2, 1, 1, 1, 1, 1, 3}},
      {"bits of numbers that are not there", masked(0, 0, 4, 8, 16), {2, 3}, list<0, 0>(), one_each, one_each, {1, 1}},
      {"an unknown extent", {}, {-1, 6}, list<0, 0>(), list<2, 2>(), one_each, {-1, 2}},
      {"one element of an unknown extent", masked(0, 0, 0, 0, 1), {-1, 6}, list<7>(), list<8>(), list<1>(), {6}},
      {"unknown lists", {}, {4, 0, 5}, late(2), late(2), late(2), {-1, 0, 5}},
      {"an unknown begin that the mask replaces", masked(1, 0), {4, 6}, late(2), list<2, 2>(), one_each, {2, -1}},
      {"an unknown end that the mask replaces", masked(0, 2), {4, 6}, list<1, 2>(), late(2), one_each, {-1, 4}},
      {"one element, who knows which", masked(0, 0, 0, 0, 1), {4, 6}, late(1), late(1), late(1), {6}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::strided_slice>(r.a, {of(r.x), r.begin, r.end, r.strides});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
  const verdict declared = infer<ops::strided_slice>({}, {of({4, 6}), late(2), late(2), late(2)}, {f32_of({2, 3})});
  REQUIRE(declared);
  CHECK(declared.output(0).shape == shape_t{2, 3});
}

TEST_CASE("strided_slice: format and quantisation stay while the rank does") {
  const tensor_desc x{i8, nchw, {2, 8, 3, 3}, quant{0.25F, 9}};
  const verdict cut = infer<ops::strided_slice>({}, {computed(x), list<0>(), list<1>(), list<1>()});
  REQUIRE(cut);
  CHECK(cut.output(0) == tensor_desc{i8, nchw, {1, 8, 3, 3}, quant{0.25F, 9}});
  const verdict image =
      infer<ops::strided_slice>(masked(0, 0, 0, 0, 1), {computed(x), list<0>(), list<1>(), list<1>()});
  REQUIRE(image);
  CHECK(image.output(0) == tensor_desc{i8, nd, {8, 3, 3}, quant{0.25F, 9}});
}

namespace {

/// x[a][b][c] = 100 a + 10 b + c for a < 2, b < 3, c < 4.
constexpr filled<std::int16_t> numbered() {
  filled<std::int16_t> x({2, 3, 4});
  for (int i = 0; i < 24; ++i)
    x.elements[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
  return x;
}
using lines = std::vector<std::int32_t>;
constexpr std::vector<std::int16_t> sliced(const ops::strided_slice::attrs& a, shape_t y, const lines& begin,
                                           const lines& end, const lines& strides) {
  const shape_t count{static_cast<std::int64_t>(begin.size())};
  return run<ops::strided_slice, std::int16_t>(a, y, numbered(), filled<std::int32_t>(count, begin),
                                               filled<std::int32_t>(count, end), filled<std::int32_t>(count, strides))
      .elements;
}

}  // namespace

static_assert(sliced({}, {1, 2, 2}, {1, 0, 3}, {2, 3, 0}, {1, 2, -2}) == std::vector<std::int16_t>{103, 101, 123, 121});
static_assert(sliced(masked(0, 0, 0, 0, 7), {}, {1, -1, 2}, {0, 0, 0}, {1, 1, 1}) == std::vector<std::int16_t>{122});

TEST_CASE("strided_slice: the element at an index is the one that number of steps from begin") {
  using elements = std::vector<std::int16_t>;
  CHECK(sliced({}, {2, 1, 2}, {0, 1, 1}, {2, 2, 3}, {1, 1, 1}) == elements{11, 12, 111, 112});
  CHECK(
      sliced({}, {2, 3, 4}, {-1, -1, -1}, {-9, -9, -9}, {-1, -1, -1}) ==
      elements{123, 122, 121, 120, 113, 112, 111, 110, 103, 102, 101, 100, 23, 22, 21, 20, 13, 12, 11, 10, 3, 2, 1, 0});
  CHECK(sliced(masked(3, 3), {2, 3, 1}, {9, 9, 2}, {9, 9, 3}, {1, 1, 1}) == elements{2, 12, 22, 102, 112, 122});
  CHECK(sliced(masked(4, 4), {1, 1, 2}, {1, 1, 9}, {2, 2, 9}, {1, 1, -3}) == elements{113, 110});
  CHECK(sliced(masked(0, 0, 1), {2, 3, 1}, {0, 3}, {0, 4}, {1, 1}) == elements{3, 13, 23, 103, 113, 123});
  CHECK(sliced(masked(0, 0, 2, 4, 1), {3, 4, 1}, {1, 0, 0}, {2, 0, 0}, {1, 1, 1}) ==
        elements{100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123});
  CHECK(sliced(masked(0, 0, 0, 0, 5), {3}, {-1, 0, -2}, {0, 3, 0}, {1, 1, 1}) == elements{102, 112, 122});
  CHECK(sliced(masked(1, 0, 0, 0, 1), {1, 4}, {1, 2}, {1, 3}, {1, 1}) == elements{20, 21, 22, 23});
  CHECK(sliced({}, {2, 0, 4}, {0, 2}, {2, 1}, {1, 1}).empty());
}

TEST_CASE("strided_slice: lists that give another shape, or lie outside, are a fault of the run") {
  struct row {
    const char* what;
    ops::strided_slice::attrs a;
    shape_t y;
    std::int32_t begin, end, stride;
    rule broken;
    std::int64_t actual, expected;
  };
  static constexpr row table[] = {
      {"a longer cut", {}, {2}, 0, 3, 1, rule::extent_must_be_that_of_the_output, 3, 2},
      {"nothing", {}, {2}, 3, 0, 1, rule::extent_must_be_that_of_the_output, 0, 2},
      {"no step", {}, {2}, 0, 2, 0, rule::stride_must_not_be_0, 0, 1},
      {"an element after the last",
       masked(0, 0, 0, 0, 1),
       {},
       4,
       5,
       1,
       rule::begin_of_a_shrunk_axis_must_lie_in_it,
       4,
       3},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    filled<float> x({4}), y(r.y);
    filled<std::int32_t> begin({1}, {r.begin}), end({1}, {r.end}), stride({1}, {r.stride});
    const view in[] = {x.as_view(), begin.as_view(), end.as_view(), stride.as_view()}, out[] = {y.as_view()};
    const run_fault fault = ops::strided_slice::reference<float>(r.a, in, out);
    CHECK(fault.rule == static_cast<int>(r.broken));
    CHECK(fault.position == 0);
    CHECK(fault.actual == r.actual);
    CHECK(fault.expected == r.expected);
  }
}

TEST_CASE("strided_slice: lists become constant operands, masks attributes") {
  builder g;
  auto x = g.input<f32, shape<4, 6>>("x");
  auto y = strided_slice(x, begin<3, 0>, nnrt::end<0, 6>, strides<-1, 2>, end_mask<1>, begin_mask<2>);
  auto z = strided_slice(x, begin<0, 0, 1>, nnrt::end<0, 0, 2>, strides<1, 1, 1>, ellipsis_mask<1>, new_axis_mask<2>,
                         shrink_axis_mask<4>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {4, 3}});
  static_assert(decltype(z)::desc == tensor_desc{f32, {4, 1}});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{3, 0});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[2]) == std::vector<std::int64_t>{0, 6});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[3]) == std::vector<std::int64_t>{-1, 2});
  const auto first = unpack<ops::strided_slice::attrs>(made.attrs_of(made.nodes[0]));
  CHECK(first.begin_mask == 2);
  CHECK(first.end_mask == 1);
  const auto second = unpack<ops::strided_slice::attrs>(made.attrs_of(made.nodes[1]));
  CHECK(second.ellipsis_mask == 1);
  CHECK(second.new_axis_mask == 2);
  CHECK(second.shrink_axis_mask == 4);
}
