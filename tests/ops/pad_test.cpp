// pad_test: the rules, shapes and elements of pad.
#include <nnrt/ops/pad.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::pad::rule;

namespace {

constexpr ops::pad::attrs mirrored(border mode) {
  ops::pad::attrs a;
  a.mode = mode;
  return a;
}
constexpr ops::pad::attrs filled_with(float value) {
  ops::pad::attrs a;
  a.pad_value = value;
  return a;
}

struct refusal {
  const char* what;
  border mode;
  shape_t x;
  operand paddings;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"the reserved mode",
     border{3},
     {4},
     integers(numbers<0, 0>),
     rule::mode_must_be_constant_reflect_or_symmetric,
     3,
     2},
    {"a negative mode",
     border{-1},
     {4},
     integers(numbers<0, 0>),
     rule::mode_must_be_constant_reflect_or_symmetric,
     -1,
     0},
    {"an axis left out",
     border::constant,
     {4, 6},
     integers(numbers<1, 1>),
     rule::paddings_must_have_two_numbers_for_each_axis,
     2,
     4},
    {"one row for all that comes before, one for what comes after",
     border::constant,
     {4, 6, 1},
     {tensor_desc{i64, {2, 3}}, numbers<1, 2, 3, 4, 5, 6>, true},
     rule::paddings_must_have_two_numbers_for_each_axis,
     3,
     2},
    {"numbers that nobody knows", border::constant, {4}, weight({i64, {1, 2}}), rule::paddings_must_be_known, 0, 1},
    {"a negative padding", border::constant, {4}, integers(numbers<0, -1>), rule::padding_must_not_be_negative, -1, 0},
    {"a huge padding",
     border::constant,
     {4},
     integers(numbers<INT64_MAX, 0>),
     rule::padding_must_not_exceed_the_size_limit,
     INT64_MAX,
     max_elements},
    {"a mirror without the edge",
     border::reflect,
     {5, 4},
     integers(numbers<0, 0, 4, 0>),
     rule::reflected_padding_must_be_less_than_the_extent,
     4,
     3},
    {"a mirror with the edge",
     border::symmetric,
     {4},
     integers(numbers<4, 5>),
     rule::symmetric_padding_must_not_exceed_the_extent,
     5,
     4},
    {"a mirror image of nothing",
     border::symmetric,
     {0},
     integers(numbers<0, 1>),
     rule::symmetric_padding_must_not_exceed_the_extent,
     1,
     0},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::pad>(mirrored(r.mode), {computed(f32_of(r.x)), r.paddings}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

using ints = filled<std::int32_t>;
constexpr std::vector<std::int32_t> padded(const ops::pad::attrs& a, ints x, ints paddings, shape_t y) {
  return run<ops::pad, std::int32_t>(a, y, x, paddings).elements;
}

}  // namespace

TEST_CASE("pad: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("pad: the signature refuses missing, computed and floating paddings, and a result that is too large") {
  const operand x = computed(f32_of({4}));
  CHECK(breaks(infer<ops::pad>({}, {x}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::pad>({}, {x, computed({i32, {2}})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::pad>({}, {x, weight({f32, {2}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(i32)));
  CHECK(breaks(infer<ops::pad>({}, {x, integers(numbers<max_elements, max_elements>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, 2 * max_elements + 4, max_elements));
}

TEST_CASE("pad: extents grow by what is put before and after") {
  struct row {
    const char* what;
    border mode;
    shape_t x;
    operand paddings;
    shape_t y;
  };
  static constexpr row table[] = {
      {"nothing", border::reflect, {1, 1}, integers(numbers<0, 0, 0, 0>), {1, 1}},
      {"a border", border::constant, {1, 5, 7, 3}, integers(numbers<0, 0, 1, 2, 3, 4, 0, 0>), {1, 8, 14, 3}},
      {"the largest mirror without the edge", border::reflect, {4}, integers(numbers<3, 3>), {10}},
      {"the largest mirror with the edge", border::symmetric, {4}, integers(numbers<4, 4>), {12}},
      {"a scalar", border::constant, {}, integers(numbers<>), {}},
      {"an unknown batch", border::reflect, {-1, 4}, integers(numbers<2, 0, 1, 1>), {-1, 6}},
      {"no elements", border::constant, {0, 4}, integers(numbers<1, 1, 0, 0>), {2, 4}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::pad>(mirrored(r.mode), {computed(f32_of(r.x)), r.paddings});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
}

static_assert(padded(filled_with(9), ints({1, 2}, {1, 2}), ints({2, 2}, {1, 0, 0, 1}), {2, 3}) ==
              std::vector<std::int32_t>{9, 9, 9, 1, 2, 9});

TEST_CASE("pad: mirrors repeat the elements with or without the outermost one") {
  // numpy.pad([1, 2, 3], (2, 2), 'reflect') and 'symmetric'
  CHECK(padded(mirrored(border::reflect), ints({3}, {1, 2, 3}), ints({2}, {2, 2}), {7}) ==
        std::vector<std::int32_t>{3, 2, 1, 2, 3, 2, 1});
  CHECK(padded(mirrored(border::symmetric), ints({3}, {1, 2, 3}), ints({2}, {2, 2}), {7}) ==
        std::vector<std::int32_t>{2, 1, 1, 2, 3, 3, 2});
  // Along two axes: rows first 3 4 | 1 2 | 3 4, then columns.
  CHECK(padded(mirrored(border::reflect), ints({2, 2}, {1, 2, 3, 4}), ints({2, 2}, {1, 0, 0, 1}), {3, 3}) ==
        std::vector<std::int32_t>{3, 4, 3, 1, 2, 1, 3, 4, 3});
}

TEST_CASE("pad: the value is a real number, whatever the dtype") {
  const filled<std::int64_t> one_behind({1, 2}, {0, 1});
  CHECK(run<ops::pad, float>(filled_with(-0.5F), {2}, filled<float>({1}, {1}), one_behind).elements ==
        std::vector<float>{1, -0.5F});
  CHECK(run<ops::pad, std::uint8_t>(filled_with(300.0F), {2}, filled<std::uint8_t>({1}, {1}), one_behind).elements ==
        std::vector<std::uint8_t>{1, 255});
  filled<std::int8_t> stored({1}, {5});
  stored.desc.quantised = quant{0.5F, -3};
  // real 0 is stored as the zero point, 1.25 as 1.25 / 0.5 - 3 with halves away from zero, 1000 at the end of the range
  CHECK(run<ops::pad, std::int8_t>({}, {2}, stored, one_behind).elements == std::vector<std::int8_t>{5, -3});
  CHECK(run<ops::pad, std::int8_t>(filled_with(1.25F), {2}, stored, one_behind).elements ==
        std::vector<std::int8_t>{5, 0});
  CHECK(run<ops::pad, std::int8_t>(filled_with(1000.0F), {2}, stored, one_behind).elements ==
        std::vector<std::int8_t>{5, 127});
}

TEST_CASE("pad: the keyword becomes a constant operand, mode and value attributes") {
  builder g;
  auto x = g.input<f32, shape<1, 4, 4, 8>>("x");
  auto y = pad(x, paddings<0, 0, 1, 1, 1, 1, 0, 0>, pad_value<0.5F>);
  auto z = pad(x, reflect, paddings<0, 0, 1, 0, 0, 0, 0, 0>);
  auto s = pad(x, paddings<0, 0, 4, 0, 0, 0, 0, 0>, symmetric);
  static_assert(decltype(y)::desc == tensor_desc{f32, nhwc, {1, 6, 6, 8}} &&
                decltype(z)::desc.shape == shape_t{1, 5, 4, 8});
  static_assert(decltype(s)::desc.shape == shape_t{1, 8, 4, 8});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 3);
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{0, 0, 1, 1, 1, 1, 0, 0});
  CHECK(unpack<ops::pad::attrs>(made.attrs_of(made.nodes[0])).pad_value == 0.5F);
  CHECK(unpack<ops::pad::attrs>(made.attrs_of(made.nodes[0])).mode == border::constant);
  CHECK(unpack<ops::pad::attrs>(made.attrs_of(made.nodes[1])).mode == border::reflect);
  CHECK(unpack<ops::pad::attrs>(made.attrs_of(made.nodes[2])).mode == border::symmetric);
}

TEST_CASE("pad: paddings that shapes will tell leave the extents open") {
  operand paddings = weight({i32, {4}});
  paddings.awaited = true;
  const verdict got = infer<ops::pad>({}, {computed(f32_of({4, 6})), paddings});
  REQUIRE(got);
  CHECK(got.output(0).shape == shape_t{-1, -1});
}
