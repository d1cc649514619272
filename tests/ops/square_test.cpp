// square_test: the signature, the arithmetic and the DSL form of square.
#include <nnrt/ops/square.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;
using op = ops::square;
using enum signature_rule;

/// The reference's answers.
template <class T> constexpr std::vector<T> of(std::vector<T> list) {
  const shape_t shape{static_cast<std::int64_t>(list.size())};
  return run<op, T>({}, shape, filled<T>(shape, list)).elements;
}

TEST_CASE("square: missing, surplus, boolean and quantised operands are refused") {
  constexpr operand one = computed(f32_of({2}));
  CHECK(breaks(infer<op>({}, {}), required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {one, one}), operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<op>({}, {computed({boolean, {2}})}), operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {2}, quant{0.5F, 3}})}), quantised_operands_must_be_accepted_by_the_operator, 1, 0));
}

TEST_CASE("square: the output is like the input, floats and integers alike") {
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<op>(x));
  for (int type = int(i8); type < dtype_count; ++type) CHECK(gives_back<op>({static_cast<dtype>(type), nchw, {2, 3, 5, 1}}));
}

// Golden numbers by Python: x * x
constexpr golden table[] = {
    {-20.5, 420.25},
    {-3.0, 9.0},
    {-1.0, 1.0},
    {-0.75, 0.5625},
    {-0.0625, 0.00390625},
    {0.0, 0.0},
    {0.5, 0.25},
    {1.0, 1.0},
    {2.25, 5.0625},
    {6.5, 42.25},
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
  CHECK(of<std::int16_t>({-181, 182, 300}) == std::vector<std::int16_t>{32761, -32412, 24464});  // 182^2 - 2^16, 90000 - 2^16
  CHECK(of<std::int64_t>({-3000000000, INT64_MIN}) == std::vector<std::int64_t>{9000000000000000000, 0});
  CHECK(of<std::uint8_t>({15, 16, 17}) == std::vector<std::uint8_t>{225, 0, 33});
  CHECK(of<std::uint16_t>({65535}) == std::vector<std::uint16_t>{1});
  CHECK(of<std::uint32_t>({65535}) == std::vector<std::uint32_t>{4294836225U});
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
