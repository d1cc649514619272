// hswish_test: the signature, the arithmetic and the DSL form of hswish.
#include <nnrt/ops/hswish.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(rule_names<ops::hswish::rule>().empty());
static_assert(refuses_other_operands<ops::hswish>());

TEST_CASE("hswish: only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::hswish>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::hswish>(x));
}

// Golden numbers by Python: x * min(max(x + 3, 0), 6) / 6
constexpr golden table[] = {
    {-8.0, -0.0},
    {-3.0, -0.0},
    {-1.5, -0.375},
    {-0.25, -0.11458333333333333},
    {0.0, 0.0},
    {0.5, 0.2916666666666667},
    {1.0, 0.6666666666666666},
    {2.75, 2.6354166666666665},
    {3.0, 3.0},
    {6.5, 6.5},
};

TEST_CASE("hswish: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::hswish, double>(table) <= 4);
  CHECK(largest_error<ops::hswish, float>(table) <= 0.51);
  CHECK(largest_error<ops::hswish, float16>(table) <= 0.51);
  const filled<float> none = run<ops::hswish, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::hswish>(-1.5F) == -0.375F && at<ops::hswish>(3) == 3 && at<ops::hswish>(-3) == 0);

TEST_CASE("hswish: from 3 on it is x, up to -3 it is 0, and a NaN stays one") {
  CHECK(at<ops::hswish>(3e38F) == 3e38F);
  CHECK(at<ops::hswish>(math::infinity<float>) == math::infinity<float>);
  CHECK(at<ops::hswish>(-3e38F) == 0);
  CHECK(math::is_nan(at<ops::hswish>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", nnrt::hswish(x));
};

TEST_CASE("hswish: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{17});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
