// swish_test: the signature, the arithmetic and the DSL function of swish.
#include <nnrt/ops/swish.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::swish;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("swish: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("swish: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return x / (1 + std::exp(-x)); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.06F, 10}, quant{0.03F, -100}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: x / (1 + math.exp(-x))
constexpr golden table[] = {
    {-20.5, -2.562813372888914e-08}, {-3.0, -0.14227761953270035},     {-1.0, -0.2689414213699951},
    {-0.75, -0.24061597561845527},   {-0.0625, -0.030273755267311526}, {0.0, 0.0},
    {0.5, 0.3112296656009273},       {1.0, 0.7310585786300049},        {2.25, 2.035463703977004},
    {6.5, 6.490242315331209},        {12.0, 11.999926269904773},
};

TEST_CASE("swish: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 2.01);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(0.0F) == 0.0F);

TEST_CASE("swish: far below zero nothing is left, and far above all") {
  CHECK(at<op>(math::infinity<float>) == math::infinity<float>);
  CHECK(at<op>(-1e4F) == 0);
  CHECK(at<op>(1e4F) == 1e4F);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
  CHECK(math::is_nan(at<op>(-math::infinity<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", swish(x));
};

TEST_CASE("swish: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{105});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
