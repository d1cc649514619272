// scatter_nd_test: rules, shapes, elements and the DSL function of scatter_nd.
#include <nnrt/ops/scatter_nd.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::scatter_nd;
using rule = op::rule;
using attrs = op::attrs;

static_assert(infer<op>({}, {computed({i32, {-1, 5, 1}}), computed({i16, {7, 5, -1}}), integers(numbers<4, 3>)})
                  .output(0) == tensor_desc{i16, {4, 3}});
static_assert(infer<op>({}, {computed({i64, {1}}), computed(f32_of({3})), integers(numbers<4, 3>)}).output(0) ==
              f32_of({4, 3}));

/// The reference's answer, or nothing where it finds a fault.
template <class T>
constexpr std::vector<T> scattered(shape_t shape, shape_t of_indices, std::vector<std::int32_t> list,
                                   shape_t of_updates, std::vector<T> numbers) {
  filled<std::int32_t> indices(of_indices, list);
  filled<T> updates(of_updates, numbers), y(shape);
  for (T& element : y.elements) element = static_cast<T>(77.0F);
  const view in[] = {indices.as_view(), updates.as_view()}, out[] = {y.as_view()};
  if (op::reference<T>({}, in, out)) y.elements.clear();
  return y.elements;
}
static_assert(scattered<float>({5}, {3, 1}, {3, 0, -1}, {3}, {1, 2, 4}) == std::vector<float>{2, 0, 0, 1, 4});

TEST_CASE("scatter_nd: updates stand where their tuples say, and zeros elsewhere") {
  CHECK(scattered<std::int32_t>({2, 3}, {2, 2}, {0, 1, -1, -3}, {2}, {5, -6}) ==
        std::vector<std::int32_t>{0, 5, 0, -6, 0, 0});
  CHECK(scattered<double>({3, 2}, {2, 1}, {2, 0}, {2, 2}, {1, 2, 3, 4}) == std::vector<double>{3, 4, 0, 0, 1, 2});
  CHECK(scattered<float>({2}, {0, 1}, {}, {0}, {}) == std::vector<float>{0, 0});
}

TEST_CASE("scatter_nd: updates of one place add up, and integers wrap around") {
  CHECK(scattered<float>({2}, {3, 1}, {1, 1, -1}, {3}, {0.5F, 2, 4}) == std::vector<float>{0, 6.5F});
  CHECK(scattered<std::int8_t>({2}, {2, 1}, {0, 0}, {2}, {100, 100}) == std::vector<std::int8_t>{-56, 0});
  CHECK(static_cast<float>(scattered<float16>({1}, {2, 1}, {0, 0}, {2}, {float16(1.5F), float16(2.0F)})[0]) == 3.5F);
}

TEST_CASE("scatter_nd: an index outside of its axis ends the run with a fault") {
  CHECK(scattered<float>({2, 3}, {1, 2}, {0, 3}, {1}, {1}).empty());
  CHECK(scattered<float>({2, 3}, {1, 2}, {-3, 0}, {1}, {1}).empty());
  CHECK(scattered<float>({2, 0}, {1, 2}, {0, 0}, {1}, {1}).empty());
  CHECK(scattered<float>({1}, {1, 1}, {1}, {1}, {1}).empty());
}

TEST_CASE("scatter_nd: an index that has changed since it was checked is a fault, too") {
  constexpr std::int32_t far = 1 << 30;
  filled<std::int32_t> updates({3}, {far, far, far}), memory({4}, {0, 1, 2, 0}), extents({1}, {3});
  const tensor_desc indices(i32, {3, 1}), y(i32, {3});
  // The run itself is who writes there: its first sum goes over the second index.
  const view in[] = {{&indices, memory.elements.data()}, updates.as_view(), extents.as_view()},
             out[] = {{&y, memory.elements.data() + 1}};
  const run_fault fault = op::reference<std::int32_t>({}, in, out);
  CHECK(fault.rule == static_cast<int>(rule::indices_must_lie_in_their_axes));
  CHECK(fault.position == 1);
  CHECK(fault.actual == far);
}

TEST_CASE("scatter_nd: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op, {"a number",
                          {},
                          {computed({i32, {4, 2}}), computed(f32_of({4})), integer(numbers<2>)},
                          {},
                          rule::shape_must_be_a_list,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"unknown",
                          {},
                          {computed({i32, {4, 2}}), computed(f32_of({4})), weight({i64, {2}})},
                          {},
                          rule::shape_must_be_known,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op,
                     {"rank 9",
                      {},
                      {computed({i32, {4, 2}}), computed(f32_of({4})), integers(numbers<1, 1, 1, 1, 1, 1, 1, 1, 1>)},
                      {},
                      rule::output_rank_must_be_at_most_8,
                      9,
                      8});
  NNRT_CHECK_REFUSED(op, {"below zero",
                          {},
                          {computed({i32, {4, 2}}), computed(f32_of({4})), integers(numbers<2, -1>)},
                          {},
                          rule::extent_must_not_be_negative,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(op, {"one index",
                          {},
                          {computed({i32, {}}), computed(f32_of({4})), integers(numbers<2, 3>)},
                          {},
                          rule::indices_rank_must_be_at_least_1,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"unknown tuples",
                          {},
                          {computed({i32, {4, -1}}), computed(f32_of({4})), integers(numbers<2, 3>)},
                          {},
                          rule::tuples_must_have_a_known_length,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(op, {"too long",
                          {},
                          {computed({i32, {4, 3}}), computed(f32_of({4})), integers(numbers<2, 3>)},
                          {},
                          rule::tuples_must_not_be_longer_than_the_output_rank,
                          3,
                          2});
  NNRT_CHECK_REFUSED(op, {"rows for elements",
                          {},
                          {computed({i32, {4, 2}}), computed(f32_of({4, 3})), integers(numbers<2, 3>)},
                          {},
                          rule::updates_rank_must_be_that_of_places_and_parts,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"five for four",
                          {},
                          {computed({i32, {4, 2}}), computed(f32_of({5})), integers(numbers<2, 3>)},
                          {},
                          rule::updates_extents_must_be_those_of_places_and_parts,
                          5,
                          4});
  NNRT_CHECK_REFUSED(op, {"short rows",
                          {},
                          {computed({i32, {4, 1}}), computed(f32_of({4, 2})), integers(numbers<2, 3>)},
                          {},
                          rule::updates_extents_must_be_those_of_places_and_parts,
                          2,
                          3});
  static constexpr op::attrs from_start = op::attrs::from_start();
  NNRT_CHECK_REFUSED(op, {"the last one, where indices count from the start alone",
                          from_start,
                          {integers(numbers<-1, 0>), computed(f32_of({})), integers(numbers<2, 3>)},
                          {},
                          rule::indices_must_lie_in_their_axes,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(op, {"after the last",
                          {},
                          {integers(numbers<1, 3>), computed(f32_of({})), integers(numbers<2, 3>)},
                          {},
                          rule::indices_must_lie_in_their_axes,
                          3,
                          2});
  CHECK(breaks(infer<op>({}, {computed({i32, {4, 2}}), computed({boolean, {4}}), integers(numbers<2, 3>)}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = scatter_nd(b.input<i32, shape<4, 1>>("indices"), b.input<f32, shape<4, 3>>("updates"), shape<2, 3>);
  static_assert(y.desc == f32_of({2, 3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{103};
}());

}  // namespace

TEST_CASE("scatter_nd: extents that shapes will tell are left open") {
  operand shape = weight({i64, {2}});
  shape.awaited = true;
  const verdict got = infer<op>({}, {computed({i32, {4, 2}}), computed(f32_of({4})), shape});
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{f32, {-1, -1}});
  shape.desc.shape = {-1};
  CHECK(infer<op>({}, {computed({i32, {4, 2}}), computed(f32_of({4})), shape}).rule ==
        static_cast<int>(rule::shape_must_be_known));
}
