// constant_of_shape_test: rules, dtypes, elements and the DSL function of constant_of_shape.
#include <nnrt/ops/constant_of_shape.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::constant_of_shape;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs with(std::int64_t type, float value = 0) {
  attrs a;
  a.data_type = type;
  a.value = value;
  return a;
}

TEST_CASE("constant_of_shape: the shape is the listed one, the dtype the numbered one") {
  CHECK(infer<op>({}, {integers(numbers<2, 3>)}).output(0) == f32_of({2, 3}));
  CHECK(infer<op>(with(3), {integers(numbers<4>)}).output(0) == tensor_desc{i16, {4}});
  CHECK(infer<op>(with(44), {integers(numbers<4>)}).output(0) == tensor_desc{f64, {4}});
  CHECK(infer<op>(with(30), {integers(numbers<4>)}).output(0) == tensor_desc{boolean, {4}});
  CHECK(infer<op>({}, {integers(numbers<0, 5>)}).output(0) == f32_of({0, 5}));
  CHECK(infer<op>({}, {computed({i32, {0}})}).output(0) == f32_of({}));
  CHECK(infer<op>({}, {computed({i32, {3}})}).output(0).shape == shape_t{-1, -1, -1});
  CHECK(infer<op>({}, {computed({i32, {3}})}, {f32_of({2, 3, 4})}).output(0).shape == shape_t{2, 3, 4});
}

template <class Y> constexpr std::vector<Y> made(float value) {
  filled<std::int64_t> shape({2}, {2, 3});
  filled<Y> y({2, 3}, {1, 1, 1, 1, 1, 1});
  const view in[] = {shape.as_view()}, out[] = {y.as_view()};
  op::reference<std::int64_t>(with(0, value), in, out);
  return y.elements;
}
static_assert(made<float>(1.5F) == std::vector<float>(6, 1.5F));

TEST_CASE("constant_of_shape: the number is converted as cast does it") {
  CHECK(made<double>(0.1F) == std::vector<double>(6, double{0.1F}));
  CHECK(made<std::int8_t>(-300) == std::vector<std::int8_t>(6, -128));
  CHECK(made<std::uint64_t>(2.75F) == std::vector<std::uint64_t>(6, 2));
  CHECK(made<std::int32_t>(math::nan<float>) == std::vector<std::int32_t>(6, 0));
  filled<std::int64_t> shape({1}, {2});
  bool booleans[] = {false, false};
  const tensor_desc desc{boolean, {2}};
  const view in[] = {shape.as_view()}, out[] = {{&desc, booleans}};
  CHECK(!op::reference<std::int64_t>(with(0, 0.5F), in, out));
  CHECK(booleans[1]);
}

TEST_CASE("constant_of_shape: another shape than the planned one ends the run with a fault") {
  filled<std::int32_t> shape({2}, {2, 4});
  filled<float> y({2, 3});
  const view in[] = {shape.as_view()}, out[] = {y.as_view()};
  const run_fault fault = op::reference<std::int32_t>({}, in, out);
  REQUIRE(bool(fault));
  CHECK(fault.rule == static_cast<int>(rule::extent_must_be_that_of_the_output));
  CHECK(fault.position == 1);
  CHECK(fault.actual == 4);
  CHECK(fault.expected == 3);
}

TEST_CASE("constant_of_shape: each broken rule is named with both values, and so are those of the signature") {
  constexpr operand shape = integers(numbers<2, 3>);
  NNRT_CHECK_REFUSED(op,
                     {"no dtype", with(13), {shape}, {}, rule::data_type_must_be_the_number_of_a_dtype, 13, int(f32)});
  NNRT_CHECK_REFUSED(op,
                     {"no dtype", with(-1), {shape}, {}, rule::data_type_must_be_the_number_of_a_dtype, -1, int(f32)});
  NNRT_CHECK_REFUSED(op, {"one of HDI's that is no dtype",
                          with(45),
                          {shape},
                          {},
                          rule::data_type_must_be_the_number_of_a_dtype,
                          45,
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"a number", {}, {integer(numbers<2>)}, {}, rule::shape_must_be_a_list, 0, 1});
  NNRT_CHECK_REFUSED(op, {"how many", {}, {computed({i32, {-1}})}, {}, rule::output_rank_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"rank 9", {}, {computed({i32, {9}})}, {}, rule::output_rank_must_be_at_most_8, 9, 8});
  NNRT_CHECK_REFUSED(op, {"below zero", {}, {integers(numbers<2, -3>)}, {}, rule::extent_must_not_be_negative, -3, 0});
  CHECK(breaks(infer<op>({}, {computed(f32_of({2}))}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(f32), int(i32)));
  CHECK(breaks(infer<op>({}, {integers(numbers<std::int64_t{1} << 40, 2>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
  CHECK(breaks(infer<op>({}, {shape}, {tensor_desc{i8, {}}}), signature_rule::declared_output_type_must_match, int(f32),
               int(i8)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y =
      constant_of_shape(shape_of(b.input<f32, shape<2, 3>>("x")), with_value<1.5>, of_type<f16>, into<shape<2, 3>>);
  static_assert(y.desc == tensor_desc{f16, {2, 3}});
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 2 && g.nodes[1].op->code == op_code{68} &&
         unpack<attrs>(g.attrs_of(g.nodes[1])).value == 1.5F;
}());

}  // namespace
