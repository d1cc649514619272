// hard_sigmoid_test: the signature, the arithmetic and the DSL function of hard_sigmoid.
#include <nnrt/ops/hard_sigmoid.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::hard_sigmoid;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("hard_sigmoid: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("hard_sigmoid: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::fmin(std::fmax(x + 3, 0), 6) / 6; };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.06F, 10}, quant{1.0F / 256, -128}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: min(max(x + 3, 0), 6) / 6
constexpr golden table[] = {
    {-20.5, 0.0},
    {-3.0, 0.0},
    {-1.0, 0.3333333333333333},
    {-0.75, 0.375},
    {-0.0625, 0.4895833333333333},
    {0.0, 0.5},
    {0.5, 0.5833333333333334},
    {1.0, 0.6666666666666666},
    {2.25, 0.875},
    {6.5, 1.0},
    {-2.5, 0.08333333333333333},
    {2.75, 0.9583333333333334},
    {3.0, 1.0},
};

TEST_CASE("hard_sigmoid: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(0.0F) == 0.5F);

TEST_CASE("hard_sigmoid: it is 0 up to -3 and 1 from 3 on") {
  CHECK(at<op>(-3.0F) == 0);
  CHECK(at<op>(-math::infinity<float>) == 0);
  CHECK(at<op>(3.0F) == 1);
  CHECK(at<op>(math::infinity<float>) == 1);
  CHECK(at<op>(2.9999F) < 1);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", hard_sigmoid(x));
};

TEST_CASE("hard_sigmoid: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{107});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
