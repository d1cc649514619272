// unstack_test: rules, shapes, elements and the DSL function of unstack.
#include <nnrt/ops/unstack.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::unstack;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs on(std::int64_t axis) {
  attrs a;
  a.axis = axis;
  return a;
}

TEST_CASE("unstack: there are as many parts as the axis has indices, each without it") {
  const verdict v = infer<op>(on(-2), {computed({i8, nd, {-1, 3, 5}, quant{0.5F, 3}})});
  REQUIRE(v);
  REQUIRE(v.outputs.size() == 3);
  for (const tensor_desc& y : v.outputs) CHECK(y == tensor_desc{i8, nd, {-1, 5}, quant{0.5F, 3}});
  CHECK(infer<op>({}, {computed(f32_of({-1, 3}))}, {f32_of({3}), f32_of({3})}).outputs.size() == 2);
  // what front ends refuse
  CHECK(infer<op>({}, {computed(f32_of({3, 3}))}, {f32_of({3}), f32_of({3})}).outputs.size() == 3);
}

/// The parts of 1, 2, … 6 as [2, 3], or those of a column.
template <class T> constexpr std::array<std::vector<T>, 3> parts_of(std::int64_t axis) {
  filled<T> x({2, 3}, {1, 2, 3, 4, 5, 6});
  const shape_t part{axis == 0 ? 3 : 2};
  filled<T> a(part), b(part), c(part);
  const view in[] = {x.as_view()}, out[] = {a.as_view(), b.as_view(), c.as_view()};
  op::reference<T>(on(axis), in, results(out).first(axis == 0 ? 2 : 3));
  return {a.elements, b.elements, c.elements};
}
static_assert([] {
  const auto parts = parts_of<float>(0);
  return parts[1] == std::vector<float>{4, 5, 6};
}());

TEST_CASE("unstack: each part has the elements of its index") {
  CHECK(parts_of<float>(0)[0] == std::vector<float>{1, 2, 3});
  CHECK(parts_of<std::int16_t>(1) == std::array<std::vector<std::int16_t>, 3>{{{1, 4}, {2, 5}, {3, 6}}});
  CHECK(parts_of<double>(-1)[2] == std::vector<double>{3, 6});
}

TEST_CASE("unstack: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(
      op, {"after the last", on(2), {computed(f32_of({2, 3}))}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"before the first", on(-3), {computed(f32_of({2, 3}))}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
  NNRT_CHECK_REFUSED(
      op, {"no parts", {}, {computed(f32_of({0, 3}))}, {}, rule::parts_must_be_at_least_1_and_at_most_1024, 0, 1});
  NNRT_CHECK_REFUSED(op, {"too many",
                          on(1),
                          {computed(f32_of({0, 1025}))},
                          {},
                          rule::parts_must_be_at_least_1_and_at_most_1024,
                          1025,
                          1024});
  NNRT_CHECK_REFUSED(
      op, {"who knows how many", {}, {computed(f32_of({-1, 3}))}, {}, rule::number_of_parts_must_be_known, 0, 1});
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto [top, bottom] = unstack(b.input<f32, shape<2, 3>>("x"));
  static_assert(decltype(bottom)::desc == f32_of({3}));
  b.output("top", top);
  b.output("bottom", bottom);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{57};
}());

}  // namespace
