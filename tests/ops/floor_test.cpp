// floor_test: the signature, the arithmetic and the DSL function of floor.
#include <nnrt/ops/floor.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::floor;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("floor: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("floor: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::floor(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.3F, 5}, quant{0.25F, -3}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: math.floor(x)
constexpr golden table[] = {
    {-2.5, -3.0}, {-1.5, -2.0}, {-1.25, -2.0}, {-0.5, -1.0}, {-0.25, -1.0}, {0.0, 0.0},       {0.25, 0.0},
    {0.5, 0.0},   {0.75, 0.0},  {1.5, 1.0},    {2.5, 2.0},   {3.5, 3.0},    {1023.5, 1023.0}, {65504.0, 65504.0},
};

TEST_CASE("floor: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(0.99999994F) == 0.0F);
static_assert(at<op>(-1e-30F) == -1.0F);

TEST_CASE("floor: zeros keep their sign, and infinities and NaN are what they were") {
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-0.0F)) == 0x80000000U);
  CHECK(at<op>(math::infinity<float>) == math::infinity<float>);
  CHECK(at<op>(-math::infinity<float>) == -math::infinity<float>);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
  CHECK(at<op>(0x1p30F) == 0x1p30F);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", floor(x));
};

TEST_CASE("floor: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{93});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
