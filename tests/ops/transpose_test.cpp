// transpose_test: the rules, formats and elements of transpose, and the functions that put images into an order.
#include <nnrt/ops/transpose.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::transpose::rule;

namespace {

struct refusal {
  const char* what;
  shape_t x;
  operand perm;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"a scalar for an order", {4}, integer(numbers<0>), rule::perm_must_be_a_list, 0, 1},
    {"an axis left out", {2, 3, 4}, integers(numbers<1, 0>), rule::perm_must_name_every_axis, 2, 3},
    {"an axis too many", {2, 3}, integers(numbers<1, 0, 2>), rule::perm_must_name_every_axis, 3, 2},
    {"a weight whose numbers nobody knows", {2, 3}, weight({i32, {2}}), rule::perm_must_be_known, 0, 1},
    {"an axis after the last", {2, 3}, integers(numbers<0, 2>), rule::perm_must_hold_axes_of_the_input, 2, 1},
    {"an axis before the first", {2, 3}, integers(numbers<-3, 0>), rule::perm_must_hold_axes_of_the_input, -3, 1},
    {"a huge axis", {2, 3}, integers(numbers<INT64_MIN, 0>), rule::perm_must_hold_axes_of_the_input, INT64_MIN, 1},
    {"an axis twice", {2, 3, 4}, integers(numbers<0, 1, -2>), rule::perm_must_name_an_axis_once, 2, 1},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::transpose>({}, {computed(f32_of(r.x)), r.perm}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("transpose: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("transpose: the signature refuses a missing, a computed and a floating order") {
  const tensor_desc x = f32_of({4});
  CHECK(breaks(infer<ops::transpose>({}, {computed(x)}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::transpose>({}, {computed(x), computed({i32, {1}})}),
               signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::transpose>({}, {computed(x), weight({f32, {1}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(i32)));
}

TEST_CASE("transpose: extents follow the axes, and the format follows the channels") {
  struct row {
    const char* what;
    tensor_desc x;
    operand perm;
    tensor_desc y;
  };
  static constexpr row table[] = {
      {"a scalar", {f32, {}}, integers(numbers<>), {f32, {}}},
      {"a matrix", {f32, {2, 3}}, integers(numbers<1, 0>), {f32, {3, 2}}},
      {"negative axes", {f32, {2, 3, 5}}, integers(numbers<-1, 0, -2>), {f32, {5, 2, 3}}},
      {"an unknown batch", {f32, {-1, 3, 5}}, integers(numbers<0, 2, 1>), {f32, {-1, 5, 3}}},
      {"NHWC to NCHW", {f32, nhwc, {2, 5, 7, 3}}, integers(numbers<0, 3, 1, 2>), {f32, nchw, {2, 3, 5, 7}}},
      {"NCHW to NHWC", {f32, nchw, {2, 3, 5, 7}}, integers(numbers<0, 2, 3, 1>), {f32, nhwc, {2, 5, 7, 3}}},
      {"rows and columns of NCHW", {f32, nchw, {2, 3, 5, 7}}, integers(numbers<0, 1, 3, 2>), {f32, nchw, {2, 3, 7, 5}}},
      {"rows and columns of NHWC", {f32, nhwc, {2, 5, 7, 3}}, integers(numbers<0, 2, 1, 3>), {f32, nhwc, {2, 7, 5, 3}}},
      {"the batch of NHWC moves", {f32, nhwc, {2, 5, 7, 3}}, integers(numbers<1, 3, 0, 2>), {f32, nhwc, {5, 3, 2, 7}}},
      {"no image", {u8, nd, {2, 5, 7, 3}}, integers(numbers<3, 2, 1, 0>), {u8, nhwc, {3, 7, 5, 2}}},
      {"quantised", {i8, nd, {2, 3}, quant{0.5F, 1}}, integers(numbers<1, 0>), {i8, nd, {3, 2}, quant{0.5F, 1}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::transpose>({}, {computed(r.x), r.perm});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
}

static_assert(run<ops::transpose, float>({}, {3, 2}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
                                         filled<std::int32_t>({2}, {1, 0}))
                  .elements == std::vector<float>{1, 4, 2, 5, 3, 6});

TEST_CASE("transpose: element (i, j, k) of the result is the one with these indices on axes perm") {
  // x[a][b][c] = 100 a + 10 b + c; perm 2, 0, 1: y[i][j][k] = x[j][k][i] = 100 j + 10 k + i.
  filled<std::int16_t> x({2, 3, 4});
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c)
        x.elements[static_cast<std::size_t>((a * 3 + b) * 4 + c)] = static_cast<std::int16_t>(100 * a + 10 * b + c);
  const auto y = run<ops::transpose, std::int16_t>({}, {4, 2, 3}, x, filled<std::int64_t>({3}, {-1, 0, 1}));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        CHECK(y.elements[static_cast<std::size_t>((i * 2 + j) * 3 + k)] == 100 * j + 10 * k + i);
}

TEST_CASE("transpose: a tensor without elements is left alone") {
  CHECK(run<ops::transpose, float>({}, {3, 0}, filled<float>(shape_t{0, 3}), filled<std::int32_t>({2}, {1, 0}))
            .elements.empty());
}

TEST_CASE("transpose: the keyword becomes a constant operand, and an image in the right order costs no node") {
  builder g;
  auto x = g.input<f32, shape<1, 5, 7, 3>>("x");
  auto y = transpose(x, perm<0, 3, 1, 2>);
  auto back = to_nhwc(y);
  auto same = to_nhwc(x);
  static_assert(decltype(y)::desc == tensor_desc{f32, nchw, {1, 3, 5, 7}});
  static_assert(decltype(to_nchw(x))::desc == decltype(y)::desc && decltype(back)::desc == decltype(x)::desc);
  CHECK(same.id == x.id);
  CHECK(to_nchw(y).id == y.id);
  REQUIRE(g.graph().nodes.size() == 2);
  CHECK(integers_of(g.graph(), g.graph().inputs_of(g.graph().nodes[0])[1]) == std::vector<std::int64_t>{0, 3, 1, 2});
  CHECK(integers_of(g.graph(), g.graph().inputs_of(g.graph().nodes[1])[1]) == std::vector<std::int64_t>{0, 2, 3, 1});
}
