// batch_norm: its rules one by one, and its meaning by hand.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::batch_norm;
using rule = op::rule;

constexpr operand x = computed(f32_of({1, 8, 8, 4})), c4 = weight(f32_of({4})), c3 = weight(f32_of({3})),
                  half4 = weight({f16, {4}}), row4 = weight(f32_of({1, 4}));
constexpr op::attrs with(float epsilon) {
  op::attrs a;
  a.epsilon = epsilon;
  return a;
}
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }

TEST_CASE("batch_norm: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(
      op, {"scalar", {}, {computed(f32_of({})), c4, c4, c4, c4}, {}, rule::input_must_have_a_channel_axis, 0, 1});
  NNRT_CHECK_REFUSED(op, {"nchw",
                          {},
                          {computed({f32, nchw, {1, 4, 8, 8}}), c4, c4, c4, c4},
                          {},
                          rule::input_must_be_nhwc,
                          int(nchw),
                          int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"dtype of scale",
                          {},
                          {x, half4, c4, c4, c4},
                          {},
                          rule::parameter_types_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"rank of mean", {}, {x, c4, c4, row4, c4}, {}, rule::parameter_rank_must_be_1, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"scale", {}, {x, c3, c4, c4, c4}, {}, rule::parameters_must_have_one_element_for_each_channel, 3, 4});
  NNRT_CHECK_REFUSED(
      op, {"variance", {}, {x, c4, c4, c4, c3}, {}, rule::parameters_must_have_one_element_for_each_channel, 3, 4});
  constexpr rule in_bounds = rule::epsilon_must_not_be_negative_or_infinite;
  constexpr float endless = math::infinity<float>, most = std::numeric_limits<float>::max();
  NNRT_CHECK_REFUSED(op, {"below zero", with(-1), {x, c4, c4, c4, c4}, {}, in_bounds, word_of(-1), 0});
  NNRT_CHECK_REFUSED(op,
                     {"endless", with(endless), {x, c4, c4, c4, c4}, {}, in_bounds, word_of(endless), word_of(most)});
  CHECK_FALSE(infer<op>(with(math::nan<float>), {x, c4, c4, c4, c4}));
  CHECK(infer<op>(with(0), {x, c4, c4, c4, c4}).output(0) == x.desc);
  CHECK(breaks(infer<op>({}, {x, c4, c4, c4}), signature_rule::required_operand_must_be_given, 4, 5));
  CHECK(breaks(infer<op>({}, {computed({i32, {4}}), c4, c4, c4, c4}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i32), int(i8)));
}

TEST_CASE("batch_norm: the output is like the input, whatever its rank") {
  static constexpr shape_t table[] = {{4}, {3, 4}, {2, 5, 7, 4}, {2, 1, 3, 5, 4}, {0, 4}, {-1, -1, 4}, {2, -1}};
  for (const shape_t& shape : table) {
    const verdict v = infer<op>({}, {computed(f32_of(shape)), c4, c4, c4, c4});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(shape));
  }
  CHECK(op::attrs{}.epsilon == 1e-4F);
  CHECK(op::traits.computes == meaning::batch_norm);
}

/// Two channels: scale 6 and 1, offset 1 and 2, mean 3 and 4, variance 8.75 and 3.75; with epsilon 0.25 the factors are
/// 2 and 0.5.
template <class T> constexpr filled<T> two_channels() {
  return run<op, T>(with(0.25F), {2, 1, 2}, filled<T>({2, 1, 2}, {T(3), T(4), T(4), T(-4)}),
                    filled<T>({2}, {T(6), T(1)}), filled<T>({2}, {T(1), T(2)}), filled<T>({2}, {T(3), T(4)}),
                    filled<T>({2}, {T(8.75), T(3.75)}));
}
static_assert(two_channels<float>().elements == std::vector<float>{1, 2, 3, -2});

TEST_CASE_TEMPLATE("batch_norm: (x - mean) / sqrt(variance + epsilon) * scale + offset, per last axis", T, float16,
                   float, double) {
  CHECK(two_channels<T>().elements == std::vector<T>{T(1), T(2), T(3), T(-2)});
}

TEST_CASE("batch_norm: epsilon keeps a variance of 0 finite, in place too") {
  filled<float> y({1, 1}, {2}), one({1}, {1}), zero({1}, {0});
  const view in[] = {y.as_view(), one.as_view(), zero.as_view(), one.as_view(), zero.as_view()}, out[] = {y.as_view()};
  op::reference<float>({}, in, out);
  CHECK(y.elements[0] == doctest::Approx(100.0));  // 1 / sqrt(1e-4)
}

/// x around a mean of 2 with a variance and epsilon of 0.
template <class T> constexpr std::vector<T> without_deviation(float scale, std::vector<T> x) {
  const auto rows = static_cast<std::int64_t>(x.size());
  return run<op, T>(with(0), {rows, 1}, filled<T>({rows, 1}, x), filled<T>({1}, {T(scale)}), filled<T>({1}, {T(5)}),
                    filled<T>({1}, {T(2)}), filled<T>({1}, {T(0)}))
      .elements;
}
template <class T> constexpr bool is_infinite_off_the_mean() {
  const auto up = without_deviation<T>(3, {T(4), T(1), T(2)}), down = without_deviation<T>(-3, {T(4), T(1)});
  constexpr T far = math::infinity<T>;
  return up[0] == far && up[1] == -far && math::is_nan(math::convert<double>(up[2])) && down[0] == -far &&
         down[1] == far && math::is_nan(math::convert<double>(without_deviation<T>(0, {T(4)})[0]));
}
static_assert(is_infinite_off_the_mean<float>() && is_infinite_off_the_mean<double>());

TEST_CASE("batch_norm: without a variance and epsilon, results are those of a division by zero") {
  CHECK(is_infinite_off_the_mean<float16>());
  CHECK(is_infinite_off_the_mean<float>());
  CHECK(is_infinite_off_the_mean<double>());
  const filled<float> one({1}, {1}), zero({1}, {0});
  const auto x = stored<std::int8_t>({3, 1}, {4, -4, 0}, quant{0.5F, 0});
  CHECK(run_quantised<op, std::int8_t>(with(0), {3, 1}, quant{0.5F, 7}, x, one, one, zero, zero) ==
        std::vector<std::int8_t>{127, -128, 7});
}

constexpr auto network = [](builder& g) {
  auto input = g.input<f32, nnrt::shape<2, 3, 3, 4>>("x");
  const auto row = [&](const char* name) { return g.weight<f32, nnrt::shape<4>>(name); };
  auto y = batch_norm(input, row("s"), row("o"), row("m"), row("v"), epsilon<0.5F>);
  static_assert(y.desc == f32_of({2, 3, 3, 4}));
  g.output("y", y);
};

TEST_CASE("batch_norm: five operands and epsilon arrive") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.inputs_of(g.nodes[0]).size() == 5);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[0])).epsilon == 0.5F);
  CHECK(std::bit_cast<float>(static_cast<std::int32_t>(g.attrs_of(g.nodes[0])[0])) ==
        0.5F);  // where passes look for it
}

constexpr tensor_desc x_i8 = i8_of({3, 2}, quant{0.05F, -20}), row_i8 = i8_of({2}, quant{0.02F, 10});
constexpr operand f2 = weight(f32_of({2})), s2 = weight(row_i8);

TEST_CASE("batch_norm: a quantised one needs scales, and parameters that are f32 or like the input") {
  constexpr tensor_desc y = wish(quant{0.5F, 0}), plain{i8, {3, 2}}, per_axis = i8_of({3, 2}, per_channel<1>);
  NNRT_CHECK_REFUSED(
      op, {"x plain", {}, {computed(plain), f2, f2, f2, f2}, {y}, rule::quantised_input_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"x per channel",
                          {},
                          {computed(per_axis), f2, f2, f2, f2},
                          {y},
                          rule::quantised_input_must_have_one_scale,
                          2,
                          1});
  NNRT_CHECK_REFUSED(
      op,
      {"nothing wanted", {}, {computed(x_i8), f2, f2, f2, f2}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"f16 with i8",
                          {},
                          {computed(x_i8), f2, weight({f16, {2}}), f2, f2},
                          {y},
                          rule::parameter_types_of_a_quantised_input_must_be_its_type_or_f32,
                          int(f16),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"plain mean",
                          {},
                          {computed(x_i8), f2, f2, weight({i8, {2}}), f2},
                          {y},
                          rule::quantised_parameters_must_have_one_scale,
                          0,
                          1});
  CHECK(breaks(infer<op>({}, {computed(f32_of({3, 2})), s2, f2, f2, f2}), rule::parameter_types_must_equal_input_type,
               int(i8), int(f32)));
  CHECK(infer<op>({}, {computed(x_i8), s2, f2, s2, f2}, {y}).output(0) == i8_of({3, 2}, quant{0.5F, 0}));
}

// Python: (x - mean) * (scale / sqrt(variance + 1e-4)) + offset of the real numbers in f64, rounded to float, times
// float(1 / 0.04F), halves away from zero, + 10. x: i * 37 % 256 - 128, scale 0.05F, zero point -20.
TEST_CASE("batch_norm: each quantised value is the nearest to the real result") {
  const auto of_x = spread<std::int8_t>({3, 2}, 37, quant{0.05F, -20});
  CHECK(run_quantised<op, std::int8_t>({}, {3, 2}, quant{0.04F, 10}, of_x, filled<float>({2}, {1.5F, -0.5F}),
                                       filled<float>({2}, {0.25F, 1}), filled<float>({2}, {0.5F, -1}),
                                       filled<float>({2}, {2, 0.3F})) ==
        std::vector<std::int8_t>{-128, 93, -42, 9, 56, -76});
  CHECK(run_quantised<op, std::int8_t>(
            {}, {3, 2}, quant{0.04F, 10}, of_x, stored<std::int8_t>({2}, {100, -50}, quant{0.02F, 10}),
            stored<std::int8_t>({2}, {7, 120}, quant{0.01F, 0}), stored<std::int8_t>({2}, {-30, 60}, quant{0.02F, 5}),
            stored<std::int8_t>({2}, {127, 40}, quant{0.01F, -100})) ==
        std::vector<std::int8_t>{-128, 127, -18, 64, 92, -30});
}
static_assert(run_quantised<op, std::uint8_t>({}, {1, 1}, quant{0.5F, 3},
                                              stored<std::uint8_t>({1, 1}, {9}, quant{1, 5}), filled<float>({1}, {2}),
                                              filled<float>({1}, {1}), filled<float>({1}, {0}),
                                              filled<float>({1}, {4})) ==
              std::vector<std::uint8_t>{13});  // 4 / 2 * 2 + 1

}  // namespace
