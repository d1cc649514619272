// flatten_test: rules, shapes, elements and the DSL function of flatten.
#include <nnrt/ops/flatten.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::flatten;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs on(std::int64_t axis) {
  attrs a;
  a.axis = axis;
  return a;
}
struct row {
  std::int64_t axis;
  shape_t x, y;
};
constexpr row shapes[] = {
    {1, {2, 3, 4}, {2, 12}},  {0, {2, 3, 4}, {1, 24}},  {3, {2, 3, 4}, {24, 1}},  {-1, {2, 3, 4}, {6, 4}},
    {-3, {2, 3, 4}, {1, 24}}, {0, {}, {1, 1}},          {0, {2, -1, 4}, {1, -1}}, {2, {2, -1, 4}, {-1, 4}},
    {1, {5}, {5, 1}},         {2, {-1, 3, 4}, {-1, 4}}, {1, {2, -1, 4}, {2, -1}}, {1, {0, 3}, {0, 3}},
    {1, {3, 0, -1}, {3, 0}},
};
static_assert([] {
  for (const row& r : shapes)
    if (shape_of(infer<op>(on(r.axis), {computed(f32_of(r.x))})) != r.y) return false;
  return true;
}());

TEST_CASE("flatten: extents before the axis are rows, the rest columns") {
  for (const row& r : shapes) CHECK(shape_of(infer<op>(on(r.axis), {computed(f32_of(r.x))})) == r.y);
  CHECK(infer<op>({}, {computed({i8, nhwc, {2, 3, 4, 5}, quant{0.5F, 3}})}).output(0) ==
        tensor_desc{i8, nd, {2, 60}, quant{0.5F, 3}});
}

static_assert(run<op, float>(on(2), {4, 1}, filled<float>({2, 2, 1}, {1, 2, 3, 4})).elements ==
              std::vector<float>{1, 2, 3, 4});

TEST_CASE("flatten: without an axis it is reshape, with the same result") {
  builder b;
  auto x = b.input<f32, shape<2, 3, 4>>("x");
  static_assert(decltype(flatten(x))::desc == decltype(flatten(x, axis<1>))::desc);
  flatten(x);
  CHECK(b.graph().nodes[0].op->code == op_code{45});
}

TEST_CASE("flatten: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op, {"after the last",
                          on(4),
                          {computed(f32_of({2, 3, 4}))},
                          {},
                          rule::axis_must_be_between_minus_rank_and_rank,
                          4,
                          3});
  NNRT_CHECK_REFUSED(op, {"before the first",
                          on(-4),
                          {computed(f32_of({2, 3, 4}))},
                          {},
                          rule::axis_must_be_between_minus_rank_and_rank,
                          -4,
                          -3});
  NNRT_CHECK_REFUSED(
      op,
      {"a scalar has no axis 1", {}, {computed(f32_of({}))}, {}, rule::axis_must_be_between_minus_rank_and_rank, 1, 0});
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = flatten(b.input<f32, shape<2, 3, 4>>("x"), axis<2>);
  static_assert(y.desc == f32_of({6, 4}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{64};
}());

}  // namespace
