// square_test: the signature, the arithmetic and the DSL function of square.
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/square.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::square;
constexpr auto one_in = op::rule::quantised_input_must_have_one_scale,
               one_out = op::rule::quantised_output_must_have_one_scale;
using enum signature_rule;

/// The reference's answers.
template <class T> constexpr std::vector<T> of(std::vector<T> list) {
  const shape_t shape{static_cast<std::int64_t>(list.size())};
  return run<op, T>({}, shape, filled<T>(shape, list)).elements;
}

TEST_CASE("square: missing, surplus, and boolean operands are refused") {
  constexpr operand one = computed(f32_of({2}));
  CHECK(breaks(infer<op>({}, {}), required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {one, one}), operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<op>({}, {computed({boolean, {2}})}), operand_type_must_be_accepted_by_the_operator, int(boolean),
               int(i8)));
}

/// How many of all 256 quantised values are not what mul makes of them and themselves.
int unlike_mul(quant from, quant to) {
  filled<std::int8_t> x({256}), y({256}), z({256});
  for (int i = 0; i < 256; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
  x.desc.quantised = from, y.desc.quantised = z.desc.quantised = to;
  const view in[] = {x.as_view(), x.as_view()}, out[] = {y.as_view()}, expected[] = {z.as_view()};
  op::reference<std::int8_t>({}, array_ref<const view>(in, 1), out);
  ops::mul::reference<std::int8_t>({}, in, expected);
  int unlike = 0;
  for (std::size_t i = 0; i < 256; ++i) unlike += y.elements[i] != z.elements[i] ? 1 : 0;
  return unlike;
}

TEST_CASE("square: quantised values of 8 and 16 bits have a scale, and are multiplied as mul does it") {
  using rule = op::rule;
  const quant half{0.5F, 3};
  CHECK(asks_for_scales<op, one_in, one_out, false>());
  CHECK(breaks(infer<op>({}, {computed({i32, nd, {2}, half})}), rule::quantised_type_must_be_i8_u8_or_i16, int(i32),
               int(i8)));
  CHECK(unlike_mul(quant{0.25F, 3}, quant{0.25F, 3}) == 0);
  CHECK(unlike_mul(quant{0.07F, -40}, quant{0.11F, 12}) == 0);
  CHECK(wrong_steps<op, std::int8_t>(quant{1, 3}, quant{1, -128}, [](double x) { return x * x; }) == 0);
}

TEST_CASE("square: the output is like the input, floats and integers alike") {
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
  for (int type = int(i8); type < dtype_count; ++type)
    CHECK(gives_back<op>({static_cast<dtype>(type), nchw, {2, 3, 5, 1}}));
}

// Golden numbers by Python: x * x
constexpr golden table[] = {
    {-20.5, 420.25}, {-3.0, 9.0}, {-1.0, 1.0}, {-0.75, 0.5625}, {-0.0625, 0.00390625},
    {0.0, 0.0},      {0.5, 0.25}, {1.0, 1.0},  {2.25, 5.0625},  {6.5, 42.25},
};

TEST_CASE("square: floats give the golden numbers, rounded once") {
  CHECK(largest_error<op, double>(table) <= 0.51);
  CHECK(largest_error<op, float>(table) <= 0.51);
  CHECK(largest_error<op, float16>(table) <= 0.51);
  CHECK(math::is_nan(at<op>(math::nan<float>)));
  CHECK(std::bit_cast<std::uint32_t>(at<op>(-0.0F)) == 0);
  CHECK(at<op>(-math::infinity<float>) == math::infinity<float>);
  CHECK(run<op, float>({}, {0, 3}, filled<float>({0, 3})).elements.empty());
}

static_assert(of<std::int8_t>({-128, -11, -1, 0, 1, 12}) == std::vector<std::int8_t>{0, 121, 1, 0, 1, -112});
static_assert(of<float>({-1.5F, 2}) == std::vector<float>{2.25F, 4});

TEST_CASE("square: integers of every width wrap around") {
  // 182^2 - 2^16, 90000 - 2^16
  CHECK(of<std::int16_t>({-181, 182, 300}) == std::vector<std::int16_t>{32761, -32412, 24464});
  CHECK(of<std::int64_t>({-3000000000, INT64_MIN}) == std::vector<std::int64_t>{9000000000000000000, 0});
  CHECK(of<std::uint8_t>({15, 16, 17}) == std::vector<std::uint8_t>{225, 0, 33});
  CHECK(of<std::uint16_t>({65535}) == std::vector<std::uint16_t>{1});
  CHECK(of<std::uint32_t>({65535}) == std::vector<std::uint32_t>{4294836225U});
}

TEST_CASE("square: squares of quantised values beyond 32 bits, and scales beyond float, are not cut") {
  CHECK(run_quantised<op, std::int16_t>({}, {1}, quant{0x1p18F, 0},
                                        stored<std::int16_t>({1}, {32767}, quant{1.0F, -32768})) ==
        std::vector<std::int16_t>{16384});  // 65535 * 65535 / 2^18 = 16383.500004
  const auto huge = stored<std::int8_t>({2}, {1, -1}, quant{1e20F, 0});
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{1.0F, 3}, huge) == std::vector<std::int8_t>{127, 127});
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{1e38F, 3}, huge) == std::vector<std::int8_t>{103, 103});
}

TEST_CASE("square: what is too large for float16 is infinite") {
  CHECK(of<float16>({float16(300.0F)})[0] == math::infinity<float16>);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<i16, shape<2, 3>>("x");
  b.output("y", square(x));
};

TEST_CASE("square: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{63});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{i16, {2, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
