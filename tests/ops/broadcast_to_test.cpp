// broadcast_to_test: rules, shapes, elements and the DSL function of broadcast_to.
#include <nnrt/ops/broadcast_to.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::broadcast_to;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs to(std::initializer_list<std::int64_t> extents) {
  attrs a;
  for (const std::int64_t extent : extents) a.shape.push_back(extent);
  return a;
}
static_assert(infer<op>(to({2, 3, 4}), {computed(f32_of({3, 1}))}).output(0) == f32_of({2, 3, 4}));
static_assert(infer<op>(to({5, -1, 4, -1}), {computed({i8, nchw, {-1, -1, 4, 0}, quant{0.5F, 3}})}).output(0) ==
              tensor_desc{i8, nchw, {5, -1, 4, 0}, quant{0.5F, 3}});
static_assert(infer<op>(to({0, 2}), {computed(f32_of({1, 2}))}).output(0) == f32_of({0, 2}));
static_assert(infer<op>({}, {computed(f32_of({}))}).output(0) == f32_of({}));
static_assert(run<op, float>(to({2, 2, 3}), {2, 2, 3}, filled<float>({2, 1}, {1, 2})).elements ==
              std::vector<float>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});

TEST_CASE("broadcast_to: elements repeat along extents of 1 and new axes, and nowhere else") {
  CHECK(run<op, std::int8_t>(to({3, 2}), {3, 2}, filled<std::int8_t>({2}, {-7, 9})).elements ==
        std::vector<std::int8_t>{-7, 9, -7, 9, -7, 9});
  CHECK(run<op, double>(to({2, 2}), {2, 2}, filled<double>(shape_t{}, {0.5})).elements ==
        std::vector<double>{0.5, 0.5, 0.5, 0.5});
  CHECK(run<op, float>(to({2, 3}), {2, 3}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 6})).elements ==
        std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(run<op, float>(to({0, 2}), {0, 2}, filled<float>({1, 2}, {1, 2})).elements.empty());
}

TEST_CASE("broadcast_to: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(
      op, {"too few", to({3}), {computed(f32_of({2, 3}))}, {}, rule::shape_must_have_an_extent_for_each_axis, 1, 2});
  NNRT_CHECK_REFUSED(
      op,
      {"below -1", to({2, -2}), {computed(f32_of({2, 3}))}, {}, rule::extent_must_not_be_less_than_minus_1, -2, -1});
  NNRT_CHECK_REFUSED(op, {"a new axis without extent",
                          to({-1, 2, 3}),
                          {computed(f32_of({2, 3}))},
                          {},
                          rule::extent_of_a_new_axis_must_not_be_negative,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(
      op, {"two misfit", to({4, 3}), {computed(f32_of({2, 3}))}, {}, rule::extents_must_be_equal_or_1, 2, 4});
  NNRT_CHECK_REFUSED(op, {"fewer", to({1}), {computed(f32_of({3}))}, {}, rule::extents_must_be_equal_or_1, 3, 1});
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = broadcast_to(b.input<f32, shape<3, 1>>("x"), nnrt::shape<2, 3, 4>);
  static_assert(y.desc == f32_of({2, 3, 4}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{69};
}());

}  // namespace
