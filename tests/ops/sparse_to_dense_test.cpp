// sparse_to_dense_test: rules, shapes, elements and the DSL function of sparse_to_dense.
#include <nnrt/ops/sparse_to_dense.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::sparse_to_dense;
using rule = op::rule;

constexpr operand places = computed({i32, {4, 2}}), values = computed(f32_of({4})), shape = integers(numbers<2, 3>);

TEST_CASE("sparse_to_dense: the output has the listed extents, and is quantised as the values are") {
  CHECK(infer<op>({}, {places, values, shape}).output(0) == f32_of({2, 3}));
  CHECK(infer<op>({}, {places, computed({boolean, {}}), shape}).output(0) == tensor_desc{boolean, {2, 3}});
  CHECK(infer<op>({}, {computed({i64, {-1, 2}}), computed(f32_of({-1})), shape}).output(0) == f32_of({2, 3}));
  CHECK(infer<op>({}, {computed({i64, {7}}), computed({u8, {7}}), integers(numbers<0>)}).output(0) ==
        tensor_desc{u8, {0}});
  CHECK(infer<op>({}, {places, computed({i8, nd, {4}, quant{0.5F, 3}}), shape}).output(0) ==
        tensor_desc{i8, default_format(2), {2, 3}, quant{0.5F, 3}});
}

/// What the reference makes of places in [2, 3], or nothing where it finds a fault.
template <class T> constexpr std::vector<T> made(std::vector<std::int32_t> indices, filled<T> values) {
  filled<std::int32_t> at({static_cast<std::int64_t>(indices.size()) / 2, 2}, indices);
  filled<std::int64_t> shape({2}, {2, 3});
  filled<T> y({2, 3}, {9, 9, 9, 9, 9, 9});
  const view in[] = {at.as_view(), values.as_view(), shape.as_view()}, out[] = {y.as_view()};
  if (op::reference<T>({}, in, out)) y.elements.clear();
  return y.elements;
}
static_assert(made<float>({0, 1, 1, 2}, {{2}, {3, 4}}) == std::vector<float>{0, 3, 0, 0, 0, 4});

TEST_CASE("sparse_to_dense: values lie at their places, of two for one place the last one") {
  CHECK(made<double>({1, 2, 0, 0, 1, 2}, {{3}, {1, 2, 3}}) == std::vector<double>{2, 0, 0, 0, 0, 3});
  CHECK(made<std::uint8_t>({1, 1, 0, 2}, {{}, {7}}) == std::vector<std::uint8_t>{0, 0, 7, 0, 7, 0});
  CHECK(made<std::int64_t>({1, 1, 0, 2}, {{1}, {7}}) == std::vector<std::int64_t>{0, 0, 7, 0, 7, 0});
  CHECK(made<float>({}, {{0}, {}}) == std::vector<float>(6, 0));
  filled<std::int8_t> stored({1}, {5});
  stored.desc.quantised = quant{0.5F, -3};
  CHECK(made<std::int8_t>({1, 0}, stored) == std::vector<std::int8_t>{-3, -3, -3, 5, -3, -3});
}

TEST_CASE("sparse_to_dense: a list of places along one axis") {
  filled<std::int64_t> at({3}, {4, 0, 2}), shape({1}, {5});
  filled<float> values({3}, {1, 2, 3}), y({5});
  const view in[] = {at.as_view(), values.as_view(), shape.as_view()}, out[] = {y.as_view()};
  CHECK(!op::reference<float>({}, in, out));
  CHECK(y.elements == std::vector<float>{2, 0, 3, 0, 1});
}

TEST_CASE("sparse_to_dense: an index outside of its axis ends the run with a fault") {
  for (const std::int64_t index : {-1, 3}) {
    filled<std::int64_t> at({2, 2}, {0, 0, 1, index}), shape({2}, {2, 3});
    filled<float> values({2}, {1, 2}), y({2, 3});
    const view in[] = {at.as_view(), values.as_view(), shape.as_view()}, out[] = {y.as_view()};
    const run_fault fault = op::reference<float>({}, in, out);
    REQUIRE(bool(fault));
    CHECK(fault.rule == static_cast<int>(rule::indices_must_lie_in_their_axes));
    CHECK(fault.position == 3);
    CHECK(fault.actual == index);
    CHECK(fault.expected == (index < 0 ? 0 : 2));
  }
}

TEST_CASE("sparse_to_dense: an index that has changed since it was checked is a fault, too") {
  constexpr std::int32_t far = 1 << 30;
  filled<std::int32_t> list({3}, {far, far, far}), memory({4}, {0, 1, 2, 0}), extents({1}, {3});
  const tensor_desc indices(i32, {3}), y(i32, {3});
  // The run itself is who writes there: its first value goes over the second index.
  const view in[] = {{&indices, memory.elements.data()}, list.as_view(), extents.as_view()},
             out[] = {{&y, memory.elements.data() + 1}};
  const run_fault fault = op::reference<std::int32_t>({}, in, out);
  CHECK(fault.rule == static_cast<int>(rule::indices_must_lie_in_their_axes));
  CHECK(fault.position == 1);
  CHECK(fault.actual == far);
}

TEST_CASE("sparse_to_dense: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op,
                     {"a matrix", {}, {places, values, weight({i64, {1, 2}})}, {}, rule::shape_must_be_a_list, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown", {}, {places, values, weight({i64, {2}})}, {}, rule::shape_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"a number", {}, {places, values, integers(numbers<>)}, {}, rule::output_rank_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(op, {"rank 9",
                          {},
                          {places, values, integers(numbers<1, 1, 1, 1, 1, 1, 1, 1, 1>)},
                          {},
                          rule::output_rank_must_be_at_most_8,
                          9,
                          8});
  NNRT_CHECK_REFUSED(
      op, {"below zero", {}, {places, values, integers(numbers<2, -1>)}, {}, rule::extent_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(
      op, {"a list", {}, {computed({i32, {4}}), values, shape}, {}, rule::indices_must_be_a_list_of_places, 1, 2});
  NNRT_CHECK_REFUSED(op, {"one place",
                          {},
                          {computed({i32, {}}), values, integers(numbers<5>)},
                          {},
                          rule::indices_must_be_a_list_of_places,
                          0,
                          2});
  NNRT_CHECK_REFUSED(op, {"three axes",
                          {},
                          {computed({i32, {4, 3}}), values, shape},
                          {},
                          rule::places_must_have_an_index_for_each_axis,
                          3,
                          2});
  NNRT_CHECK_REFUSED(
      op,
      {"a matrix", {}, {places, computed(f32_of({4, 1})), shape}, {}, rule::values_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"too few", {}, {places, computed(f32_of({3})), shape}, {}, rule::values_must_be_one_for_each_place, 3, 4});
  NNRT_CHECK_REFUSED(op, {"after the last",
                          {},
                          {integers(numbers<0, 5>), computed(f32_of({2})), integers(numbers<5>)},
                          {},
                          rule::indices_must_lie_in_their_axes,
                          5,
                          4});
  NNRT_CHECK_REFUSED(op, {"from the end",
                          {},
                          {integers(numbers<0, -1>), computed(f32_of({2})), integers(numbers<5>)},
                          {},
                          rule::indices_must_lie_in_their_axes,
                          -1,
                          0});
  CHECK(
      breaks(infer<op>({}, {places, values, computed({i64, {2}})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<op>({}, {places, values, integers(numbers<std::int64_t{1} << 40, 2>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
  CHECK(breaks(infer<op>({}, {values, values, shape}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(f32), int(i32)));
}

constexpr auto network = [](builder& b) {
  auto y = sparse_to_dense(b.input<i32, nnrt::shape<4, 2>>("indices"), b.input<f32, nnrt::shape<4>>("values"),
                           nnrt::shape<5, 6>);
  static_assert(y.desc == f32_of({5, 6}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{88};
}());

}  // namespace

TEST_CASE("sparse_to_dense: extents that shapes will tell are left open") {
  operand extents = weight({i64, {2}});
  extents.awaited = true;
  const verdict got = infer<op>({}, {places, values, extents});
  REQUIRE(got);
  CHECK(got.output(0).shape == shape_t{-1, -1});
  extents.desc.shape = {-1};
  CHECK(infer<op>({}, {places, values, extents}).rule == static_cast<int>(rule::shape_must_be_known));
}
