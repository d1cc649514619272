// stack_test: the rules, shapes and elements of stack.
#include <nnrt/ops/stack.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::stack::rule;

namespace {

constexpr ops::stack::attrs along(std::int64_t axis) {
  ops::stack::attrs a;
  a.axis = axis;
  return a;
}

constexpr operand of(shape_t shape) { return computed(f32_of(shape)); }

}  // namespace

TEST_CASE("stack: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      ops::stack,
      {"no place for another axis", {}, {of({1, 1, 1, 1, 1, 1, 1, 1})}, {}, rule::output_rank_must_be_at_most_8, 9, 8});
  NNRT_CHECK_REFUSED(
      ops::stack,
      {"an axis after the new last one", along(3), {of({4, 6})}, {}, rule::axis_must_be_an_axis_of_the_output, 3, 2});
  NNRT_CHECK_REFUSED(
      ops::stack,
      {"an axis before the first", along(-4), {of({4, 6})}, {}, rule::axis_must_be_an_axis_of_the_output, -4, 2});
  NNRT_CHECK_REFUSED(
      ops::stack,
      {"no axis far away", along(INT64_MIN), {of({})}, {}, rule::axis_must_be_an_axis_of_the_output, INT64_MIN, 0});
  NNRT_CHECK_REFUSED(ops::stack, {"another dtype",
                                  {},
                                  {of({4}), of({4}), computed({f16, {4}})},
                                  {},
                                  rule::types_must_be_equal,
                                  static_cast<int>(f16),
                                  static_cast<int>(f32)});
  NNRT_CHECK_REFUSED(ops::stack, {"another rank", {}, {of({4}), of({4, 1})}, {}, rule::ranks_must_be_equal, 2, 1});
  NNRT_CHECK_REFUSED(ops::stack, {"another format",
                                  {},
                                  {of({1, 2, 2, 2}), computed({f32, nchw, {1, 2, 2, 2}})},
                                  {},
                                  rule::inputs_must_all_be_nchw_or_none,
                                  static_cast<int>(nchw),
                                  static_cast<int>(nhwc)});
  NNRT_CHECK_REFUSED(
      ops::stack, {"another extent", {}, {of({4, 6}), of({4, 6}), of({4, 1})}, {}, rule::extents_must_be_equal, 1, 6});
  NNRT_CHECK_REFUSED(ops::stack, {"an extent learned from another input",
                                  {},
                                  {of({-1}), of({4}), of({5})},
                                  {},
                                  rule::extents_must_be_equal,
                                  5,
                                  4});
}

TEST_CASE("stack: the signature asks for at least one tensor, and for one quantisation") {
  const operand x = computed({i8, nd, {4}, quant{0.5F, 1}}), other = computed({i8, nd, {4}, quant{0.5F, 2}});
  CHECK(breaks(infer<ops::stack>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::stack>({}, {x, other}), signature_rule::quantisation_of_operands_must_be_the_same, 2, 1));
  const verdict got = infer<ops::stack>({}, {x, x});
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{i8, nd, {2, 4}, quant{0.5F, 1}});
}

TEST_CASE("stack: the new axis counts the inputs, the others are theirs") {
  struct row {
    const char* what;
    std::int64_t axis;
    shape_t a, b, y;
  };
  static constexpr row table[] = {
      {"scalars", 0, {}, {}, {2}},
      {"scalars, from the end", -1, {}, {}, {2}},
      {"in front", 0, {3, 5}, {3, 5}, {2, 3, 5}},
      {"in between", 1, {3, 5}, {3, 5}, {3, 2, 5}},
      {"after", -1, {3, 5}, {3, 5}, {3, 5, 2}},
      {"in front, from the end", -3, {3, 5}, {3, 5}, {2, 3, 5}},
      {"a batch of 3", -2, {3, 1, 7}, {3, 1, 7}, {3, 1, 2, 7}},
      {"up to rank 8", 7, {1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 2}},
      {"no elements", 1, {3, 0}, {3, 0}, {3, 2, 0}},
      {"an extent that nobody knows", 0, {-1, 5}, {-1, 5}, {2, -1, 5}},
      {"extents that one of them knows", 1, {-1, 5}, {3, -1}, {3, 2, 5}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::stack>(along(r.axis), {of(r.a), of(r.b)});
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
  CHECK(nnrt_test::shape_of(infer<ops::stack>({}, {of({4})})) == shape_t{1, 4});
}

static_assert(run<ops::stack, float>(along(1), {2, 2}, filled<float>({2}, {1, 2}), filled<float>({2}, {3, 4}))
                  .elements == std::vector<float>{1, 3, 2, 4});

TEST_CASE("stack: index i along the new axis is input i") {
  const filled<std::int16_t> a({2, 2}, {0, 1, 2, 3}), b({2, 2}, {10, 11, 12, 13}), c({2, 2}, {20, 21, 22, 23});
  const auto of_axis = [&](std::int64_t axis, shape_t y) {
    return run<ops::stack, std::int16_t>(along(axis), y, a, b, c).elements;
  };
  CHECK(of_axis(0, {3, 2, 2}) == std::vector<std::int16_t>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  CHECK(of_axis(1, {2, 3, 2}) == std::vector<std::int16_t>{0, 1, 10, 11, 20, 21, 2, 3, 12, 13, 22, 23});
  CHECK(of_axis(-1, {2, 2, 3}) == std::vector<std::int16_t>{0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23});
  CHECK(run<ops::stack, double>({}, {2}, filled<double>({}, {1.5}), filled<double>({}, {2.5})).elements ==
        std::vector<double>{1.5, 2.5});
  CHECK(run<ops::stack, float>({}, {2, 0}, filled<float>({0}), filled<float>({0})).elements.empty());
}

TEST_CASE("stack: tensors, then keywords") {
  builder g;
  auto x = g.input<f32, shape<3, 5>>("x");
  auto y = stack(x, x, x, axis<-1>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {3, 5, 3}});
  REQUIRE(g.graph().nodes.size() == 1);
  CHECK(unpack<ops::stack::attrs>(g.graph().attrs_of(g.graph().nodes[0])).axis == -1);
  CHECK(g.graph().nodes[0].inputs.count == 3);
}

TEST_CASE("stack: a format that names no order goes with nhwc") {
  const tensor_desc unnamed{f32, nd, {1, 2, 2, 2}}, image{f32, nhwc, {1, 2, 2, 2}};
  CHECK(infer<ops::stack>({}, {computed(unnamed), computed(image)}).output(0).shape == shape_t{2, 1, 2, 2, 2});
  CHECK(infer<ops::stack>({}, {computed(image), computed(unnamed)}).output(0).shape == shape_t{2, 1, 2, 2, 2});
}
