// leaky_relu_test: the signature, the arithmetic and the DSL function of leaky_relu.
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/prelu.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::leaky_relu;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("leaky_relu: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

/// How many of all 256 quantised values prelu with the same slope, stored as one step of its size, does not agree on.
int unlike_prelu(quant from, quant to, float slope) {
  filled<std::int8_t> x({256}), y({256}), z({256}), step({1}, {static_cast<std::int8_t>(slope < 0 ? -1 : 1)});
  for (int i = 0; i < 256; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
  x.desc.quantised = from, y.desc.quantised = z.desc.quantised = to, step.desc.quantised = quant{std::abs(slope), 0};
  op::attrs a;
  a.negative_slope = slope;
  const view in[] = {x.as_view(), step.as_view()}, out[] = {y.as_view()}, expected[] = {z.as_view()};
  op::reference<std::int8_t>(a, array_ref<const view>(in, 1), out);
  ops::prelu::reference<std::int8_t>({}, in, expected);
  int unlike = 0;
  for (std::size_t i = 0; i < 256; ++i) unlike += y.elements[i] != z.elements[i] ? 1 : 0;
  return unlike;
}

TEST_CASE("leaky_relu: quantised values have a scale, and are multiplied as prelu does it") {
  constexpr auto finite = op::rule::slope_of_a_quantised_input_must_be_finite;
  CHECK(asks_for_scales<op, one_in, one_out>());
  for (const float slope : {0.1F, -0.3F, 2.5F, 1.0F}) {
    CHECK(unlike_prelu(quant{0.05F, 40}, quant{0.03F, -12}, slope) == 0);
    CHECK(unlike_prelu(quant{0.05F, -3}, quant{0.05F, -3}, slope) == 0);
  }
  CHECK(wrong_steps<op, std::int8_t>(quant{0.25F, 3}, quant{0.25F, 3}, [](double x) { return x < 0 ? 0 : x; }) == 0);
  op::attrs endless;
  endless.negative_slope = math::infinity<float>;
  constexpr std::int64_t infinite = std::bit_cast<std::int32_t>(math::infinity<float>),
                         most = std::bit_cast<std::int32_t>(std::numeric_limits<float>::max());
  const quant half{0.5F, 3};
  CHECK(breaks(infer<op>(endless, {computed({i8, nd, {2}, half})}, {{dtype::none, nd, {}, half}}), finite, infinite,
               most));
  CHECK(bool(infer<op>(endless, {computed(f32_of({2}))})));
}

// Python: 128 + round((x - 128) * (1 if x >= 128 else -0.5))
TEST_CASE("leaky_relu: a slope below zero turns numbers below zero around, unsigned ones, too") {
  op::attrs falling;
  falling.negative_slope = -0.5F;
  const quant like{0.02F, 128};
  CHECK(run_quantised<op, std::uint8_t>(falling, {4}, like, stored<std::uint8_t>({4}, {28, 108, 128, 200}, like)) ==
        std::vector<std::uint8_t>{178, 138, 128, 200});
}

TEST_CASE(
    "leaky_relu: scales whose product or quotient is beyond float saturate, or bring their products to a scale as "
    "large") {
  op::attrs steep;
  steep.negative_slope = 1e20F;
  const auto x = stored<std::int8_t>({3}, {-1, 0, 1}, quant{1e20F, 0});
  CHECK(run_quantised<op, std::int8_t>(steep, {3}, quant{1e38F, 3}, x) == std::vector<std::int8_t>{-97, 3, 3});
  CHECK(run_quantised<op, std::int8_t>(steep, {3}, quant{1e-20F, 3}, x) == std::vector<std::int8_t>{-128, 3, 127});
}

// Golden numbers by Python: x if x > 0 else 0.0
constexpr golden table[] = {
    {-20.5, 0.0}, {-3.0, 0.0}, {-1.0, 0.0}, {-0.75, 0.0}, {-0.0625, 0.0},
    {0.0, 0.0},   {0.5, 0.5},  {1.0, 1.0},  {2.25, 2.25}, {6.5, 6.5},
};

TEST_CASE("leaky_relu: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

constexpr op::attrs sloping(float slope) {
  op::attrs a;
  a.negative_slope = slope;
  return a;
}

// Python: x if x > 0 else 0.125 * x
constexpr golden table_of_an_eighth[] = {{-20.5, -2.5625}, {-1.0, -0.125}, {-0.75, -0.09375}, {0.0, 0.0}, {2.25, 2.25}};
static_assert(at<op>(-4.0F, sloping(0.5F)) == -2.0F);

TEST_CASE("leaky_relu: the slope counts below zero alone") {
  CHECK(largest_error<op, double>(table_of_an_eighth, sloping(0.125F)) == 0);
  CHECK(largest_error<op, float>(table_of_an_eighth, sloping(0.125F)) == 0);
  CHECK(largest_error<op, float16>(table_of_an_eighth, sloping(0.125F)) == 0);
  CHECK(at<op>(-3.0F, sloping(-2)) == 6);
  CHECK(at<op>(3.0F, sloping(-2)) == 3);
  CHECK(at<op>(-math::infinity<float>, sloping(0.5F)) == -math::infinity<float>);
  CHECK(math::is_nan(at<op>(math::nan<float>, sloping(0.5F))));
}

TEST_CASE("leaky_relu: the keyword becomes the attribute") {
  builder b;
  leaky_relu(b.input<f32, shape<2>>("x"), negative_slope<0.25>);
  CHECK(unpack<op::attrs>(b.graph().attrs_of(b.graph().nodes[0])).negative_slope == 0.25F);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", leaky_relu(x));
};

TEST_CASE("leaky_relu: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{74});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
