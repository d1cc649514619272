// abs_test: the signature, the arithmetic and the DSL function of abs.
#include <nnrt/ops/abs.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::abs;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;
using enum signature_rule;

/// The reference's answers.
template <class T> constexpr std::vector<T> of(std::vector<T> list) {
  const shape_t shape{static_cast<std::int64_t>(list.size())};
  return run<op, T>({}, shape, filled<T>(shape, list)).elements;
}

TEST_CASE("abs: missing, surplus, and boolean operands are refused") {
  constexpr operand one = computed(f32_of({2}));
  CHECK(breaks(infer<op>({}, {}), required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {one, one}), operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<op>({}, {computed({boolean, {2}})}), operand_type_must_be_accepted_by_the_operator, int(boolean),
               int(i8)));
}

TEST_CASE("abs: quantised values of 8 and 16 bits have a scale, and are brought to that of the result") {
  using rule = op::rule;
  const quant half{0.5F, 3};
  CHECK(asks_for_scales<op, one_in, one_out, false>());
  CHECK(breaks(infer<op>({}, {computed({i32, nd, {2}, half})}), rule::quantised_type_must_be_i8_u8_or_i16, int(i32),
               int(i8)));
  const auto f = [](double x) { return std::fabs(x); };
  CHECK(wrong_steps<op, std::int8_t>(quant{0.25F, 3}, quant{0.25F, 3}, f) == 0);
  CHECK(wrong_steps<op, std::int8_t>(quant{0.07F, -40}, quant{0.11F, 12}, f) == 0);
  CHECK(wrong_steps<op, std::uint8_t>(quant{0.07F, 100}, quant{0.05F, 128}, f) == 0);
}

TEST_CASE("abs: a quotient of scales beyond float takes quantised values to the end of the range") {
  CHECK(run_quantised<op, std::int8_t>({}, {3}, quant{1e-10F, 3},
                                       stored<std::int8_t>({3}, {-1, 0, 1}, quant{1e30F, 0})) ==
        std::vector<std::int8_t>{127, 3, 127});
}

TEST_CASE("abs: the output is like the input, floats and integers alike") {
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
  for (int type = int(i8); type < dtype_count; ++type)
    CHECK(gives_back<op>({static_cast<dtype>(type), nchw, {2, 3, 5, 1}}));
}

// Golden numbers by Python: abs(x)
constexpr golden table[] = {
    {-20.5, 20.5}, {-3.0, 3.0}, {-1.0, 1.0}, {-0.75, 0.75}, {-0.0625, 0.0625},
    {0.0, 0.0},    {0.5, 0.5},  {1.0, 1.0},  {2.25, 2.25},  {6.5, 6.5},
};

TEST_CASE("abs: floats give the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-0.0F)) == 0);
  CHECK(at<op>(-math::infinity<float>) == math::infinity<float>);
  CHECK(run<op, float>({}, {0, 3}, filled<float>({0, 3})).elements.empty());
}

static_assert(of<std::int8_t>({-128, -127, -1, 0, 1, 127}) == std::vector<std::int8_t>{-128, 127, 1, 0, 1, 127});
static_assert(of<float>({-1.5F, 2}) == std::vector<float>{1.5F, 2});

TEST_CASE("abs: integers of every width lose their sign, and those without one are what they were") {
  CHECK(of<std::int16_t>({-32768, -300, 300}) == std::vector<std::int16_t>{-32768, 300, 300});
  CHECK(of<std::int32_t>({-2147483647, 5}) == std::vector<std::int32_t>{2147483647, 5});
  CHECK(of<std::int64_t>({INT64_MIN, INT64_MIN + 1, 7}) == std::vector<std::int64_t>{INT64_MIN, INT64_MAX, 7});
  CHECK(of<std::uint8_t>({0, 128, 255}) == std::vector<std::uint8_t>{0, 128, 255});
  CHECK(of<std::uint64_t>({~std::uint64_t{0}, 1}) == std::vector<std::uint64_t>{~std::uint64_t{0}, 1});
}

constexpr auto network = [](builder& b) {
  auto x = b.input<i16, shape<2, 3>>("x");
  b.output("y", abs(x));
};

TEST_CASE("abs: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{58});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{i16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
