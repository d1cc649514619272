// How an accelerator rounds, against numbers that a script computed from the formulas in exact fractions.
#include <policy/rounding_vectors.hpp>

#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_add.hpp>
#include <nnrt/ops/conv2d_transpose_add.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/softmax.hpp>

#include <doctest/doctest.h>
#include <support/operators.hpp>

using namespace nnrt_test;

namespace {

constexpr quantisation even(float scale, std::int32_t zero_point = 0) {
  return quant{scale, zero_point, quantised_rounding::half_to_even};
}

constexpr bool holds(const quantised_row& r) {
  const quantisation q = even(r.scale, r.zero_point);
  return quantised_as<std::int8_t>(r.x, q) == r.i8 && quantised_as<std::int16_t>(r.x, q) == r.i16;
}
constexpr bool holds(const requantised_row& r) {
  const quantisation q = even(1, r.zero_point);
  return requantise<std::int8_t>(r.sum, r.factor, q, {-128, 127}) == r.i8 &&
         requantise<std::int16_t>(r.sum, r.factor, q, {-32768, 32767}) == r.i16;
}
constexpr bool holds(const sum_row& r) {
  const tensor_desc a{i8, nd, {1}, quant{r.a_scale}}, b{i8, nd, {1}, quant{r.b_scale}}, y{i8, nd, {1}, even(r.y_scale)};
  const view in[] = {{&a, {}}, {&b, {}}}, out[] = {{&y, {}}};
  const ops::detail::quantised_sum<std::int8_t> sum({in, out, activation::none}, 1);
  return sum(static_cast<std::int8_t>(r.a), static_cast<std::int8_t>(r.b)) == r.y;
}
/// A pixel whose convolution is the bias alone, the same in each channel: with two it is a depthwise one.
template <class Op> constexpr bool holds(const unit_row& r, std::int64_t channels) {
  const auto n = static_cast<std::size_t>(channels);
  filled<std::int8_t> x({1, 1, 1, channels}), weight({channels, 1, 1, 1}), addend({1, 1, 1, channels}),
      y({1, 1, 1, channels});
  filled<std::int32_t> bias({channels});
  std::array<float, 2> w_scales{r.w_scale, r.w_scale};
  for (std::size_t c = 0; c < n; ++c)
    weight.elements[c] = 1, addend.elements[c] = static_cast<std::int8_t>(r.addend), bias.elements[c] = r.sum;
  x.desc.quantised = quant{r.x_scale};
  weight.desc.quantised = per_channel<0>;
  addend.desc.quantised = quant{r.addend_scale};
  y.desc.quantised = even(r.y_scale);
  view stored = weight.as_view();
  stored.scales = {w_scales.data(), n};
  const view in[] = {x.as_view(), stored, bias.as_view(), addend.as_view()}, out[] = {y.as_view()};
  typename Op::attrs attrs;
  attrs.group = channels;
  if (r.is_rectified) attrs.fused = activation::relu;
  Op::template reference<std::int8_t>(attrs, in, out);
  return y.elements[0] == r.y && y.elements[n - 1] == r.y;
}
constexpr bool holds(const unit_row& r) { return holds<ops::conv2d_add>(r, 1); }
template <class Row, std::size_t N> constexpr int first_wrong(const Row (&rows)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (!holds(rows[i])) return static_cast<int>(i);
  return -1;
}
static_assert(first_wrong(quantised_rows) == -1 && first_wrong(requantised_rows) == -1 && first_wrong(sum_rows) == -1 &&
              first_wrong(unit_rows) == -1);

// x / scale = ±0.5, ±1.5, ±2.5: halves go to even numbers, where TFLite's go away from zero.
static_assert(quantised_as<std::int8_t>(0.5F, even(1)) == 0 && quantised_as<std::int8_t>(-1.5F, even(1)) == -2 &&
              quantised_as<std::int8_t>(2.5F, even(1)) == 2);
static_assert(quantised_as<std::int8_t>(0.5F, quantisation(quant{1})) == 1 &&
              quantised_as<std::int8_t>(-2.5F, quantisation(quant{1})) == -3);
// The zero point is added first: an odd one turns which neighbour of a half is even.
static_assert(quantised_as<std::int8_t>(0.5F, even(1, 1)) == 2 && quantised_as<std::int8_t>(0.5F, even(1, 2)) == 2);

// A layer of 1x1 pixels by hand: sums 3 * 2 + 1 = 7, and 7 / 2 is a half.
constexpr std::int8_t pixel(quantised_rounding rounding, std::int8_t x) {
  filled<std::int8_t> image({1, 1, 1, 1}, {x}), weight({1, 1, 1, 1}, {2}), y({1, 1, 1, 1});
  filled<std::int32_t> bias({1}, {1});
  image.desc.quantised = quant{0.5F};
  weight.desc.quantised = quant{1};
  y.desc.quantised = quant{1, 0, rounding};
  const view in[] = {image.as_view(), weight.as_view(), bias.as_view()}, out[] = {y.as_view()};
  ops::conv2d::reference<std::int8_t>({}, in, out);
  return y.elements[0];
}
static_assert(pixel(quantised_rounding::half_to_even, 3) == 4 && pixel(quantised_rounding::half_to_even, 2) == 2);
static_assert(pixel(quantised_rounding::tflite, 3) == 4 && pixel(quantised_rounding::tflite, 2) == 3);

// Operators that cannot round so refuse it; movers keep it.
constexpr tensor_desc quantised_desc{i8, nd, {4, 8}, quant{0.25F}};
static_assert([] {
  tensor_desc wish;
  wish.quantised = even(1.0F / 256, -128);
  return breaks(infer<ops::softmax>({}, {computed(quantised_desc)}, {wish}),
                signature_rule::rounding_must_be_one_of_the_operator, 1, 0);
}());

/// The first result of an operator on two quantised values of scale 1, rounded to even.
template <class Op> constexpr int of_pair(std::int8_t a, std::int8_t b, float scale) {
  filled<std::int8_t> x({1}, {a}), w({1}, {b}), y({1});
  x.desc.quantised = w.desc.quantised = quant{1};
  y.desc.quantised = even(scale);
  const view in[] = {x.as_view(), w.as_view()}, out[] = {y.as_view()};
  Op::template reference<std::int8_t>({}, in, out);
  return y.elements[0];
}
static_assert(of_pair<ops::mul>(3, 3, 2) == 4 && of_pair<ops::mul>(3, 1, 2) == 2 && of_pair<ops::mul>(-5, 1, 2) == -2);
static_assert(of_pair<ops::maximum>(5, 1, 2) == 2 && of_pair<ops::minimum>(7, 9, 2) == 4);
static_assert(of_pair<ops::neg>(5, 0, 2) == -2 && of_pair<ops::clip>(3, 0, 2) == 2 && of_pair<ops::abs>(-3, 0, 2) == 2);

constexpr int mean_along_axis(std::int8_t a, std::int8_t b, quantised_rounding rounding) {
  filled<std::int8_t> x({2}, {a, b}), y({1});
  filled<std::int64_t> axes({1}, {0});
  x.desc.quantised = quant{1};
  y.desc.quantised = quant{1, 0, rounding};
  ops::reduce_mean::attrs attrs;
  attrs.keep_dims = true;
  const view in[] = {x.as_view(), axes.as_view()}, out[] = {y.as_view()};
  ops::reduce_mean::reference<std::int8_t>(attrs, in, out);
  return y.elements[0];
}
static_assert(mean_along_axis(2, 3, quantised_rounding::half_to_even) == 2 &&
              mean_along_axis(3, 4, quantised_rounding::half_to_even) == 4);
static_assert(mean_along_axis(2, 3, quantised_rounding::tflite) == 3);

constexpr std::int64_t mean_of(std::int8_t a, std::int8_t b, quantised_rounding rounding) {
  filled<std::int8_t> x({1, 1, 2, 1}, {a, b}), y({1, 1, 1, 1});
  x.desc.quantised = y.desc.quantised = quant{1, 0, rounding};
  ops::avg_pool::attrs attrs;
  attrs.kernel = {1, 2};
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  ops::avg_pool::reference<std::int8_t>(attrs, in, out);
  return y.elements[0];
}
static_assert(mean_of(1, 2, quantised_rounding::half_to_even) == 2 &&
              mean_of(2, 3, quantised_rounding::half_to_even) == 2);
static_assert(mean_of(-1, -2, quantised_rounding::half_to_even) == -2 &&
              mean_of(-3, -2, quantised_rounding::half_to_even) == -2);
static_assert(mean_of(2, 3, quantised_rounding::tflite) == 3);

}  // namespace

TEST_CASE("rounding: quantised values, sums and requantised accumulators are those of the script") {
  for (const quantised_row& r : quantised_rows) {
    CAPTURE(r.x);
    CAPTURE(r.scale);
    CAPTURE(r.zero_point);
    CHECK(quantised_as<std::int8_t>(r.x, even(r.scale, r.zero_point)) == r.i8);
    CHECK(quantised_as<std::int16_t>(r.x, even(r.scale, r.zero_point)) == r.i16);
  }
  for (const requantised_row& r : requantised_rows) {
    CAPTURE(r.sum);
    CAPTURE(r.factor.mantissa);
    CHECK(holds(r));
  }
  for (const unit_row& r : unit_rows) {
    CAPTURE(r.sum);
    CAPTURE(r.addend);
    CHECK(holds(r));
    CHECK(holds<ops::conv2d_add>(r, 2));
    CHECK(holds<ops::conv2d_transpose_add>(r, 1));
  }
  for (const sum_row& r : sum_rows) {
    CAPTURE(r.a);
    CAPTURE(r.b);
    CHECK(holds(r));
  }
}
