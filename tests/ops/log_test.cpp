// log_test: the signature, the arithmetic and the DSL function of log.
#include <nnrt/ops/log.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::log;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("log: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("log: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::log(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.05F, -128}, quant{0.03F, 20}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: math.log(x)
constexpr golden table[] = {
    {0.0009765625, -6.931471805599453},
    {0.0625, -2.772588722239781},
    {0.5, -0.6931471805599453},
    {0.75, -0.2876820724517809},
    {1.0, 0.0},
    {1.5, 0.4054651081081644},
    {2.0, 0.6931471805599453},
    {10.0, 2.302585092994046},
    {1024.0, 6.931471805599453},
    {65504.0, 11.089866488461016},
};

TEST_CASE("log: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 1.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(1.0F) == 0.0F);
static_assert(math::is_nan(at<op>(-1e-30F)));

TEST_CASE("log: minus infinity at zero, NaN below, and infinity above all") {
  CHECK(at<op>(0.0F) == -math::infinity<float>);
  CHECK(at<op>(-0.0F) == -math::infinity<float>);
  CHECK(math::is_nan(at<op>(-1.0F)));
  CHECK(at<op>(math::infinity<float>) == math::infinity<float>);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", log(x));
};

TEST_CASE("log: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{80});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
