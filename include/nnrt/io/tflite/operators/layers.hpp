// layers: readers of convolutions, dense layers and pools of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/dynamic_range.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Stride, dilation, padding and activation of a convolution.
template <class Attributes, class Options>
[[gnu::cold]] constexpr void read_windows(node_reader& node, table_of<Options> options, Attributes& attrs) {
  attrs.stride = {options[Options::stride_h], options[Options::stride_w]};
  attrs.dilation = {options[Options::dilation_h], options[Options::dilation_w]};
  attrs.pad = node.padding(options[Options::padding]);
  attrs.fused = node.fused(options[Options::fused]);
}

/// The number of groups of a convolution: the input's channels divided by the filters' I ([O, H, W, I]). The file does
/// not state it.
constexpr std::int64_t groups_of(const tensor_desc& x, const tensor_desc& filters) {
  if (x.rank() != 4 || filters.rank() != 4 || x.shape[3] < 1 || filters.shape[3] < 1) return 1;
  return x.shape[3] % filters.shape[3] == 0 ? x.shape[3] / filters.shape[3] : 1;
}

/// A bias has the scale of the accumulators, scale of x times scale of the weight. As in TFLite, another scale is
/// refused when both tensors have one scale and the difference is above 0.02 of the output's scale. A missing scale
/// counts as 0. Layers with filters are checked for u8 only.
[[gnu::cold]] constexpr void check_bias_scale(node_reader& node, std::size_t i, std::int32_t x, std::int32_t weight) {
  const quantisation of_x = node.desc(x).quantised, of_weight = node.desc(weight).quantised,
                     of_y = node.declared(0).quantised;
  if (!node.is_fine() || !node.has(i) || !of_x || !of_y || of_weight.mode != quantisation::kind::per_tensor) return;
  const double got = double{node.one_scale_or_0(i)}, expected = double{of_x.scale} * double{of_weight.scale};
  if (math::abs(expected - got) / double{of_y.scale} <= 0.02) return;
  node.refuse_input(i, {"scale: got ", node.one_scale_or_0(i), ", expected ", static_cast<float>(expected),
                        ", that of input times weight, to 0.02 of the output's ", of_y.scale});
}
[[gnu::cold]] constexpr void check_unsigned_bias_scale(node_reader& node, std::size_t i, std::int32_t x,
                                                       std::int32_t filters) {
  if (node.desc(x).type == u8) check_bias_scale(node, i, x, filters);
}

/// Refuses an option quantized_bias_type that differs from the bias (input i), for quantised x. FLOAT32 means
/// unspecified.
[[gnu::cold]] constexpr void check_bias_type(node_reader& node, std::size_t i, std::int32_t x, std::int8_t type) {
  if (type == 0 || !node.is_fine() || !node.desc(x).quantised) return;
  if (type != type_number("INT32") && type != type_number("INT64"))
    return node.refuse(error_code::invalid_file,
                       {"quantized_bias_type: got ", name_of_type(type), ", expected INT32 or INT64"});
  const dtype bias = node.desc(node.input(i)).type;
  if (node.has(i) && bias != dtype_of_type(type))
    node.refuse(error_code::invalid_file,
                {"quantized_bias_type: got ", name_of_type(type), ", expected that of the bias, ", name_of(bias)});
}

/// Depthwise filters [1, H, W, O] as [O, H, W, 1].
[[gnu::cold]] constexpr std::int32_t depthwise_filters(node_reader& node, std::size_t i, std::int32_t x) {
  constant_conversion conversion =
      node.narrow_constant(i, x) ? weights_beside_f32 : constant_conversion{.stays_in_file = true};
  conversion.filters_first = true;
  if (node.is_constant(i)) return node.constant(i, conversion);
  return node.add<ops::transpose>({}, {node.input(i), node.integer_list({3, 1, 2, 0})});
}

/// The desc of 8-bit weights (input i) of a layer with f32 input x, else none. TFLite computes such layers on integers.
[[gnu::cold]] constexpr std::optional<tensor_desc> weight_of_bytes(node_reader& node, std::size_t i, std::int32_t x) {
  const auto weight = node.narrow_constant(i, x);
  return weight && size_of(weight->type) == 1 ? weight : std::nullopt;
}
/// The input x of a float layer, quantised and dequantised at run time if the weights have 8 bits. The elements from
/// `axis` on share a scale.
[[gnu::cold]] constexpr std::int32_t seen_beside(node_reader& node, std::size_t i, std::int32_t x, bool symmetric,
                                                 std::int64_t axis) {
  if (!weight_of_bytes(node, i, x)) return x;
  ops::dynamic_range::attrs attrs;
  attrs.axis = axis;
  attrs.symmetric = symmetric;
  return node.add<ops::dynamic_range>(attrs, {x});
}
/// The rows of a dense layer's input, treated likewise. Each row has as many elements as the weights (input 1) have
/// columns.
[[gnu::cold]] constexpr std::int32_t rows_seen(node_reader& node, std::int32_t x, bool symmetric) {
  const auto weight = weight_of_bytes(node, 1, x);
  if (!weight || weight->rank() != 2) return x;
  const shape_t& shape = node.desc(x).shape;
  const std::int64_t columns = weight->shape[1];
  const bool are_rows = shape.rank == 2 && shape[1] == columns;
  const std::int32_t rows = are_rows ? x : node.add<ops::reshape>({}, {x, node.integer_list({-1, columns})});
  return seen_beside(node, 1, rows, symmetric, 1);
}
/// x with its last two axes swapped.
[[gnu::cold]] constexpr std::int32_t matrices_transposed(node_reader& node, std::int32_t x) {
  const int rank = node.desc(x).rank();
  if (rank < 2) return x;  // matmul refuses it
  pool<std::int64_t> order;
  for (int i = 0; i < rank - 2; ++i) order.push_back(i);
  order.push_back(rank - 1), order.push_back(rank - 2);
  return node.add<ops::transpose>({}, {x, node.integer_list(order)});
}

}  // namespace detail

[[gnu::cold]] constexpr void read_conv_2d(node_reader& node) {
  const auto options = node.options<schema::conv2d_options>();
  const std::int32_t x = node.input(0), filters = node.weight(1, x), bias = node.weight(2, x);
  detail::check_unsigned_bias_scale(node, 2, x, filters);
  detail::check_bias_type(node, 2, x, options[schema::conv2d_options::quantized_bias_type]);
  ops::conv2d::attrs attrs;
  detail::read_windows(node, options, attrs);
  attrs.group = detail::groups_of(node.desc(x), node.desc(filters));
  // As in TFLite: several equal scales count as one; different scales make the input's quantisation asymmetric.
  const bool symmetric = !node.has_different_scales(1);
  node.finish<ops::conv2d>(attrs, {detail::seen_beside(node, 1, x, symmetric, 1), filters, bias});
}

[[gnu::cold]] constexpr void read_depthwise_conv_2d(node_reader& node) {
  const auto options = node.options<schema::depthwise_conv2d_options>();
  const std::int32_t x = node.input(0), filters = detail::depthwise_filters(node, 1, x), bias = node.weight(2, x);
  detail::check_unsigned_bias_scale(node, 2, x, filters);
  ops::depthwise_conv2d::attrs attrs;
  detail::read_windows(node, options, attrs);
  node.finish<ops::depthwise_conv2d>(attrs, {detail::seen_beside(node, 1, x, false, 1), filters, bias});
}

namespace detail {
/// The desc of TRANSPOSE_CONV's output. Its shape is the first operand; extents that are unknown there come from the
/// declared output. Extents unknown in both are -1.
[[gnu::cold]] constexpr tensor_desc wanted_image(node_reader& node) {
  tensor_desc wanted = node.declared(0);
  const shape_t declared = wanted.shape, given = node.shape_as_far_as_known(0);
  if (given.rank != 0) wanted.shape = given;
  for (int axis = 0; axis < given.rank && axis < declared.rank; ++axis)
    if (given[axis] < 0) wanted.shape[axis] = declared[axis];
  return wanted;
}
/// Checks the output's height and width if they were unknown. A stride leaves a choice of extents; conv2d_transpose
/// takes the usual ones. The reshape to the shape operand fails at run time if the operand differs. Refuses a shape
/// operand that depends on data.
[[gnu::cold]] constexpr std::int32_t checked_image(node_reader& node, std::int32_t y, const tensor_desc& wanted) {
  if (wanted.rank() == 4 && wanted.shape[1] >= 0 && wanted.shape[2] >= 0) return y;
  if (node.is_computed(node.input(0)))
    node.not_supported({"output_shape: got ", wanted.shape,
                        ", expected a height and a width that shapes tell before the network runs"});
  return node.add<ops::reshape>({}, {y, node.input(0)});
}
}  // namespace detail

[[gnu::cold]] constexpr void read_transpose_conv(node_reader& node) {
  using kind = schema::transpose_conv_options;
  const auto options = node.options<kind>();
  const std::int32_t x = node.input(2), filters = node.weight(1, x), bias = node.weight(3, x);
  detail::check_unsigned_bias_scale(node, 3, x, filters);
  detail::check_bias_type(node, 3, x, options[kind::quantized_bias_type]);
  ops::conv2d_transpose::attrs attrs;
  attrs.stride = {options[kind::stride_h], options[kind::stride_w]};
  attrs.pad = node.padding(options[kind::padding]);
  attrs.fused = node.fused(options[kind::fused]);
  const tensor_desc wanted = detail::wanted_image(node);
  const std::int32_t y = node.add<ops::conv2d_transpose>(attrs, {x, filters, bias}, wanted);
  node.define(0, detail::checked_image(node, y, wanted));
}

[[gnu::cold]] constexpr void read_fully_connected(node_reader& node) {
  using kind = schema::fully_connected_options;
  const auto options = node.options<kind>();
  if (const int order = options[kind::weights_format]; order != 0)
    node.not_supported({"weights in the order ", order == 127 ? "SHUFFLED16x1FLOAT32" : "SHUFFLED4x16INT8"});
  const std::int32_t x = node.input(0), weight = node.weight(1, x), bias = node.weight(2, x);
  detail::check_bias_scale(node, 2, x, weight);
  detail::check_bias_type(node, 2, x, options[kind::quantized_bias_type]);
  ops::full_connection::attrs attrs;
  attrs.fused = node.fused(options[kind::fused]);
  attrs.axis = options[kind::keep_num_dims] ? -1 : no_axis;
  const bool symmetric = !options[kind::asymmetric];
  const std::int32_t seen = options[kind::keep_num_dims] ? detail::seen_beside(node, 1, x, symmetric, -1)
                                                         : detail::rows_seen(node, x, symmetric);
  node.finish<ops::full_connection>(attrs, {seen, weight, bias});
}

[[gnu::cold]] constexpr void read_batch_matmul(node_reader& node) {
  using kind = schema::batch_matmul_options;
  const auto options = node.options<kind>();
  std::int32_t a = node.input(0);
  ops::matmul::attrs attrs;
  attrs.transpose_a = options[kind::adj_x];
  attrs.transpose_b = options[kind::adj_y];
  // a scale is shared by a row, so rows must be contiguous
  if (attrs.transpose_a && detail::weight_of_bytes(node, 1, a)) {
    a = detail::matrices_transposed(node, a);
    attrs.transpose_a = false;
  }
  const std::int32_t b = node.weight(1, a);
  node.finish<ops::matmul>(attrs, {detail::seen_beside(node, 1, a, !options[kind::asymmetric], -1), b});
}

namespace detail {
/// Window, stride, padding and activation of a pool.
template <class Op> [[gnu::cold]] constexpr typename Op::attrs pool_of(node_reader& node) {
  using kind = schema::pool2d_options;
  const auto options = node.options<kind>();
  typename Op::attrs attrs;
  attrs.kernel = {options[kind::filter_h], options[kind::filter_w]};
  attrs.stride = {options[kind::stride_h], options[kind::stride_w]};
  attrs.pad = node.padding(options[kind::padding]);
  attrs.fused = node.fused(options[kind::fused]);
  return attrs;
}
}  // namespace detail

/// AVERAGE_POOL_2D and MAX_POOL_2D.
template <class Op> [[gnu::cold]] constexpr void read_pool_2d(node_reader& node) {
  const typename Op::attrs attrs = detail::pool_of<Op>(node);
  node.finish<Op>(attrs, {detail::moved_input(node)});
}
/// sqrt(mean(x * x)) over each window. A fused activation applies to the root, where relu has no effect.
[[gnu::cold]] constexpr void read_l2_pool_2d(node_reader& node) {
  ops::avg_pool::attrs attrs = detail::pool_of<ops::avg_pool>(node);
  const activation fused = attrs.fused;
  attrs.fused = activation::none;
  const std::int32_t x = node.input(0);
  node.refuse_quantised(0, x);
  const std::int32_t mean = node.add<ops::avg_pool>(attrs, {node.add<ops::mul>({}, {x, x})});
  switch (fused) {
    case activation::none:
    case activation::relu: return node.finish<ops::sqrt>({}, {mean});
    case activation::relu6: return node.finish<ops::relu6>({}, {node.add<ops::sqrt>({}, {mean})});
  }
}

}}}  // namespace nnrt::NNRT_ISA::tflite
