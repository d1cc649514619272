// layer_norm: its rules one by one, and its meaning against numbers that other code computed.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::layer_norm;
using rule = op::rule;

constexpr op::attrs from(std::int64_t norm, std::int64_t param = 1, float epsilon = 1e-7F) {
  op::attrs a;
  a.begin_norm_axis = norm, a.begin_param_axis = param, a.epsilon = epsilon;
  return a;
}
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr operand x = computed(f32_of({2, 3, 4})), inner = weight(f32_of({3, 4})), last = weight(f32_of({4}));
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }

TEST_CASE("layer_norm: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(
      op, {"axis -4", from(-4), {x, inner, inner}, {}, rule::begin_norm_axis_must_be_an_axis_of_the_input, -4, 2});
  NNRT_CHECK_REFUSED(
      op, {"axis 3", from(3), {x, inner, inner}, {}, rule::begin_norm_axis_must_be_an_axis_of_the_input, 3, 2});
  NNRT_CHECK_REFUSED(
      op, {"rank 1", from(1), {last, last, last}, {}, rule::begin_norm_axis_must_be_an_axis_of_the_input, 1, 0});
  NNRT_CHECK_REFUSED(op, {"hostile axis",
                          from(least),
                          {x, inner, inner},
                          {},
                          rule::begin_norm_axis_must_be_an_axis_of_the_input,
                          least,
                          2});
  NNRT_CHECK_REFUSED(op, {"begin_param_axis",
                          from(1, 3),
                          {x, inner, inner},
                          {},
                          rule::begin_param_axis_must_be_an_axis_of_the_input,
                          3,
                          2});
  NNRT_CHECK_REFUSED(op, {"dtype",
                          from(1),
                          {x, inner, weight({f64, {3, 4}})},
                          {},
                          rule::parameter_types_must_equal_input_type,
                          int(f64),
                          int(f32)});
  NNRT_CHECK_REFUSED(op,
                     {"rank", from(2, 2), {x, inner, last}, {}, rule::parameter_rank_must_fit_the_begin_axes, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"rank of beta", from(1, 1), {x, inner, last}, {}, rule::parameter_rank_must_fit_the_begin_axes, 1, 2});
  NNRT_CHECK_REFUSED(op, {"extent",
                          from(1),
                          {x, weight(f32_of({4, 4})), inner},
                          {},
                          rule::parameter_extents_must_equal_input_extents,
                          4,
                          3});
  constexpr rule in_bounds = rule::epsilon_must_not_be_negative_or_infinite;
  constexpr float endless = math::infinity<float>, most = std::numeric_limits<float>::max();
  NNRT_CHECK_REFUSED(op, {"below zero", from(1, 1, -1), {x, inner, inner}, {}, in_bounds, word_of(-1), 0});
  NNRT_CHECK_REFUSED(
      op, {"endless", from(1, 1, endless), {x, inner, inner}, {}, in_bounds, word_of(endless), word_of(most)});
  CHECK_FALSE(infer<op>(from(1, 1, math::nan<float>), {x, inner, inner}));
  CHECK(infer<op>(from(1, 1, 0), {x, inner, inner}).output(0) == x.desc);
  CHECK(breaks(infer<op>({}, {x, inner}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(breaks(infer<op>({}, {computed({u16, {2, 3, 4}}), inner, inner}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(u16), int(i8)));
}

TEST_CASE("layer_norm: the output is like the input; parameters begin at either axis") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, parameter;
  };
  static constexpr row table[] = {
      {"defaults", {}, {2, 3, 4}, {3, 4}},
      {"last axis, parameters from it", from(-1), {2, 3, 4}, {4}},
      {"last axis, parameters from axis 1", from(2), {2, 3, 4}, {3, 4}},
      {"parameters from axis 2 alone", from(1, -1), {2, 3, 4}, {4}},
      {"rank 4", from(3), {2, 5, 7, 3}, {3}},
      {"no rows", {}, {0, 4}, {4}},
      {"unknown batch", {}, {-1, 4}, {4}},
      {"unknown width", {}, {2, -1}, {4}},
      {"empty blocks", {}, {2, 0}, {0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x)), weight(f32_of(r.parameter)), weight(f32_of(r.parameter))});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(r.x));
  }
}

// Rows [1 3] and [-1 -1]: mean 2, deviation 1 and mean -1, deviation 0 (epsilon 0.25: 0.5).
static_assert(run<op, double>(from(1, 1, 0), {1, 2}, filled<double>({1, 2}, {1, 3}), filled<double>({2}, {10, 100}),
                              filled<double>({2}, {1, 2}))
                  .elements == std::vector<double>{-9, 102});
static_assert(run<op, float>(from(1, 1, 0.25F), {1, 2}, filled<float>({1, 2}, {-1, -1}), filled<float>({2}, {10, 100}),
                             filled<float>({2}, {1, 2}))
                  .elements == std::vector<float>{1, 2});

/// With an epsilon of 0: numbers that are all alike have no deviation; those whose squares are too small for f32 have
/// one.
constexpr auto without_epsilon(float a, float b) {
  return run<op, float>(from(1, 1, 0), {1, 2}, filled<float>({1, 2}, {a, b}), filled<float>({2}, {1, -1}),
                        filled<float>({2}, {5, 5}))
      .elements;
}
static_assert(math::is_nan(without_epsilon(1, 1)[0]));
static_assert(without_epsilon(-1e-30F, 1e-30F) == std::vector<float>{4, 4});

TEST_CASE("layer_norm: without a variance and epsilon, results are those of a division by zero") {
  CHECK(math::is_nan(without_epsilon(1, 1)[1]));
  CHECK(without_epsilon(-1e-30F, 1e-30F) == std::vector<float>{4, 4});
  const filled<float> one({2}, {1, 1});
  CHECK(run_quantised<op, std::int8_t>(from(1, 1, 0), {1, 2}, quant{0.5F, 7},
                                       stored<std::int8_t>({1, 2}, {4, 4}, quant{0.5F, 0}), one,
                                       one) == std::vector<std::int8_t>{7, 7});
}

/// x: i * 7 % 11 - 5, [2, 3, 4].
template <class T> filled<T> pattern() {
  filled<T> t(shape_t{2, 3, 4});
  for (int i = 0; i < 24; ++i)
    t.elements[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<float>(i * 7 % 11 - 5));
  return t;
}
template <class T> void check(const filled<T>& y, std::span<const double> expected, double tolerance) {
  REQUIRE(y.elements.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(math::abs(static_cast<double>(y.elements[i]) - expected[i]) < tolerance);
  }
}

// Python: m = sum(b) / n; v = sum((t - m)**2 for t in b) / n; (t - m) / math.sqrt(v + epsilon) * gamma[i % len(gamma)]
// + beta[i % len(beta)].
constexpr double blocks_of_12[] = {-1.3771534798327518, 2.089203206776813,    1.0485121412064624,   7.068862554051313,
                                   5.276996863117643,   2.283251771602662,    11.30830068590079,    7.563380969022489,
                                   2.616581851562879,   14.646329267314282,   8.948355524491353,    2.048502381087113,
                                   0.5956833940369007,  -0.05598419851996028, 5.1408760776491125,   3.6769129477692055,
                                   0.9132769581724238,  9.359319383633682,    5.783387856713854,    0.9077834700771517,
                                   12.603008044830597,  6.915108120870848,    -0.07246466280577657, 14.871942061239855};
constexpr double blocks_of_4[] = {-1.2909944487358056, 11.032795558988644, 18.450806661517035, 35.16397779494322,
                                  0.19245008972987526, 7.305698743781747,  24.04145188432738,  29.2301996410805,
                                  -0.7049344049891616, 12.976389709954239, 20.70493440498916,  25.92704566006262,
                                  0.19245008972987526, 7.305698743781747,  24.04145188432738,  29.2301996410805,
                                  -0.7049344049891616, 12.976389709954239, 20.70493440498916,  25.92704566006262,
                                  1.0182385849843445,  9.530043730007225,  15.535415435068643, 32.81973761995665};

TEST_CASE_TEMPLATE("layer_norm: blocks get mean 0 and variance 1, then gamma and beta", T, float16, float, double) {
  const double tolerance = sizeof(T) == 2 ? 0.02 : sizeof(T) == 4 ? 1e-5 : 1e-7;  // epsilon itself is a float
  filled<T> gamma(shape_t{3, 4}), beta(shape_t{3, 4});
  for (int i = 0; i < 12; ++i) {
    gamma.elements[static_cast<std::size_t>(i)] = static_cast<T>(1 + static_cast<float>(i) * 0.5F);
    beta.elements[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<float>(i));
  }
  check(run<op, T>({}, {2, 3, 4}, pattern<T>(), gamma, beta), blocks_of_12, tolerance);
  check(run<op, T>(from(-1, 1, 0.5F), {2, 3, 4}, pattern<T>(), filled<T>({4}, {T(1), T(2), T(3), T(4)}),
                   filled<T>({4}, {T(0), T(10), T(20), T(30)})),
        blocks_of_4, tolerance);
}

constexpr auto network = [](builder& g) {
  auto input = g.input<f32, nnrt::shape<2, 3, 4>>("x");
  auto y = layer_norm(input, g.weight<f32, nnrt::shape<4>>("gamma"), g.weight<f32, nnrt::shape<4>>("beta"),
                      begin_norm_axis<-1>, begin_param_axis<2>, epsilon<0.5F>);
  static_assert(y.desc == f32_of({2, 3, 4}));
  g.output("y", y);
};

TEST_CASE("layer_norm: keywords arrive as attributes") {
  builder b;
  network(b);
  REQUIRE(b.graph().nodes.size() == 1);
  const auto a = unpack<op::attrs>(b.graph().attrs_of(b.graph().nodes[0]));
  CHECK(a.begin_norm_axis == -1);
  CHECK(a.begin_param_axis == 2);
  CHECK(a.epsilon == 0.5F);
  CHECK(op::attrs{}.epsilon == 1e-7F);
}

TEST_CASE("layer_norm: from the first axis on, all elements are one block") {
  // Python: (x - m) / sqrt(variance + 1e-7) * gamma + beta with m and variance of all eight.
  const filled<double> eight({2, 4}, {1, 2, 3, 4, 5, 6, 7, 9}), gamma({4}, {1, 0.5, -2, 1.5}),
      beta({4}, {0, 0.125, -0.25, 0.25});
  const auto y = run<op, double>(from(0, 1), {2, 4}, eight, gamma, beta);
  const double expected[] = {-1.4518158938894643, -0.4006574788220474, 1.0516280427974507, -0.1254696277300339,
                             0.15018785109201355, 0.4003443936686915,  -2.152379447165505, 2.878287394110237};
  for (std::size_t i = 0; i < 8; ++i) CHECK(math::abs(y.elements[i] - expected[i]) < 1e-12);
  CHECK(infer<op>(from(0, 0), {computed(f32_of({2, 4})), weight(f32_of({2, 4})), weight(f32_of({2, 4}))}).output(0) ==
        f32_of({2, 4}));
  CHECK(infer<op>(from(-2, 1), {computed(f32_of({2, 4})), weight(f32_of({4})), weight(f32_of({4}))}).output(0) ==
        f32_of({2, 4}));
}

constexpr tensor_desc x_i8 = i8_of({2, 4}, quant{0.05F, -20}), row_i8 = i8_of({4}, quant{0.02F, 0});
constexpr operand f4 = weight(f32_of({4})), s4 = weight(row_i8);

TEST_CASE("layer_norm: a quantised one needs scales, and parameters that are f32 or like the input") {
  constexpr tensor_desc y = wish(quant{0.5F, 0}), plain{i8, {2, 4}};
  NNRT_CHECK_REFUSED(
      op, {"x plain", from(1), {computed(plain), f4, f4}, {y}, rule::quantised_input_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"nothing wanted", from(1), {computed(x_i8), f4, f4}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"u8 with i8",
                          from(1),
                          {computed(x_i8), f4, weight({u8, nd, {4}, quant{0.5F, 0}})},
                          {y},
                          rule::parameter_types_of_a_quantised_input_must_be_its_type_or_f32,
                          int(u8),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"gamma per channel",
                          from(1),
                          {computed(x_i8), weight(i8_of({4}, per_channel<0>)), f4},
                          {y},
                          rule::quantised_parameters_must_have_one_scale,
                          4,
                          1});
  CHECK(infer<op>(from(1), {computed(x_i8), s4, f4}, {y}).output(0) == i8_of({2, 4}, quant{0.5F, 0}));
}

// Python: (x - m) / sqrt(variance + 1e-7) * gamma + beta of the real numbers in f64, rounded to float, times float(1 /
// 0.02F), halves away from zero, + 3. x: i * 37 % 256 - 128, scale 0.05F, zero point -20.
TEST_CASE("layer_norm: each quantised value is the nearest to the real result") {
  const auto of_x = spread<std::int8_t>({2, 4}, 37, quant{0.05F, -20});
  const filled<float> gamma({4}, {1, 0.5F, -2, 1.5F}), beta({4}, {0, 0.1F, -0.2F, 0.3F});
  const quant y{0.02F, 3};
  CHECK(run_quantised<op, std::int8_t>(from(1), {2, 4}, y, of_x, gamma, beta) ==
        std::vector<std::int8_t>{-64, -3, -52, 119, 8, 22, -106, -105});
  CHECK(run_quantised<op, std::int8_t>(from(0, 1), {2, 4}, y, of_x, gamma, beta) ==
        std::vector<std::int8_t>{-60, -11, 23, 31, 35, 36, -128, -73});
  CHECK(run_quantised<op, std::int8_t>(from(1), {2, 4}, y, of_x,
                                       stored<std::int8_t>({4}, {50, 25, -100, 75}, quant{0.02F, 0}),
                                       stored<std::int8_t>({4}, {5, 10, -20, 30}, quant{0.01F, 5})) ==
        std::vector<std::int8_t>{-64, -6, -54, 116, 8, 19, -109, -108});
}
static_assert(run_quantised<op, std::uint8_t>(from(1), {1, 2}, quant{0.5F, 3},
                                              stored<std::uint8_t>({1, 2}, {9, 5}, quant{1, 5}),
                                              filled<float>({2}, {2, 2}),
                                              filled<float>({2}, {1, 1})) == std::vector<std::uint8_t>{9, 1});

}  // namespace
