// gelu_test: the signature, the arithmetic and the DSL function of gelu.
#include <nnrt/ops/gelu.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(refuses_other_operands<ops::gelu, i8>());

TEST_CASE("gelu: the signature refuses what is no number, and floats give their like") {
  CHECK(refuses_other_operands<ops::gelu, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::gelu>(x));
}

// Golden numbers by Python: 0.5 * x * math.erfc(-x / math.sqrt(2))
constexpr golden table[] = {
    {-8.0, -4.9767684594174555e-15},
    {-3.0, -0.004049694094890287},
    {-1.5, -0.10021080190328713},
    {-0.25, -0.10032341857926907},
    {0.0, 0.0},
    {0.5, 0.34573123063700656},
    {1.0, 0.8413447460685429},
    {2.75, 2.7418056511035998},
    {3.0, 2.99595030590511},
    {6.5, 6.49999999973896},
};

TEST_CASE("gelu: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::gelu, double>(table) <= 4);
  CHECK(largest_error<ops::gelu, float>(table) <= 0.51);
  CHECK(largest_error<ops::gelu, float16>(table) <= 0.51);
  const filled<float> none = run<ops::gelu, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

// Golden numbers by Python: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
constexpr golden approximated[] = {
    {-8.0, -0.0},
    {-3.0, -0.0036373920817729943},
    {-1.5, -0.10042842301976707},
    {-0.25, -0.100324649298315},
    {0.0, 0.0},
    {0.5, 0.34571400982514394},
    {1.0, 0.8411919906082768},
    {2.75, 2.742276855926382},
    {3.0, 2.996362607918227},
    {6.5, 6.499999999999372},
};
constexpr ops::gelu::attrs by_approximation = [] {
  ops::gelu::attrs attrs;
  attrs.approximate = true;
  return attrs;
}();

TEST_CASE("gelu: the approximation is the published one, not the exact function") {
  CHECK(largest_error<ops::gelu, double>(approximated, by_approximation) <= 4);
  CHECK(largest_error<ops::gelu, float>(approximated, by_approximation) <= 0.51);
  CHECK(largest_error<ops::gelu, float>(approximated) > 1000);
}

static_assert(at<ops::gelu>(0) == 0 && at<ops::gelu>(8) == 8 && at<ops::gelu>(8, by_approximation) == 8);

TEST_CASE("gelu: far out it is x or 0, and a NaN stays one") {
  CHECK(at<ops::gelu>(1e30F) == 1e30F);
  CHECK(at<ops::gelu>(-1e30F) == 0);
  CHECK(at<ops::gelu>(-1e30F, by_approximation) == 0);
  CHECK(math::is_nan(at<ops::gelu>(math::nan<float>)));
}

// Python, mpmath with 50 digits: x * ncdf(x), and x / (1 + exp(-2 * sqrt(2 / pi) * (x + 0.044715 * x**3)))
TEST_CASE("gelu: far below zero results keep their digits") {
  CHECK(math::abs(at<ops::gelu>(-8) / -4.9767685e-15F - 1) < 2e-7F);
  CHECK(math::abs(at<ops::gelu>(-12) / -2.1317785e-32F - 1) < 2e-7F);
  CHECK(math::abs(at<ops::gelu>(-8, by_approximation) / -3.1077829e-21F - 1) < 2e-7F);
}

static_assert(math::is_nan(at<ops::gelu>(-math::infinity<float>)));

TEST_CASE("gelu: minus infinity times 0 is no number, plus infinity stays") {
  CHECK(math::is_nan(at<ops::gelu>(-math::infinity<float>)));
  CHECK(math::is_nan(at<ops::gelu>(-math::infinity<float>, by_approximation)));
  CHECK(at<ops::gelu>(math::infinity<float>, by_approximation) == math::infinity<float>);
}

/// The bits of 64 results, added up.
constexpr std::uint64_t bits_of_results(const ops::gelu::attrs& attrs) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 64; ++i) {
    const double x = (i - 31) / 11.0;  // no product, which might be fused in its turn
    sum = sum * 31 +
          std::bit_cast<std::uint64_t>(run<ops::gelu, double>(attrs, {1}, filled<double>({1}, {x})).elements[0]);
  }
  return sum;
}

TEST_CASE("gelu: results have the bits of constant evaluation, whatever the flags") {
  constexpr std::uint64_t exact = bits_of_results({}), approximate = bits_of_results(by_approximation);
  CHECK(bits_of_results({}) == exact);
  CHECK(bits_of_results(by_approximation) == approximate);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", gelu(gelu(x), approximate));
};

TEST_CASE("gelu: called it is a node, and approximate arrives as its attribute") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].op->code == op_code{56});
  CHECK(!unpack<ops::gelu::attrs>(g.attrs_of(g.nodes[0])).approximate);
  CHECK(unpack<ops::gelu::attrs>(g.attrs_of(g.nodes[1])).approximate);
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

constexpr auto& quantised_rules = rules_of_quantised<ops::gelu::rule::quantised_input_must_have_one_scale,
                                                     ops::gelu::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::gelu>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::gelu>());

TEST_CASE("gelu: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::gelu>(row));
  }
  CHECK(breaks(infer<ops::gelu>({}, {computed({i8, {2}})}, {wish(some_scale)}),
               ops::gelu::rule::quantised_input_must_have_one_scale, 0, 1));
}

/// What gelu makes of 16 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::gelu, T>({}, {16}, y, spread<T>({16}, step, x));
}

// Expected numbers: python, round(0.5 * x * erfc(-x / sqrt(2)) * (1 / scale of y)) + zero point, where x, the result
// and the product are rounded to float, halves away from zero.
TEST_CASE("gelu: quantised values are those of TFLite's table for GELU") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.03F, 10}, {0.02F, -110}) ==
        std::vector<std::int8_t>{-110, -110, -113, -118, -101, -45, 15, -110, -110, -113, -118, -97, -40, 20, -110,
                                 -110});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.03F, 138}, {0.02F, 18}) ==
        std::vector<std::uint8_t>{18, 18, 15, 10, 27, 83, 143, 18, 18, 15, 10, 31, 88, 148, 18, 18});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.0002F, 0}, {0.0002F, 0}) ==
        std::vector<std::int16_t>{0, 0, -66, -810, 6575, 17092, 27070, 0, -2, -373, 873, 11270, 21372, 31345, 0, -31});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.03F, 10}, {0.02F, -110})[3] == -118);

static_assert(survives_every_scale<ops::gelu, std::int8_t, 1>() && survives_every_scale<ops::gelu, std::int16_t, 1>());

}  // namespace
