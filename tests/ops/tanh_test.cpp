// tanh_test: the signature, the arithmetic and the DSL form of tanh.
#include <nnrt/ops/tanh.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(rule_names<ops::tanh::rule>().empty());
static_assert(refuses_other_operands<ops::tanh>());

TEST_CASE("tanh: only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::tanh>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::tanh>(x));
}

// Golden numbers by Python: math.tanh(x)
constexpr golden table[] = {
    {-8.0, -0.9999997749296758},
    {-3.0, -0.9950547536867305},
    {-1.5, -0.9051482536448664},
    {-0.25, -0.24491866240370913},
    {0.0, 0.0},
    {0.5, 0.46211715726000974},
    {1.0, 0.7615941559557649},
    {2.75, 0.9918597245682077},
    {3.0, 0.9950547536867305},
    {6.5, 0.9999954793514042},
};

TEST_CASE("tanh: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::tanh, double>(table) <= 4);
  CHECK(largest_error<ops::tanh, float>(table) <= 0.51);
  CHECK(largest_error<ops::tanh, float16>(table) <= 0.51);
  const filled<float> none = run<ops::tanh, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::tanh>(0) == 0 && at<ops::tanh>(20) == 1);

TEST_CASE("tanh: far out it is -1 and 1, near zero it is x, and a NaN stays one") {
  CHECK(at<ops::tanh>(math::infinity<float>) == 1);
  CHECK(at<ops::tanh>(-math::infinity<float>) == -1);
  CHECK(at<ops::tanh>(1e-20F) == 1e-20F);
  CHECK(math::is_nan(at<ops::tanh>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", nnrt::tanh(x));
};

TEST_CASE("tanh: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{39});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
