// reciprocal_test: the signature, the arithmetic and the DSL function of reciprocal.
#include <nnrt/ops/reciprocal.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::reciprocal;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("reciprocal: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("reciprocal: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return 1 / x; };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.1F, -10}, quant{0.02F, 1}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: 1 / x
constexpr golden table[] = {
    {-1024.0, -0.0009765625},
    {-3.0, -0.3333333333333333},
    {-1.0, -1.0},
    {-0.75, -1.3333333333333333},
    {0.0625, 16.0},
    {0.5, 2.0},
    {1.0, 1.0},
    {2.25, 0.4444444444444444},
    {7.0, 0.14285714285714285},
    {640.0, 0.0015625},
};

TEST_CASE("reciprocal: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(-4.0F) == -0.25F);
static_assert(at<op>(-0.0F) == -math::infinity<float>);

TEST_CASE("reciprocal: zeros become infinities of their sign, and infinities zeros of theirs") {
  CHECK(at<op>(0.0F) == math::infinity<float>);
  CHECK(at<op>(-0.0F) == -math::infinity<float>);
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-math::infinity<float>)) == 0x80000000U);
  CHECK(std::bit_cast<std::uint32_t>(at<op>(math::infinity<float>)) == 0);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", reciprocal(x));
};

TEST_CASE("reciprocal: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{85});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
