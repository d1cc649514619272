// crop_test: rules, shapes, elements, places and the DSL function of crop.
#include <nnrt/ops/crop.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::crop;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs from(std::int64_t axis, std::initializer_list<std::int64_t> offset) {
  attrs a;
  a.axis = axis;
  a.offset = axis_list(offset);
  return a;
}
constexpr operand x345 = computed(f32_of({3, 4, 5}));

/// The elements of 0, 1, … as [2, 3, 4] that a box holds; where the plan says that the first of them lies.
template <class T> constexpr std::vector<T> cut(const attrs& a, std::vector<std::int64_t> to) {
  shape_t y;
  for (const std::int64_t extent : to) y.push_back(extent);
  filled<T> x({2, 3, 4});
  for (std::size_t i = 0; i < 24; ++i) x.elements[i] = static_cast<T>(i);
  return run<op, T>(a, y, x, filled<std::int64_t>({3}, to)).elements;
}
static_assert(cut<float>(from(1, {1, 2}), {2, 1, 2}) == std::vector<float>{6, 7, 18, 19});

TEST_CASE("crop: offsets count from the axis on; those in front of it begin with their first element") {
  CHECK(cut<std::int8_t>(from(0, {1, 0, 3}), {1, 3, 1}) == std::vector<std::int8_t>{15, 19, 23});
  CHECK(cut<double>(from(1, {1}), {1, 2, 2}) == std::vector<double>{5, 6, 9, 10});
  CHECK(cut<std::int64_t>(from(-1, {3}), {2, 2, 1}) == std::vector<std::int64_t>{3, 7, 15, 19});
  CHECK(cut<float>({}, {1, 1, 3}) == std::vector<float>{0, 1, 2});
  CHECK(cut<float>(from(2, {4}), {2, 3, 0}).empty());
  const tensor_desc whole[] = {f32_of({2, 3, 4})};
  const operand in[] = {computed(whole[0]), integers(numbers<2, 1, 2>)};
  CHECK(op::part_offset(from(1, {1, 2}), in, whole, 0) == 6);
  CHECK(op::part_offset(from(-1, {3}), in, whole, 0) == 3);
  const tensor_desc nothing[] = {f32_of({2, 0, 4})};
  CHECK(op::part_offset(from(1, {3, 0}), in, nothing, 0) == 0);
}

TEST_CASE("crop: the output has the listed extents") {
  CHECK(shape_of(infer<op>(from(1, {1, 2}), {x345, integers(numbers<2, 3, 3>)})) == shape_t{2, 3, 3});
  CHECK(shape_of(infer<op>({}, {computed(f32_of({-1, 4, -1})), integers(numbers<9, 4, 0>)})) == shape_t{9, 4, 0});
  CHECK(shape_of(infer<op>({}, {x345, {tensor_desc{i64, {3}}, {}, true, true}})) == shape_t{-1, -1, -1});
  CHECK(infer<op>({}, {computed({i8, nhwc, {1, 4, 4, 2}, quant{0.5F, 3}}), integers(numbers<1, 2, 2, 2>)}).output(0) ==
        tensor_desc{i8, nhwc, {1, 2, 2, 2}, quant{0.5F, 3}});
}

TEST_CASE("crop: each broken rule is named with both values, and so are those of the signature") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  constexpr operand box = integers(numbers<2, 3, 3>);
  NNRT_CHECK_REFUSED(op, {"axis", from(3, {}), {x345, box}, {}, rule::axis_must_be_an_axis_of_the_input, 3, 2});
  NNRT_CHECK_REFUSED(op, {"axis", from(-huge, {}), {x345, box}, {}, rule::axis_must_be_an_axis_of_the_input, -huge, 2});
  NNRT_CHECK_REFUSED(
      op, {"two of three", from(0, {1, 1}), {x345, box}, {}, rule::offsets_must_be_one_or_one_for_each_axis, 2, 3});
  NNRT_CHECK_REFUSED(op, {"below zero", from(1, {0, -1}), {x345, box}, {}, rule::offset_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"a number", {}, {x345, integer(numbers<2>)}, {}, rule::shape_must_be_a_list, 0, 1});
  NNRT_CHECK_REFUSED(
      op,
      {"two extents", {}, {x345, integers(numbers<3, 3>)}, {}, rule::shape_must_have_an_extent_for_each_axis, 2, 3});
  NNRT_CHECK_REFUSED(op, {"unknown", {}, {x345, weight({i64, {3}})}, {}, rule::shape_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"below zero", {}, {x345, integers(numbers<2, -1, 3>)}, {}, rule::extent_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"begins after", from(1, {huge}), {x345, box}, {}, rule::box_must_lie_in_the_input, huge, 4});
  NNRT_CHECK_REFUSED(op, {"ends after", from(1, {2}), {x345, box}, {}, rule::box_must_lie_in_the_input, 3, 2});
  NNRT_CHECK_REFUSED(op, {"begins after nothing",
                          from(0, {1}),
                          {computed(f32_of({0, 4, 5})), integers(numbers<0, 4, 5>)},
                          {},
                          rule::box_must_lie_in_the_input,
                          1,
                          0});
  NNRT_CHECK_REFUSED(
      op, {"too large", {}, {x345, integers(numbers<3, huge, 5>)}, {}, rule::box_must_lie_in_the_input, huge, 4});
  CHECK(breaks(infer<op>({}, {x345, computed({i64, {3}})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<op>({}, {missing(), box}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = crop(b.input<f32, shape<1, 4, 4, 3>>("x"), shape<1, 2, 2, 3>, axis<1>, offsets<1, 2, 0>);
  static_assert(y.desc == f32_of({1, 2, 2, 3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{91} &&
         unpack<attrs>(g.attrs_of(g.nodes[0])).offset == axis_list{1, 2, 0};
}());

}  // namespace
