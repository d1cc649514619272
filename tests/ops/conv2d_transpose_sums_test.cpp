// conv2d_transpose_sums: its rules, and its meaning against the layer that scales the same sums.
#include <nnrt/ops/conv2d_transpose_sums.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::conv2d_transpose_sums;
using rule = op::rule;

constexpr quantisation q(float scale, int zero_point) { return quant{scale, zero_point}; }
constexpr tensor_desc x{i8, nhwc, {1, 4, 4, 4}, q(0.5F, 5)}, w{i8, nhwc, {6, 3, 3, 4}, per_channel<0>};
constexpr operand image = computed(x), filters = weight(w), bias = weight({i32, {6}});

constexpr tensor_desc wish(quantisation q) {
  tensor_desc d;
  d.quantised = q;
  return d;
}

TEST_CASE("conv2d_transpose_sums: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"a flat weight",
                          {},
                          {image, weight({i8, nd, {6, 36}, per_channel<0>}), bias},
                          {},
                          rule::no_rule_of_the_layer_may_be_broken,
                          static_cast<int>(ops::conv2d_transpose::rule::weight_rank_must_be_4),
                          -1});
  NNRT_CHECK_REFUSED(op, {"one scale",
                          {},
                          {image, filters, bias},
                          {wish(q(0.5F, 0))},
                          rule::sums_must_have_a_scale_for_each_output_channel_or_none,
                          1,
                          6});
  NNRT_CHECK_REFUSED(op, {"scales of columns",
                          {},
                          {image, filters, bias},
                          {wish(per_channel<2>)},
                          rule::scales_of_sums_must_run_along_the_output_channels,
                          2,
                          3});
}

static_assert(infer<op>({}, {image, filters, bias}, {wish(per_channel<3>)}).output(0) ==
              tensor_desc{i32, nhwc, {1, 6, 6, 6}, per_channel<3>});
static_assert(infer<op>({}, {image, filters}, {}).output(0) == tensor_desc{i32, nhwc, {1, 6, 6, 6}});
// Of a declared size, where the layer leaves a choice.
static_assert([] {
  op::attrs a;
  a.stride = {2, 2}, a.pad = pads{pad_mode::same};
  return infer<op>(a, {image, filters}, {{i32, nhwc, {1, 7, 8, 6}, per_channel<3>}}).output(0) ==
         tensor_desc{i32, nhwc, {1, 7, 8, 6}, per_channel<3>};
}());

/// One pixel becomes three, the middle one without a tap.
constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
static_assert([] {
  filled<std::int8_t> pixel({1, 1, 1, 1}, {3}), filters({2, 1, 2, 1}, {2, 4, -2, 0});
  filled<std::int32_t> bias({2}, {100000, most}), made({1, 1, 3, 2});
  pixel.desc.quantised = q(0.5F, 5), filters.desc.quantised = q(1, 0);
  const view in[] = {pixel.as_view(), filters.as_view(), bias.as_view()}, out[] = {made.as_view()};
  op::attrs attrs;
  attrs.dilation = {1, 2};
  op::reference<std::int8_t>(attrs, in, out);
  const auto& y = made.elements;
  return y[0] == 99996 && y[2] == 100000 && y[4] == 99992 && y[1] == most && y[3] == most && y[5] == most;
}());

TEST_CASE("conv2d_transpose_sums: what it adds up is what the layer scales, each attribute for itself") {
  filled<std::int8_t> pixels(shape_t{1, 3, 3, 2}), filters(shape_t{4, 2, 2, 1}), scaled(shape_t{1, 6, 9, 4});
  filled<std::int32_t> sums(shape_t{1, 6, 9, 4});
  for (std::size_t i = 0; i < pixels.elements.size(); ++i)
    pixels.elements[i] = static_cast<std::int8_t>(37 * i % 255 - 127);
  for (std::size_t i = 0; i < filters.elements.size(); ++i)
    filters.elements[i] = static_cast<std::int8_t>(91 * i % 255 - 127);
  pixels.desc.quantised = q(0.5F, 3), filters.desc.quantised = q(0.25F, 0);
  scaled.desc.quantised = quant{64, 0, quantised_rounding::half_to_even};
  op::attrs attrs;
  attrs.stride = {2, 3}, attrs.dilation = {1, 2}, attrs.pad = pads{pad_mode::explicit_pads, 0, 1, 1, 0},
  attrs.output_paddings = {1, 1}, attrs.group = 2;
  ops::conv2d_transpose::attrs of_layers;
  of_layers.stride = {2, 3}, of_layers.dilation = {1, 2}, of_layers.pad = pads{pad_mode::explicit_pads, 0, 1, 1, 0},
  of_layers.output_paddings = {1, 1}, of_layers.group = 2;
  const view in[] = {pixels.as_view(), filters.as_view()}, out[] = {sums.as_view()}, of_layer[] = {scaled.as_view()};
  CHECK(infer<op>(attrs, {computed(pixels.desc), weight(filters.desc)}, {}).output(0).shape == sums.desc.shape);
  op::reference<std::int8_t>(attrs, in, out);
  ops::conv2d_transpose::reference<std::int8_t>(of_layers, in, of_layer);
  for (std::size_t i = 0; i < scaled.elements.size(); ++i)
    CHECK(scaled.elements[i] ==
          requantise<std::int8_t>(sums.elements[i], fixed_point_of(0.125 / 64), scaled.desc.quantised, {-128, 127}));
}

}  // namespace
