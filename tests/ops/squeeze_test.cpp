// squeeze_test: the rules, shapes and elements of squeeze.
#include <nnrt/ops/squeeze.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::squeeze::rule;

namespace {

constexpr ops::squeeze::attrs without(axis_list axes) {
  ops::squeeze::attrs a;
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
    {"an axis after the last", {2}, {1, 3}, rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"an axis before the first", {0, -3}, {1, 3}, rule::axis_must_be_an_axis_of_the_input, -3, 1},
    {"an axis of a scalar", {0}, {}, rule::axis_must_be_an_axis_of_the_input, 0, -1},
    {"an axis twice", {0, -2}, {1, 3}, rule::axes_must_differ, 2, 1},
    {"more than one element along the axis", {0, 1}, {1, 3}, rule::squeezed_extent_must_be_1, 3, 1},
    {"no elements along the axis", {1}, {1, 0}, rule::squeezed_extent_must_be_1, 0, 1},
    {"a rank that nobody knows", {}, {1, -1}, rule::axes_must_be_given_when_an_extent_is_unknown, 0, 1},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::squeeze>(without(r.axes), {computed(f32_of(r.x))}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("squeeze: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("squeeze: the signature refuses a missing and a second tensor") {
  CHECK(breaks(infer<ops::squeeze>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::squeeze>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::squeeze>({}, {computed(f32_of({1})), computed(f32_of({1}))}),
               signature_rule::operands_must_not_exceed_the_signature, 2, 1));
}

TEST_CASE("squeeze: the named axes go, or all of extent 1") {
  struct row {
    const char* what;
    axis_list axes;
    tensor_desc x, y;
  };
  static constexpr row table[] = {
      {"all of extent 1", {}, {f32, {1, 3, 1, 5}}, {f32, {3, 5}}},
      {"nothing to take out", {}, {f32, nchw, {2, 3, 2, 5}}, {f32, nchw, {2, 3, 2, 5}}},
      {"one element", {}, {f32, {1, 1}}, {f32, {}}},
      {"a scalar", {}, {f32, {}}, {f32, {}}},
      {"one of two", {-2}, {f32, {1, 3, 1, 5}}, {f32, {1, 3, 5}}},
      {"both, out of order", {2, 0}, {i32, {1, 3, 1, 5}}, {i32, {3, 5}}},
      {"with an unknown extent", {1}, {f32, {-1, 1, 7}}, {f32, {-1, 7}}},
      {"an unknown extent, which then is 1", {0}, {f32, {-1, 7}}, {f32, {7}}},
      {"the format follows the rank", {0}, {u8, {1, 2, 3, 4, 5}}, {u8, nhwc, {2, 3, 4, 5}}},
      {"quantised", {0}, {i8, nd, {1, 2}, quant{0.5F, 1}}, {i8, nd, {2}, quant{0.5F, 1}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::squeeze>(without(r.axes), {computed(r.x)});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
}

static_assert(run<ops::squeeze, float>({}, {2}, filled<float>({1, 2, 1}, {1, 2})).elements == std::vector<float>{1, 2});

TEST_CASE("squeeze: the elements do not change") {
  CHECK(run<ops::squeeze, std::uint8_t>({}, {2, 2}, filled<std::uint8_t>({2, 1, 2}, {1, 255, 0, 7})).elements ==
        std::vector<std::uint8_t>{1, 255, 0, 7});
}

TEST_CASE("squeeze: axis and axes fill the same attribute") {
  builder g;
  auto x = g.input<f32, shape<1, 3, 1, 5>>("x");
  auto all = squeeze(x);
  auto one = squeeze(x, axis<2>);
  auto two = squeeze(x, axes<0, 2>);
  static_assert(decltype(all)::desc.shape == shape_t{3, 5} && decltype(two)::desc.shape == shape_t{3, 5});
  static_assert(decltype(one)::desc.shape == shape_t{1, 3, 5});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 3);
  CHECK(unpack<ops::squeeze::attrs>(made.attrs_of(made.nodes[0])).axes == axis_list{});
  CHECK(unpack<ops::squeeze::attrs>(made.attrs_of(made.nodes[1])).axes == axis_list{2});
  CHECK(unpack<ops::squeeze::attrs>(made.attrs_of(made.nodes[2])).axes == axis_list{0, 2});
}
