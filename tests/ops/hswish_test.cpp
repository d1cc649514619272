// hswish_test: the signature, the arithmetic and the DSL function of hswish.
#include <nnrt/ops/hswish.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(refuses_other_operands<ops::hswish, i8>());

TEST_CASE("hswish: the signature refuses what is no number, and floats give their like") {
  CHECK(refuses_other_operands<ops::hswish, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::hswish>(x));
}

// Golden numbers by Python: x * min(max(x + 3, 0), 6) / 6
constexpr golden table[] = {
    {-8.0, -0.0},
    {-3.0, -0.0},
    {-1.5, -0.375},
    {-0.25, -0.11458333333333333},
    {0.0, 0.0},
    {0.5, 0.2916666666666667},
    {1.0, 0.6666666666666666},
    {2.75, 2.6354166666666665},
    {3.0, 3.0},
    {6.5, 6.5},
};

TEST_CASE("hswish: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::hswish, double>(table) <= 4);
  CHECK(largest_error<ops::hswish, float>(table) <= 0.51);
  CHECK(largest_error<ops::hswish, float16>(table) <= 0.51);
  const filled<float> none = run<ops::hswish, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::hswish>(-1.5F) == -0.375F && at<ops::hswish>(3) == 3 && at<ops::hswish>(-3) == 0);

TEST_CASE("hswish: from 3 on it is x, up to -3 it is 0, and a NaN stays one") {
  CHECK(at<ops::hswish>(3e38F) == 3e38F);
  CHECK(at<ops::hswish>(math::infinity<float>) == math::infinity<float>);
  CHECK(at<ops::hswish>(-3e38F) == 0);
  CHECK(math::is_nan(at<ops::hswish>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", nnrt::hswish(x));
};

TEST_CASE("hswish: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{17});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

constexpr auto& quantised_rules = rules_of_quantised<ops::hswish::rule::quantised_input_must_have_one_scale,
                                                     ops::hswish::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::hswish>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::hswish>());

TEST_CASE("hswish: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::hswish>(row));
  }
  CHECK(breaks(infer<ops::hswish>({}, {computed({i8, {2}})}, {wish(some_scale)}),
               ops::hswish::rule::quantised_input_must_have_one_scale, 0, 1));
}

/// What hswish makes of 16 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::hswish, T>({}, {16}, y, spread<T>({16}, step, x));
}

// Expected numbers: python integers through TFLite's definition: both factors in 16 bits, SQRDMULH of (x - zero) * 128
// with each, shifts to the left that saturate, to the right by RDP, and a product that is cut toward zero. i16: the
// real result, rounded to float, then to the nearest step.
TEST_CASE("hswish: quantised values have the bits of TFLite's HARD_SWISH") {
  CHECK(
      quantised_result_of<std::int8_t>(37, {0.04F, 10}, {0.03F, -110}) ==
      std::vector<std::int8_t>{-110, -110, -116, -122, -102, -59, 2, -110, -110, -118, -121, -100, -54, 6, -110, -110});
  CHECK(quantised_result_of<std::int8_t>(37, {0.4F, 10}, {0.3F, -110}) ==
        std::vector<std::int8_t>{-110, -110, -110, -110, -97, -47, 2, -110, -110, -110, -110, -93, -43, 6, -110, -110});
  CHECK(quantised_result_of<std::int8_t>(37, {0.004F, 10}, {0.003F, -40}) ==
        std::vector<std::int8_t>{-115, -98, -79, -57, -33, -7, 22, -114, -97, -77, -55, -31, -4, 25, -113, -95});
  CHECK(quantised_result_of<std::int8_t>(37, {0.0005F, 10}, {0.0002F, -40}) ==
        std::vector<std::int8_t>{-128, -128, -119, -74, -27, 19, 66, -128, -128, -115, -70, -24, 23, 70, -128, -128});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.04F, 138}, {0.03F, 18}) ==
        std::vector<std::uint8_t>{18, 18, 12, 6, 26, 69, 130, 18, 18, 10, 7, 28, 74, 134, 18, 18});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.4F, 138}, {0.3F, 18}) ==
        std::vector<std::uint8_t>{18, 18, 18, 18, 31, 81, 130, 18, 18, 18, 18, 35, 85, 134, 18, 18});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.004F, 138}, {0.003F, 88}) ==
        std::vector<std::uint8_t>{13, 30, 49, 71, 95, 121, 150, 14, 31, 51, 73, 97, 124, 153, 15, 33});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.0005F, 138}, {0.0002F, 88}) ==
        std::vector<std::uint8_t>{0, 0, 9, 54, 101, 147, 194, 0, 0, 13, 58, 104, 151, 198, 0, 0});
  CHECK(
      quantised_result_of<std::int16_t>(9973, {0.0002F, 0}, {0.0002F, 0}) ==
      std::vector<std::int16_t>{0, 0, -931, -1154, 5254, 17097, 27070, 0, 0, -1838, 781, 10031, 21372, 31345, 0, -358});
  // Here the fixed point of 16 bits is one less than the nearest to the real result.
  CHECK(
      run_quantised<ops::hswish, std::int8_t>(
          {}, {15}, quant{0.02F, -100},
          stored<std::int8_t>({15}, {58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86}, quant{0.05F, -3})) ==
      std::vector<std::int8_t>{52, 57, 62, 67, 72, 77, 82, 87, 92, 97, 102, 107, 112, 117, 122});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.04F, 10}, {0.03F, -110})[3] == -122);

TEST_CASE(
    "hswish: a scale of x beyond 128 times that of y takes every quantised value to an end or to the zero point") {
  const auto x = stored<std::int8_t>({4}, {-128, -1, 0, 1}, quant{100.0F, 0});
  CHECK(run_quantised<ops::hswish, std::int8_t>({}, {4}, quant{0.1F, -5}, x) ==
        std::vector<std::int8_t>{-5, -5, -5, 127});
}

// Steps of 0.5 from 3 on, where hard swish is x, to steps of 1: 3.5, 4.5, 5.5 and 6.5.
template <class T> constexpr std::vector<T> halves_of(quant y) {
  return run_quantised<ops::hswish, T>({}, {4}, y, stored<T>({4}, {7, 9, 11, 13}, quant{0.5F, 0}));
}
constexpr quant to_even{1, 0, quantised_rounding::half_to_even};
static_assert(halves_of<std::int8_t>(to_even) == std::vector<std::int8_t>{4, 4, 6, 6});

TEST_CASE("hswish: where the scale of y says so, halves go to the even step, in every type") {
  CHECK(halves_of<std::int8_t>(to_even) == std::vector<std::int8_t>{4, 4, 6, 6});
  CHECK(halves_of<std::uint8_t>(to_even) == std::vector<std::uint8_t>{4, 4, 6, 6});
  CHECK(halves_of<std::int16_t>(to_even) == std::vector<std::int16_t>{4, 4, 6, 6});
  CHECK(halves_of<std::int8_t>({1, 0}) == std::vector<std::int8_t>{3, 4, 5, 6});  // the fixed point of 16 bits
}

static_assert(survives_every_scale<ops::hswish, std::int8_t, 1>() &&
              survives_every_scale<ops::hswish, std::int16_t, 1>());

}  // namespace
