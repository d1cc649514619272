// onnx_images: rows for operators on images, which ONNX has in NCHW order and we in NHWC, and for matrix products.
#include "oracles/onnx_import.hpp"

#include <algorithm>
#include <cmath>

namespace nnrt_test::onnx_import {

using onnx_file::node;
using numbers_t = std::vector<std::int64_t>;

// --- orders of axes --------------------------------------------------------

std::int32_t to_nhwc(network& net, std::int32_t x) {
  const shape_t s = net.shape(x);
  if (s.rank > 4) throw left_out{reasons::three_spatial_axes};
  const std::int32_t image = s.rank == 3 ? net.reshaped(x, {s[0], s[1], 1, s[2]}) : x;
  return net.transposed(image, {0, 2, 3, 1});
}
std::int32_t to_nchw(network& net, std::int32_t y, int rank) {
  const std::int32_t image = net.transposed(y, {0, 3, 1, 2});
  const shape_t s = net.shape(image);
  return rank == 3 ? net.reshaped(image, {s[0], s[1], s[3]}) : image;
}

namespace {

// --- windows ---------------------------------------------------------------

/// The lengths of windows along height and width; images of one row have 1 (and no padding) for the height.
struct window_lengths {
  numbers_t kernel, stride, dilation;
  numbers_t pads;  // mode, top, bottom, left, right
};

numbers_t two(numbers_t lengths, std::int64_t otherwise) {
  if (lengths.empty()) return {otherwise, otherwise};
  if (lengths.size() == 1) return {otherwise, lengths[0]};
  return lengths;
}

/// Padding of SAME_LOWER, whose odd pixel comes first: ours has only the other one, so the numbers are given.
void pad_before(window_lengths& at, const shape_t& nhwc) {
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t extent = nhwc[1 + i], windows = (extent + at.stride[k] - 1) / at.stride[k];
    const std::int64_t span = (at.kernel[k] - 1) * at.dilation[k] + 1;
    const std::int64_t total = std::max<std::int64_t>((windows - 1) * at.stride[k] + span - extent, 0);
    at.pads[1 + 2 * k] = total - total / 2;
    at.pads[2 + 2 * k] = total / 2;
  }
}

window_lengths windows_of(const node& n, numbers_t kernel, const shape_t& nhwc) {
  window_lengths at{
      two(std::move(kernel), 1), two(integers(n, "strides"), 1), two(integers(n, "dilations"), 1), {0, 0, 0, 0, 0}};
  const numbers_t sides = integers(n, "pads");
  if (sides.size() == 2) at.pads = {0, 0, 0, sides[0], sides[1]};
  if (sides.size() == 4) at.pads = {0, sides[0], sides[2], sides[1], sides[3]};
  const std::string_view mode = text(n, "auto_pad", "NOTSET");
  if (mode == "SAME_UPPER") at.pads = {static_cast<word>(pad_mode::same), 0, 0, 0, 0};
  if (mode == "VALID") at.pads = {static_cast<word>(pad_mode::valid), 0, 0, 0, 0};
  if (mode == "SAME_LOWER") pad_before(at, nhwc);
  return at;
}

// --- convolutions ----------------------------------------------------------

/// [O, C / group, kh, kw] becomes [O, kh, kw, C / group].
std::int32_t filters(network& net, std::int32_t weight) { return to_nhwc(net, weight); }

void conv2d(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  const std::int32_t x = to_nhwc(net, net.value(n, 0)), weight = filters(net, net.value(n, 1));
  std::vector<std::int32_t> in{x, weight};
  if (net.has(n, 2)) in.push_back(net.value(n, 2));
  std::vector<named_attribute> attributes = convolution_attributes(n, net.shape(weight), net.shape(x));
  if (op == "depthwise_conv2d") {
    if (integer(n, "group", 1) != net.shape(x)[3]) throw left_out{reasons::not_depthwise};
    attributes.pop_back();  // it has no groups but channels
  }
  net.define(n, 0, to_nchw(net, net.apply(op, in, attributes)[0], rank));
}

/// [C, O / group, kh, kw], with the input channels of each group together, becomes [O, kh, kw, C / group].
std::int32_t transposed_filters(network& net, std::int32_t weight, std::int64_t group) {
  shape_t w = net.shape(weight);
  if (w.rank > 4) throw left_out{reasons::three_spatial_axes};
  if (w.rank == 3) w = {w[0], w[1], 1, w[2]};
  const std::int32_t groups = net.reshaped(weight, {group, w[0] / group, w[1], w[2], w[3]});
  return net.reshaped(net.transposed(groups, {0, 2, 3, 4, 1}), {group * w[1], w[2], w[3], w[0] / group});
}

/// Padding that gives the wanted output: what the windows cover, less that. Output pixels that no window covers are
/// output padding.
void pad_for_output(window_lengths& at, numbers_t& output_padding, const numbers_t& wanted, const shape_t& nhwc,
                    bool upper) {
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t covered = at.stride[k] * (nhwc[1 + i] - 1) + (at.kernel[k] - 1) * at.dilation[k] + 1;
    const std::int64_t total = covered + output_padding[k] - wanted[k], first = upper ? total / 2 : total - total / 2;
    if (total < 0) output_padding[k] -= total;
    at.pads[1 + 2 * k] = std::max<std::int64_t>(first, 0);
    at.pads[2 + 2 * k] = std::max<std::int64_t>(total - first, 0);
  }
}

void conv2d_transpose(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  const std::int64_t group = integer(n, "group", 1);
  const std::int32_t x = to_nhwc(net, net.value(n, 0)), weight = transposed_filters(net, net.value(n, 1), group);
  const shape_t w = net.shape(weight);
  window_lengths at = windows_of(n, {w[1], w[2]}, net.shape(x));
  numbers_t output_padding = two(integers(n, "output_padding"), 0), wanted = integers(n, "output_shape");
  if (wanted.size() > 2) wanted.erase(wanted.begin(), wanted.end() - 2);
  if (!wanted.empty())
    pad_for_output(at, output_padding, two(wanted, 1), net.shape(x), text(n, "auto_pad", "NOTSET") == "SAME_UPPER");
  std::vector<std::int32_t> in{x, weight};
  if (net.has(n, 2)) in.push_back(net.value(n, 2));
  net.define(n, 0,
             to_nchw(net,
                     net.one(op, in,
                             {{"stride", at.stride},
                              {"dilation", at.dilation},
                              {"pad", at.pads},
                              {"output_paddings", output_padding},
                              {"group", group}}),
                     rank));
}

// --- pools and normalisation -----------------------------------------------

window_lengths windows_of_pool(const network& net, const node& n, std::int32_t x) {
  window_lengths at = windows_of(n, integers(n, "kernel_shape"), net.shape(x));
  if (at.dilation != numbers_t{1, 1}) throw left_out{reasons::dilated_pool};
  return at;
}
void max_pool(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  const std::int32_t x = to_nhwc(net, net.value(n, 0));
  const window_lengths at = windows_of_pool(net, n, x);
  const bool rounds_up = integer(n, "ceil_mode", 0) != 0;
  net.define(
      n, 0,
      to_nchw(
          net,
          net.one(op, {x}, {{"kernel", at.kernel}, {"stride", at.stride}, {"pad", at.pads}, {"ceil_mode", rounds_up}}),
          rank));
}
void avg_pool(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  const std::int32_t x = to_nhwc(net, net.value(n, 0));
  const window_lengths at = windows_of_pool(net, n, x);
  const bool rounds_up = integer(n, "ceil_mode", 0) != 0, counts = integer(n, "count_include_pad", 0) != 0;
  net.define(n, 0,
             to_nchw(net,
                     net.one(op, {x},
                             {{"kernel", at.kernel},
                              {"stride", at.stride},
                              {"pad", at.pads},
                              {"ceil_mode", rounds_up},
                              {"count_include_pad", counts}}),
                     rank));
}
void global_pool(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  net.define(n, 0, to_nchw(net, net.one(op, {to_nhwc(net, net.value(n, 0))}, {{"global", true}}), rank));
}

/// Channels, axis 1, become the last axis; everything else stays in order.
void batch_norm(network& net, const node& n, std::string_view op) {
  if (integer(n, "training_mode", 0) != 0) throw left_out{reasons::training};
  const std::int32_t x = net.value(n, 0);
  const shape_t s = net.shape(x);
  const std::int64_t inner = s.elements(2);
  const std::int32_t rows = net.transposed(net.reshaped(x, {s[0], s[1], inner}), {0, 2, 1});
  const std::int32_t y = net.one(op, {rows, net.value(n, 1), net.value(n, 2), net.value(n, 3), net.value(n, 4)},
                                 {{"epsilon", real(n, "epsilon", 1e-5F)}});
  net.define(n, 0, net.reshaped(net.transposed(y, {0, 2, 1}), s));
}

void layer_norm(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0), gamma = net.value(n, 1);
  const shape_t s = net.shape(x);
  const std::int64_t axis = from_front(integer(n, "axis", -1), s.rank);
  const std::vector<double> zeros(static_cast<std::size_t>(net.shape(gamma).elements()), 0.0);
  const std::int32_t beta =
      net.has(n, 2) ? net.value(n, 2) : net.reshaped(net.numbers(net.desc(gamma).type, zeros), net.shape(gamma));
  const std::int32_t y =
      net.one(op, {x, gamma, beta},
              {{"begin_norm_axis", axis}, {"begin_param_axis", axis}, {"epsilon", real(n, "epsilon", 1e-5F)}});
  net.define(n, 0, y);
}

// --- resize ----------------------------------------------------------------

/// Output extents, which must be what the scales say: ours has no other scale than output over input.
shape_t resized(network& net, const node& n, const shape_t& x) {
  shape_t y = x;
  if (net.has(n, 3)) {
    const numbers_t sizes = net.integers(n, 3);
    for (int i = 0; i < x.rank; ++i) y[i] = sizes[static_cast<std::size_t>(i)];
    return y;
  }
  const auto scales = net.reals(n, net.opset() < 11 ? 1 : 2);
  for (int i = 0; i < x.rank; ++i) {
    const double wanted = static_cast<double>(x[i]) * scales[static_cast<std::size_t>(i)];
    y[i] = static_cast<std::int64_t>(std::floor(wanted));
    if (static_cast<double>(y[i]) != wanted) throw left_out{reasons::scale_not_of_extents};
  }
  return y;
}
void resize(network& net, const node& n, std::string_view op) {
  if (text(n, "mode", "nearest") != "linear") throw left_out{reasons::not_linear};
  const std::string_view coordinates =
      text(n, "coordinate_transformation_mode", net.opset() < 11 ? "asymmetric" : "half_pixel");
  if (coordinates == "tf_crop_and_resize") throw left_out{reasons::crop_and_resize};
  const shape_t from = net.desc_of(n, 0).shape, to = resized(net, n, from);
  if (coordinates == "pytorch_half_pixel" && (to[2] == 1 || to[3] == 1)) throw left_out{reasons::one_pixel_of_pytorch};
  const std::int64_t mode = coordinates == "asymmetric" ? 0 : coordinates == "align_corners" ? 1 : 2;
  const std::int32_t y = net.one(op, {to_nhwc(net, net.value(n, 0))},
                                 {{"new_height", to[2]}, {"new_width", to[3]}, {"coordinate_mode", mode}});
  net.define(n, 0, to_nchw(net, y, 4));
}

// --- matrix products -------------------------------------------------------

void matmul(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 0), net.value(n, 1)}));
}
/// x times a number, left out where it is 1.
std::int32_t times(network& net, std::int32_t x, float factor) {
  return factor == 1.0F ? x : net.one("mul", {x, net.number(net.desc(x).type, double{factor})});
}
bool is_one_for_each(const shape_t& c, std::int64_t columns) {
  return c.elements() == columns && (c.rank == 0 || c[-1] == columns);
}

void gemm_by_matmul(network& net, const node& n, std::string_view op) {
  const std::int32_t product =
      net.one(op, {net.value(n, 0), net.value(n, 1)},
              {{"transpose_a", integer(n, "transA", 0) != 0}, {"transpose_b", integer(n, "transB", 0) != 0}});
  const std::int32_t scaled = times(net, product, real(n, "alpha", 1));
  net.define(n, 0, net.has(n, 2) ? net.one("add", {scaled, times(net, net.value(n, 2), real(n, "beta", 1))}) : scaled);
}
/// Row vectors of C only.
void gemm_by_bias_add(network& net, const node& n, std::string_view op) {
  const std::int32_t product =
      net.one("matmul", {net.value(n, 0), net.value(n, 1)},
              {{"transpose_a", integer(n, "transA", 0) != 0}, {"transpose_b", integer(n, "transB", 0) != 0}});
  const std::int64_t columns = net.shape(product)[-1];
  if (!net.has(n, 2) || !is_one_for_each(net.desc_of(n, 2).shape, columns)) throw left_out{reasons::no_row_bias};
  const std::int32_t bias = net.reshaped(times(net, net.value(n, 2), real(n, "beta", 1)), {columns});
  net.define(n, 0, net.one(op, {times(net, product, real(n, "alpha", 1)), bias}));
}
/// The weight of ours is [O, I], so an untransposed B is transposed; a bias that is no row is added after it.
void gemm_by_dense(network& net, const node& n, std::string_view op) {
  std::int32_t a = net.value(n, 0), weight = net.value(n, 1);
  if (integer(n, "transA", 0) != 0) a = net.transposed(a, {1, 0});
  if (integer(n, "transB", 0) == 0) weight = net.transposed(weight, {1, 0});
  weight = times(net, weight, real(n, "alpha", 1));
  const std::int64_t columns = net.shape(weight)[0];
  if (!net.has(n, 2)) return net.define(n, 0, net.one(op, {a, weight}));
  const std::int32_t c = times(net, net.value(n, 2), real(n, "beta", 1));
  if (is_one_for_each(net.shape(c), columns)) net.define(n, 0, net.one(op, {a, weight, net.reshaped(c, {columns})}));
  else net.define(n, 0, net.one("add", {net.one(op, {a, weight}), c}));
}

constexpr row table[] = {
    {"Conv", "conv2d", conv2d},
    {"Conv", "depthwise_conv2d", conv2d},
    {"ConvTranspose", "conv2d_transpose", conv2d_transpose},
    {"MaxPool", "max_pool", max_pool},
    {"GlobalMaxPool", "max_pool", global_pool},
    {"AveragePool", "avg_pool", avg_pool},
    {"GlobalAveragePool", "avg_pool", global_pool},
    {"BatchNormalization", "batch_norm", batch_norm},
    {"LayerNormalization", "layer_norm", layer_norm},
    {"Resize", "resize_bilinear", resize},
    {"MatMul", "matmul", matmul},
    {"Gemm", "full_connection", gemm_by_dense},
    {"Gemm", "matmul", gemm_by_matmul},
    {"Gemm", "bias_add", gemm_by_bias_add},
};

}  // namespace

std::span<const row> image_rows() { return table; }

std::vector<named_attribute> convolution_attributes(const node& n, const shape_t& weight, const shape_t& x) {
  const window_lengths at = windows_of(n, {weight[1], weight[2]}, x);
  return {{"stride", at.stride}, {"dilation", at.dilation}, {"pad", at.pads}, {"group", integer(n, "group", 1)}};
}

}  // namespace nnrt_test::onnx_import
