// leaky_relu_test: the signature, the arithmetic and the DSL form of leaky_relu.
#include <nnrt/ops/leaky_relu.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::leaky_relu;

static_assert(refuses_other_operands<op>());

TEST_CASE("leaky_relu: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("leaky_relu: stored numbers are refused") {
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {2}, quant{0.5F, 3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i8), int(f16)));
}

// Golden numbers by Python: x if x > 0 else 0.0
constexpr golden table[] = {
    {-20.5, 0.0},
    {-3.0, 0.0},
    {-1.0, 0.0},
    {-0.75, 0.0},
    {-0.0625, 0.0},
    {0.0, 0.0},
    {0.5, 0.5},
    {1.0, 1.0},
    {2.25, 2.25},
    {6.5, 6.5},
};

TEST_CASE("leaky_relu: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

constexpr op::attrs sloping(float slope) {
  op::attrs a;
  a.negative_slope = slope;
  return a;
}

// Python: x if x > 0 else 0.125 * x
constexpr golden table_of_an_eighth[] = {{-20.5, -2.5625}, {-1.0, -0.125}, {-0.75, -0.09375}, {0.0, 0.0}, {2.25, 2.25}};
static_assert(at<op>(-4.0F, sloping(0.5F)) == -2.0F);

TEST_CASE("leaky_relu: the slope counts below zero alone") {
  CHECK(largest_error<op, double>(table_of_an_eighth, sloping(0.125F)) == 0);
  CHECK(largest_error<op, float>(table_of_an_eighth, sloping(0.125F)) == 0);
  CHECK(largest_error<op, float16>(table_of_an_eighth, sloping(0.125F)) == 0);
  CHECK(at<op>(-3.0F, sloping(-2)) == 6);
  CHECK(at<op>(3.0F, sloping(-2)) == 3);
  CHECK(at<op>(-math::infinity<float>, sloping(0.5F)) == -math::infinity<float>);
  CHECK(math::is_nan(at<op>(math::nan<float>, sloping(0.5F))));
}

TEST_CASE("leaky_relu: the keyword becomes the attribute") {
  builder b;
  leaky_relu(b.input<f32, shape<2>>("x"), negative_slope<0.25>);
  CHECK(unpack<op::attrs>(b.graph().attrs_of(b.graph().nodes[0])).negative_slope == 0.25F);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", leaky_relu(x));
};

TEST_CASE("leaky_relu: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{74});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
