// one_hot_test: the rules, shapes and elements of one_hot.
#include <nnrt/ops/one_hot.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::one_hot::rule;

namespace {

constexpr ops::one_hot::attrs along(std::int64_t axis) {
  ops::one_hot::attrs a;
  a.axis = axis;
  return a;
}
constexpr operand indices_of(shape_t shape) { return computed({i32, shape}); }
constexpr operand ten = integer(numbers<10>), number = computed(f32_of({}));

}  // namespace

TEST_CASE("one_hot: each broken rule is named with both values") {
  using op = ops::one_hot;
  NNRT_CHECK_REFUSED(op, {"two depths",
                          {},
                          {indices_of({4}), integers(numbers<1, 2>), number, number},
                          {},
                          rule::depth_must_be_one_number,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"a negative depth",
                          {},
                          {indices_of({4}), integer(numbers<INT64_MIN>), number, number},
                          {},
                          rule::depth_must_not_be_negative,
                          INT64_MIN,
                          0});
  NNRT_CHECK_REFUSED(op, {"several values for on",
                          {},
                          {indices_of({4}), ten, computed(f32_of({2})), number},
                          {},
                          rule::on_value_must_be_one_number,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"no value for off",
                          {},
                          {indices_of({4}), ten, number, computed(f32_of({0}))},
                          {},
                          rule::off_value_must_be_one_number,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"two dtypes",
                          {},
                          {indices_of({4}), ten, number, computed({i8, {}})},
                          {},
                          rule::types_of_on_value_and_off_value_must_be_equal,
                          static_cast<int>(i8),
                          static_cast<int>(f32)});
  NNRT_CHECK_REFUSED(op, {"no room for an axis",
                          {},
                          {indices_of({1, 1, 1, 1, 1, 1, 1, 1}), ten, number, number},
                          {},
                          rule::output_rank_must_be_at_most_8,
                          9,
                          8});
  NNRT_CHECK_REFUSED(op, {"an axis after the new last one",
                          along(2),
                          {indices_of({4}), ten, number, number},
                          {},
                          rule::axis_must_be_an_axis_of_the_output,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"no axis far away",
                          along(INT64_MIN),
                          {indices_of({}), ten, number, number},
                          {},
                          rule::axis_must_be_an_axis_of_the_output,
                          INT64_MIN,
                          0});
}

TEST_CASE("one_hot: the signature refuses a missing value, floating indices, and what becomes too large") {
  CHECK(breaks(infer<ops::one_hot>({}, {indices_of({4}), ten, number}), signature_rule::required_operand_must_be_given,
               3, 4));
  CHECK(breaks(infer<ops::one_hot>({}, {number, ten, number, number}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(f32),
               static_cast<int>(i32)));
  CHECK(breaks(infer<ops::one_hot>({}, {indices_of({4}), integer(numbers<INT64_MAX>), number, number}),
               signature_rule::tensor_must_not_exceed_the_size_limit, INT64_MAX, max_elements));
}

TEST_CASE("one_hot: the new axis has the depth, the output is like the values") {
  struct row {
    const char* what;
    std::int64_t axis;
    operand indices, depth;
    tensor_desc value, y;
  };
  static constexpr row table[] = {
      {"one index", -1, indices_of({}), ten, {f32, {}}, {f32, {10}}},
      {"the last axis", -1, indices_of({3, 5}), ten, {f64, {1}}, {f64, {3, 5, 10}}},
      {"the first axis", 0, indices_of({3, 5}), ten, {boolean, {}}, {boolean, {10, 3, 5}}},
      {"in between, from the end", -2, indices_of({3, 5}), ten, {i8, {}}, {i8, {3, 10, 5}}},
      {"an image", 1, indices_of({2, 3, 5}), ten, {f16, {}}, {f16, nhwc, {2, 10, 3, 5}}},
      {"no depth", -1, indices_of({3}), integer(numbers<0>), {f32, {}}, {f32, {3, 0}}},
      {"no index", -1, indices_of({0}), ten, {f32, {}}, {f32, {0, 10}}},
      {"a depth that nobody knows yet", -1, indices_of({3}), computed({i32, {}}), {f32, {}}, {f32, {3, -1}}},
      {"an unknown extent", 0, indices_of({-1}), ten, {f32, {}}, {f32, {10, -1}}},
      {"a scale", -1, indices_of({3}), ten, {u8, nd, {}, quant{0.5F, 3}}, {u8, nd, {3, 10}, quant{0.5F, 3}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::one_hot>(along(r.axis), {r.indices, r.depth, computed(r.value), computed(r.value)});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
}

namespace {

constexpr std::vector<std::int16_t> hot(std::int64_t axis, shape_t y, shape_t shape,
                                        const std::vector<std::int32_t>& indices, std::int64_t depth) {
  const filled<std::int32_t> at(shape, indices);
  const filled<std::int64_t> count({}, {depth});
  filled<std::int16_t> on({}, {5}), off({}, {2}), result(y);
  filled<std::int32_t> in0 = at;
  filled<std::int64_t> in1 = count;
  const view in[] = {in0.as_view(), in1.as_view(), on.as_view(), off.as_view()}, out[] = {result.as_view()};
  (void)ops::one_hot::reference<std::int16_t>(along(axis), in, out);
  return result.elements;
}

}  // namespace

static_assert(hot(-1, {2, 3}, {2}, {1, 2}, 3) == std::vector<std::int16_t>{2, 5, 2, 2, 2, 5});

TEST_CASE("one_hot: on stands at the index, off everywhere else") {
  using elements = std::vector<std::int16_t>;
  CHECK(hot(0, {3, 2}, {2}, {1, 2}, 3) == elements{2, 2, 5, 2, 2, 5});
  CHECK(hot(1, {2, 3, 2}, {2, 2}, {0, 1, 2, 0}, 3) == elements{5, 2, 2, 5, 2, 2, 2, 5, 2, 2, 5, 2});
  CHECK(hot(-1, {3}, {}, {2}, 3) == elements{2, 2, 5});
  CHECK(hot(-1, {2, 0}, {2}, {1, 2}, 0).empty());
}

TEST_CASE("one_hot: an index outside, a negative one, too, makes a line of off") {
  CHECK(hot(-1, {4, 2}, {4}, {2, -1, INT32_MIN, INT32_MAX}, 2) == std::vector<std::int16_t>(8, 2));
}

TEST_CASE("one_hot: a depth that is not the planned one is a fault of the run") {
  filled<std::int32_t> indices({2}, {0, 1}), depth({}, {4});
  filled<float> on({}, {1}), off({}, {0}), y({2, 3});
  const view in[] = {indices.as_view(), depth.as_view(), on.as_view(), off.as_view()}, out[] = {y.as_view()};
  const run_fault fault = ops::one_hot::reference<float>({}, in, out);
  CHECK(fault.rule == static_cast<int>(rule::depth_must_be_the_extent_of_the_output));
  CHECK(fault.actual == 4);
  CHECK(fault.expected == 3);
}

TEST_CASE("one_hot: 1 and 0 of any dtype, or two tensors; depth becomes a constant operand") {
  builder g;
  auto i = g.input<i64, shape<3>>("i");
  auto high = g.constant<f16, shape<>>({float16(0.9F)});
  auto low = g.constant<f16, shape<>>({float16(0.05F)});
  auto plain = one_hot(i, depth<4>);
  auto flags = one_hot<boolean>(i, depth<4>, axis<0>);
  auto smooth = one_hot(i, high, low, depth<4>);
  static_assert(decltype(plain)::desc == tensor_desc{f32, {3, 4}});
  static_assert(decltype(flags)::desc == tensor_desc{boolean, {4, 3}});
  static_assert(decltype(smooth)::desc == tensor_desc{f16, {3, 4}});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 3);
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{4});
  CHECK(made.element<float>(made.at(made.inputs_of(made.nodes[0])[2]), 0) == 1.0F);
  CHECK(made.element<float>(made.at(made.inputs_of(made.nodes[0])[3]), 0) == 0.0F);
  CHECK(made.element<bool>(made.at(made.inputs_of(made.nodes[1])[2]), 0));
  CHECK(made.inputs_of(made.nodes[2])[2] == high.id);
  CHECK(made.inputs_of(made.nodes[2])[3] == low.id);
  CHECK(unpack<ops::one_hot::attrs>(made.attrs_of(made.nodes[1])).axis == 0);
}
