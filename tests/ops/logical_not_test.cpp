// logical_not_test: the signature, the arithmetic and the DSL function of logical_not.
#include <nnrt/ops/logical_not.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/operators.hpp"

namespace {

using namespace nnrt_test;
using op = ops::logical_not;
using enum signature_rule;

constexpr operand one = computed({boolean, {2}});

TEST_CASE("logical_not: the signature takes one tensor of booleans") {
  CHECK(breaks(infer<op>({}, {}), required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {one, one}), operands_must_not_exceed_the_signature, 2, 1));
  for (const dtype type : {i8, u64, f16, f64})
    CHECK(breaks(infer<op>({}, {computed({type, {2}})}), operand_type_must_be_accepted_by_the_operator, int(type),
                 int(boolean)));
}

TEST_CASE("logical_not: the output is like the input") {
  for (const tensor_desc& x : {tensor_desc{boolean, nchw, {3, 5, 7, 2}}, tensor_desc{boolean, {}},
                               tensor_desc{boolean, {-1, 4}}, tensor_desc{boolean, {0, 2}}})
    CHECK(infer<op>({}, {computed(x)}).output(0) == x);
}

/// Whether each of these booleans becomes the other one, and nothing after them is touched.
constexpr bool turns(shape_t shape, bool a, bool b, bool c) {
  const tensor_desc desc{boolean, shape};
  bool x[3] = {a, b, c}, y[4] = {a, b, c, true};
  const view in[] = {{&desc, x}}, out[] = {{&desc, y}};
  op::reference<bool>({}, in, out);
  return y[0] != a && y[1] != b && y[2] != c && y[3];
}
static_assert(turns({3}, true, false, true));

TEST_CASE("logical_not: true becomes false and false true") {
  CHECK(turns({3, 1}, false, false, true));
  CHECK(turns({1, 3}, true, true, false));
}

constexpr auto network = [](builder& b) { b.output("y", logical_not(b.input<boolean, shape<2, 3>>("x"))); };

TEST_CASE("logical_not: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{82});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{boolean, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
