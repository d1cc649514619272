// tanh_test: the signature, the arithmetic and the DSL function of tanh.
#include <nnrt/ops/tanh.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"
#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(refuses_other_operands<ops::tanh, i8>());

TEST_CASE("tanh: the signature refuses what is no number, and floats give their like") {
  CHECK(refuses_other_operands<ops::tanh, i8>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::tanh>(x));
}

// Golden numbers by Python: math.tanh(x)
constexpr golden table[] = {
    {-8.0, -0.9999997749296758},
    {-3.0, -0.9950547536867305},
    {-1.5, -0.9051482536448664},
    {-0.25, -0.24491866240370913},
    {0.0, 0.0},
    {0.5, 0.46211715726000974},
    {1.0, 0.7615941559557649},
    {2.75, 0.9918597245682077},
    {3.0, 0.9950547536867305},
    {6.5, 0.9999954793514042},
};

TEST_CASE("tanh: every dtype gives the golden numbers, rounded once") {
  CHECK(largest_error<ops::tanh, double>(table) <= 4);
  CHECK(largest_error<ops::tanh, float>(table) <= 0.51);
  CHECK(largest_error<ops::tanh, float16>(table) <= 0.51);
  const filled<float> none = run<ops::tanh, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::tanh>(0) == 0 && at<ops::tanh>(20) == 1);

TEST_CASE("tanh: far out it is -1 and 1, near zero it is x, and a NaN stays one") {
  CHECK(at<ops::tanh>(math::infinity<float>) == 1);
  CHECK(at<ops::tanh>(-math::infinity<float>) == -1);
  CHECK(at<ops::tanh>(1e-20F) == 1e-20F);
  CHECK(math::is_nan(at<ops::tanh>(math::nan<float>)));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f16, shape<2, 3>>("x");
  b.output("y", nnrt::tanh(x));
};

TEST_CASE("tanh: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{39});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3}});
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

constexpr auto& quantised_rules = rules_of_quantised<ops::tanh::rule::quantised_input_must_have_one_scale,
                                                     ops::tanh::rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<ops::tanh>(quantised_rules));
static_assert(gives_the_wanted_scale<ops::tanh>());

TEST_CASE("tanh: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<ops::tanh>(row));
  }
  CHECK(breaks(infer<ops::tanh>({}, {computed({i8, {2}})}, {wish(some_scale)}),
               ops::tanh::rule::quantised_input_must_have_one_scale, 0, 1));
}

/// What tanh makes of 16 quantised values all over the range.
template <class T> constexpr std::vector<T> quantised_result_of(int step, quant x, quant y) {
  return run_quantised<ops::tanh, T>({}, {16}, y, spread<T>({16}, step, x));
}

// Expected numbers: python, round(tanh(x) * (1 / scale of y)) + zero point, where x, the result and the product
// are rounded to float, halves away from zero.
TEST_CASE("tanh: quantised values are those of TFLite's table for TANH") {
  CHECK(quantised_result_of<std::int8_t>(37, {0.02F, 10}, {1 / 128.0F, 0}) ==
        std::vector<std::int8_t>{-127, -124, -110, -63, 25, 94, 119, -127, -123, -107, -57, 33, 97, 120, -127, -122});
  CHECK(quantised_result_of<std::int8_t>(37, {0.02F, 10}, {0.03F, -50}) ==
        std::vector<std::int8_t>{-83, -82, -79, -66, -43, -25, -19, -83, -82, -78, -65, -42, -25, -19, -83, -82});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.02F, 138}, {1 / 128.0F, 128}) ==
        std::vector<std::uint8_t>{1, 4, 18, 65, 153, 222, 247, 1, 5, 21, 71, 161, 225, 248, 1, 6});
  CHECK(quantised_result_of<std::uint8_t>(37, {0.02F, 138}, {0.03F, 78}) ==
        std::vector<std::uint8_t>{45, 46, 49, 62, 85, 103, 109, 45, 46, 50, 63, 86, 103, 109, 45, 46});
}

// Python, from the 256 numbers of TFLite's table (sigmoid(i / 24) as 16 bits), interpolated: x * 3, or x times the
// upper 15 bits of scale * 12288, rounded toward plus infinity in the middle, has the place in its upper bits.
TEST_CASE("tanh: quantised values of 16 bits are interpolated as TFLite's TANH does") {
  CHECK(quantised_result_of<std::int16_t>(9973, {1 / 4096.0F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{-32767, -32767, -32643, -19711, 30806, 32752, 32767, -32767, -32760, -31774, 10968,
                                  32518, 32766, 32767, -32767, -32706});
  CHECK(quantised_result_of<std::int16_t>(9973, {1 / 2048.0F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{-32767, -32767, -32767, -28948, 32706, 32767, 32767, -32767, -32767, -32752, 19726,
                                  32767, 32767, 32767, -32767, -32767});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.0003F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{-32767, -32767, -32738, -22725, 31868, 32766, 32767, -32767, -32767, -32382, 13221,
                                  32697, 32767, 32767, -32767, -32755});
  CHECK(quantised_result_of<std::int16_t>(9973, {0.00001F, 0}, {1 / 32768.0F, 0}) ==
        std::vector<std::int16_t>{-10368, -7343, -4180, -933, 2329, 5549, 8659, -9091, -6001, -2794, 467, 3720, 6898,
                                  9949, -7784, -4635});
}

TEST_CASE("tanh: 16 bits stored otherwise than TFLite has them are rounded from the real numbers") {
  CHECK(quantised_result_of<std::int16_t>(9973, {1 / 4096.0F, 0}, {1 / 32768.0F, 2}) ==
        std::vector<std::int16_t>{-32766, -32765, -32641, -19709, 30809, 32754, 32767, -32766, -32758, -31772, 10970,
                                  32520, 32767, 32767, -32766, -32704});
}
static_assert(quantised_result_of<std::int8_t>(37, {0.02F, 10}, {1 / 128.0F, 0})[3] == -63);

static_assert(survives_every_scale<ops::tanh, std::int8_t, 1>() && survives_every_scale<ops::tanh, std::int16_t, 1>());

}  // namespace
