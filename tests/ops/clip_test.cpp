// clip_test: the signature, the arithmetic and the DSL function of clip.
#include <nnrt/ops/clip.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::clip;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;

TEST_CASE("clip: of floats only the signature refuses, and the output is like the input") {
  CHECK(breaks(infer<op>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {computed({boolean, {2}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(boolean), int(i8)));
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
}

TEST_CASE("clip: quantised values have a scale, and become the nearest to the real results") {
  op::attrs inside;
  inside.min = -1.25F, inside.max = 2;
  CHECK(asks_for_scales<op, one_in, one_out, false>(inside));
  const auto f = [](double x) { return std::fmin(std::fmax(x, -1.25), 2); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.05F, 40}, quant{0.03F, -12}, f, inside) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.05F, 100}, quant{0.05F, 100}, f, inside) == 0);
}

// Golden numbers by Python: x
constexpr golden table[] = {
    {-20.5, -20.5}, {-3.0, -3.0}, {-1.0, -1.0}, {-0.75, -0.75}, {-0.0625, -0.0625},
    {0.0, 0.0},     {0.5, 0.5},   {1.0, 1.0},   {2.25, 2.25},   {6.5, 6.5},
};

TEST_CASE("clip: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  const filled<float> none = run<op, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

using rule = op::rule;
constexpr op::attrs between(float min, float max) {
  op::attrs a;
  a.min = min;
  a.max = max;
  return a;
}
constexpr operand some = computed(f32_of({2}));
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }
static_assert(breaks(infer<op>(between(2, 1.5F), {some}), rule::max_must_not_be_below_min, word_of(1.5F), word_of(2)));

TEST_CASE("clip: a range must have an upper end that is not below the lower one") {
  CHECK(breaks(infer<op>(between(2, 1.5F), {some}), rule::max_must_not_be_below_min, word_of(1.5F), word_of(2)));
  CHECK(breaks(infer<op>(between(0, math::nan<float>), {some}), rule::max_must_not_be_below_min,
               word_of(math::nan<float>), 0));
  CHECK(breaks(infer<op>(between(math::nan<float>, 1), {some}), rule::max_must_not_be_below_min, word_of(1),
               word_of(math::nan<float>)));
  CHECK(infer<op>(between(1, 1), {some}).output(0) == f32_of({2}));
  const operand steps = computed({i32, nd, {2}, quant{0.5F, 0}});
  CHECK(breaks(infer<op>(between(0, 1), {steps}), rule::quantised_type_must_be_i8_u8_or_i16, int(i32), int(i8)));
}

template <class T> std::vector<T> clipped(float min, float max, std::vector<T> x) {
  const tensor_desc desc{dtype_for<T>(), {static_cast<std::int64_t>(x.size())}};
  std::vector<T> y(x.size());
  const view in[] = {{&desc, x.data()}}, out[] = {{&desc, y.data()}};
  op::reference<T>(between(min, max), in, out);
  return y;
}

TEST_CASE("clip: plain integers stay between the integers inside of both bounds") {
  CHECK(clipped<std::int32_t>(-1.5F, 2.5F, {-7, -2, -1, 0, 2, 3, 9}) ==
        std::vector<std::int32_t>{-1, -1, -1, 0, 2, 2, 2});
  CHECK(clipped<std::int32_t>(-3.5F, -0.5F, {-9, 0, 4}) == std::vector<std::int32_t>{-3, -1, -1});
  CHECK(clipped<std::uint8_t>(-3, 300, {0, 5, 255}) == std::vector<std::uint8_t>{0, 5, 255});
  CHECK(clipped<std::int64_t>(-math::infinity<float>, 7, {INT64_MIN, 8}) == std::vector<std::int64_t>{INT64_MIN, 7});
}

// Python: min(max(x, -0.75), 2)
constexpr golden table_between[] = {{-20.5, -0.75}, {-0.75, -0.75}, {-0.5, -0.5}, {0.0, 0.0}, {2.0, 2.0}, {2.25, 2.0}};
static_assert(at<op>(-4.0F, between(-1, 1)) == -1.0F);

TEST_CASE("clip: what lies outside of the range becomes its nearest end") {
  CHECK(largest_error<op, double>(table_between, between(-0.75F, 2)) == 0);
  CHECK(largest_error<op, float>(table_between, between(-0.75F, 2)) == 0);
  CHECK(largest_error<op, float16>(table_between, between(-0.75F, 2)) == 0);
  CHECK(at<op>(math::infinity<float>, between(-1, 3)) == 3);
  CHECK(at<op>(-math::infinity<float>, between(-1, 3)) == -1);
  CHECK(math::is_nan(at<op>(math::nan<float>, between(-1, 3))));
}

TEST_CASE("clip: keywords become attributes, and a bound that is not given is none") {
  builder b;
  auto x = b.input<f32, shape<2>>("x");
  clip(clip(x, at_least<-1.5>, at_most<6>), at_least<2>);
  const auto both = unpack<op::attrs>(b.graph().attrs_of(b.graph().nodes[0])),
             low = unpack<op::attrs>(b.graph().attrs_of(b.graph().nodes[1]));
  CHECK(both.min == -1.5F);
  CHECK(both.max == 6);
  CHECK(low.min == 2);
  CHECK(low.max == math::infinity<float>);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", clip(x));
};

TEST_CASE("clip: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{76});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
