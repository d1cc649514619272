// sqrt_test: the signature, the arithmetic and the DSL function of sqrt.
#include <nnrt/ops/sqrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(refuses_other_operands<ops::sqrt, i8>());

TEST_CASE("sqrt: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::sqrt, i8>());
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

constexpr auto& quantised_rules = rules_of_quantised<ops::sqrt::rule::quantised_input_must_have_one_scale,
                                                     ops::sqrt::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::sqrt>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::sqrt>());

TEST_CASE("sqrt: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::sqrt>(row));
  }
}

/// What sqrt makes of 12 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::sqrt, T>({}, {12}, y, spread<T>({12}, step, x));
}

// Python: round(sqrt(x) * (1 / scale of y)) + zero point, where x, the root and the product are rounded to float,
// halves away from zero; below zero the zero point.
TEST_CASE("sqrt: each quantised value is the nearest to the real root") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -100}, {0.02F, -90}) ==
        std::vector<std::int8_t>{-90, -56, -14, 12, 32, 50, 66, -90, -51, -12, 14, 34});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 20}, {0.015F, 3}) ==
        std::vector<std::uint8_t>{3, 64, 113, 145, 172, 194, 215, 3, 70, 116, 148, 174});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, -20000}, {0.0003F, -5}) ==
        std::vector<std::int16_t>{-5, -5, 8926, 13800, 17355, 20297, 22864, -5, 4050, 11276, 15424, 18673});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.05F, -100}, {0.02F, -90})[3] == 12);
static_assert(survives_every_scale<ops::sqrt, std::int8_t, 1>() && survives_every_scale<ops::sqrt, std::int16_t, 1>());

}  // namespace
