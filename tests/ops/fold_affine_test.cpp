// fold_affine: the folded weights give what the layer and the batch_norm, scale or bias_add after it give together.
#include <nnrt/ops/fold_affine.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::fold_affine;
using rule = op::rule;

constexpr op::attrs with(float epsilon, std::int64_t axis = 0) {
  op::attrs a;
  a.epsilon = epsilon, a.axis = axis;
  return a;
}
constexpr operand w = weight(f32_of({6, 3, 3, 4})), six = weight(f32_of({6})), five = weight(f32_of({5}));

TEST_CASE("fold_affine: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"axis", with(0, 4), {w}, {}, rule::axis_must_be_an_axis_of_the_weight, 4, 3});
  NNRT_CHECK_REFUSED(op, {"statistics alone",
                          {},
                          {w, missing(), missing(), missing(), six, six},
                          {},
                          rule::variance_must_come_with_a_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"one number as bias",
                          {},
                          {w, weight(f32_of({1}))},
                          {},
                          rule::parameters_must_have_one_element_for_each_channel,
                          1,
                          6});
  NNRT_CHECK_REFUSED(
      op, {"dtype", {}, {w, weight({f64, {6}})}, {}, rule::parameter_types_must_equal_weight_type, int(f64), int(f32)});
  NNRT_CHECK_REFUSED(op, {"bias", {}, {w, five}, {}, rule::parameters_must_have_one_element_for_each_channel, 5, 6});
  NNRT_CHECK_REFUSED(op, {"addend",
                          {},
                          {w, six, missing(), missing(), missing(), missing(), five},
                          {},
                          rule::parameters_must_have_one_element_for_each_channel,
                          5,
                          6});
  NNRT_CHECK_REFUSED(
      op, {"other axis", with(0, -1), {w, six}, {}, rule::parameters_must_have_one_element_for_each_channel, 6, 4});
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {weight({i8, {6}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(i8), int(f16)));
}

TEST_CASE("fold_affine: the weight keeps its desc, and the bias has one element for each channel") {
  struct row {
    const char* what;
    std::int64_t axis;
    shape_t weight, bias;
  };
  static constexpr row table[] = {
      {"convolution", 0, {6, 3, 3, 4}, {6}}, {"dense layer", 0, {10, 64}, {10}},
      {"channels last", -1, {3, 3, 5}, {5}}, {"unknown channels", 0, {-1, 3, 3, 1}, {-1}},
      {"no channels", 0, {0, 3}, {0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(with(1e-4F, r.axis), {weight(f32_of(r.weight))});
    REQUIRE(v);
    CHECK(shape_of(v, 0) == r.weight);
    CHECK(shape_of(v, 1) == r.bias);
  }
}

template <class T> struct folded {
  std::vector<T> weight, bias;
};
/// scale 6 and 1, offset 1 and 2, mean 3 and 4, variance 8.75 and 3.75, epsilon 0.25: s = 2 and 0.5.
template <class T> constexpr folded<T> fold(bool has_bias, bool normalise, bool has_addend, std::int64_t axis = 0) {
  filled<T> weight({2, 2}, {T(1), T(2), T(3), T(4)}), bias({2}, {T(10), T(20)}), scale({2}, {T(6), T(1)}),
      offset({2}, {T(1), T(2)});
  filled<T> mean({2}, {T(3), T(4)}), variance({2}, {T(8.75), T(3.75)}), addend({2}, {T(100), T(200)}),
      w2({2, 2}, {T(0), T(0), T(0), T(0)}), b2({2}, {T(0), T(0)});
  const view none{};
  const view in[] = {weight.as_view(),
                     has_bias ? bias.as_view() : none,
                     normalise ? scale.as_view() : none,
                     normalise ? offset.as_view() : none,
                     normalise ? mean.as_view() : none,
                     normalise ? variance.as_view() : none,
                     has_addend ? addend.as_view() : none};
  const view out[] = {w2.as_view(), b2.as_view()};
  op::reference<T>(with(0.25F, axis), in, out);
  return {w2.elements, b2.elements};
}
static_assert(fold<float>(true, true, false).weight == std::vector<float>{2, 4, 1.5, 2});

TEST_CASE_TEMPLATE("fold_affine: weights are scaled, biases moved and scaled", T, float16, float, double) {
  struct row {
    const char* what;
    bool has_bias, normalise, has_addend;
    std::int64_t axis;
    std::vector<T> weight, bias;
  };
  const row table[] = {
      {"(10 - 3) * 2 + 1, (20 - 4) * 0.5 + 2", true, true, false, 0, {T(2), T(4), T(1.5), T(2)}, {T(15), T(10)}},
      {"no bias: -3 * 2 + 1, -4 * 0.5 + 2", false, true, false, 0, {T(2), T(4), T(1.5), T(2)}, {T(-5), T(0)}},
      {"bias_add after", true, false, true, 0, {T(1), T(2), T(3), T(4)}, {T(110), T(220)}},
      {"all", true, true, true, 0, {T(2), T(4), T(1.5), T(2)}, {T(115), T(210)}},
      {"channels along the last axis", true, true, false, -1, {T(2), T(1), T(6), T(2)}, {T(15), T(10)}},
      {"nothing", false, false, false, 0, {T(1), T(2), T(3), T(4)}, {T(0), T(0)}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const folded<T> got = fold<T>(r.has_bias, r.normalise, r.has_addend, r.axis);
    CHECK(got.weight == r.weight);
    CHECK(got.bias == r.bias);
  }
}

TEST_CASE("fold_affine: channels may stand between other axes") {
  filled<float> weight({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ten({2}, {10, 100}), zero({2}, {0, 0}), one({2}, {1, 1});
  filled<float> w2(shape_t{2, 2, 2}), b2(shape_t{2});
  const view in[] = {weight.as_view(), {}, ten.as_view(), zero.as_view(), zero.as_view(), one.as_view()};
  const view out[] = {w2.as_view(), b2.as_view()};
  op::reference<float>(with(0, 1), in, out);
  CHECK(w2.elements == std::vector<float>{10, 20, 300, 400, 50, 60, 700, 800});
}

TEST_CASE("fold_affine: without statistics the scale is the factor, and the offset is added") {
  filled<float> weight({2, 2}, {1, 2, 3, 4}), bias({2}, {10, 20}), scale({2}, {2, -1}), offset({2}, {0.5F, 3});
  filled<float> w2(shape_t{2, 2}), b2(shape_t{2});
  const view in[] = {weight.as_view(), bias.as_view(), scale.as_view(), offset.as_view()};
  const view out[] = {w2.as_view(), b2.as_view()};
  op::reference<float>({}, in, out);
  CHECK(w2.elements == std::vector<float>{2, 4, -3, -4});
  CHECK(b2.elements == std::vector<float>{20.5F, -17});
}

TEST_CASE("fold_affine: a scale alone, one number for all channels, and one that divides") {
  filled<float> weight({2, 2}, {1, 2, 3, 4}), bias({2}, {10, 20}), four({}, {4}), mean({1}, {2});
  filled<float> w2(shape_t{2, 2}), b2(shape_t{2});
  const view in[] = {weight.as_view(), bias.as_view(), four.as_view(), {}, mean.as_view()};
  const view out[] = {w2.as_view(), b2.as_view()};
  op::reference<float>({}, in, out);
  CHECK(w2.elements == std::vector<float>{4, 8, 12, 16});
  CHECK(b2.elements == std::vector<float>{32, 72});
  op::attrs divided;
  divided.divided = true;
  op::reference<float>(divided, in, out);
  CHECK(w2.elements == std::vector<float>{0.25F, 0.5F, 0.75F, 1});
  CHECK(b2.elements == std::vector<float>{2, 4.5F});
}

TEST_CASE("fold_affine: trailing operands may be left out altogether") {
  filled<float> weight({2, 1}, {1, 2}), bias({2}, {3, 4}), w2(shape_t{2, 1}), b2(shape_t{2});
  const view in[] = {weight.as_view(), bias.as_view()}, out[] = {w2.as_view(), b2.as_view()};
  op::reference<float>({}, in, out);
  CHECK(w2.elements == weight.elements);
  CHECK(b2.elements == bias.elements);
}

}  // namespace
