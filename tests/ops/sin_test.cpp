// sin_test: the signature, the arithmetic and the DSL function of sin.
#include <nnrt/ops/sin.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::sin;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("sin: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("sin: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::sin(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.05F, 3}, quant{1.0F / 128, 0}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: math.sin(x)
constexpr golden table[] = {
    {-100.0, 0.5063656411097588},  {-3.0, -0.1411200080598672},
    {-0.75, -0.6816387600233341},  {0.0, 0.0},
    {0.5, 0.479425538604203},      {1.0, 0.8414709848078965},
    {1.5, 0.9974949866040544},     {3.0, 0.1411200080598672},
    {10.0, -0.5440211108893698},   {1000.0, 0.8268795405320025},
    {65504.0, 0.9753761096791481},
};

TEST_CASE("sin: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 1.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(0.0F) == 0.0F);

TEST_CASE("sin: infinity has no sine, and a NaN stays one") {
  CHECK(math::is_nan(at<op>(math::infinity<float>)));
  CHECK(math::is_nan(at<op>(-math::infinity<float>)));
  CHECK(math::is_nan(at<op>(math::nan<float>)));
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-0.0F)) == 0x80000000U);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", sin(x));
};

TEST_CASE("sin: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{86});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
