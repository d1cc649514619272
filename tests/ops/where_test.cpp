// where_test: rules, broadcasting of three shapes, every kind of element and the DSL function of where.
#include <nnrt/ops/where.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/refused.hpp"

namespace {

using namespace nnrt_test;
using op = ops::where;
using rule = op::rule;

constexpr operand booleans(shape_t shape) { return computed({boolean, shape}); }
constexpr operand floats(shape_t shape) { return computed(f32_of(shape)); }
constexpr operand stored(quant q) { return computed({i8, nd, {2}, q}); }

TEST_CASE("where: what does not fit together is refused with the rule and both values") {
  NNRT_CHECK_REFUSED(op, {"two dtypes",
                          {},
                          {booleans({2}), floats({2}), computed({f16, {2}})},
                          {},
                          rule::types_must_be_equal,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(
      op, {"a and b", {}, {booleans({2}), floats({2, 3}), floats({2, 4})}, {}, rule::extents_must_be_equal_or_1, 4, 3});
  NNRT_CHECK_REFUSED(op, {"the condition",
                          {},
                          {booleans({3}), floats({2, 4}), floats({1, 4})},
                          {},
                          rule::extents_must_be_equal_or_1,
                          3,
                          4});
  CHECK(breaks(infer<op>({}, {floats({2}), floats({2}), floats({2})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32), int(boolean)));
  CHECK(breaks(infer<op>({}, {booleans({2}), floats({2})}), signature_rule::required_operand_must_be_given, 2, 3));
  constexpr tensor_desc bytes{i8, nd, {2}}, wish{i8, nd, {2}, quant{0.25F, 1}};
  NNRT_CHECK_REFUSED(op, {"one plain",
                          {},
                          {booleans({2}), stored({0.5F, 3}), computed(bytes)},
                          {wish},
                          rule::operands_must_both_be_quantised_or_both_plain,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"per channel",
                          {},
                          {booleans({2}), stored({0.5F, 3}), computed({i8, nd, {2}, per_channel<0>})},
                          {wish},
                          rule::quantised_operands_must_have_one_scale,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"two scales, nothing wanted",
                          {},
                          {booleans({2}), stored({0.5F, 3}), stored({0.5F, 4})},
                          {},
                          rule::quantised_output_must_have_one_scale,
                          0,
                          1});
}

TEST_CASE(
    "where: quantised values keep the scale that both have, or are brought to the wanted one, halves away from zero") {
  const operand a = stored({0.5F, 3}), b = stored({0.25F, -4});
  const tensor_desc wish{i8, nd, {2}, quant{0.5F, 1}};
  CHECK(infer<op>({}, {booleans({2}), a, a}).output(0).quantised == quantisation(quant{0.5F, 3}));
  CHECK(infer<op>({}, {booleans({2}), a, a}, {wish}).output(0) == wish);
  CHECK(infer<op>({}, {booleans({2}), a, b}, {wish}).output(0) == wish);
  bool condition[] = {true, false, true, false, true, false};
  std::int8_t of_a[] = {3, 3, 127, 0, -128, 0}, of_b[] = {0, -4, 0, -1, 0, 127};
  std::int8_t y[6] = {};
  // Python: a is (q - 3) * 0.5, b is (q + 4) * 0.25, y is round(x / 0.5) + 1, halves away from zero, in [-128, 127]
  const std::int8_t expected[] = {1, 1, 125, 3, -128, 67};
  const tensor_desc truth{boolean, {6}}, first{i8, nd, {6}, quant{0.5F, 3}}, second{i8, nd, {6}, quant{0.25F, -4}},
      result{i8, nd, {6}, quant{0.5F, 1}};
  const view in[] = {{&truth, condition}, {&first, of_a}, {&second, of_b}}, out[] = {{&result, y}};
  op::reference<std::int8_t>({}, in, out);
  for (int i = 0; i < 6; ++i) CHECK(int(y[i]) == int(expected[i]));
}

struct row {
  shape_t condition, a, b, y;
};
constexpr row shapes[] = {
    {{2, 3}, {2, 3}, {2, 3}, {2, 3}},
    {{}, {2, 3}, {2, 3}, {2, 3}},
    {{2, 3}, {}, {}, {2, 3}},
    {{3}, {2, 1}, {1, 3}, {2, 3}},
    {{4, 1, 1}, {5, 1}, {6}, {4, 5, 6}},
    {{0}, {1}, {1}, {0}},
    {{-1}, {2, 3}, {3}, {2, 3}},
    {{1}, {-1, 3}, {1, 3}, {-1, 3}},
    {{2, 1, 1, 1, 1, 1, 1, 1}, {7}, {}, {2, 1, 1, 1, 1, 1, 1, 7}},
};

TEST_CASE("where: the three shapes broadcast as NumPy's do") {
  for (const row& r : shapes) CHECK(shape_of(infer<op>({}, {booleans(r.condition), floats(r.a), floats(r.b)})) == r.y);
}

/// Booleans of a test: a list of them in a vector is no list of bool.
struct truth {
  tensor_desc desc;
  bool elements[4] = {};

  constexpr truth(shape_t shape, std::initializer_list<bool> list) : desc(boolean, shape) {
    std::copy(list.begin(), list.end(), elements);
  }
  constexpr view as_view() { return {&desc, static_cast<bool*>(elements)}; }
};

constexpr auto chosen = [] {
  return run<op, float>({}, {2, 3}, truth({3}, {true, false, true}), filled<float>({2, 1}, {1, 2}),
                        filled<float>({3}, {10, 20, 30}));
};
static_assert(chosen().elements == std::vector<float>{1, 20, 1, 2, 20, 2});

TEST_CASE("where: it takes a where the condition holds and b elsewhere, whatever the elements are") {
  CHECK(chosen().elements == std::vector<float>{1, 20, 1, 2, 20, 2});
  CHECK(run<op, std::int64_t>({}, {2}, truth({2}, {false, true}), filled<std::int64_t>({}, {-7}),
                              filled<std::int64_t>({2}, {8, 9}))
            .elements == std::vector<std::int64_t>{8, -7});
  truth condition({2}, {true, false}), yes({2}, {true, true}), no({2}, {false, false}), y({2}, {});
  const view in[] = {condition.as_view(), yes.as_view(), no.as_view()}, out[] = {y.as_view()};
  op::reference<bool>({}, in, out);
  CHECK(y.elements[0]);
  CHECK(!y.elements[1]);
}

TEST_CASE("where: a NaN that is not chosen leaves no trace") {
  const filled<float> y = run<op, float>({}, {2}, truth({2}, {true, false}), filled<float>({2}, {1, math::nan<float>}),
                                         filled<float>({2}, {math::nan<float>, 2}));
  CHECK(y.elements == std::vector<float>{1, 2});
}

TEST_CASE("where: quantised values keep the quantisation that both operands have") {
  const verdict v = infer<op>({}, {booleans({2}), stored({0.5F, 3}), stored({0.5F, 3})});
  REQUIRE(v);
  CHECK(v.output(0).quantised == quantisation(quant{0.5F, 3}));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("y", where(b.input<boolean, shape<3>>("condition"), x, b.weight<f32, shape<3>>("w")));
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{87} && g.at(g.outputs[0].value).desc == f32_of({2, 3});
}());

}  // namespace
