// exp_test: the signature, the arithmetic and the DSL function of exp.
#include <nnrt/ops/exp.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::exp;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

static_assert(refuses_other_operands<op, i8>());

TEST_CASE("exp: of floats only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<op, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("exp: quantised values have a scale, and become the nearest to the real results") {
  CHECK(asks_for_scales<op, one_in, one_out>());
  const auto f = [](double x) { return std::exp(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.05F, 40}, quant{0.125F, -128}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.04F, 100}, quant{0.02F, 128}, f) == 0);
  op::attrs two;
  two.base = 2, two.scale = 0.5F, two.shift = 1;
  CHECK(asks_for_scales<op, one_in, one_out>(two));
  CHECK(wrong_steps<op, std::int8_t>(
            quant{0.05F, 3}, quant{0.125F, -128}, [](double x) { return std::exp2(0.5 * x + 1); }, two) == 0);
}

// Golden numbers by Python: math.exp(x)
constexpr golden table[] = {
    {-20.5, 1.2501528663867426e-09},
    {-3.0, 0.049787068367863944},
    {-1.0, 0.36787944117144233},
    {-0.75, 0.4723665527410147},
    {0.0, 1.0},
    {0.5, 1.6487212707001282},
    {1.0, 2.718281828459045},
    {2.25, 9.487735836358526},
    {6.5, 665.1416330443618},
    {11.0, 59874.14171519782},
};

TEST_CASE("exp: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 1.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

using rule = op::rule;
constexpr op::attrs to_the(float base, float scale = 1, float shift = 0) {
  op::attrs a;
  a.base = base;
  a.scale = scale;
  a.shift = shift;
  return a;
}
constexpr operand some = computed(f32_of({2}));
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }
static_assert(breaks(infer<op>(to_the(-2), {some}), rule::base_must_be_positive_or_minus_1_for_e, word_of(-2),
                     word_of(-1)));

TEST_CASE("exp: powers of zero and of negative numbers are refused, but -1 stands for e") {
  CHECK(breaks(infer<op>(to_the(-2), {some}), rule::base_must_be_positive_or_minus_1_for_e, word_of(-2), word_of(-1)));
  CHECK(breaks(infer<op>(to_the(0), {some}), rule::base_must_be_positive_or_minus_1_for_e, 0, word_of(-1)));
  CHECK(breaks(infer<op>(to_the(math::nan<float>), {some}), rule::base_must_be_positive_or_minus_1_for_e,
               word_of(math::nan<float>), word_of(-1)));
  CHECK(infer<op>(to_the(-1), {some}).output(0) == some.desc);
  CHECK(infer<op>(to_the(0.5F), {some}).output(0) == some.desc);
}

// Python: 2.5 ** (0.5 * x - 1)
constexpr golden powers[] = {
    {-20.5, 3.335607198750556e-05},
    {-3.0, 0.10119288512538814},
    {-1.0, 0.25298221281347033},
    {-0.75, 0.2836824624464964},
    {0.0, 0.4},
    {0.5, 0.5029733718731741},
    {1.0, 0.6324555320336759},
    {2.25, 1.1213533919701386},
    {6.5, 7.858958935518347},
    {11.0, 61.76323555016366},
};
static_assert(at<op>(0.0F) == 1.0F && at<op>(3.0F, to_the(2, 2, -1)) == 32.0F);

TEST_CASE("exp: base, scale and shift are those that are given") {
  CHECK(largest_error<op, double>(powers, to_the(2.5F, 0.5F, -1)) <= 1.51);
  CHECK(largest_error<op, float>(powers, to_the(2.5F, 0.5F, -1)) <= 0.51);
  CHECK(largest_error<op, float16>(powers, to_the(2.5F, 0.5F, -1)) <= 0.51);
  CHECK(at<op>(2.0F, to_the(-1, -0.5F, 1)) == 1);
  CHECK(at<op>(4.0F, to_the(0.5F)) == 0.0625F);
}

TEST_CASE("exp: beyond the range there are infinity and zero, and a NaN stays one") {
  CHECK(at<op>(100.0F) == math::infinity<float>);
  CHECK(at<op>(-200.0F) == 0);
  CHECK(at<op>(-math::infinity<float>) == 0);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
}

TEST_CASE("exp: keywords become attributes") {
  builder b;
  exp(b.input<f32, shape<2>>("x"), with_base<2>, scaled_by<0.5>, shifted_by<-3>);
  const auto a = unpack<op::attrs>(b.graph().attrs_of(b.graph().nodes[0]));
  CHECK(a.base == 2);
  CHECK(a.scale == 0.5F);
  CHECK(a.shift == -3);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", exp(x));
};

TEST_CASE("exp: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{60});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
