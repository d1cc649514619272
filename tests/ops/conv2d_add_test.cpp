// conv2d_add: its rules, and its meaning against a convolution whose bias holds the addend.
#include <nnrt/ops/conv2d_add.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::conv2d_add;
using rule = op::rule;

constexpr quantisation q(float scale, int zero_point) { return quant{scale, zero_point}; }
constexpr tensor_desc x{i8, nhwc, {1, 8, 8, 4}, q(0.5F, 5)}, w{i8, nhwc, {6, 3, 3, 4}, q(0.1F, 0)},
    y{i8, nhwc, {1, 6, 6, 6}, q(1.5F, -7)};
constexpr tensor_desc u8_addend{u8, nhwc, {1, 6, 6, 6}, q(0.1F, 0)}, plain{i8, nhwc, {1, 6, 6, 6}},
    small{i8, nhwc, {1, 6, 5, 6}, q(0.1F, 0)};

constexpr operand image = computed(x), filters = weight(w), bias = weight({i32, {6}}), none{};

TEST_CASE("conv2d_add: each rule is broken with its two values") {
  CHECK(breaks(infer<op>({}, {image, filters, bias}, {y}), signature_rule::required_operand_must_be_given, 3, 4));
  NNRT_CHECK_REFUSED(op, {"a flat weight",
                          {},
                          {image, weight({i8, nd, {6, 36}, q(0.1F, 0)}), bias, computed(y)},
                          {y},
                          rule::no_rule_of_conv2d_may_be_broken,
                          static_cast<int>(ops::conv2d::rule::weight_rank_must_be_4),
                          -1});
  NNRT_CHECK_REFUSED(op, {"u8",
                          {},
                          {image, filters, bias, computed(u8_addend)},
                          {y},
                          rule::addend_type_must_equal_input_type,
                          int(u8),
                          int(i8)});
  NNRT_CHECK_REFUSED(
      op, {"no scale", {}, {image, filters, bias, computed(plain)}, {y}, rule::addend_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"a matrix",
                          {},
                          {image, filters, none, computed({i8, nd, {36, 6}, q(0.1F, 0)})},
                          {y},
                          rule::addend_must_have_the_rank_of_the_result,
                          2,
                          4});
  NNRT_CHECK_REFUSED(op, {"a column less",
                          {},
                          {image, filters, bias, computed(small)},
                          {y},
                          rule::addend_must_have_the_extents_of_the_result,
                          5,
                          6});
}

static_assert(infer<op>({}, {computed(x), weight(w), weight({i32, {6}}), computed(y)}, {y}).output(0) == y);

/// One pixel: (3 - 5) * 2 + 40 = 36 in steps of 1/2; an addend of 9 - 1 = 8 quarters, which are 4 of these steps; 40 /
/// 2 in steps of 1.
constexpr std::int8_t pixel(activation fused, std::int32_t bias_value) {
  filled<std::int8_t> image({1, 1, 1, 1}, {3}), filters({1, 1, 1, 1}, {2}), addend({1, 1, 1, 1}, {9}),
      out_image({1, 1, 1, 1});
  filled<std::int32_t> bias({1}, {bias_value});
  image.desc.quantised = q(0.5F, 5), filters.desc.quantised = q(1, 0), addend.desc.quantised = q(0.25F, 1);
  out_image.desc.quantised = quant{1, -7, quantised_rounding::half_to_even};
  const view in[] = {image.as_view(), filters.as_view(), bias.as_view(), addend.as_view()},
             out[] = {out_image.as_view()};
  op::attrs attrs;
  attrs.fused = fused;
  op::reference<std::int8_t>(attrs, in, out);
  return out_image.elements[0];
}
static_assert(pixel(activation::none, 40) == 13 && pixel(activation::none, -40) == -27 &&
              pixel(activation::relu, -40) == -7 && pixel(activation::relu6, 40) == -1);

/// What is rounded once: two halves that two roundings would lose.
static_assert([] {
  filled<std::int8_t> image({1, 1, 1, 1}, {1}), filters({1, 1, 1, 1}, {1}), addend({1, 1, 1, 1}, {1}),
      out_image({1, 1, 1, 1});
  image.desc.quantised = q(0.5F, 0), filters.desc.quantised = q(1, 0), addend.desc.quantised = q(0.5F, 0);
  out_image.desc.quantised = quant{1, 0, quantised_rounding::half_to_even};
  const view in[] = {image.as_view(), filters.as_view(), view{}, addend.as_view()}, out[] = {out_image.as_view()};
  op::reference<std::int8_t>({}, in, out);
  return out_image.elements[0] == 1;
}());

/// Activations of 16 bits keep sums of 64.
TEST_CASE("conv2d_add: sums of 16-bit activations are those of 64 bits, and so is what is added") {
  filled<std::int16_t> image({1, 1, 1, 2}, {30000, 20000}), addend({1, 1, 1, 1}, {1000}), out_image({1, 1, 1, 1});
  filled<std::int8_t> filters({1, 1, 1, 2}, {100, 50});
  image.desc.quantised = q(0.001F, 0), filters.desc.quantised = q(0.01F, 0), addend.desc.quantised = q(0.01F, 0);
  out_image.desc.quantised = quant{0.01F, 0, quantised_rounding::half_to_even};
  const view in[] = {image.as_view(), filters.as_view(), view{}, addend.as_view()}, out[] = {out_image.as_view()};
  op::reference<std::int16_t>({}, in, out);
  CHECK(out_image.elements[0] == 5000);  // 30 + 10 + 10
}

}  // namespace
