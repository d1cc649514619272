// layers: readers of convolutions, dense layers, matrix products and normalisations of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/composed_volumes.hpp>
#include <nnrt/io/onnx/operators/windows.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/instance_norm.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <nnrt/ops/lrn.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/reciprocal.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/square.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// Filters [M, C / group, …] in the order of nnrt's layers, [M, …, C / group], with two spatial axes.
[[gnu::cold]] constexpr std::int32_t filters_of(node_maker& node, std::int32_t weight) {
  const std::int32_t made = channels_last(node, weight);
  const shape_t shape = node.desc(made).shape;
  if (shape.rank != 3) return made;
  return reshaped(node, made, pool<std::int64_t>{shape[0], 1, shape[1], shape[2]});
}
/// x [N, C, …] as an image: channels last; a sequence gets a row axis of extent 1.
[[gnu::cold]] constexpr std::int32_t image_of(node_maker& node, std::int32_t x) {
  const std::int32_t made = channels_last(node, x);
  return node.desc(x).rank() == 3 ? with_axis(node, made, 1) : made;
}
/// The inverse of image_of(), for a tensor of this rank.
[[gnu::cold]] constexpr std::int32_t of_image(node_maker& node, std::int32_t y, int rank) {
  return channels_second(node, rank == 3 ? without_axis(node, y, 1) : y);
}

/// A convolution over three axes of x [N, D, H, W, C] with filters [M, d, h, w, C / group].
[[gnu::cold]] constexpr std::int32_t volume_convolution(node_maker& node, std::int32_t x, std::int32_t filters,
                                                        std::int32_t bias, const window_axes& w, std::int64_t group) {
  depth_windows depth(w.kernel[0], w.stride[0], w.dilation[0]);
  if (w.before[0] != 0 || w.after[0] != 0) {
    window_axes along = w;
    for (const int i : {1, 2}) along.before[i] = along.after[i] = 0;
    x = padded(node, x, along, 0);
  }
  const tensor_desc is = node.desc(x);
  if (is.shape[1] < 0) node.not_supported({"a convolution over three axes of ", is.shape, "; expected a known depth"});
  if (!node.is_fine()) return ir::none;
  depth.known_count = is.shape[1] < depth.reach ? 0 : (is.shape[1] - depth.reach) / depth.stride + 1;
  // channels of a filter in the order plane, channel
  const shape_t f = node.desc(filters).shape;
  filters = transposed(node, filters, {0, 2, 3, 1, 4});
  filters = reshaped(node, filters, pool<std::int64_t>{f[0], f[2], f[3], f[1] * f[4]});
  ops::conv2d::attrs attrs;
  attrs.stride = w.pair(w.stride), attrs.dilation = w.pair(w.dilation), attrs.pad = w.padding(), attrs.group = group;
  return convolved_in_depth(node, x, filters, bias, depth, attrs);
}

/// The convolution of x [N, C, …] with filters [M, C / group, …]; `bias` may be missing.
[[gnu::cold]] constexpr std::int32_t convolution(node_reader& node, std::int32_t x, std::int32_t weight,
                                                 std::int32_t bias) {
  const shape_t is = node.desc(x).shape, f = node.desc(weight).shape;
  if (!node.is_fine()) return ir::none;
  if (f.rank != is.rank || f.rank < 3) {
    node.refuse(error_code::invalid_file, {"input 1: got ", f, ", expected filters of rank ", is.rank});
    return ir::none;
  }
  window_axes w = read_windows(node, is, f.begin() + 2);
  read_pads(node, is, w);
  const std::int64_t group = node.integer_attribute("group", 1);
  if (!node.is_fine()) return ir::none;
  std::int32_t image = image_of(node, x);
  bool crops = false;
  for (int i = 0; i < w.count; ++i) crops = crops || w.before[i] < 0 || w.after[i] < 0;
  if (crops) {
    node.not_supported({"negative pads of a convolution"});
    return ir::none;
  }
  if (w.count == 3)
    return channels_second(node, volume_convolution(node, image, channels_last(node, weight), bias, w, group));
  const std::int32_t filters = filters_of(node, weight);
  if (group > 1 && group == is[1] && f[1] == 1 && types::floating.contains(node.desc(x).type)) {
    ops::depthwise_conv2d::attrs attrs;
    attrs.stride = w.pair(w.stride), attrs.dilation = w.pair(w.dilation), attrs.pad = w.padding();
    return of_image(node, node.add<ops::depthwise_conv2d>(attrs, {image, filters, bias}), is.rank);
  }
  ops::conv2d::attrs attrs;
  attrs.stride = w.pair(w.stride), attrs.dilation = w.pair(w.dilation), attrs.pad = w.padding(), attrs.group = group;
  return of_image(node, node.add<ops::conv2d>(attrs, {image, filters, bias}), is.rank);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_conv(node_reader& node) {
  const std::int32_t x = node.input(0), weight = node.weight(1), bias = node.has(2) ? node.weight(2) : ir::none;
  node.define(0, detail::convolution(node, x, weight, bias));
}

namespace detail {

/// Pads of a transposed convolution, from output_shape or auto_pad: the total along each axis, of which SAME_UPPER
/// crops the smaller half at the begin, the others the larger one.
[[gnu::cold]] constexpr void read_transposed_pads(node_reader& node, const shape_t& x, window_axes& w,
                                                  const std::int64_t (&added)[3]) {
  const auto_pad mode = read_auto_pad(node);
  pool<std::int64_t> to = node.integers_attribute("output_shape");
  const bool is_same = mode == auto_pad::same_upper || mode == auto_pad::same_lower;
  if (to.empty() && !is_same) return read_pads(node, x, w);
  node.ignore_attribute("pads");
  const auto count = static_cast<std::size_t>(w.count);
  if (to.size() == count + 2) to = pool<std::int64_t>(std::initializer_list<std::int64_t>{});
  for (std::size_t i = to.size(); i < count && to.size() == i; ++i) {
    const pool<std::int64_t> all = node.integers_attribute("output_shape");
    to.push_back(all.size() == count + 2 ? all[i + 2] : x[static_cast<int>(i) + 2] * w.stride[i]);
  }
  for (int i = 0; i < w.count; ++i) {
    if (x[i + 2] < 0) return node.not_supported({"output_shape needs known extents: got ", x});
    const std::int64_t all = w.stride[i] * (x[i + 2] - 1) + added[i] + w.reach(i) - to[static_cast<std::size_t>(i)];
    const std::int64_t half = all / 2;
    w.before[i] = mode == auto_pad::same_upper ? half : all - half;
    w.after[i] = all - w.before[i];
    if (all < 0) {  // pixels that no window reaches are added at the end
      w.before[i] = 0, w.after[i] = all;
    }
  }
}

/// Filters [C, M / group, …] of a transposed convolution in nnrt's order, [M, h, w, C / group].
[[gnu::cold]] constexpr std::int32_t transposed_filters(node_maker& node, std::int32_t weight, std::int64_t group) {
  shape_t f = node.desc(weight).shape;
  if (f.rank == 3) {
    weight = reshaped(node, weight, pool<std::int64_t>{f[0], f[1], 1, f[2]});
    f = {f[0], f[1], 1, f[2]};
  }
  if (group <= 1) return transposed(node, weight, {1, 2, 3, 0});
  const std::int64_t inputs = f[0] / group;
  weight = reshaped(node, weight, pool<std::int64_t>{group, inputs, f[1], f[2], f[3]});
  weight = transposed(node, weight, {0, 2, 3, 4, 1});
  return reshaped(node, weight, pool<std::int64_t>{group * f[1], f[2], f[3], inputs});
}

/// Planes of a transposed convolution over three axes: for each plane of the kernel a transposed convolution of all
/// planes of x, placed at its distance and added.
[[gnu::cold]] constexpr std::int32_t transposed_volume(node_reader& node, std::int32_t x, std::int32_t weight,
                                                       const window_axes& w, const std::int64_t (&added)[3],
                                                       std::int64_t group) {
  const shape_t is = node.desc(x).shape, f = node.desc(weight).shape;
  if (!is.is_known()) node.not_supported({"a transposed convolution over three axes of ", is});
  if (!node.is_fine()) return ir::none;
  const std::int64_t deep = (is[2] - 1) * w.stride[0] + w.reach(0) + added[0];  // before pads are cropped
  ops::conv2d_transpose::attrs attrs;
  attrs.stride = w.pair(w.stride), attrs.dilation = w.pair(w.dilation), attrs.pad = w.padding(), attrs.group = group;
  attrs.output_paddings = {added[1], added[2]};
  std::int32_t image = channels_last(node, x);  // [N, D, H, W, C]
  image = reshaped(node, image, pool<std::int64_t>{is[0] * is[2], is[3], is[4], is[1]});
  std::int32_t sum = ir::none;
  for (std::int64_t k = 0; node.is_fine() && k < f[2]; ++k) {
    std::int32_t plane =
        node.add<ops::slice>({}, {weight, node.integer_list({0, 0, k, 0, 0}), node.integer_list({-1, -1, 1, -1, -1})});
    plane = reshaped(node, plane, pool<std::int64_t>{f[0], f[1], f[3], f[4]});
    std::int32_t y = node.add<ops::conv2d_transpose>(attrs, {image, transposed_filters(node, plane, group), ir::none});
    const shape_t made = node.desc(y).shape;
    if (!node.is_fine()) return ir::none;
    // plane d of x goes to plane d * stride + k * dilation
    y = reshaped(node, y, pool<std::int64_t>{is[0], is[2], 1, made[1] * made[2] * made[3]});
    y = node.add<ops::pad>({}, {y, node.integer_list({0, 0, 0, 0, 0, w.stride[0] - 1, 0, 0})});
    y = reshaped(node, y, pool<std::int64_t>{is[0], is[2] * w.stride[0], made[1] * made[2] * made[3]});
    const std::int64_t count = (is[2] - 1) * w.stride[0] + 1, front = k * w.dilation[0];
    y = node.add<ops::slice>({}, {y, node.integer_list({0, 0, 0}), node.integer_list({-1, count, -1})});
    y = node.add<ops::pad>({}, {y, node.integer_list({0, 0, front, deep - front - count, 0, 0})});
    sum = sum == ir::none ? y : plus(node, sum, y);
    if (k + 1 < f[2]) continue;
    const std::int64_t kept = deep - w.before[0] - w.after[0];
    sum = node.add<ops::slice>({}, {sum, node.integer_list({0, w.before[0], 0}), node.integer_list({-1, kept, -1})});
    sum = reshaped(node, sum, pool<std::int64_t>{is[0], kept, made[1], made[2], made[3]});
  }
  return sum;
}

}  // namespace detail

/// ConvTranspose: filters [C, M / group, …].
[[gnu::cold]] constexpr void read_conv_transpose(node_reader& node) {
  const std::int32_t x = node.input(0), weight = node.weight(1), bias = node.has(2) ? node.weight(2) : ir::none;
  const shape_t is = node.desc(x).shape, f = node.desc(weight).shape;
  if (!node.is_fine()) return;
  if (f.rank != is.rank || f.rank < 3)
    return node.refuse(error_code::invalid_file, {"input 1: got ", f, ", expected filters of rank ", is.rank});
  detail::window_axes w = detail::read_windows(node, is, f.begin() + 2);
  std::int64_t added[3] = {};
  detail::read_axis_list(node, "output_padding", w.count, added, 0);
  detail::read_transposed_pads(node, is, w, added);
  const std::int64_t group = node.integer_attribute("group", 1);
  if (node.is_fine() && (group < 1 || is[1] % group != 0 || f[0] != is[1]))
    return node.refuse(error_code::invalid_file, {"group: got ", group, " for ", is[1], " channels and filters ", f});
  if (!node.is_fine()) return;
  for (int i = 0; i < w.count; ++i)  // negative pads at the end add pixels
    if (w.after[i] < 0) added[i] -= w.after[i], w.after[i] = 0;
  for (int i = 0; i < w.count; ++i)
    if (w.before[i] < 0) return node.not_supported({"pads: got ", w.before[i], ", expected at least 0"});
  if (w.count == 3) {
    std::int32_t y = detail::transposed_volume(node, x, weight, w, added, group);
    if (bias != ir::none) y = detail::plus(node, y, bias);
    return node.define(0, detail::channels_second(node, y));
  }
  ops::conv2d_transpose::attrs attrs;
  attrs.stride = w.pair(w.stride), attrs.dilation = w.pair(w.dilation), attrs.pad = w.padding(), attrs.group = group;
  attrs.output_paddings = w.count == 1 ? extent2{0, added[0]} : extent2{added[0], added[1]};
  const std::int32_t filters = detail::transposed_filters(node, weight, group);
  const std::int32_t y = node.add<ops::conv2d_transpose>(attrs, {detail::image_of(node, x), filters, bias});
  node.define(0, detail::of_image(node, y, is.rank));
}

namespace detail {

/// x [.., I] times a matrix [O, I] of weights plus a bias [O].
[[gnu::cold]] constexpr std::int32_t dense(node_maker& node, std::int32_t x, std::int32_t weight, std::int32_t bias) {
  return node.add<ops::full_connection>({}, {x, weight, bias});
}
/// A matrix with its axes exchanged.
[[gnu::cold]] constexpr std::int32_t matrix_transposed(node_maker& node, std::int32_t x) {
  return transposed(node, x, {1, 0});
}

}  // namespace detail

namespace detail {

/// Gemm: alpha * A' * B' + beta * C.
[[gnu::cold]] constexpr std::int32_t gemm(node_reader& node) {
  const double alpha = double{node.real_attribute("alpha", 1)}, beta = double{node.real_attribute("beta", 1)};
  const bool is_a = node.integer_attribute("transA", 0) != 0, is_b = node.integer_attribute("transB", 0) != 0;
  if (node.version() < 7) node.ignore_attribute("broadcast");
  std::int32_t a = node.input(0), b = node.weight(1);
  if (node.is_fine() && (node.rank(a) != 2 || node.rank(b) != 2))
    node.refuse(error_code::invalid_file,
                {"got ", node.desc(a).shape, " and ", node.desc(b).shape, ", expected two matrices"});
  if (!node.is_fine()) return ir::none;
  if (is_a) a = matrix_transposed(node, a);
  std::int32_t c = node.has(2) ? node.weight(2) : ir::none;
  if (c != ir::none) c = times(node, c, beta);
  const bool is_layer = !node.is_computed(b);
  const std::int64_t outputs = node.desc(b).shape[is_b ? 0 : 1];
  const bool is_bias = c != ir::none && is_layer && !node.is_computed(c) && node.desc(c).elements() == outputs &&
                       (node.rank(c) == 1 || (node.rank(c) == 2 && node.desc(c).shape[1] == outputs));
  std::int32_t y = ir::none;
  if (is_layer) {
    b = times(node, is_b ? b : matrix_transposed(node, b), alpha);
    std::int32_t bias = is_bias ? c : ir::none;
    if (is_bias && node.rank(c) != 1) bias = reshaped(node, c, pool<std::int64_t>{outputs});
    y = dense(node, a, b, bias);
  } else {
    ops::matmul::attrs attrs;
    attrs.transpose_b = is_b;
    y = times(node, node.add<ops::matmul>(attrs, {a, b}), alpha);
  }
  return c == ir::none || is_bias ? y : plus(node, y, c);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_gemm(node_reader& node) { node.define(0, detail::gemm(node)); }

namespace detail {

/// NumPy's matmul: a vector gets an axis that the result loses again.
[[gnu::cold]] constexpr std::int32_t matrix_product(node_maker& node, std::int32_t a, std::int32_t b) {
  const int rank_a = node.desc(a).rank(), rank_b = node.desc(b).rank();
  if (rank_a > 1 && rank_b == 2 && !node.is_computed(b)) return dense(node, a, matrix_transposed(node, b), ir::none);
  if (rank_a == 1) a = with_axis(node, a, 0);
  if (rank_b == 1) b = with_axis(node, b, 1);
  std::int32_t y = node.add<ops::matmul>({}, {a, b});
  if (!node.is_fine()) return ir::none;
  if (rank_b == 1) y = without_axis(node, y, node.desc(y).rank() - 1);
  if (rank_a == 1) y = without_axis(node, y, node.desc(y).rank() - (rank_b == 1 ? 1 : 2));
  return y;
}

}  // namespace detail

[[gnu::cold]] constexpr void read_matmul(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.weight(1);
  if (!node.is_fine()) return;
  if (node.rank(a) == 0 || node.rank(b) == 0)
    return node.refuse(error_code::invalid_file, {"got a scalar, expected vectors or matrices"});
  const dtype type = node.type(a), wide = types_of(u32, u64).contains(type) ? i64 : type;
  const std::int32_t y = detail::matrix_product(node, detail::cast_to(node, a, wide), detail::cast_to(node, b, wide));
  node.define(0, detail::cast_to(node, y, type));
}

/// BatchNormalization with the statistics of training; channels are axis 1.
[[gnu::cold]] constexpr void read_batch_norm(node_reader& node) {
  node.require_integer("training_mode", 0, 0);
  if (node.version() < 9) node.require_integer("spatial", 1, 1);
  if (node.version() < 7 && node.integer_attribute("is_test", 1) == 0) node.not_supported({"is_test: got 0"});
  if (node.version() >= 14) node.refuse_outputs(1);
  ops::batch_norm::attrs attrs;
  attrs.epsilon = node.real_attribute("epsilon", 1e-5F);
  const std::int32_t x = node.input(0);
  std::int32_t parameters[4] = {};
  for (std::size_t i = 0; i < 4; ++i) parameters[i] = detail::cast_to(node, node.weight(i + 1), node.type(x));
  const std::int32_t y = node.add<ops::batch_norm>(
      attrs, {detail::channels_last(node, x), parameters[0], parameters[1], parameters[2], parameters[3]});
  node.define(0, detail::channels_second(node, y));
}

[[gnu::cold]] constexpr void read_instance_norm(node_reader& node) {
  ops::instance_norm::attrs attrs;
  attrs.epsilon = node.real_attribute("epsilon", 1e-5F);
  node.finish<ops::instance_norm>(attrs, {node.input(0), node.weight(1), node.weight(2)});
}

/// GroupNormalization: statistics over the channels of a group; scale and bias for each group (18) or channel (21).
[[gnu::cold]] constexpr void read_group_norm(node_reader& node) {
  const std::int32_t x = node.input(0), scale = node.weight(1), bias = node.weight(2);
  const shape_t is = node.desc(x).shape;
  const std::int64_t groups = node.integer_attribute("num_groups", 1);
  if (!node.is_fine()) return;
  if (!is.is_known() || is.rank < 2 || groups < 1 || is[1] % groups != 0)
    return node.not_supported({"num_groups: got ", groups, " for ", is, ", expected known extents and a divisor"});
  ops::instance_norm::attrs attrs;
  attrs.epsilon = node.real_attribute("epsilon", 1e-5F);
  const std::int32_t split = detail::reshaped(node, x, pool<std::int64_t>{is[0], groups, -1});
  const dtype type = node.type(x);
  std::int32_t y = node.add<ops::instance_norm>(
      attrs, {split, detail::filled(node, type, {groups}, 1), detail::filled(node, type, {groups}, 0)});
  const bool is_by_group = node.desc(scale).elements() == groups && groups != is[1];
  pool<std::int64_t> along{is_by_group ? groups : is[1]};
  if (is_by_group) along.push_back(1);
  else {
    y = detail::reshaped(node, y, std::span(is.begin(), is.end()));
    for (int i = 2; i < is.rank; ++i) along.push_back(1);
  }
  y = detail::plus(node, detail::times(node, y, detail::reshaped(node, scale, along)),
                   detail::reshaped(node, bias, along));
  node.define(0, is_by_group ? detail::reshaped(node, y, std::span(is.begin(), is.end())) : y);
}

namespace detail {

/// Mean over axes, with extents of 1 in their place.
[[gnu::cold]] constexpr std::int32_t mean_over(node_maker& node, std::int32_t x, array_ref<const std::int64_t> axes) {
  ops::reduce_mean::attrs attrs;
  attrs.keep_dims = true;
  return node.add<ops::reduce_mean>(attrs, {x, node.integer_list(axes)});
}

/// Normalises x along the axes from `axis` on. `bias` may be missing.
[[gnu::cold]] constexpr std::int32_t layer_normalised(node_maker& node, std::int32_t x, std::int32_t scale,
                                                      std::int32_t bias, int axis, float epsilon) {
  const tensor_desc is = node.desc(x);
  shape_t block;
  for (int i = axis; i < is.rank(); ++i) block.push_back(is.shape[i]);
  ops::layer_norm::attrs attrs;
  attrs.begin_norm_axis = axis, attrs.begin_param_axis = axis, attrs.epsilon = epsilon;
  const bool is_whole = node.desc(scale).shape == block && (bias == ir::none || node.desc(bias).shape == block);
  if (is_whole) {
    if (bias == ir::none) bias = filled(node, is.type, block, 0);
    return node.add<ops::layer_norm>(attrs, {x, scale, bias});
  }
  if (!block.is_known()) {
    node.not_supported({"scale ", node.desc(scale).shape, " for axes ", block, ", whose extents are unknown"});
    return ir::none;
  }
  std::int32_t y =
      node.add<ops::layer_norm>(attrs, {x, filled(node, is.type, block, 1), filled(node, is.type, block, 0)});
  y = times(node, y, scale);
  return bias == ir::none ? y : plus(node, y, bias);
}

/// Mean and 1 / sqrt(variance + epsilon) of the axes from `axis` on: optional outputs of normalisations.
[[gnu::cold]] constexpr void define_statistics(node_reader& node, std::int32_t x, int axis, float epsilon,
                                               std::size_t first) {
  if (!node.has_output(first) && !node.has_output(first + 1)) return;
  pool<std::int64_t> axes;
  for (int i = axis; i < node.rank(x); ++i) axes.push_back(i);
  const std::int32_t mean = mean_over(node, x, axes);
  const std::int32_t variance = mean_over(node, node.add<ops::square>({}, {minus(node, x, mean)}), axes);
  node.define(first, mean);
  node.define(first + 1,
              node.add<ops::reciprocal>({}, {node.add<ops::sqrt>({}, {plus(node, variance, double{epsilon})})}));
}

}  // namespace detail

/// LayerNormalization; statistics are computed in f32.
[[gnu::cold]] constexpr void read_layer_norm(node_reader& node) {
  const std::int32_t x = node.input(0), scale = node.weight(1), bias = node.has(2) ? node.weight(2) : ir::none;
  const int axis = node.axis_attribute("axis", -1, node.rank(x));
  const float epsilon = node.real_attribute("epsilon", 1e-5F);
  if (!node.is_fine()) return;
  node.define(0, detail::layer_normalised(node, x, scale, bias, axis, epsilon));
  detail::define_statistics(node, x, axis, epsilon, 1);
}

namespace detail {

/// x / sqrt(mean(x^2) + epsilon) * scale, along the axes from `axis` on.
[[gnu::cold]] constexpr std::int32_t rms_normalised(node_maker& node, std::int32_t x, std::int32_t scale, int axis,
                                                    float epsilon) {
  pool<std::int64_t> axes;
  for (int i = axis; i < node.desc(x).rank(); ++i) axes.push_back(i);
  const std::int32_t mean = mean_over(node, node.add<ops::square>({}, {x}), axes);
  return times(node, over(node, x, node.add<ops::sqrt>({}, {plus(node, mean, double{epsilon})})), scale);
}

}  // namespace detail

[[gnu::cold]] constexpr void read_rms_norm(node_reader& node) {
  const std::int32_t x = node.input(0), scale = node.weight(1);
  const int axis = node.axis_attribute("axis", -1, node.rank(x));
  node.define(0, detail::rms_normalised(node, x, scale, axis, node.real_attribute("epsilon", 1e-5F)));
}

/// (x - mean) / (deviation + 1e-9), over axes [0, 2, 3] by default.
[[gnu::cold]] constexpr void read_mean_variance_norm(node_reader& node) {
  const std::int32_t x = node.input(0);
  pool<std::int64_t> axes = node.integers_attribute("axes");
  if (!node.has_attribute("axes")) axes = {0, 2, 3};
  const std::int32_t away = detail::minus(node, x, detail::mean_over(node, x, axes));
  const std::int32_t deviation =
      node.add<ops::sqrt>({}, {detail::mean_over(node, node.add<ops::square>({}, {away}), axes)});
  node.define(0, detail::over(node, away, detail::plus(node, deviation, 1e-9)));
}

/// x divided by its norm of order 1 or 2 along an axis.
[[gnu::cold]] constexpr void read_lp_norm(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int64_t p = node.integer_attribute("p", 2);
  const std::int32_t axis = node.integer_list({node.axis_attribute("axis", -1, node.rank(x))});
  if (p != 1 && p != 2) return node.not_supported({"p: got ", p, ", expected 1 or 2"});
  std::int32_t norm = ir::none;
  if (p == 2) {
    ops::reduce_l2::attrs attrs;
    attrs.keep_dims = true;
    norm = node.add<ops::reduce_l2>(attrs, {x, axis});
  } else {
    ops::reduce_sum::attrs attrs;
    attrs.keep_dims = true;
    norm = node.add<ops::reduce_sum>(attrs, {node.add<ops::abs>({}, {x}), axis});
  }
  node.define(0, detail::over(node, x, norm));
}

/// LRN: channels from c - floor((size - 1) / 2) to c + ceil((size - 1) / 2). An even size adds shifted squares.
[[gnu::cold]] constexpr void read_lrn(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int64_t size = node.integer_attribute("size", 0);
  const float alpha = node.real_attribute("alpha", 1e-4F), beta = node.real_attribute("beta", 0.75F),
              bias = node.real_attribute("bias", 1);
  if (node.is_fine() && (size < 1 || size > 4096))
    return node.refuse(error_code::invalid_file, {"size: got ", size, ", expected 1 to 4096"});
  if (!node.is_fine()) return;
  const std::int32_t image = detail::channels_last(node, x);
  if (size % 2 == 1) {
    ops::lrn::attrs attrs;
    attrs.depth_radius = (size - 1) / 2, attrs.bias = bias, attrs.beta = beta;
    attrs.alpha = alpha / static_cast<float>(size);
    return node.define(0, detail::channels_second(node, node.add<ops::lrn>(attrs, {image})));
  }
  const shape_t is = node.desc(image).shape;
  pool<std::int64_t> paddings, begin, sizes;
  for (int i = 0; i + 1 < is.rank; ++i)
    paddings.push_back(0), paddings.push_back(0), begin.push_back(0), sizes.push_back(-1);
  paddings.push_back((size - 1) / 2), paddings.push_back(size / 2);
  begin.push_back(0), sizes.push_back(is[-1]);
  const std::int32_t squares =
      node.add<ops::pad>({}, {node.add<ops::square>({}, {image}), node.integer_list(paddings)});
  std::int32_t sum = ir::none;
  for (std::int64_t i = 0; i < size; ++i) {
    begin.back() = i;
    const std::int32_t part = node.add<ops::slice>({}, {squares, node.integer_list(begin), node.integer_list(sizes)});
    sum = sum == ir::none ? part : detail::plus(node, sum, part);
  }
  const std::int32_t base =
      detail::plus(node, detail::times(node, sum, double{alpha} / static_cast<double>(size)), double{bias});
  const std::int32_t divisor = node.add<ops::pow>({}, {base, detail::number_like(node, base, double{beta})});
  node.define(0, detail::channels_second(node, detail::over(node, image, divisor)));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
