// mediapipe: readers of MediaPipe's custom operators: transposed convolution, max pooling with indices, unpooling.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/layers.hpp>
#include <nnrt/ops/max_pool_indices.hpp>
#include <nnrt/ops/max_unpool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Options that are the bytes of a C structure of int32 members, little-endian.
struct raw_options {
  static constexpr std::size_t most = 6;
  std::int32_t numbers[most] = {};

  /// Reads `count` numbers. Bytes after them are ignored, as in MediaPipe's kernels.
  [[gnu::cold]] constexpr raw_options(node_reader& node, std::size_t count) {
    const std::string_view bytes = node.custom_bytes();
    const bool is_whole = bytes.size() >= 4 * count;
    if (!is_whole)
      node.refuse(error_code::invalid_file, {"options: got ", bytes.size(), " bytes, expected at least ", 4 * count});
    for (std::size_t i = 0; is_whole && i < count; ++i)
      for (std::size_t k = 4; k-- > 0;)
        numbers[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(numbers[i]) << 8U |
                                               static_cast<unsigned char>(bytes[4 * i + k]));
  }
};

/// Padding by the number of TfLitePadding. Refuses other numbers.
[[gnu::cold]] constexpr pads raw_padding(node_reader& node, std::int32_t number) {
  if (number != 1 && number != 2)
    node.refuse(error_code::invalid_file, {"padding: got ", number, ", expected 1 (SAME) or 2 (VALID)"});
  return {.mode = number == 1 ? pad_mode::same : pad_mode::valid};
}

/// Refuses other dtypes than f32, the only one that MediaPipe's kernels compute.
[[gnu::cold]] constexpr void require_floats(node_reader& node, std::size_t i, std::int32_t id) {
  if (node.is_fine() && node.desc(id).type != f32) node.not_supported_beside(i, id, "f32");
}

/// The output extent of Convolution2DTransposeBias with SAME padding. It is less than input * stride when the stride
/// does not divide the input's extent.
constexpr std::int64_t same_extent_of_transposed(std::int64_t input, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t surplus = kernel - (input - 1) % stride - 1;
  return stride * (input - 1) + kernel - (surplus > 0 ? surplus : 0);
}

/// Options of MaxPoolingWithArgmax2D and MaxUnpooling2D.
struct window_options {
  pads pad;
  extent2 stride, kernel;
  std::int32_t fused;

  [[gnu::cold]] constexpr explicit window_options(node_reader& node) {
    const raw_options options(node, 6);
    pad = raw_padding(node, options.numbers[0]);
    stride = {options.numbers[2], options.numbers[1]}, kernel = {options.numbers[4], options.numbers[3]};
    fused = options.numbers[5];
  }
};

}  // namespace detail

/// Convolution2DTransposeBias: x, filters [O, kh, kw, I] and bias. Its kernel ignores the activation in the options.
[[gnu::cold]] constexpr void read_transpose_conv_bias(node_reader& node) {
  const detail::raw_options options(node, 3);
  ops::conv2d_transpose::attrs attrs;
  attrs.pad = detail::raw_padding(node, options.numbers[0]);
  attrs.stride = {options.numbers[2], options.numbers[1]};
  const std::int32_t x = node.input(0), filters = node.weight(1, x), bias = node.weight(2, x);
  for (const auto& [i, id] : {std::pair<std::size_t, std::int32_t>{0, x}, {1, filters}, {2, bias}})
    detail::require_floats(node, i, id);
  if (!node.is_fine()) return;
  const shape_t from = node.desc(x).shape, kernel = node.desc(filters).shape;
  tensor_desc wanted;
  if (attrs.pad.mode == pad_mode::same && from.rank == 4 && kernel.rank == 4) {
    wanted.shape = shape_t::unknown(4);
    for (const int axis : {1, 2}) {
      const std::int64_t stride = axis == 1 ? attrs.stride.h : attrs.stride.w;
      if (stride <= 1 || kernel[axis] < 1) continue;  // the output has the extent of x, or the rules refuse it
      if (from[axis] < 0)
        return node.not_supported(
            {"input 0: got ", from, ", expected a height and width that are known with SAME and strides"});
      wanted.shape[axis] = detail::same_extent_of_transposed(from[axis], kernel[axis], stride);
    }
  }
  node.conclude(0, node.add<ops::conv2d_transpose>(attrs, {x, filters, bias}, wanted));
}

/// MaxPoolingWithArgmax2D: maxima and their indices within the windows. The indices are floats plus 0.1, which a
/// conversion to integers truncates.
[[gnu::cold]] constexpr void read_max_pool_argmax(node_reader& node) {
  const detail::window_options options(node);
  const std::int32_t x = node.input(0);
  detail::require_floats(node, 0, x);
  if (!node.is_fine()) return;
  ops::max_pool_indices::attrs attrs;
  attrs.kernel = options.kernel, attrs.stride = options.stride, attrs.pad = options.pad;
  attrs.in_window = true;
  if (options.fused < 0 || options.fused > 3)
    return node.not_supported({"fused activation ", name_in(activation_names, "number", options.fused)});
  if (options.fused != 2) attrs.fused = node.fused(static_cast<std::int8_t>(options.fused));
  const pool<std::int32_t> made = node.add_all<ops::max_pool_indices>(attrs, {x});
  if (!node.is_fine()) return;
  node.conclude(0, options.fused == 2 ? detail::clamped(node, made[0], -1, 1) : made[0]);
  node.conclude(1, node.add<ops::add>({}, {detail::cast_to(node, made[1], f32), node.real_number(0.1F)}));
}

/// MaxUnpooling2D: enlarges by the height and width of the window. Its kernel ignores the activation in the options.
[[gnu::cold]] constexpr void read_max_unpooling(node_reader& node) {
  const detail::window_options options(node);
  const std::int32_t x = node.input(0), indices = node.input(1);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) detail::require_floats(node, i, i == 0 ? x : indices);
  if (!node.is_fine()) return;
  ops::max_unpool::attrs attrs;
  attrs.kernel = options.kernel, attrs.stride = options.stride;
  attrs.in_window = true;
  const shape_t from = node.desc(x).shape;
  tensor_desc wanted;
  if (from.rank == 4) wanted.shape = shape_t::unknown(4);
  for (int axis = 1; axis <= 2 && from.rank == 4; ++axis) {
    const std::int64_t kernel = axis == 1 ? attrs.kernel.h : attrs.kernel.w,
                       stride = axis == 1 ? attrs.stride.h : attrs.stride.w;
    if (kernel == stride || kernel < 1) continue;  // the default extent, without padding; or the rules refuse it
    if (from[axis] < 0)
      return node.not_supported(
          {"input 0: got ", from, ", expected a height and width that are known with strides unlike the window"});
    const std::int64_t extent = extent_product(from[axis], kernel),
                       surplus = (from[axis] - 1) * stride + kernel - extent;
    wanted.shape[axis] = extent;
    (axis == 1 ? attrs.pad.top : attrs.pad.left) = surplus > 0 ? surplus / 2 : 0;
  }
  node.conclude(0, node.add<ops::max_unpool>(attrs, {x, detail::cast_to(node, indices, i32)}, wanted));
}

}}}  // namespace nnrt::NNRT_ISA::tflite
