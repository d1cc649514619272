// layer_sums: its rules, and its meaning against the layers that scale the same sums.
#include <nnrt/ops/layer_sums.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::layer_sums;
using rule = op::rule;

constexpr quantisation q(float scale, int zero_point) { return quant{scale, zero_point}; }
constexpr tensor_desc x{i8, nhwc, {1, 8, 8, 4}, q(0.5F, 5)}, w{i8, nhwc, {6, 3, 3, 4}, per_channel<0>};
constexpr tensor_desc rows{i8, nd, {2, 12}, q(0.5F, 0)}, matrix{i8, nd, {6, 12}, per_channel<0>};
constexpr operand image = computed(x), filters = weight(w), bias = weight({i32, {6}});

constexpr tensor_desc wish(quantisation q) {
  tensor_desc d;
  d.quantised = q;
  return d;
}

TEST_CASE("layer_sums: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"a flat weight",
                          {},
                          {image, weight({i8, nd, {6, 36}, per_channel<0>}), bias},
                          {},
                          rule::no_rule_of_the_layer_may_be_broken,
                          static_cast<int>(ops::full_connection::rule::inner_extents_must_be_equal),
                          -1});
  NNRT_CHECK_REFUSED(op, {"a filter too tall",
                          {},
                          {image, weight({i8, nhwc, {6, 9, 3, 4}, per_channel<0>}), bias},
                          {},
                          rule::no_rule_of_the_layer_may_be_broken,
                          static_cast<int>(ops::conv2d::rule::padded_input_must_cover_kernel),
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
static_assert(infer<op>({}, {computed(rows), weight(matrix), bias}, {wish(per_channel<1>)}).output(0) ==
              tensor_desc{i32, nd, {2, 6}, per_channel<1>});
static_assert(infer<op>({}, {computed(rows), weight(matrix)}, {}).output(0) == tensor_desc{i32, {2, 6}});

/// (3 - 5) * 2 + (4 - 5) * -3 and a bias.
template <class Weight> constexpr std::int32_t sum(Weight filters, std::int32_t start) {
  filled<std::int8_t> pixel(filters.desc.rank() == 4 ? shape_t{1, 1, 1, 2} : shape_t{1, 2}, {3, 4});
  filled<std::int32_t> bias({1}, {start}), made(filters.desc.rank() == 4 ? shape_t{1, 1, 1, 1} : shape_t{1, 1}, {0});
  pixel.desc.quantised = q(0.5F, 5), filters.desc.quantised = q(1, 0);
  const view in[] = {pixel.as_view(), filters.as_view(), bias.as_view()}, out[] = {made.as_view()};
  op::reference<std::int8_t>({}, in, out);
  return made.elements[0];
}
constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
static_assert(sum(filled<std::int8_t>({1, 1, 1, 2}, {2, -3}), 100000) == 99999 &&
              sum(filled<std::int8_t>({1, 2}, {2, -3}), 7) == 6);
static_assert(sum(filled<std::int8_t>({1, 2}, {2, -3}), -most - 1) == -most - 1 &&
              sum(filled<std::int8_t>({1, 2}, {-2, -3}), most) == most);

TEST_CASE("layer_sums: what it adds up is what the layers scale, each attribute for itself") {
  op::attrs attrs;
  attrs.stride = {2, 1}, attrs.dilation = {1, 2}, attrs.pad = pads{pad_mode::explicit_pads, 1, 0, 2, 1},
  attrs.group = 2;
  ops::conv2d::attrs of_layers;
  of_layers.stride = {2, 1}, of_layers.dilation = {1, 2}, of_layers.pad = pads{pad_mode::explicit_pads, 1, 0, 2, 1},
  of_layers.group = 2;
  filled<std::int8_t> pixels(shape_t{1, 5, 6, 2}), filters(shape_t{4, 2, 2, 1}), scaled(shape_t{1, 3, 7, 4});
  filled<std::int32_t> sums(shape_t{1, 3, 7, 4});
  for (std::size_t i = 0; i < pixels.elements.size(); ++i)
    pixels.elements[i] = static_cast<std::int8_t>(37 * i % 255 - 127);
  for (std::size_t i = 0; i < filters.elements.size(); ++i)
    filters.elements[i] = static_cast<std::int8_t>(91 * i % 255 - 127);
  pixels.desc.quantised = q(0.5F, 3), filters.desc.quantised = q(0.25F, 0);
  scaled.desc.quantised = quant{64, 0, quantised_rounding::half_to_even};
  const view in[] = {pixels.as_view(), filters.as_view()}, out[] = {sums.as_view()}, of_layer[] = {scaled.as_view()};
  CHECK(infer<op>(attrs, {computed(pixels.desc), weight(filters.desc)}, {}).output(0).shape == sums.desc.shape);
  op::reference<std::int8_t>(attrs, in, out);
  ops::conv2d::reference<std::int8_t>(of_layers, in, of_layer);
  for (std::size_t i = 0; i < scaled.elements.size(); ++i)
    CHECK(scaled.elements[i] ==
          requantise<std::int8_t>(sums.elements[i], fixed_point_of(0.125 / 64), scaled.desc.quantised, {-128, 127}));
}

}  // namespace
