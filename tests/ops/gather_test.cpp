// gather_test: the rules, shapes and elements of gather, and what a run does with indices outside of the axis.
#include <nnrt/ops/gather.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::gather::rule;

namespace {

constexpr operand of(shape_t shape) { return computed(f32_of(shape)); }
constexpr operand late(shape_t shape) { return computed({i32, shape}); }
constexpr operand first = integer(numbers<0>);
constexpr ops::gather::attrs from_start = ops::gather::attrs::from_start();

}  // namespace

TEST_CASE("gather: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      ops::gather,
      {"two axes", {}, {of({4, 6}), late({}), integers(numbers<0, 1>)}, {}, rule::axis_must_be_one_number, 2, 1});
  NNRT_CHECK_REFUSED(
      ops::gather,
      {"a weight for an axis", {}, {of({4, 6}), late({}), weight({i32, {}})}, {}, rule::axis_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(ops::gather, {"an axis after the last",
                                   {},
                                   {of({4, 6}), late({}), integer(numbers<2>)},
                                   {},
                                   rule::axis_must_be_an_axis_of_the_input,
                                   2,
                                   1});
  NNRT_CHECK_REFUSED(ops::gather, {"an axis before the first",
                                   {},
                                   {of({4, 6}), late({}), integer(numbers<-3>)},
                                   {},
                                   rule::axis_must_be_an_axis_of_the_input,
                                   -3,
                                   1});
  NNRT_CHECK_REFUSED(ops::gather, {"no axis far away",
                                   {},
                                   {of({4}), late({}), integer(numbers<INT64_MIN>)},
                                   {},
                                   rule::axis_must_be_an_axis_of_the_input,
                                   INT64_MIN,
                                   0});
  NNRT_CHECK_REFUSED(
      ops::gather,
      {"a scalar has no axis", {}, {of({}), late({}), first}, {}, rule::axis_must_be_an_axis_of_the_input, 0, -1});
  NNRT_CHECK_REFUSED(ops::gather, {"too many axes together",
                                   {},
                                   {of({1, 1, 1, 1, 1}), late({1, 1, 1, 1, 1}), first},
                                   {},
                                   rule::output_rank_must_be_at_most_8,
                                   9,
                                   8});
  NNRT_CHECK_REFUSED(ops::gather, {"an index after the last",
                                   {},
                                   {of({4, 6}), integers(numbers<0, 6>), integer(numbers<1>)},
                                   {},
                                   rule::indices_must_lie_in_the_axis,
                                   6,
                                   5});
  NNRT_CHECK_REFUSED(ops::gather, {"an index before the first",
                                   {},
                                   {of({4, 6}), integer(numbers<-5>), first},
                                   {},
                                   rule::indices_must_lie_in_the_axis,
                                   -5,
                                   -4});
  NNRT_CHECK_REFUSED(ops::gather, {"an index far away",
                                   {},
                                   {of({4}), integer(numbers<INT64_MIN>), first},
                                   {},
                                   rule::indices_must_lie_in_the_axis,
                                   INT64_MIN,
                                   -4});
  NNRT_CHECK_REFUSED(ops::gather, {"the last one, where indices count from the start alone",
                                   from_start,
                                   {of({4}), integer(numbers<-1>), first},
                                   {},
                                   rule::indices_must_lie_in_the_axis,
                                   -1,
                                   0});
  NNRT_CHECK_REFUSED(ops::gather, {"an index into nothing",
                                   {},
                                   {of({0}), integer(numbers<0>), first},
                                   {},
                                   rule::indices_must_lie_in_the_axis,
                                   0,
                                   -1});
}

TEST_CASE("gather: the signature refuses a missing or computed axis, floating indices, and what becomes too large") {
  CHECK(breaks(infer<ops::gather>({}, {of({4}), late({2})}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(
      breaks(infer<ops::gather>({}, {of({4}), late({2}), late({})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::gather>({}, {of({4}), of({2}), first}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(f32),
               static_cast<int>(i32)));
  CHECK(breaks(infer<ops::gather>({}, {of({4, max_elements / 4}), late({8}), first}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
}

TEST_CASE("gather: the axes of the indices stand where the axis was") {
  struct row {
    const char* what;
    shape_t x;
    operand indices;
    operand axis;
    shape_t y;
  };
  static constexpr row table[] = {
      {"rows", {10, 3}, late({4}), first, {4, 3}},
      {"columns", {10, 3}, late({4}), integer(numbers<1>), {10, 4}},
      {"the last axis", {2, 10, 3}, late({4}), integer(numbers<-1>), {2, 10, 4}},
      {"the first, from the end", {2, 10, 3}, late({4}), integer(numbers<-3>), {4, 10, 3}},
      {"one row", {10, 3}, late({}), first, {3}},
      {"one number", {10}, late({}), integers(numbers<0>), {}},
      {"an embedding of a batch", {1000, 16}, late({3, 5}), first, {3, 5, 16}},
      {"in between", {2, 10, 3}, late({4, 1}), integer(numbers<1>), {2, 4, 1, 3}},
      {"up to rank 8", {1, 2, 1, 2}, late({1, 2, 3, 4, 5}), integer(numbers<2>), {1, 2, 1, 2, 3, 4, 5, 2}},
      {"no index", {10, 3}, late({0}), first, {0, 3}},
      {"no index into nothing", {0, 3}, late({0}), first, {0, 3}},
      {"the last and the first", {10, 3}, integers(numbers<-1, -10, 9>), first, {3, 3}},
      {"unknown extents", {-1, 3}, late({-1}), first, {-1, 3}},
      {"an index into an unknown extent", {-1, -1}, integers(numbers<7>), first, {1, -1}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::gather>({}, {of(r.x), r.indices, r.axis});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
}

TEST_CASE("gather: the quantisation stays") {
  const tensor_desc x{i8, nd, {4, 2}, quant{0.25F, 9}};
  const verdict got = infer<ops::gather>({}, {computed(x), late({3}), first});
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{i8, nd, {3, 2}, quant{0.25F, 9}});
}

static_assert(run<ops::gather, float>({}, {2, 2}, filled<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                                      filled<std::int32_t>({2}, {2, -3}), filled<std::int64_t>({}, {0}))
                  .elements == std::vector<float>{5, 6, 1, 2});

TEST_CASE("gather: the element at an index is the one at the place that the list names") {
  // x[a][b][c] = 100 a + 10 b + c
  filled<std::int16_t> x({2, 3, 4});
  for (int i = 0; i < 24; ++i)
    x.elements[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
  const filled<std::int64_t> two({2}, {2, -3}), axis({}, {1}), last({}, {-1});
  CHECK(run<ops::gather, std::int16_t>({}, {2, 2, 4}, x, two, axis).elements ==
        std::vector<std::int16_t>{20, 21, 22, 23, 0, 1, 2, 3, 120, 121, 122, 123, 100, 101, 102, 103});
  const filled<std::int32_t> square({2, 2}, {3, 0, -1, 1});
  CHECK(run<ops::gather, std::int16_t>({}, {2, 3, 2, 2}, x, square, last).elements ==
        std::vector<std::int16_t>{3,   0,   3,   1,   13,  10,  13,  11,  23,  20,  23,  21,  //
                                  103, 100, 103, 101, 113, 110, 113, 111, 123, 120, 123, 121});
  CHECK(run<ops::gather, double>({}, {}, filled<double>({3}, {1, 2, 3}), filled<std::int32_t>({}, {1}),
                                 filled<std::int32_t>({}, {0}))
            .elements == std::vector<double>{2});
  CHECK(run<ops::gather, float>({}, {0}, filled<float>({0}), filled<std::int32_t>({0}), filled<std::int32_t>({}, {0}))
            .elements.empty());
}

TEST_CASE("gather: an index outside of the axis is a fault of the run, the first one, with its place and the bound") {
  struct row {
    const char* what;
    std::int32_t indices[3];
    std::int64_t position, actual, expected;  // position -1: no fault
  };
  const row table[] = {
      {"all inside", {0, 3, -4}, -1, 0, 0},
      {"one after", {0, 4, 9}, 1, 4, 3},
      {"one in front", {0, 1, -5}, 2, -5, -4},
      {"far after", {INT32_MAX, 0, 0}, 0, INT32_MAX, 3},
      {"far in front", {INT32_MIN, 0, 0}, 0, INT32_MIN, -4},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    filled<float> x({4, 1}), y({3, 1});
    filled<std::int32_t> indices({3}, {r.indices[0], r.indices[1], r.indices[2]}), axis({}, {0});
    const view in[] = {x.as_view(), indices.as_view(), axis.as_view()}, out[] = {y.as_view()};
    const run_fault fault = ops::gather::reference<float>({}, in, out);
    CHECK(bool(fault) == (r.position >= 0));
    if (!fault) continue;
    CHECK(fault.rule == static_cast<int>(ops::gather::rule::indices_must_lie_in_the_axis));
    CHECK(fault.position == r.position);
    CHECK(fault.actual == r.actual);
    CHECK(fault.expected == r.expected);
  }
}

TEST_CASE("gather: where indices count from the start alone, a negative one is a fault of the run") {
  const auto fault_of = [](std::int32_t index) {
    filled<float> x({4, 1}), y({1, 1});
    filled<std::int32_t> indices({1}, {index}), axis({}, {-2});
    const view in[] = {x.as_view(), indices.as_view(), axis.as_view()}, out[] = {y.as_view()};
    return ops::gather::reference<float>(from_start, in, out);
  };
  CHECK(!fault_of(0));
  CHECK(!fault_of(3));
  const run_fault fault = fault_of(-1);
  CHECK(fault.rule == static_cast<int>(rule::indices_must_lie_in_the_axis));
  CHECK(fault.actual == -1);
  CHECK(fault.expected == 0);
}

TEST_CASE("gather: an index that has changed since it was checked is a fault, too") {
  constexpr std::int32_t far = 1 << 30;
  filled<std::int32_t> x({1, 2}, {far, far}), memory({2, 2}), axis({}, {0});
  const tensor_desc indices(i32, {2});
  // The run itself is who writes there: its first row goes over the indices.
  const view in[] = {x.as_view(), {&indices, memory.elements.data()}, axis.as_view()}, out[] = {memory.as_view()};
  const run_fault fault = ops::gather::reference<std::int32_t>({}, in, out);
  CHECK(fault.rule == static_cast<int>(ops::gather::rule::indices_must_lie_in_the_axis));
  CHECK(fault.position == 0);
  CHECK(fault.actual == far);
}

TEST_CASE("gather: two tensors, and the axis as a constant operand") {
  builder g;
  auto x = g.input<f32, shape<10, 3>>("x");
  auto i = g.input<i32, shape<4>>("i");
  auto y = gather(x, i, axis<-2>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {4, 3}});
  REQUIRE(g.graph().nodes.size() == 1);
  CHECK(integers_of(g.graph(), g.graph().inputs_of(g.graph().nodes[0])[2]) == std::vector<std::int64_t>{-2});
}
