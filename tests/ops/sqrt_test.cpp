// sqrt_test: the signature, the arithmetic and the DSL form of sqrt.
#include <nnrt/ops/sqrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(rule_names<ops::sqrt::rule>().empty());
static_assert(refuses_other_operands<ops::sqrt>());

TEST_CASE("sqrt: only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::sqrt>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::sqrt>(x));
}

// Golden numbers by Python: math.sqrt(x)
constexpr golden table[] = {
    {0.0, 0.0},
    {0.0625, 0.25},
    {0.5, 0.7071067811865476},
    {1.0, 1.0},
    {2.0, 1.4142135623730951},
    {3.0, 1.7320508075688772},
    {6.5, 2.5495097567963922},
    {10.0, 3.1622776601683795},
    {1024.0, 32.0},
};

TEST_CASE("sqrt: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::sqrt, double>(table) <= 0.51);
  CHECK(largest_error<ops::sqrt, float>(table) <= 0.51);
  CHECK(largest_error<ops::sqrt, float16>(table) <= 0.51);
  const filled<float> none = run<ops::sqrt, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::sqrt>(2.25F) == 1.5F);
static_assert(math::is_nan(at<ops::sqrt>(-1)));

TEST_CASE("sqrt: NaN below zero, a zero keeps its sign, and the ends of the range have roots") {
  CHECK(math::is_nan(at<ops::sqrt>(-1e-30F)));
  CHECK(math::is_nan(at<ops::sqrt>(-math::infinity<float>)));
  CHECK(math::is_nan(at<ops::sqrt>(math::nan<float>)));
  CHECK(std::bit_cast<std::uint32_t>(at<ops::sqrt>(-0.0F)) == 0x80000000U);
  CHECK(std::bit_cast<std::uint32_t>(at<ops::sqrt>(0.0F)) == 0);
  CHECK(at<ops::sqrt>(math::infinity<float>) == math::infinity<float>);
  CHECK(at<ops::sqrt>(0x1p-148F) == 0x1p-74F);  // of a subnormal number
  CHECK(at<ops::sqrt>(0x1p126F) == 0x1p63F);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", sqrt(x));
};

TEST_CASE("sqrt: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{33});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
