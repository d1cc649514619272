// logical_or_test: rules, broadcasting, booleans and the DSL function of logical_or.
#include <nnrt/ops/logical_or.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/booleans.hpp"

namespace {

using namespace nnrt_test;
using op = ops::logical_or;
using rule = op::rule;

constexpr tensor_desc booleans(shape_t shape) { return {boolean, shape}; }
constexpr refused_pair<rule> refused[] = {
    {"extents differ", booleans({2, 3}), booleans({2, 4}), rule::extents_must_be_equal_or_1, 4, 3},
    {"outer extents differ", booleans({5, 1, 3}), booleans({6, 2, 1}), rule::extents_must_be_equal_or_1, 6, 5},
    {"with an unknown extent", booleans({-1, 3}), booleans({2, 2}), rule::extents_must_be_equal_or_1, 2, 3},
};
static_assert(all_refused_as_stated<op>(refused));

TEST_CASE("logical_or: what does not fit together is refused with the rule and both values") {
  for (const auto& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
}

TEST_CASE("logical_or: the signature takes two tensors of booleans alone") {
  constexpr operand one = computed(booleans({2}));
  CHECK(breaks(infer<op>({}, {one}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<op>({}, {one, one, one}), signature_rule::operands_must_not_exceed_the_signature, 3, 2));
  for (const dtype type : {i8, u8, i64, f32}) {
    const operand number = computed({type, {2}});
    CHECK(breaks(infer<op>({}, {number, one}), signature_rule::operand_type_must_be_accepted_by_the_operator, int(type),
                 int(boolean)));
    CHECK(breaks(infer<op>({}, {one, number}), signature_rule::operand_type_must_be_accepted_by_the_operator, int(type),
                 int(boolean)));
  }
}

TEST_CASE("logical_or: shapes broadcast as NumPy's do, in either order") {
  CHECK(compares_in_either_order<op>(boolean));
  for (const pair_of_shapes& row : broadcasting_shapes) CHECK(broadcasts_as_stated<op>(row, boolean));
  for (const pair_of_shapes& row : unknown_extents) CHECK(broadcasts_as_stated<op>(row, boolean));
}

static_assert(says<op, bool>({false, false, true, true}, {false, true, false, true}, {false, true, true, true}));

TEST_CASE("logical_or: it is true where one or both are") {
  CHECK(says<op, bool>({false, false, true, true}, {false, true, false, true}, {false, true, true, true}));
}

TEST_CASE("logical_or: each element joins those that broadcasting pairs") {
  // Rows: false, true; columns: true, false, true.
  bool a[] = {false, true}, b[] = {true, false, true}, y[6] = {};
  const bool expected[] = {true, false, true, true, true, true};
  const tensor_desc rows = booleans({2, 1}), columns = booleans({3}), all = booleans({2, 3});
  const view in[] = {{&rows, a}, {&columns, b}}, out[] = {{&all, y}};
  op::reference<bool>({}, in, out);
  for (int i = 0; i < 6; ++i) CHECK(y[i] == expected[i]);
}

constexpr auto network = [](builder& b) {
  b.output("y", logical_or(b.input<boolean, shape<2, 3>>("x"), b.weight<boolean, shape<3>>("w")));
};

TEST_CASE("logical_or: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{89});
  CHECK(g.at(g.outputs[0].value).desc == booleans({2, 3}));
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
