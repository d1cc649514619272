// gather_nd_test: rules, shapes, elements and the DSL function of gather_nd.
#include <nnrt/ops/gather_nd.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::gather_nd;
using rule = op::rule;
using attrs = op::attrs;

constexpr operand x23 = computed(f32_of({2, 3}));

struct row {
  shape_t x, indices, y;
};
constexpr row shapes[] = {
    {{2, 3}, {4, 2}, {4}},       {{2, 3}, {4, 1}, {4, 3}},
    {{2, 3}, {2}, {}},           {{2, 3, 5}, {7, 4, 2}, {7, 4, 5}},
    {{2, 3}, {4, 0}, {4, 2, 3}}, {{-1, 3, -1}, {-1, 1}, {-1, 3, -1}},
    {{2, 3}, {0, 2}, {0}},
};

TEST_CASE("gather_nd: tuples are replaced by what they name") {
  for (const row& r : shapes)
    CHECK(shape_of(infer<op>({}, {computed(f32_of(r.x)), computed({i64, r.indices})})) == r.y);
  CHECK(infer<op>({}, {computed({i8, nd, {2, 3}, quant{0.5F, 3}}), integers(numbers<-1>)}).output(0) ==
        tensor_desc{i8, nd, {3}, quant{0.5F, 3}});
}

/// What the reference gives of 0, 1, … as [2, 3, 2], or nothing where it finds a fault.
template <class T> constexpr std::vector<T> picked(shape_t y, shape_t of_indices, std::vector<std::int32_t> list) {
  filled<T> x({2, 3, 2}), made(y);
  for (std::size_t i = 0; i < 12; ++i) x.elements[i] = static_cast<T>(i);
  filled<std::int32_t> indices(of_indices, list);
  const view in[] = {x.as_view(), indices.as_view()}, out[] = {made.as_view()};
  if (op::reference<T>({}, in, out)) made.elements.clear();
  return made.elements;
}
static_assert(picked<float>({2}, {2, 3}, {1, 2, 0, 0, -1, -1}) == std::vector<float>{10, 5});

TEST_CASE("gather_nd: each tuple names an element, a row or more, from the end when negative") {
  CHECK(picked<std::int8_t>({2, 2}, {2, 2}, {0, 1, -1, -3}) == std::vector<std::int8_t>{2, 3, 6, 7});
  CHECK(picked<double>({1, 3, 2}, {1, 1}, {1}) == std::vector<double>{6, 7, 8, 9, 10, 11});
  CHECK(picked<std::int64_t>({2, 2}, {2, 2, 3}, {0, 0, 0, 1, 1, 1, 1, 2, 1, 0, 2, 0}) ==
        std::vector<std::int64_t>{0, 9, 11, 4});
}

TEST_CASE("gather_nd: an index outside of its axis ends the run with a fault") {
  const filled<float> x({2, 3}, {0, 1, 2, 3, 4, 5});
  filled<float> from = x, y({2});
  filled<std::int32_t> indices({2, 2}, {1, 2, 0, -4});
  const view in[] = {from.as_view(), indices.as_view()}, out[] = {y.as_view()};
  const run_fault fault = op::reference<float>({}, in, out);
  REQUIRE(bool(fault));
  CHECK(fault.rule == static_cast<int>(rule::indices_must_lie_in_their_axes));
  CHECK(fault.position == 3);
  CHECK(fault.actual == -4);
  CHECK(fault.expected == -3);
}

TEST_CASE("gather_nd: an index that has changed since it was checked is a fault, too") {
  constexpr std::int32_t far = 1 << 30;
  filled<std::int32_t> x({2, 3}, {far, far, far, 3, 4, 5}), memory({2, 3}, {0, 1, 0, 0, 0, 0});
  const tensor_desc indices(i32, {2, 1});
  // The run itself is who writes there: its first row goes over the indices.
  const view in[] = {x.as_view(), {&indices, memory.elements.data()}}, out[] = {memory.as_view()};
  const run_fault fault = op::reference<std::int32_t>({}, in, out);
  CHECK(fault.rule == static_cast<int>(rule::indices_must_lie_in_their_axes));
  CHECK(fault.position == 0);
  CHECK(fault.actual == far);
}

TEST_CASE("gather_nd: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op,
                     {"one number", {}, {x23, integer(numbers<1>)}, {}, rule::indices_rank_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"unknown tuples", {}, {x23, computed({i32, {2, -1}})}, {}, rule::tuples_must_have_a_known_length, -1, 0});
  NNRT_CHECK_REFUSED(
      op,
      {"too long", {}, {x23, computed({i32, {4, 3}})}, {}, rule::tuples_must_not_be_longer_than_the_input_rank, 3, 2});
  NNRT_CHECK_REFUSED(op, {"rank 9",
                          {},
                          {computed(f32_of({2, 3, 4})), computed({i32, {1, 1, 1, 1, 1, 1, 1, 1}})},
                          {},
                          rule::output_rank_must_be_at_most_8,
                          9,
                          8});
  static constexpr op::attrs from_start = op::attrs::from_start();
  NNRT_CHECK_REFUSED(op, {"the last one, where indices count from the start alone",
                          from_start,
                          {x23, integers(numbers<-1, 0>)},
                          {},
                          rule::indices_must_lie_in_their_axes,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(
      op, {"after the last", {}, {x23, integers(numbers<1, 3>)}, {}, rule::indices_must_lie_in_their_axes, 3, 2});
  NNRT_CHECK_REFUSED(
      op, {"before the first", {}, {x23, integers(numbers<-3, 0>)}, {}, rule::indices_must_lie_in_their_axes, -3, -2});
  CHECK(breaks(infer<op>({}, {x23, computed(f32_of({2}))}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(i32)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = gather_nd(b.input<f32, shape<2, 3>>("x"), b.input<i32, shape<4, 1>>("indices"));
  static_assert(y.desc == f32_of({4, 3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{108};
}());

}  // namespace
