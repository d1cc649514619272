// shapes: readers of operators of .tflite files that move, select, join and count elements.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/io/tflite/node_reader.hpp>
#include <nnrt/ops/arg_max.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/expand_dims.hpp>
#include <nnrt/ops/fill.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/one_hot.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/space_to_batch_nd.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/stack.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/ops/top_k.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/ops/unsqueeze.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

namespace detail {

/// A list of the file as one of ours. Refused: more numbers than ours has room for.
template <class List> [[gnu::cold]] List read_list(node_reader& node, array_ref<const std::int64_t> items) {
  List made;
  for (const std::int64_t item : items) made.push_back(item);
  if (static_cast<std::size_t>(made.count) != items.size())
    node.not_supported({"got a list of ", items.size(), " numbers, expected at most ", made.count});
  return made;
}
template <class List> [[gnu::cold]] List read_list(node_reader& node, const list<std::int32_t>& items) {
  pool<std::int64_t> wide;
  for (std::size_t i = 0; i < items.size(); ++i) wide.push_back(items[i]);
  return read_list<List>(node, wide);
}

/// All inputs, in order.
[[gnu::cold]] inline pool<std::int32_t> all_inputs(node_reader& node) {
  pool<std::int32_t> ids;
  for (std::size_t i = 0; i < node.input_count(); ++i) ids.push_back(node.input(i));
  return ids;
}

/// The shape that RESHAPE wants: an operand, else an option, else what the output declares.
[[gnu::cold]] inline std::int32_t wanted_shape(node_reader& node) {
  if (node.has(1)) return node.input(1);
  const auto listed = node.options<schema::reshape_options>()[schema::reshape_options::new_shape];
  const shape_t declared = node.declared(0).shape;
  if (listed.empty()) return node.integer_list(std::span(declared.begin(), declared.end()));
  if (listed.size() == 1 && listed[0] == 0) return node.integer_list({});  // how early files say "one number"
  const auto items = read_list<int_list<max_rank>>(node, listed);
  return node.integer_list(std::span(items.begin(), items.end()));
}

/// Blocks and borders of BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND, operators of ours on images. Sequences [N, T, C]
/// become images one pixel wide.
template <class Op, auto Borders> [[gnu::cold]] void read_blocks(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> block = node.integers(1), borders = node.integers(2);
  const bool is_sequence = block.size() == 1;
  if (!node.is_fine()) return;
  if (block.empty() || block.size() > 2 || borders.size() != 2 * block.size())
    return node.not_supported({"blocks along ", block.size(), " axes with ", borders.size(), " borders"});
  typename Op::attrs attrs;
  attrs.block = {block[0], is_sequence ? 1 : block[1]};
  for (std::size_t i = 0; i < 4; ++i) (attrs.*Borders).push_back(i < borders.size() ? borders[i] : 0);
  if (!is_sequence) return node.finish<Op>(attrs, {x});
  ops::unsqueeze::attrs widened;
  widened.axes.push_back(2);
  ops::squeeze::attrs narrowed;
  narrowed.axes.push_back(2);
  node.finish<ops::squeeze>(narrowed, {node.add<Op>(attrs, {node.add<ops::unsqueeze>(widened, {x})})});
}

}  // namespace detail

[[gnu::cold]] inline void read_reshape(node_reader& node) {
  node.finish<ops::reshape>({}, {node.input(0), detail::wanted_shape(node)});
}

[[gnu::cold]] inline void read_squeeze(node_reader& node) {
  ops::squeeze::attrs attrs;
  attrs.axes = detail::read_list<axis_list>(
      node, node.options<schema::squeeze_options>()[schema::squeeze_options::squeeze_dims]);
  node.finish<ops::squeeze>(attrs, {node.input(0)});
}

[[gnu::cold]] inline void read_slice(node_reader& node) {
  node.finish<ops::slice>({}, {node.input(0), node.input(1), node.input(2)});
}

[[gnu::cold]] inline void read_concatenation(node_reader& node) {
  using kind = schema::concatenation_options;
  const auto options = node.options<kind>();
  const pool<std::int32_t> inputs = detail::all_inputs(node);
  if (options[kind::fused] != 0) node.not_supported({"a fused activation"});
  ops::concat::attrs attrs;
  attrs.axis = options[kind::axis];
  node.finish<ops::concat>(attrs, inputs);
}

[[gnu::cold]] inline void read_pack(node_reader& node) {
  ops::stack::attrs attrs;
  attrs.axis = node.options<schema::pack_options>()[schema::pack_options::axis];
  node.finish<ops::stack>(attrs, detail::all_inputs(node));
}

[[gnu::cold]] inline void read_split(node_reader& node) {
  ops::split::attrs attrs;
  attrs.axis = node.integer(0);
  attrs.output_num = static_cast<std::int64_t>(node.output_count());
  node.finish<ops::split>(attrs, {node.input(1)});
}

[[gnu::cold]] inline void read_split_v(node_reader& node) {
  ops::split::attrs attrs;
  attrs.axis = node.integer(2);
  attrs.sizes = detail::read_list<int_list<64>>(node, node.integers(1));
  node.finish<ops::split>(attrs, {node.input(0)});
}

/// A split whose parts lose the axis.
[[gnu::cold]] inline void read_unpack(node_reader& node) {
  using kind = schema::unpack_options;
  const std::int64_t axis = node.options<kind>()[kind::axis];
  ops::split::attrs parts;
  parts.axis = axis;
  parts.output_num = static_cast<std::int64_t>(node.output_count());
  ops::squeeze::attrs attrs;
  attrs.axes.push_back(axis);
  const pool<std::int32_t> made = node.add_all<ops::split>(parts, {node.input(0)});
  for (std::size_t i = 0; i < made.size(); ++i)
    node.define(i, node.add<ops::squeeze>(attrs, {made[i]}, node.declared(i)));
}

[[gnu::cold]] inline void read_pad(node_reader& node) {
  ops::pad::attrs attrs;
  if (node.has(2)) attrs.pad_value = node.real(2);
  node.finish<ops::pad>(attrs, {node.input(0), node.input(1)});
}

[[gnu::cold]] inline void read_mirror_pad(node_reader& node) {
  using kind = schema::mirror_pad_options;
  const std::int8_t mode = node.options<kind>()[kind::mode];
  if (mode < 0 || mode > 1)
    node.refuse(error_code::invalid_file, {"mode: got ", mode, ", expected 0 (REFLECT) or 1 (SYMMETRIC)"});
  ops::pad::attrs attrs;
  attrs.mode = mode == 0 ? border::reflect : border::symmetric;
  node.finish<ops::pad>(attrs, {node.input(0), node.input(1)});
}

/// Values and indices along the last axis.
[[gnu::cold]] inline void read_top_k(node_reader& node) { node.finish<ops::top_k>({}, {node.input(0), node.input(1)}); }

/// The shape first, then the number.
[[gnu::cold]] inline void read_fill(node_reader& node) { node.finish<ops::fill>({}, {node.input(1), node.input(0)}); }

/// MEAN, REDUCE_PROD and REDUCE_ALL.
template <class Op> [[gnu::cold]] void read_reduction(node_reader& node) {
  typename Op::attrs attrs;
  attrs.keep_dims = node.options<schema::reducer_options>()[schema::reducer_options::keep_dims];
  node.finish<Op>(attrs, {node.input(0), node.input(1)});
}

[[gnu::cold]] inline void read_shape(node_reader& node) {
  const dtype wanted = node.declared(0).type;
  if (wanted == i32) return node.finish<ops::shape_of>({}, {node.input(0)});
  const std::int32_t extents = node.add<ops::shape_of>({}, {node.input(0)});
  node.finish<ops::cast>({}, {extents, node.integer_list({static_cast<std::int64_t>(wanted)})});
}

/// Along the axis that the second operand names.
[[gnu::cold]] inline void read_arg_max(node_reader& node) {
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  node.finish<ops::arg_max>(attrs, {node.input(0)});
}

[[gnu::cold]] inline void read_batch_to_space_nd(node_reader& node) {
  detail::read_blocks<ops::batch_to_space_nd, &ops::batch_to_space_nd::attrs::crops>(node);
}
[[gnu::cold]] inline void read_space_to_batch_nd(node_reader& node) {
  detail::read_blocks<ops::space_to_batch_nd, &ops::space_to_batch_nd::attrs::paddings>(node);
}

[[gnu::cold]] inline void read_gather(node_reader& node) {
  using kind = schema::gather_options;
  const auto options = node.options<kind>();
  if (options[kind::batch_dims] != 0) node.not_supported({"batch_dims ", options[kind::batch_dims]});
  node.finish<ops::gather>({}, {node.input(0), node.input(1), node.integer_list({options[kind::axis]})});
}

[[gnu::cold]] inline void read_one_hot(node_reader& node) {
  ops::one_hot::attrs attrs;
  attrs.axis = node.options<schema::one_hot_options>()[schema::one_hot_options::axis];
  node.finish<ops::one_hot>(attrs, {node.input(0), node.input(1), node.input(2), node.input(3)});
}

[[gnu::cold]] inline void read_resize_bilinear(node_reader& node) {
  using kind = schema::resize_bilinear_options;
  const auto options = node.options<kind>();
  const pool<std::int64_t> size = node.integers(1);
  if (!node.is_fine()) return;
  if (size.size() != 2)
    return node.refuse(error_code::invalid_file, {"size: got ", size.size(), " numbers, expected 2"});
  if (options[kind::align_corners] && options[kind::half_pixel_centers])
    return node.refuse(error_code::invalid_file, {"align_corners and half_pixel_centers contradict each other"});
  ops::resize_bilinear::attrs attrs;
  attrs.new_height = size[0], attrs.new_width = size[1];
  attrs.coordinate_mode = options[kind::align_corners]        ? coordinates::align_corners
                          : options[kind::half_pixel_centers] ? coordinates::half_pixel
                                                              : coordinates::asymmetric;
  node.finish<ops::resize_bilinear>(attrs, {node.input(0)});
}

[[gnu::cold]] inline void read_strided_slice(node_reader& node) {
  using kind = schema::strided_slice_options;
  const auto options = node.options<kind>();
  if (options[kind::offset]) node.not_supported({"ends that count from the begin (offset)"});
  ops::strided_slice::attrs attrs;
  attrs.begin_mask = options[kind::begin_mask];
  attrs.end_mask = options[kind::end_mask];
  attrs.ellipsis_mask = options[kind::ellipsis_mask];
  attrs.new_axis_mask = options[kind::new_axis_mask];
  attrs.shrink_axis_mask = options[kind::shrink_axis_mask];
  node.finish<ops::strided_slice>(attrs, {node.input(0), node.input(1), node.input(2), node.input(3)});
}

}  // namespace nnrt::inline NNRT_ISA::tflite
