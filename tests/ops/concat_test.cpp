// concat_test: the rules, shapes and elements of concat.
#include <nnrt/ops/concat.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/quantised.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::concat::rule;

namespace {

constexpr ops::concat::attrs along(std::int64_t axis) {
  ops::concat::attrs a;
  a.axis = axis;
  return a;
}

struct refusal {
  const char* what;
  std::int64_t axis;
  tensor_desc a, b;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"an axis after the last", 2, f32_of({2, 3}), f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_inputs, 2, 1},
    {"an axis before the first", -3, f32_of({2, 3}), f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_inputs, -3, 1},
    {"scalars", 0, f32_of({}), f32_of({}), rule::axis_must_be_an_axis_of_the_inputs, 0, -1},
    {"two dtypes", 0, f32_of({2}), {i32, {2}}, rule::types_must_be_equal, int(i32), int(f32)},
    {"two ranks", 0, f32_of({2}), f32_of({2, 1}), rule::ranks_must_be_equal, 2, 1},
    {"two formats",
     0,
     {f32, nhwc, {1, 2, 2, 2}},
     {f32, nchw, {1, 2, 2, 2}},
     rule::inputs_must_all_be_nchw_or_none,
     int(nchw),
     int(nhwc)},
    {"two scales, and none wanted", 0, i8_of({2}), i8_of({2}, other_scale), rule::quantised_output_must_have_one_scale,
     0, 1},
    {"plain after quantised", 0, i8_of({2}), {i8, {2}}, rule::inputs_must_all_be_quantised_or_all_plain, 0, 1},
    {"quantised after plain", 0, {i8, {2}}, i8_of({2}), rule::inputs_must_all_be_quantised_or_all_plain, 1, 0},
    {"per channel", 0, i8_of({2, 5}, per_channel<1>), i8_of({2, 5}, per_channel<1>),
     rule::quantised_inputs_must_have_one_scale, 5, 1},
    {"other extents differ", 0, f32_of({2, 3}), f32_of({2, 4}), rule::extents_beside_the_axis_must_be_equal, 4, 3},
    {"other extents differ in front", -1, f32_of({2, 3}), f32_of({1, 3}), rule::extents_beside_the_axis_must_be_equal,
     1, 2},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::concat>(along(r.axis), {computed(r.a), computed(r.b)}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("concat: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("concat: the signature refuses no tensor, a gap and a result that is too large") {
  CHECK(breaks(infer<ops::concat>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::concat>({}, {computed(f32_of({1})), missing()}),
               signature_rule::required_operand_must_be_given, 1, 2));
  const tensor_desc large = f32_of({max_elements}), empty = f32_of({0, max_elements});
  CHECK(breaks(infer<ops::concat>({}, {computed(large), computed(large)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, 2 * max_elements, max_elements));
  CHECK(breaks(infer<ops::concat>(along(1), {computed(empty), computed(empty)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, 2 * max_elements, max_elements));
}

TEST_CASE("concat: extents add up along the axis") {
  struct row {
    const char* what;
    std::int64_t axis;
    shape_t a, b, c, y;
  };
  static constexpr row table[] = {
      {"vectors", 0, {2}, {3}, {1}, {6}},
      {"rows", 0, {2, 3}, {1, 3}, {4, 3}, {7, 3}},
      {"columns", -1, {2, 3}, {2, 1}, {2, 5}, {2, 9}},
      {"channels of a batch", 3, {2, 5, 7, 3}, {2, 5, 7, 1}, {2, 5, 7, 4}, {2, 5, 7, 8}},
      {"one of them empty", 0, {2, 3}, {0, 3}, {4, 3}, {6, 3}},
      {"unknown along the axis", 0, {2, 3}, {-1, 3}, {4, 3}, {-1, 3}},
      {"unknown apart from the axis, where another knows", 0, {2, -1}, {1, 3}, {4, -1}, {7, 3}},
      {"unknown apart from the axis", 1, {-1, 3}, {-1, 3}, {-1, 3}, {-1, 9}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got =
        infer<ops::concat>(along(r.axis), {computed(f32_of(r.a)), computed(f32_of(r.b)), computed(f32_of(r.c))});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
}

TEST_CASE("concat: a wanted scale has to be one, of numbers that can take it") {
  const auto refused = [](const tensor_desc& a, const tensor_desc& b, const tensor_desc& y, rule r, std::int64_t got,
                          std::int64_t expected) {
    return breaks(infer<ops::concat>({}, {computed(a), computed(b)}, {y}), r, got, expected);
  };
  const tensor_desc sums{i32, nd, {2}, some_scale};
  CHECK(refused(i8_of({2, 5}), i8_of({2, 5}), i8_of({4, 5}, per_channel<1>), rule::quantised_output_must_have_one_scale,
                5, 1));
  CHECK(refused(sums, sums, wish(other_scale), rule::inputs_of_several_scales_must_be_i8_u8_or_i16, int(i32), int(i8)));
  CHECK(infer<ops::concat>({}, {computed(sums), computed(sums)}, {wish(some_scale)}));
  const verdict v =
      infer<ops::concat>({}, {computed(i8_of({2})), computed(i8_of({3}, other_scale))}, {wish(other_scale)});
  REQUIRE(v);
  CHECK(v.output(0) == i8_of({5}, other_scale));
}

TEST_CASE("concat: format and quantisation are those of the inputs") {
  const tensor_desc x{i8, nchw, {1, 2, 3, 3}, quant{0.5F, 7}};
  const verdict got = infer<ops::concat>(along(1), {computed(x), computed(x)});
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{i8, nchw, {1, 4, 3, 3}, quant{0.5F, 7}});
}

static_assert(run<ops::concat, float>(along(-1), {2, 3}, filled<float>({2, 1}, {1, 2}),
                                      filled<float>({2, 2}, {3, 4, 5, 6}))
                  .elements == std::vector<float>{1, 3, 4, 2, 5, 6});

// Expected numbers: python floats rounded to 32 bits after each step, round(x * (scale / scale of y) - zero * …) + zero
// of y.
TEST_CASE("concat: quantised values of another scale are brought to that of the result, others stay") {
  const auto a = spread<std::uint8_t>({12}, 37, quant{0.037F, 100}), b = spread<std::uint8_t>({12}, 37, quant{0.3F, 7});
  const auto c = spread<std::uint8_t>({3}, 37, quant{0.1F, 123});
  CHECK(run_quantised<ops::concat, std::uint8_t>({}, {27}, quant{0.1F, 123}, a, b, c) ==
        std::vector<std::uint8_t>{86,  100, 113, 127, 141, 154, 168, 87,  101, 114, 128, 142, 102, 213,
                                  255, 255, 255, 255, 255, 111, 222, 255, 255, 255, 0,   37,  74});
  // Steps of 0.5 from 3 to steps of 1 from 0: halves go away from zero.
  const auto halves = stored<std::int8_t>({5}, {1, 2, 3, 4, 5}, some_scale);
  CHECK(run_quantised<ops::concat, std::int8_t>({}, {5}, quant{1.0F, 0}, halves) ==
        std::vector<std::int8_t>{-1, -1, 0, 1, 1});
}
static_assert(run_quantised<ops::concat, std::int16_t>({}, {2}, quant{0.25F, 0},
                                                       stored<std::int16_t>({1}, {1003}, some_scale),
                                                       stored<std::int16_t>({1}, {7}, quant{0.25F, 0})) ==
              std::vector<std::int16_t>{2000, 7});

TEST_CASE(
    "concat: between scales too far apart for a float, numbers go to the ends of the range, zeros to the zero point") {
  for (const float to : {1e-20F, 1e-10F, 1e-18F, 1e-38F}) {
    CAPTURE(to);
    CHECK(run_quantised<ops::concat, std::int8_t>({}, {3}, quant{to, 0},
                                                  stored<std::int8_t>({3}, {5, -5, 0}, quant{1e20F, 0})) ==
          std::vector<std::int8_t>{127, -128, 0});
    CHECK(run_quantised<ops::concat, std::int8_t>({}, {3}, quant{to, 2},
                                                  stored<std::int8_t>({3}, {8, 6, 7}, quant{1e20F, 7})) ==
          std::vector<std::int8_t>{127, -128, 2});
  }
}
static_assert(run_quantised<ops::concat, std::int8_t>({}, {3}, quant{1e-20F, 0},
                                                      stored<std::int8_t>({3}, {5, -5, 0}, quant{1e20F, 0})) ==
              std::vector<std::int8_t>{127, -128, 0});

TEST_CASE("concat: elements follow each other along the axis") {
  using ints = filled<std::int32_t>;
  const ints a({1, 2, 2}, {1, 2, 3, 4}), b({1, 1, 2}, {5, 6}), none(shape_t{1, 0, 2});
  CHECK(run<ops::concat, std::int32_t>(along(1), {1, 3, 2}, a, none, b).elements ==
        std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(run<ops::concat, std::int32_t>(along(0), {2, 2, 2}, a, a).elements ==
        std::vector<std::int32_t>{1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(run<ops::concat, std::int32_t>(along(2), {1, 2, 4}, a, a).elements ==
        std::vector<std::int32_t>{1, 2, 1, 2, 3, 4, 3, 4});
  CHECK(run<ops::concat, std::int32_t>(along(2), {1, 2, 2}, a).elements == a.elements);
}

namespace {
template <std::size_t... I> constexpr auto joined(builder& g, std::index_sequence<I...>) {
  auto x = g.input<f32, shape<1, 2>>("x");
  return concat((static_cast<void>(I), x)..., axis<-1>);
}
}  // namespace

TEST_CASE("concat: takes two hundred tensors, and the attribute arrives") {
  builder g;
  auto y = joined(g, std::make_index_sequence<200>{});
  static_assert(decltype(y)::desc.shape == shape_t{1, 400});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 1);
  CHECK(made.inputs_of(made.nodes[0]).size() == 200);
  CHECK(unpack<ops::concat::attrs>(made.attrs_of(made.nodes[0])).axis == -1);
}

TEST_CASE("concat: a format that names no order goes with nhwc, which the result is then") {
  const tensor_desc unnamed{f32, nd, {1, 2, 2, 2}}, image{f32, nhwc, {1, 2, 2, 2}}, turned{f32, nchw, {1, 2, 2, 2}};
  CHECK(infer<ops::concat>({}, {computed(unnamed), computed(image)}).output(0) == tensor_desc{f32, nhwc, {2, 2, 2, 2}});
  CHECK(infer<ops::concat>({}, {computed(image), computed(unnamed)}).output(0) == tensor_desc{f32, nhwc, {2, 2, 2, 2}});
  CHECK(infer<ops::concat>({}, {computed(unnamed), computed(unnamed)}).output(0).layout == nd);
  CHECK_FALSE(infer<ops::concat>({}, {computed(unnamed), computed(turned)}));
}
