// round_test: the signature, the arithmetic and the DSL function of round.
#include <nnrt/ops/round.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::round;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("round: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("round: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::nearbyint(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.3F, 5}, quant{0.25F, -3}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: round(x)
constexpr golden table[] = {
    {-2.5, -2.0}, {-1.5, -2.0}, {-1.25, -1.0}, {-0.5, 0.0}, {-0.25, 0.0}, {0.0, 0.0},       {0.25, 0.0},
    {0.5, 0.0},   {0.75, 1.0},  {1.5, 2.0},    {2.5, 2.0},  {3.5, 4.0},   {1023.5, 1024.0}, {65504.0, 65504.0},
};

TEST_CASE("round: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(2.5F) == 2.0F);
static_assert(at<op>(-3.5F) == -4.0F);

TEST_CASE("round: zeros keep their sign, and infinities and NaN are what they were") {
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-0.0F)) == 0x80000000U);
  CHECK(at<op>(math::infinity<float>) == math::infinity<float>);
  CHECK(at<op>(-math::infinity<float>) == -math::infinity<float>);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
  CHECK(at<op>(0x1p30F) == 0x1p30F);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", round(x));
};

TEST_CASE("round: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{102});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
