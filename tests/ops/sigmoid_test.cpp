// sigmoid_test: the signature, the arithmetic and the DSL form of sigmoid.
#include <nnrt/ops/sigmoid.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(rule_names<ops::sigmoid::rule>().empty());
static_assert(refuses_other_operands<ops::sigmoid>());

TEST_CASE("sigmoid: only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::sigmoid>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::sigmoid>(x));
}

// Golden numbers by Python: 1 / (1 + exp(-x))
constexpr golden table[] = {
    {-8.0, 0.0003353501304664781},
    {-3.0, 0.04742587317756678},
    {-1.5, 0.18242552380635635},
    {-0.25, 0.43782349911420193},
    {0.0, 0.5},
    {0.5, 0.6224593312018546},
    {1.0, 0.7310585786300049},
    {2.75, 0.9399133498259924},
    {3.0, 0.9525741268224334},
    {6.5, 0.998498817743263},
};

TEST_CASE("sigmoid: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::sigmoid, double>(table) <= 4);
  CHECK(largest_error<ops::sigmoid, float>(table) <= 0.51);
  CHECK(largest_error<ops::sigmoid, float16>(table) <= 0.51);
  const filled<float> none = run<ops::sigmoid, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::sigmoid>(0) == 0.5F);

TEST_CASE("sigmoid: far out it reaches 0 and 1 without overflow, and a NaN stays one") {
  CHECK(at<ops::sigmoid>(1000) == 1);
  CHECK(at<ops::sigmoid>(-1000) == 0);
  CHECK(at<ops::sigmoid>(math::infinity<float>) == 1);
  CHECK(at<ops::sigmoid>(-math::infinity<float>) == 0);
  CHECK(at<ops::sigmoid>(-80) == doctest::Approx(1.8048514e-35).epsilon(1e-6));  // exp(-80): small, but not lost
  CHECK(math::is_nan(at<ops::sigmoid>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", nnrt::sigmoid(x));
};

TEST_CASE("sigmoid: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{28});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
