// tile_test: the rules, shapes and elements of tile.
#include <nnrt/ops/tile.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::tile::rule;

namespace {

constexpr operand of(shape_t shape) { return computed(f32_of(shape)); }
constexpr operand late(std::int64_t count) { return computed({i32, {count}}); }
constexpr std::int64_t much = max_elements;

}  // namespace

TEST_CASE("tile: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(ops::tile, {"a multiple too few",
                                 {},
                                 {of({4, 6}), integers(numbers<2>)},
                                 {},
                                 rule::multiples_must_have_a_number_for_each_axis,
                                 1,
                                 2});
  NNRT_CHECK_REFUSED(ops::tile, {"multiples for more axes than there can be, whatever they are",
                                 {},
                                 {of({4}), late(9)},
                                 {},
                                 rule::output_rank_must_be_at_most_8,
                                 9,
                                 8});
  NNRT_CHECK_REFUSED(ops::tile, {"less than no copy",
                                 {},
                                 {of({4, 6}), integers(numbers<1, -1>)},
                                 {},
                                 rule::multiple_must_not_be_negative,
                                 -1,
                                 0});
  NNRT_CHECK_REFUSED(ops::tile, {"far less",
                                 {},
                                 {of({-1}), integers(numbers<INT64_MIN>)},
                                 {},
                                 rule::multiple_must_not_be_negative,
                                 INT64_MIN,
                                 0});
  NNRT_CHECK_REFUSED(ops::tile, {"copies of nothing beyond number",
                                 {},
                                 {of({0}), integers(numbers<much + 1>)},
                                 {},
                                 rule::multiple_must_not_exceed_the_size_limit,
                                 much + 1,
                                 much});
  NNRT_CHECK_REFUSED(ops::tile, {"a huge number",
                                 {},
                                 {of({4}), integers(numbers<INT64_MAX>)},
                                 {},
                                 rule::multiple_must_not_exceed_the_size_limit,
                                 INT64_MAX,
                                 much});
}

TEST_CASE("tile: the signature refuses missing and floating multiples, and what becomes too large") {
  CHECK(breaks(infer<ops::tile>({}, {of({4})}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::tile>({}, {of({4}), weight(f32_of({1}))}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(f32),
               static_cast<int>(i32)));
  CHECK(breaks(infer<ops::tile>({}, {of({4}), integers(numbers<much>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, much + 1, much));
  CHECK(breaks(infer<ops::tile>({}, {of({4, 4}), integers(numbers<much / 4, much / 4>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, much + 1, much));
}

TEST_CASE("tile: each extent is multiplied") {
  struct row {
    const char* what;
    shape_t x;
    operand multiples;
    shape_t y;
  };
  static constexpr row table[] = {
      {"once", {4, 6}, integers(numbers<1, 1>), {4, 6}},
      {"a batch of 2", {1, 3, 5, 7}, integers(numbers<2, 1, 1, 1>), {2, 3, 5, 7}},
      {"along every axis", {3, 1, 5}, integers(numbers<2, 7, 3>), {6, 7, 15}},
      {"never", {3, 5}, integers(numbers<0, 2>), {0, 10}},
      {"of nothing", {0, 5}, integers(numbers<9, 2>), {0, 10}},
      {"a scalar", {}, integers(numbers<>), {}},
      {"an unknown extent", {-1, 5}, integers(numbers<2, 2>), {-1, 10}},
      {"no copy of an unknown extent", {-1}, integers(numbers<0>), {0}},
      {"axes before those of x", {3, 5}, integers(numbers<4, 1, 3, 2>), {4, 1, 9, 10}},
      {"no copy of axes before", {5}, integers(numbers<0, 2>), {0, 10}},
      {"copies of a scalar", {}, integers(numbers<2, 3>), {2, 3}},
      {"as many axes as there can be", {3}, integers(numbers<1, 2, 1, 2, 1, 2, 1, 2>), {1, 2, 1, 2, 1, 2, 1, 6}},
      {"more multiples that nobody knows yet", {3}, late(2), {-1, -1}},
      {"multiples that nobody knows yet", {3, 0}, late(2), {-1, 0}},
      {"how many of them, neither", {3, 5}, late(-1), {-1, -1}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::tile>({}, {of(r.x), r.multiples});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
  const verdict declared = infer<ops::tile>({}, {of({3, 5}), late(2)}, {f32_of({6, 5})});
  REQUIRE(declared);
  CHECK(declared.output(0).shape == shape_t{6, 5});
  const verdict with_more_axes = infer<ops::tile>({}, {of({5}), late(3)}, {f32_of({2, 1, 5})});
  REQUIRE(with_more_axes);
  CHECK(with_more_axes.output(0).shape == shape_t{2, 1, 5});
}

TEST_CASE("tile: the quantisation stays") {
  const tensor_desc x{u8, nd, {4}, quant{0.25F, 9}};
  const verdict got = infer<ops::tile>({}, {computed(x), integers(numbers<2>)});
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{u8, nd, {8}, quant{0.25F, 9}});
}

static_assert(run<ops::tile, float>({}, {2, 4}, filled<float>({1, 2}, {1, 2}), filled<std::int64_t>({2}, {2, 2}))
                  .elements == std::vector<float>{1, 2, 1, 2, 1, 2, 1, 2});

TEST_CASE("tile: the element at an index is the one at the index modulo the extent") {
  const filled<std::int16_t> x({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto y = run<ops::tile, std::int16_t>({}, {4, 6}, x, filled<std::int32_t>({2}, {2, 2}));
  CHECK(y.elements ==
        std::vector<std::int16_t>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  CHECK(run<ops::tile, double>({}, {}, filled<double>({}, {2.5}), filled<std::int32_t>({0})).elements ==
        std::vector<double>{2.5});
  CHECK(run<ops::tile, float>({}, {0, 2}, filled<float>({3, 1}), filled<std::int32_t>({2}, {0, 2})).elements.empty());
}

TEST_CASE("tile: more multiples than axes copy x along axes before its own") {
  const filled<float> x({3}, {4, 5, 6});
  CHECK(run<ops::tile, float>({}, {2, 6}, x, filled<std::int64_t>({2}, {2, 2})).elements ==
        std::vector<float>{4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6});
  CHECK(run<ops::tile, float>({}, {2, 1, 3}, x, filled<std::int64_t>({3}, {2, 1, 1})).elements ==
        std::vector<float>{4, 5, 6, 4, 5, 6});
  CHECK(run<ops::tile, float>({}, {2, 2}, filled<float>({}, {7}), filled<std::int64_t>({2}, {2, 2})).elements ==
        std::vector<float>{7, 7, 7, 7});
}

TEST_CASE("tile: multiples that give another shape than the planned one are a fault of the run") {
  struct row {
    const char* what;
    shape_t x, y;
    std::int32_t multiples[2];
    std::int64_t position, actual, expected;  // position -1: no fault
  };
  const row table[] = {
      {"as planned", {2, 3}, {4, 3}, {2, 1}, -1, 0, 0},
      {"one more", {2, 3}, {4, 3}, {3, 1}, 0, 3, 2},
      {"negative", {2, 3}, {4, 3}, {2, -1}, 1, -1, 1},
      {"none", {2, 3}, {4, 3}, {0, 1}, 0, 0, 2},
      {"an output that no multiple gives", {2, 3}, {5, 3}, {2, 1}, 0, 2, 2},
      {"nothing stays nothing", {0, 3}, {0, 3}, {7, 1}, -1, 0, 0},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    filled<float> x(r.x), y(r.y);
    filled<std::int32_t> multiples({2}, {r.multiples[0], r.multiples[1]});
    const view in[] = {x.as_view(), multiples.as_view()}, out[] = {y.as_view()};
    const run_fault fault = ops::tile::reference<float>({}, in, out);
    CHECK(bool(fault) == (r.position >= 0));
    if (!fault) continue;
    CHECK(fault.rule == static_cast<int>(rule::multiple_must_give_the_extent_of_the_output));
    CHECK(fault.position == r.position);
    CHECK(fault.actual == r.actual);
    CHECK(fault.expected == r.expected);
  }
  static_assert(rule_names<rule>()[static_cast<int>(rule::multiple_must_give_the_extent_of_the_output)] ==
                "multiple_must_give_the_extent_of_the_output");
}

TEST_CASE("tile: multiples become a constant operand") {
  builder g;
  auto x = g.input<f32, shape<3, 5>>("x");
  auto y = tile(x, multiples<2, 1>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {6, 5}});
  REQUIRE(g.graph().nodes.size() == 1);
  CHECK(integers_of(g.graph(), g.graph().inputs_of(g.graph().nodes[0])[1]) == std::vector<std::int64_t>{2, 1});
  CHECK(unpack<ops::tile::attrs>(g.graph().attrs_of(g.graph().nodes[0])).dims == axis_list{0});
}
