// sigmoid_test: the signature, the arithmetic and the DSL function of sigmoid.
#include <nnrt/ops/sigmoid.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(refuses_other_operands<ops::sigmoid, i8>());

TEST_CASE("sigmoid: the signature refuses what is no number, and floats give their like") {
  CHECK(refuses_other_operands<ops::sigmoid, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::sigmoid>(x));
}

// Golden numbers by Python: 1 / (1 + exp(-x))
constexpr golden table[] = {
    {-8.0, 0.0003353501304664781},
    {-3.0, 0.04742587317756678},
    {-1.5, 0.18242552380635635},
    {-0.25, 0.43782349911420193},
    {0.0, 0.5},
    {0.5, 0.6224593312018546},
    {1.0, 0.7310585786300049},
    {2.75, 0.9399133498259924},
    {3.0, 0.9525741268224334},
    {6.5, 0.998498817743263},
};

TEST_CASE("sigmoid: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::sigmoid, double>(table) <= 4);
  CHECK(largest_error<ops::sigmoid, float>(table) <= 0.51);
  CHECK(largest_error<ops::sigmoid, float16>(table) <= 0.51);
  const filled<float> none = run<ops::sigmoid, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::sigmoid>(0) == 0.5F);

TEST_CASE("sigmoid: far out it reaches 0 and 1 without overflow, and a NaN stays one") {
  CHECK(at<ops::sigmoid>(1000) == 1);
  CHECK(at<ops::sigmoid>(-1000) == 0);
  CHECK(at<ops::sigmoid>(math::infinity<float>) == 1);
  CHECK(at<ops::sigmoid>(-math::infinity<float>) == 0);
  CHECK(at<ops::sigmoid>(-80) == doctest::Approx(1.8048514e-35).epsilon(1e-6));  // exp(-80): small, but not lost
  CHECK(math::is_nan(at<ops::sigmoid>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", nnrt::sigmoid(x));
};

TEST_CASE("sigmoid: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{28});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

constexpr auto& quantised_rules = rules_of_quantised<ops::sigmoid::rule::quantised_input_must_have_one_scale,
                                                     ops::sigmoid::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::sigmoid>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::sigmoid>());

TEST_CASE("sigmoid: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::sigmoid>(row));
  }
  CHECK(breaks(infer<ops::sigmoid>({}, {computed({i8, {2}})}, {wish(some_scale)}),
               ops::sigmoid::rule::quantised_input_must_have_one_scale, 0, 1));
}

/// What sigmoid makes of 16 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::sigmoid, T>({}, {16}, y, spread<T>({16}, step, x));
}

// Expected numbers: python, round(1 / (1 + exp(-x)) * (1 / scale of y)) + zero point, where x, the result and the
// product are rounded to float, halves away from zero.
TEST_CASE("sigmoid: quantised values are those of TFLite's table for LOGISTIC") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -20}, {1 / 256.0F, -128}) ==
        std::vector<std::int8_t>{-127, -121, -88, 10, 97, 123, 127, -127, -120, -83, 19, 101, 123, 127, -126, -118});
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -20}, {0.01F, -50}) ==
        std::vector<std::int8_t>{-50, -47, -35, 4, 38, 48, 50, -49, -47, -32, 7, 40, 48, 50, -49, -46});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 108}, {1 / 256.0F, 0}) ==
        std::vector<std::uint8_t>{1, 7, 40, 138, 225, 251, 255, 1, 8, 45, 147, 229, 251, 255, 2, 10});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 108}, {0.01F, 78}) ==
        std::vector<std::uint8_t>{78, 81, 93, 132, 166, 176, 178, 79, 81, 96, 135, 168, 176, 178, 79, 82});
}

// Python, from the 256 numbers of TFLite's table (sigmoid(i / 24) as 16 bits), interpolated: x * 3, or x times the
// upper 15 bits of scale * 12288, rounded toward plus infinity in the middle, has the place in its upper bits.
TEST_CASE("sigmoid: quantised values of 16 bits are interpolated as TFLite's LOGISTIC does") {
  CHECK(quantised_result_of<std::int16_t>(9973, {1 / 4096.0F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{11, 125, 1372, 10905, 27872, 32272, 32724, 31, 353, 3617, 19207, 30859, 32591, 32752,
                                  88, 982});
  CHECK(quantised_result_of<std::int16_t>(9973, {1 / 2048.0F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{1, 1, 62, 6529, 31787, 32760, 32767, 1, 4, 497, 21868, 32643, 32767, 32767, 1, 31});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.0003F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{2, 35, 685, 9780, 29309, 32575, 32758, 6, 126, 2343, 19836, 31730, 32714, 32765, 23,
                                  450});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.00001F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{13724, 14525, 15335, 16151, 16967, 17781, 18588, 14066, 14871, 15684, 16501, 17317,
                                  18128, 18931, 14410, 15219});
}

TEST_CASE("sigmoid: 16 bits stored otherwise than TFLite has them are rounded from the real numbers") {
  CHECK(quantised_result_of<std::int16_t>(9973, {1 / 4096.0F, 0}, {1 / 32768.0F, 1}) ==
        std::vector<std::int16_t>{12, 126, 1373, 10906, 27873, 32272, 32725, 32, 353, 3619, 19209, 30860, 32592, 32753,
                                  89, 982});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.05F, -20}, {1 / 256.0F, -128})[3] == 10);

static_assert(survives_every_scale<ops::sigmoid, std::int8_t, 1>() &&
              survives_every_scale<ops::sigmoid, std::int16_t, 1>());

}  // namespace
