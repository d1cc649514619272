// rsqrt_test: the signature, the arithmetic and the DSL function of rsqrt.
#include <nnrt/ops/rsqrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(refuses_other_operands<ops::rsqrt, i8>());

TEST_CASE("rsqrt: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::rsqrt, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::rsqrt>(x));
}

// Golden numbers by Python: float(1 / Decimal(x).sqrt()) with 40 digits
constexpr golden table[] = {
    {0.0625, 4.0},
    {0.25, 2.0},
    {0.5, 1.4142135623730951},
    {1.0, 1.0},
    {2.0, 0.7071067811865476},
    {3.0, 0.5773502691896257},
    {6.5, 0.3922322702763681},
    {10.0, 0.31622776601683794},
    {1024.0, 0.03125},
};

TEST_CASE("rsqrt: every dtype gives the golden numbers") {
  CHECK(largest_error<ops::rsqrt, double>(table) <= 1.01);
  CHECK(largest_error<ops::rsqrt, float>(table) <= 0.51);
  CHECK(largest_error<ops::rsqrt, float16>(table) <= 0.51);
  const filled<float> none = run<ops::rsqrt, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::rsqrt>(0.25F) == 2.0F);
static_assert(at<ops::rsqrt>(0) == math::infinity<float>);

TEST_CASE("rsqrt: an infinity of its sign at zero, NaN below, zero at infinity") {
  CHECK(at<ops::rsqrt>(-0.0F) == -math::infinity<float>);
  CHECK(math::is_nan(at<ops::rsqrt>(-1e-30F)));
  CHECK(math::is_nan(at<ops::rsqrt>(-math::infinity<float>)));
  CHECK(math::is_nan(at<ops::rsqrt>(math::nan<float>)));
  CHECK(at<ops::rsqrt>(math::infinity<float>) == 0);
  CHECK(at<ops::rsqrt>(0x1p-148F) == 0x1p74F);  // of a subnormal number
  CHECK(at<ops::rsqrt>(0x1p126F) == 0x1p-63F);
  const filled<float16> tiny = run<ops::rsqrt, float16>({}, {1}, filled<float16>({1}, {float16(0x1p-24F)}));
  CHECK(tiny.elements[0] == float16(4096.0F));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("y", rsqrt(x));
};

TEST_CASE("rsqrt: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{44});
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 3}));
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

constexpr auto& quantised_rules = rules_of_quantised<ops::rsqrt::rule::quantised_input_must_have_one_scale,
                                                     ops::rsqrt::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::rsqrt>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::rsqrt>());

TEST_CASE("rsqrt: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::rsqrt>(row));
  }
}

/// What rsqrt makes of 12 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::rsqrt, T>({}, {12}, y, spread<T>({12}, step, x));
}

// 8 bits by Python integers: 1 / sqrt(steps) by five steps of Newton and Raphson with 3 integer bits, as 20 bits after
// the point, then times 1 / (sqrt(scale of x) * scale of y), by SRDHM and RDP. 16 bits: round(1 / sqrt(x) * (1 / scale
// of y)) + zero point, rounded to float after each step.
TEST_CASE("rsqrt: quantised values of 8 bits are those of TFLite's RSQRT, those of 16 the nearest ones") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.05F, -54}, {0.02F, -90}) ==
        std::vector<std::int8_t>{-90, -90, 127, -53, -64, -69, -72, -90, -90, 39, -55, -65});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.05F, 20}, {0.015F, 3}) ==
        std::vector<std::uint8_t>{3, 75, 44, 34, 29, 26, 24, 3, 70, 42, 34, 29});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, -2849}, {0.0003F, -5}) ==
        std::vector<std::int16_t>{-5, -5, -5, 32767, 1051, 741, 604, -5, -5, -5, 1607, 878});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.05F, -54}, {0.02F, -90})[2] == 127);
static_assert(survives_every_scale<ops::rsqrt, std::int8_t, 1>() &&
              survives_every_scale<ops::rsqrt, std::int16_t, 1>());

TEST_CASE("rsqrt: the roots of fixed point are those of TFLite") {
  // Python integers, as above; 2147483647 stands for 1.
  CHECK(ops::detail::fixed::inverse_root(1) == fixed_point{2147483647, 0});
  CHECK(ops::detail::fixed::inverse_root(2) == fixed_point{1518498372, 0});
  CHECK(ops::detail::fixed::inverse_root(3) == fixed_point{1239850284, 0});
  CHECK(ops::detail::fixed::inverse_root(5) == fixed_point{960383900, 0});
  CHECK(ops::detail::fixed::inverse_root(255) == fixed_point{268961290, -1});
  for (std::int64_t x = 1; x < 1 << 30; x = x * 7 / 4 + 1) {
    const fixed_point root = ops::detail::fixed::inverse_root(static_cast<std::int32_t>(x));
    const double got = root.mantissa * math::pow(2.0, root.exponent - 31.0), exact = 1 / math::sqrt(double(x));
    CHECK(math::abs(got / exact - 1) < 1e-5);
  }
}

}  // namespace
