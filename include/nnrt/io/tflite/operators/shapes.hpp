// shapes: readers of .tflite operators that move, select, join and count elements.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/io/tflite/operators/spectra.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/broadcast_to.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/fill.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/stack.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/tile.hpp>
#include <nnrt/ops/top_k.hpp>
#include <nnrt/ops/transpose.hpp>

#include <array>
#include <cmath>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Converts a list of the file to an attribute list. Refuses more numbers than the attribute can hold.
template <class List> [[gnu::cold]] constexpr List read_list(node_reader& node, array_ref<const std::int64_t> items) {
  List made;
  for (const std::int64_t item : items) made.push_back(item);
  if (static_cast<std::size_t>(made.count) != items.size())
    node.not_supported({"got a list of ", items.size(), " numbers, expected at most ", made.count});
  return made;
}
template <class List> [[gnu::cold]] constexpr List read_list(node_reader& node, const list<std::int32_t>& items) {
  pool<std::int64_t> wide;
  for (std::size_t i = 0; i < items.size(); ++i) wide.push_back(items[i]);
  return read_list<List>(node, wide);
}

/// All inputs, in order.
[[gnu::cold]] constexpr pool<std::int32_t> all_inputs(node_reader& node) {
  pool<std::int32_t> ids;
  for (std::size_t i = 0; i < node.input_count(); ++i) ids.push_back(node.input(i));
  return ids;
}

/// The extents of the output as a constant, with -1 for an unknown one. If several are unknown, the field `shape` of
/// the file is used.
[[gnu::cold]] constexpr std::int32_t declared_extents(node_reader& node) {
  shape_t shape = node.declared(0).shape;
  int unknown = 0;
  for (const std::int64_t extent : shape) unknown += extent < 0 ? 1 : 0;
  if (unknown > 1) shape = node.written_shape(0);
  return node.integer_list(std::span(shape.begin(), shape.end()));
}

/// The target shape of RESHAPE: an operand, else an option, else the declared shape of the output. As in TFLite, an
/// operand that is not a list is ignored.
[[gnu::cold]] constexpr std::int32_t wanted_shape(node_reader& node) {
  const std::int32_t operand = node.input(1);
  const int rank = node.desc(operand).rank();
  if (operand != ir::none && rank == 1) return operand;
  const auto listed = node.options<schema::reshape_options>()[schema::reshape_options::new_shape];
  if (operand != ir::none && listed.empty())
    node.refuse(error_code::invalid_file,
                {"input 1: got a shape of rank ", rank, ", expected a list, or the option new_shape"});
  if (listed.empty()) return declared_extents(node);
  if (listed.size() == 1 && listed[0] == 0) return node.integer_list({});  // rank 0 in old files
  const auto items = read_list<int_list<max_rank>>(node, listed);
  return node.integer_list(std::span(items.begin(), items.end()));
}

}  // namespace detail

[[gnu::cold]] constexpr void read_reshape(node_reader& node) {
  if (node.is_complex(0)) return detail::reshape_complex(node, detail::wanted_shape(node));
  node.finish<ops::reshape>({}, {detail::moved_input(node), detail::wanted_shape(node)});
}

/// TFLite has no tensor formats. When channels move to axis 1, nnrt's transpose makes an NCHW image, which layers
/// refuse. A reshape to the same shape removes the format, without a copy.
[[gnu::cold]] constexpr void read_transpose(node_reader& node) {
  const std::int32_t y = node.add_declared<ops::transpose>({}, {detail::moved_input(node), node.input(1)});
  const tensor_desc& made = node.desc(y);
  if (made.layout == default_format(made.rank())) return node.define(0, y);
  node.define(0, node.add<ops::reshape>({}, {y, node.add<ops::shape_of>({}, {y})}));
}

/// Without axes it removes the axes whose extent is known to be 1. Extents that are unknown at this time are kept.
[[gnu::cold]] constexpr void read_squeeze(node_reader& node) {
  ops::squeeze::attrs attrs;
  attrs.axes = detail::read_list<axis_list>(
      node, node.options<schema::squeeze_options>()[schema::squeeze_options::squeeze_dims]);
  if (node.is_complex(0)) return detail::squeeze_complex(node, attrs.axes);
  const std::int32_t x = detail::moved_input(node);
  const shape_t& shape = node.desc(x).shape;
  if (attrs.axes.empty() && !shape.is_known()) {
    for (int i = 0; i < shape.rank; ++i)
      if (shape[i] == 1) attrs.axes.push_back(i);
    if (attrs.axes.empty()) return node.conclude(0, x);
  }
  node.finish<ops::squeeze>(attrs, {x});
}

/// A begin that is computed at run time needs sizes that are constant; it becomes a strided slice. Size -1 means up to
/// the end, and then the file must declare the output's extent.
[[gnu::cold]] constexpr void read_slice(node_reader& node) {
  const std::int32_t x = detail::moved_input(node), begin = node.input(1), size = node.input(2);
  if (!node.is_fine() || !node.is_computed(begin) || !node.is_known(2))
    return node.finish<ops::slice>({}, {x, begin, size});
  const shape_t sizes = node.shape(2);
  tensor_desc wanted = node.declared(0);
  ops::strided_slice::attrs attrs;
  pool<std::int64_t> ones;
  for (int i = 0; i < sizes.rank; ++i) {
    ones.push_back(1);
    const bool is_up_to_end = sizes[i] == -1, is_declared = wanted.rank() == sizes.rank && wanted.shape[i] >= 0;
    if (sizes[i] < 0 && !(is_up_to_end && is_declared))
      node.not_supported(
          {"size ", sizes[i], " with a begin that only a run knows, expected at least 0, or -1 and a declared extent"});
    else if (is_up_to_end) attrs.end_mask |= std::int64_t{1} << i;
    else if (i < wanted.shape.rank) wanted.shape[i] = sizes[i];
  }
  if (wanted.rank() != sizes.rank) wanted.shape = sizes;
  // strided_slice would count a negative begin from the end. Here it is mapped past the end, so that the slice is
  // empty.
  const std::int32_t from =
      node.add<ops::mod>({}, {detail::cast_to(node, begin, i64), node.scalar(i64, std::int64_t{1} << 40)});
  const std::int32_t end = node.add<ops::add>({}, {from, detail::cast_to(node, size, i64)});
  node.conclude(0, node.add<ops::strided_slice>(attrs, {x, from, end, node.integer_list(ones)}, wanted));
}

[[gnu::cold]] constexpr void read_concatenation(node_reader& node) {
  using kind = schema::concatenation_options;
  const auto options = node.options<kind>();
  const pool<std::int32_t> inputs = detail::all_inputs(node);
  if (options[kind::fused] != 0) node.not_supported({"a fused activation"});
  ops::concat::attrs attrs;
  attrs.axis = options[kind::axis];
  node.finish<ops::concat>(attrs, inputs);
}

[[gnu::cold]] constexpr void read_pack(node_reader& node) {
  node.check_counted<schema::pack_options>("inputs", node.input_count());
  ops::stack::attrs attrs;
  attrs.axis = node.options<schema::pack_options>()[schema::pack_options::axis];
  node.finish<ops::stack>(attrs, detail::all_inputs(node));
}

[[gnu::cold]] constexpr void read_split(node_reader& node) {
  node.check_counted<schema::split_options>("outputs", node.output_count());
  ops::split::attrs attrs;
  attrs.axis = node.integer(0);
  attrs.output_num = static_cast<std::int64_t>(node.output_count());
  node.finish<ops::split>(attrs, {detail::moved_input(node, 1)});
}

[[gnu::cold]] constexpr void read_split_v(node_reader& node) {
  node.check_counted<schema::split_v_options>("outputs", node.output_count());
  ops::split::attrs attrs;
  attrs.axis = node.integer(2);
  attrs.sizes = detail::read_list<int_list<64>>(node, node.integers(1));
  node.finish<ops::split>(attrs, {detail::moved_input(node)});
}

/// Splits into parts of extent 1 and removes the axis.
[[gnu::cold]] constexpr void read_unpack(node_reader& node) {
  using kind = schema::unpack_options;
  node.check_counted<kind>("outputs", node.output_count());
  const std::int64_t axis = node.options<kind>()[kind::axis];
  ops::split::attrs parts;
  parts.axis = axis;
  parts.output_num = static_cast<std::int64_t>(node.output_count());
  ops::squeeze::attrs attrs;
  attrs.axes.push_back(axis);
  const pool<std::int32_t> made = node.add_all<ops::split>(parts, {node.input(0)});
  for (std::size_t i = 0; i < made.size(); ++i) node.define(i, node.add_declared<ops::squeeze>(attrs, {made[i]}, i));
}

[[gnu::cold]] constexpr void read_pad(node_reader& node) {
  ops::pad::attrs attrs;
  if (node.has(2)) attrs.pad_value = node.real(2);
  node.finish<ops::pad>(attrs, {detail::moved_input(node), node.input(1)});
}

[[gnu::cold]] constexpr void read_mirror_pad(node_reader& node) {
  using kind = schema::mirror_pad_options;
  const std::int8_t mode = node.options<kind>()[kind::mode];
  if (mode < 0 || mode > 1)
    node.refuse(error_code::invalid_file, {"mode: got ", mode, ", expected 0 (REFLECT) or 1 (SYMMETRIC)"});
  ops::pad::attrs attrs;
  attrs.mode = mode == 0 ? border::reflect : border::symmetric;
  node.finish<ops::pad>(attrs, {node.input(0), node.input(1)});
}

/// Expands a sparse constant; constants are always read as dense tensors.
[[gnu::cold]] constexpr void read_densify(node_reader& node) {
  if (!node.is_constant(0)) node.not_supported_beside(0, node.input(0), "a constant of the file");
  node.conclude(0, node.input(0));
}

[[gnu::cold]] constexpr void read_tile(node_reader& node) {
  node.finish<ops::tile>({}, {detail::moved_input(node), node.input(1)});
}

/// Values and indices of the largest elements along the last axis.
[[gnu::cold]] constexpr void read_top_k(node_reader& node) {
  node.finish<ops::top_k>({}, {detail::moved_input(node), node.input(1)});
}

/// Reverses the axes that the second operand lists.
[[gnu::cold]] constexpr void read_reverse_v2(node_reader& node) {
  const std::int32_t x = detail::moved_input(node);
  const int rank = node.desc(x).rank();
  pool<std::int64_t> zeros, strides;
  for (int i = 0; i < rank; ++i) zeros.push_back(0), strides.push_back(1);
  for (const std::int64_t axis : detail::axes_of(node, 1, x)) strides[static_cast<std::size_t>(axis)] = -1;
  ops::strided_slice::attrs attrs;
  attrs.begin_mask = attrs.end_mask = (std::int64_t{1} << rank) - 1;
  if (!node.is_fine() || rank == 0) return node.conclude(0, x);
  const std::int32_t none = node.integer_list(zeros);
  node.finish<ops::strided_slice>(attrs, {x, none, none, node.integer_list(strides)});
}

[[gnu::cold]] constexpr void read_broadcast_to(node_reader& node) {
  if (!node.is_known(1))
    return node.conclude(0, detail::repeated_to(node, node.input(0), node.input(1), node.declared(0).shape));
  ops::broadcast_to::attrs attrs;
  attrs.shape = detail::read_list<axis_list>(node, node.integers(1));
  node.finish<ops::broadcast_to>(attrs, {node.input(0)});
}

/// The shape to which two shapes broadcast.
[[gnu::cold]] constexpr void read_broadcast_args(node_reader& node) {
  const shape_t a = node.shape(0), b = node.shape(1);
  const broadcast_result common = broadcast(a, b);
  if (!common.fits) node.refuse(error_code::invalid_file, {"shapes ", a, " and ", b, " do not broadcast"});
  const std::int32_t made = node.integer_list(std::span(common.shape.begin(), common.shape.end()));
  node.conclude(0, detail::cast_to(node, made, node.declared(0).type));
}

[[gnu::cold]] constexpr void read_zeros_like(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.refuse_quantised(0, x);
  node.finish<ops::fill>({}, {node.scalar(node.desc(x).type, 0), node.add<ops::shape_of>({}, {x})});
}

[[gnu::cold]] constexpr void read_rank(node_reader& node) {
  node.conclude(0, node.scalar(i32, node.desc(node.input(0)).rank()));
}

namespace detail {

/// A range whose ends depend on extents that are still unknown.
[[gnu::cold]] constexpr void range_of_extents(node_reader& node) {
  const std::int64_t step = node.integer(2), size = step < 0 ? -step : step;
  if (node.is_fine() && (step == 0 || size < 0))
    node.refuse(error_code::invalid_file, {"range: got steps of ", step, ", expected others than 0"});
  const std::int32_t ends[] = {reshaped(node, cast_to(node, node.input(0), i64), std::array{std::int64_t{1}}),
                               reshaped(node, cast_to(node, node.input(1), i64), std::array{std::int64_t{1}})};
  const std::int32_t way = node.add<ops::sub>({}, {ends[step > 0 ? 1 : 0], ends[step > 0 ? 0 : 1]});
  const std::int32_t rounded_up = node.add<ops::add>(
      {}, {node.add<ops::maximum>({}, {way, node.integer_list({0})}), node.integer_list({size - 1})});
  const std::int32_t count = node.add<ops::div>({}, {rounded_up, node.integer_list({size})});
  const std::int32_t steps = node.add<ops::mul>({}, {counted_up(node, count), node.integer_list({step})});
  node.conclude(0, cast_to(node, node.add<ops::add>({}, {steps, ends[0]}), node.declared(0).type));
}

/// A range of f32. As in TFLite, each element is the sum of the preceding one and the step.
[[gnu::cold]] constexpr void range_of_reals(node_reader& node) {
  const float first = node.real(0), last = node.real(1), step = node.real(2);
  const float count = math::ceil((last - first) / step);  // NaN if an operand is NaN
  if (!node.is_fine()) return;
  constexpr std::int64_t most = std::int64_t{1} << 24;  // larger integers are not all representable as float
  if (step == 0 || !(count < static_cast<float>(most)))
    return node.refuse(error_code::invalid_file,
                       {"range: got ends and a step that give no count of numbers, expected one below ", most});
  const std::int64_t whole = count > 0 ? static_cast<std::int64_t>(count) : 0;
  node.count_copy(4 * whole);
  pool<float> items;
  float item = first;
  for (std::int64_t i = 0; node.is_fine() && i < whole; ++i, item += step) items.push_back(item);
  node.conclude(0, node.real_list(items));
}

}  // namespace detail

/// Numbers from the first operand up to the second, which is excluded, in steps of the third.
[[gnu::cold]] constexpr void read_range(node_reader& node) {
  if (node.desc(node.input(0)).type == f32) return detail::range_of_reals(node);
  const bool ends_are_there = node.is_known(0) && node.is_known(1);
  if (!ends_are_there && (node.is_known(0) || node.is_awaited(0)) && (node.is_known(1) || node.is_awaited(1)))
    return detail::range_of_extents(node);
  const std::int64_t first = node.integer(0), last = node.integer(1), step = node.integer(2);
  constexpr std::int64_t farthest = std::int64_t{1} << 40;
  constexpr auto is_far = [](std::int64_t number) { return number < -farthest || number > farthest; };
  if (!node.is_fine()) return;
  if (step == 0 || is_far(first) || is_far(last) || is_far(step))
    return node.refuse(error_code::invalid_file, {"range: got ", first, " to ", last, " in steps of ", step});
  const std::int64_t way = step > 0 ? last - first : first - last, size = math::abs(step);
  const std::int64_t count = way > 0 ? (way - 1) / size + 1 : 0;
  node.count_copy(count > farthest / 8 ? farthest : count * 8);
  if (!node.is_fine()) return;
  pool<std::int64_t> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(first + i * step);
  node.conclude(0, detail::cast_to(node, node.integer_list(items), node.declared(0).type));
}

/// The operands are the shape and the value.
[[gnu::cold]] constexpr void read_fill(node_reader& node) {
  node.finish<ops::fill>({}, {node.input(1), node.input(0)});
}

[[gnu::cold]] constexpr void read_shape(node_reader& node) {
  node.check_result_type<schema::shape_options>();
  const dtype wanted = node.declared(0).type;
  if (wanted == i32) return node.finish<ops::shape_of>({}, {node.input(0)});
  const std::int32_t extents = node.add<ops::shape_of>({}, {node.input(0)});
  node.finish<ops::cast>({}, {extents, node.integer_list({static_cast<std::int64_t>(wanted)})});
}

namespace detail {

/// Begins of STRIDED_SLICE as non-negative indices, as in TFLite. A masked begin is the first element, or the last one
/// for a negative stride. A negative begin counts from the end. Begins out of range are clamped.
[[gnu::cold]] constexpr std::int32_t starts_of_cuts(node_reader& node, std::int64_t begin_mask) {
  const std::int32_t begin = cast_to(node, node.input(1), i64);
  constexpr std::int64_t behind_all = std::int64_t{1} << 40;
  pool<std::int64_t> is_given, masked, borders;  // factors and addends for begin; lower bound (-1 for negative strides)
  for (const std::int64_t stride : node.integers(3)) {
    const std::size_t i = is_given.size();
    const bool is_masked = i < 32 && (begin_mask >> i & 1) != 0;
    is_given.push_back(is_masked ? 0 : 1);
    masked.push_back(is_masked && stride < 0 ? behind_all : 0);
    borders.push_back(stride < 0 ? -1 : 0);
  }
  if (!node.is_fine()) return ir::none;
  const std::int32_t extents = extents_of(node, node.input(0), 0, static_cast<std::int64_t>(borders.size()));
  const std::int32_t place =
      node.add<ops::add>({}, {node.add<ops::mul>({}, {begin, node.integer_list(is_given)}), node.integer_list(masked)});
  const std::int32_t is_negative = node.add<ops::less>({}, {place, node.scalar(i64, 0)});
  const std::int32_t from_front =
      node.add<ops::select>({}, {is_negative, node.add<ops::add>({}, {place, extents}), place});
  const std::int32_t front = node.integer_list(borders);
  return node.add<ops::minimum>(
      {}, {node.add<ops::maximum>({}, {from_front, front}), node.add<ops::add>({}, {extents, front})});
}

}  // namespace detail

[[gnu::cold]] constexpr void read_strided_slice(node_reader& node) {
  using kind = schema::strided_slice_options;
  const auto options = node.options<kind>();
  const std::int32_t begin = node.input(1);
  std::int32_t end = node.input(2);
  ops::strided_slice::attrs attrs;
  attrs.begin_mask = options[kind::begin_mask];
  attrs.end_mask = options[kind::end_mask];
  attrs.ellipsis_mask = options[kind::ellipsis_mask];
  attrs.new_axis_mask = options[kind::new_axis_mask];
  attrs.shrink_axis_mask = options[kind::shrink_axis_mask];
  if (options[kind::offset]) {  // ends are relative to the begins
    if (attrs.ellipsis_mask != 0 || attrs.new_axis_mask != 0)
      node.not_supported({"offset with ellipsis_mask ", attrs.ellipsis_mask, " and new_axis_mask ", attrs.new_axis_mask,
                          ", expected 0 for both"});
    end = node.add<ops::add>({}, {detail::starts_of_cuts(node, attrs.begin_mask), detail::cast_to(node, end, i64)});
  }
  node.finish<ops::strided_slice>(attrs, {detail::moved_input(node), begin, end, node.input(3)});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
