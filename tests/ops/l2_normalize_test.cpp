// l2_normalize_test: rules, shapes, elements and the DSL function of l2_normalize.
#include <nnrt/ops/l2_normalize.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu6.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::l2_normalize;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs on(std::initializer_list<std::int64_t> axes) {
  attrs a;
  for (const std::int64_t axis : axes) a.axis.push_back(axis);
  return a;
}
constexpr attrs with(float epsilon, activation fused) {
  attrs a;
  a.epsilon = epsilon;
  a.fused = fused;
  return a;
}
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }
static_assert(infer<op>(on({-2}), {computed({f16, nchw, {-1, 3, 0, 4}})}).output(0) ==
              tensor_desc{f16, nchw, {-1, 3, 0, 4}});

/// The largest distance of the reference's answer, for element type T, from golden numbers.
template <class T> constexpr double largest_distance(const attrs& a, const std::vector<double>& expected) {
  constexpr double elements[] = {0.5, -2.0, 3.0, 1.25, 0.0, -1.0, 7.0, -0.75, 2.0, 2.0, -4.5, 0.25};
  filled<T> x({2, 3, 2});
  for (std::size_t i = 0; i < 12; ++i) x.elements[i] = math::convert<T>(elements[i]);
  const filled<T> y = run<op, T>(a, {2, 3, 2}, x);
  double largest = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const double distance = math::abs(math::convert<double>(y.elements[i]) - expected[i]);
    largest = distance <= largest ? largest : distance;
  }
  return largest;
}

// Python: x / math.sqrt(max(sum(v * v for v in group), 1e-6))
TEST_CASE("l2_normalize: every dtype gives the golden numbers, rounded once, along exactly the axes that are named") {
  CHECK(largest_distance<double>(
            {}, {0.05165699982016261, -0.20662799928065043, 0.3099419989209756, 0.12914249955040652, 0.0,
                 -0.10331399964032521, 0.7231979974822765, -0.0774854997302439, 0.20662799928065043,
                 0.20662799928065043, -0.4649129983814635, 0.025828499910081303}) < 1e-14);
  CHECK(largest_distance<float>(
            {}, {0.05165699982016261, -0.20662799928065043, 0.3099419989209756, 0.12914249955040652, 0.0,
                 -0.10331399964032521, 0.7231979974822765, -0.0774854997302439, 0.20662799928065043,
                 0.20662799928065043, -0.4649129983814635, 0.025828499910081303}) < 1e-7);
  CHECK(largest_distance<float16>(
            {}, {0.05165699982016261, -0.20662799928065043, 0.3099419989209756, 0.12914249955040652, 0.0,
                 -0.10331399964032521, 0.7231979974822765, -0.0774854997302439, 0.20662799928065043,
                 0.20662799928065043, -0.4649129983814635, 0.025828499910081303}) < 1e-3);
  CHECK(largest_distance<double>(on({1}),
                                 {0.1643989873053573, -0.7807200583588266, 0.9863939238321437, 0.4879500364742666, 0.0,
                                  -0.3903600291794133, 0.8178887329717803, -0.34874291623145787, 0.2336824951347944,
                                  0.9299811099505543, -0.5257856140532874, 0.11624763874381928}) < 1e-14);
  CHECK(largest_distance<float>(on({1}),
                                {0.1643989873053573, -0.7807200583588266, 0.9863939238321437, 0.4879500364742666, 0.0,
                                 -0.3903600291794133, 0.8178887329717803, -0.34874291623145787, 0.2336824951347944,
                                 0.9299811099505543, -0.5257856140532874, 0.11624763874381928}) < 1e-7);
  CHECK(largest_distance<float16>(on({1}),
                                  {0.1643989873053573, -0.7807200583588266, 0.9863939238321437, 0.4879500364742666, 0.0,
                                   -0.3903600291794133, 0.8178887329717803, -0.34874291623145787, 0.2336824951347944,
                                   0.9299811099505543, -0.5257856140532874, 0.11624763874381928}) < 1e-3);
  CHECK(largest_distance<double>(on({2, -3}),
                                 {0.0681598176590997, -0.2726392706363988, 0.6963106238227914, 0.29012942659282975, 0.0,
                                  -0.21661214442955293, 0.9542374472273958, -0.10223972648864954, 0.46420708254852755,
                                  0.46420708254852755, -0.9747546499329882, 0.05415303610738823}) < 1e-14);
  CHECK(largest_distance<float>(on({2, -3}),
                                {0.0681598176590997, -0.2726392706363988, 0.6963106238227914, 0.29012942659282975, 0.0,
                                 -0.21661214442955293, 0.9542374472273958, -0.10223972648864954, 0.46420708254852755,
                                 0.46420708254852755, -0.9747546499329882, 0.05415303610738823}) < 1e-7);
  CHECK(largest_distance<float16>(
            on({2, -3}), {0.0681598176590997, -0.2726392706363988, 0.6963106238227914, 0.29012942659282975, 0.0,
                          -0.21661214442955293, 0.9542374472273958, -0.10223972648864954, 0.46420708254852755,
                          0.46420708254852755, -0.9747546499329882, 0.05415303610738823}) < 1e-3);
}

static_assert(run<op, float>(on({1}), {2, 2}, filled<float>({2, 2}, {3, -4, 0, 0})).elements ==
              std::vector<float>{0.6F, -0.8F, 0, 0});

TEST_CASE("l2_normalize: epsilon is the least sum that divides, and the activation comes last") {
  CHECK(run<op, float>(with(4, activation::none), {2}, filled<float>({2}, {1, -1})).elements ==
        std::vector<float>{0.5F, -0.5F});
  CHECK(run<op, float>(with(1, activation::relu), {2}, filled<float>({2}, {3, -4})).elements ==
        std::vector<float>{0.6F, 0});
  CHECK(run<op, float>({}, {2}, filled<float>({2}, {0x3p100F, -0x4p100F})).elements == std::vector<float>{0.6F, -0.8F});
  CHECK(math::is_nan(run<op, float>({}, {2}, filled<float>({2}, {math::nan<float>, 1})).elements[1]));
  CHECK(run<op, float>({}, {0, 3}, filled<float>({0, 3})).elements.empty());
}

constexpr auto beside_infinity = [] {
  return run<op, float>({}, {3}, filled<float>({3}, {math::infinity<float>, 1, -2})).elements;
};
static_assert(math::is_nan(beside_infinity()[0]) && beside_infinity()[1] == 0 && beside_infinity()[2] == 0);

TEST_CASE("l2_normalize: with an infinity all other elements are 0, and it becomes NaN") {
  CHECK(math::is_nan(beside_infinity()[0]));
  CHECK(beside_infinity()[2] == 0);
}

TEST_CASE("l2_normalize: keywords become attributes") {
  builder b;
  l2_normalize(b.input<f32, shape<2, 3>>("x"), axes<0, -1>, epsilon<0.5>, relu6);
  const auto a = unpack<attrs>(b.graph().attrs_of(b.graph().nodes[0]));
  CHECK(a.axis == axis_list{0, -1});
  CHECK(a.epsilon == 0.5F);
  CHECK(a.fused == activation::relu6);
}

TEST_CASE("l2_normalize: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(
      op, {"after the last", on({2}), {computed(f32_of({2, 3}))}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op, {"twice", on({1, -1}), {computed(f32_of({2, 3}))}, {}, rule::axes_must_differ, 2, 1});
  NNRT_CHECK_REFUSED(op, {"no epsilon",
                          with(0, activation::none),
                          {computed(f32_of({2, 3}))},
                          {},
                          rule::epsilon_must_be_positive_and_finite,
                          0,
                          word_of(std::numeric_limits<float>::min())});
  NNRT_CHECK_REFUSED(op, {"endless",
                          with(math::infinity<float>, activation::none),
                          {computed(f32_of({2, 3}))},
                          {},
                          rule::epsilon_must_be_positive_and_finite,
                          word_of(math::infinity<float>),
                          word_of(std::numeric_limits<float>::max())});
  CHECK(breaks(infer<op>({}, {computed({i16, nd, {2, 2}, quant{0.5F, 3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i16), int(i8)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto& quantised_rules =
    rules_of_quantised<rule::quantised_input_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<op>(quantised_rules));
static_assert(survives_every_scale<op, std::int8_t, 1>() && survives_every_scale<op, std::uint8_t, 1>());

TEST_CASE("l2_normalize: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  CHECK(infer<op>({}, {computed({u8, nchw, {1, -1, 3, 2}, some_scale})}, {wish(quant{0.25F, 9})}).output(0) ==
        tensor_desc{u8, nchw, {1, -1, 3, 2}, quant{0.25F, 9}});
}

/// Of two rows of steps from 3, one of them with all of its length in one place. As i8; of u8 all numbers are 128 more.
template <class T> constexpr std::vector<T> quantised_result(quant y, activation fused = activation::none) {
  constexpr int shift = std::is_signed_v<T> ? 0 : 128;
  filled<T> x({2, 4});
  x.desc.quantised = quant{0.1F, 3 + shift};
  constexpr int elements[] = {-128, 5, 13, 90, 7, 3, 3, 3};
  for (std::size_t i = 0; i < 8; ++i) x.elements[i] = static_cast<T>(elements[i] + shift);
  attrs a = on({-1});
  a.fused = fused;
  return run_quantised<op, T>(a, {2, 4}, y, x);
}

// The first two by TensorFlow Lite 2.14.1's L2_NORMALIZATION; the third by Python: round((x - 3) / math.sqrt(sum((v -
// 3) ** 2 for v in row)) / 0.01) - 20, clamped.
TEST_CASE("l2_normalize: stored bytes are those of TFLite's L2_NORMALIZATION, in any other scale the nearest ones") {
  CHECK(quantised_result<std::int8_t>({1 / 128.0F, 0}) == std::vector<std::int8_t>{-106, 2, 8, 71, 127, 0, 0, 0});
  CHECK(quantised_result<std::uint8_t>({1 / 128.0F, 128}) ==
        std::vector<std::uint8_t>{22, 130, 136, 199, 255, 128, 128, 128});
  CHECK(quantised_result<std::int8_t>({0.01F, -20}) == std::vector<std::int8_t>{-103, -19, -14, 35, 80, -20, -20, -20});
  CHECK(quantised_result<std::int8_t>({0.01F, -20}, activation::relu) ==
        std::vector<std::int8_t>{-20, -19, -14, 35, 80, -20, -20, -20});
}
static_assert(quantised_result<std::int8_t>({1 / 128.0F, 0})[0] == -106);

TEST_CASE("l2_normalize: bytes that are all at the zero point stay there, and sums beyond 32 bits divide like others") {
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{1 / 128.0F, 0}, stored<std::int8_t>({2}, {7, 7}, quant{1, 7})) ==
        std::vector<std::int8_t>{0, 0});
  constexpr std::int64_t count = 90'000;  // 255^2 * count is more than 2^32; 255 / (255 * 300) is 1/300
  const auto y = run_quantised<op, std::uint8_t>(
      {}, {count}, quant{1 / 30000.0F, 0},
      stored<std::uint8_t>({count}, std::vector<std::uint8_t>(count, 255), quant{1, 0}));
  CHECK(y[0] == 100);
}

constexpr auto network = [](builder& b) {
  auto y = l2_normalize(b.input<f32, shape<2, 3>>("x"), axis<-1>);
  static_assert(y.desc == f32_of({2, 3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{94};
}());

}  // namespace
