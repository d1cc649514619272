// erf_test: the signature, the arithmetic and the DSL function of erf.
#include <nnrt/ops/erf.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::erf;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("erf: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("erf: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::erf(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.02F, -7}, quant{1.0F / 127, 0}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
}

// Golden numbers by Python: math.erf(x)
constexpr golden table[] = {
    {-6.5, -1.0},
    {-2.0, -0.9953222650189527},
    {-1.0, -0.8427007929497149},
    {-0.25, -0.2763263901682369},
    {0.0, 0.0},
    {0.001953125, 0.002203862758376654},
    {0.5, 0.5204998778130465},
    {1.0, 0.8427007929497149},
    {1.75, 0.9866716712191824},
    {3.0, 0.9999779095030014},
};

TEST_CASE("erf: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 1.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<op>(0.0F) == 0.0F);
static_assert(at<op>(30.0F) == 1.0F);

TEST_CASE("erf: it is odd, ends at one, and a NaN stays one") {
  CHECK(at<op>(math::infinity<float>) == 1);
  CHECK(at<op>(-math::infinity<float>) == -1);
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-0.0F)) == 0x80000000U);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", erf(x));
};

TEST_CASE("erf: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{59});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
