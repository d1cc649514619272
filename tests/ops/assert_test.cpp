// assert_test: rules, results, faults and the DSL function of assert.
#include <nnrt/ops/assert.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::assert;
using rule = op::rule;

constexpr operand booleans = computed({boolean, {2, 3}}), data = computed(f32_of({5}));

TEST_CASE("assert: the output is like the condition, whatever the data are") {
  CHECK(infer<op>({}, {booleans, data}).output(0) == tensor_desc{boolean, {2, 3}});
  CHECK(infer<op>({}, {computed({boolean, {-1}}), computed({i8, nd, {2}, quant{0.5F, 3}})}).output(0) ==
        tensor_desc{boolean, {-1}});
  CHECK(infer<op>({}, {{tensor_desc{boolean, {2}}, numbers<1, 1>, true}, data}).output(0) == tensor_desc{boolean, {2}});
}

/// What the reference says of booleans, and makes of them.
constexpr run_fault checked(std::array<bool, 4>& y, std::array<bool, 4> condition) {
  const tensor_desc desc{boolean, {2, 2}}, of_data{f32, {1}};
  float number[] = {1};
  const view in[] = {{&desc, condition.data()}, {&of_data, number}}, out[] = {{&desc, y.data()}};
  return op::reference<bool>({}, in, out);
}
static_assert([] {
  std::array<bool, 4> y{};
  return !checked(y, {true, true, true, true}) && y[0] && y[3];
}());

TEST_CASE("assert: what is true passes, what is false ends the run and is named") {
  std::array<bool, 4> y{};
  CHECK(!checked(y, {true, true, true, true}));
  CHECK(y == std::array<bool, 4>{true, true, true, true});
  const run_fault fault = checked(y, {true, true, false, false});
  REQUIRE(bool(fault));
  CHECK(fault.rule == static_cast<int>(rule::condition_must_be_true));
  CHECK(fault.position == 2);
  CHECK(fault.actual == 0);
  CHECK(fault.expected == 1);
}

TEST_CASE("assert: the broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(
      op,
      {"false", {}, {{tensor_desc{boolean, {2}}, numbers<1, 0>, true}, data}, {}, rule::condition_must_be_true, 0, 1});
  CHECK(breaks(infer<op>({}, {data, data}), signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32),
               int(boolean)));
  CHECK(breaks(infer<op>({}, {booleans}), signature_rule::required_operand_must_be_given, 1, 2));
}

constexpr auto network = [](builder& b) {
  auto y = asserted(b.input<boolean, shape<2>>("condition"), b.input<f32, shape<3>>("data"));
  static_assert(y.desc == tensor_desc{boolean, {2}});
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{78};
}());

}  // namespace
