// relu_test: the signature, the arithmetic and both DSL forms of relu.
#include <nnrt/ops/relu.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/full_connection.hpp>

#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;

TEST_CASE("relu: the signature refuses booleans, and the output of plain numbers is like the input") {
  static_assert(breaks(infer<ops::relu>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
  static_assert(breaks(infer<ops::relu>({}, {computed({boolean, {2}})}),
                       signature_rule::operand_type_must_be_accepted_by_the_operator, 1, 2));
  CHECK(breaks(infer<ops::relu>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::relu>({}, {computed(f32_of({2})), computed(f32_of({2}))}),
               signature_rule::operands_must_not_exceed_the_signature, 2, 1));
  static constexpr tensor_desc table[] = {{f32, {3, 5, 7, 2}}, {f16, nchw, {2, 3, 4, 4}},      {i8, {}}, {f64, {-1, 4}},
                                          {f32, {0, 2}},       {f32, {1, 2, 1, 2, 1, 2, 1, 2}}};
  for (const tensor_desc& x : table) {
    const verdict v = infer<ops::relu>({}, {computed(x)});
    REQUIRE(v);
    CHECK(v.output(0) == x);
  }
}

template <class T> constexpr bool gives(std::initializer_list<T> x, std::initializer_list<T> y) {
  const shape_t shape{static_cast<std::int64_t>(x.size())};
  return run<ops::relu, T>({}, shape, filled<T>(shape, x)).elements == std::vector<T>(y);
}
static_assert(gives<float>({-1.5F, 0, 2.5F, 1e30F}, {0, 0, 2.5F, 1e30F}));

TEST_CASE("relu: negative elements become zero, others do not change") {
  CHECK(gives<float>({-1e-30F, 7.25F, -math::infinity<float>, math::infinity<float>},
                     {0, 7.25F, 0, math::infinity<float>}));
  CHECK(gives<double>({-0.1, 0.1}, {0, 0.1}));
  CHECK(gives<float16>({float16(-2.5F), float16(0.5F)}, {float16(0.0F), float16(0.5F)}));
  CHECK(gives<std::int8_t>({-128, -1, 0, 127}, {0, 0, 0, 127}));
  CHECK(gives<std::uint64_t>({0, ~std::uint64_t{0}}, {0, ~std::uint64_t{0}}));
  CHECK(math::is_nan(run<ops::relu, float>({}, {1}, filled<float>({1}, {math::nan<float>})).elements[0]));
}

TEST_CASE("relu: called it is a node, passed it is an attribute") {
  builder b;
  auto x = b.input<f32, shape<2, 3>>("x");
  auto h = full_connection(x, b.weight<f32, shape<4, 3>>("w"), relu);
  b.output("y", relu(h));
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  CHECK(unpack<ops::full_connection::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu);
  CHECK(g.nodes[1].op->code == ops::relu::code);
  CHECK(g.nodes[1].op->traits.computes == meaning::relu);
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 4}));
}

constexpr auto& quantised_rules = rules_of_quantised<ops::relu::rule::quantised_input_must_have_one_scale,
                                                     ops::relu::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::relu>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::relu>());

TEST_CASE("relu: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::relu>(row));
  }
  CHECK(breaks(infer<ops::relu>({}, {computed({i32, nd, {2}, some_scale})}, {wish(some_scale)}),
               ops::relu::rule::quantised_type_must_be_i8_u8_or_i16, int(i32), int(i8)));
}

/// What relu makes of 16 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::relu, T>({}, {16}, y, spread<T>({16}, step, x));
}

// Expected numbers: python integers through TFLite's definition: (x - zero) times scale / scale of y, rounded by SRDHM
// and RDP, from the zero point of y.
TEST_CASE("relu: quantised values have the bits of TFLite's RELU, cut at the zero point") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.1F, -20}, {0.1F, -20}) ==
        std::vector<std::int8_t>{-20, -20, -20, -17, 20, 57, 94, -20, -20, -20, -14, 23, 60, 97, -20, -20});
  CHECK(quantised_result_of<std::int8_t>(37, {0.1F, -20}, {0.03F, -100}) ==
        std::vector<std::int8_t>{-100, -100, -100, -90, 33, 127, 127, -100, -100, -100, -80, 43, 127, 127, -100, -100});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.1F, 108}, {0.1F, 108}) ==
        std::vector<std::uint8_t>{108, 108, 108, 111, 148, 185, 222, 108, 108, 108, 114, 151, 188, 225, 108, 108});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.1F, 108}, {0.03F, 28}) ==
        std::vector<std::uint8_t>{28, 28, 28, 38, 161, 255, 255, 28, 28, 28, 48, 171, 255, 255, 28, 28});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.001F, 0}, {0.0007F, 0}) ==
        std::vector<std::int16_t>{0, 0, 0, 0, 10177, 24424, 32767, 0, 0, 0, 2037, 16284, 30531, 32767, 0, 0});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.1F, -20}, {0.1F, -20})[3] == -17);

TEST_CASE("relu: a quotient of scales beyond float takes all above 0 to the end of the range") {
  CHECK(run_quantised<ops::relu, std::int8_t>({}, {3}, quant{1e-10F, 3},
                                              stored<std::int8_t>({3}, {1, 0, -1}, quant{1e30F, 0})) ==
        std::vector<std::int8_t>{127, 3, 3});
}

static_assert(survives_every_scale<ops::relu, std::int8_t, 1>() && survives_every_scale<ops::relu, std::int16_t, 1>());

}  // namespace
