// sequences: readers of .tflite operators that accumulate, reverse or replace parts of an axis.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gather_nd.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/minimum.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/stack.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Shifts x by `distance` along an axis of extent n, towards its end or begin, and fills with zeros.
[[gnu::cold]] constexpr std::int32_t shifted(node_reader& node, std::int32_t x, int axis, std::int64_t n,
                                             std::int64_t distance, bool to_begin) {
  pool<std::int64_t> begins, sizes, paddings;
  for (int i = 0; i < node.desc(x).rank(); ++i) {
    const bool is_axis = i == axis;
    begins.push_back(is_axis && to_begin ? distance : 0);
    sizes.push_back(is_axis ? n - distance : -1);
    paddings.push_back(is_axis && !to_begin ? distance : 0);
    paddings.push_back(is_axis && to_begin ? distance : 0);
  }
  const std::int32_t kept = node.add<ops::slice>({}, {x, node.integer_list(begins), node.integer_list(sizes)});
  return node.add<ops::pad>({}, {kept, node.integer_list(paddings)});
}

/// The indices 0, 1, … of axis `axis` of x, as i64.
[[gnu::cold]] constexpr std::int32_t indices_along(node_reader& node, std::int32_t x, int axis) {
  const std::int64_t n = node.desc(x).shape[axis];
  if (n < 0) return counted_up(node, extents_of(node, x, axis, 1));
  node.count_copy(8 * n);
  pool<std::int64_t> numbers;
  for (std::int64_t i = 0; node.is_fine() && i < n; ++i) numbers.push_back(i);
  return node.integer_list(numbers);
}
/// Reshapes a list to a tensor of rank `rank`, along one of its axes.
[[gnu::cold]] constexpr std::int32_t along_axis(node_reader& node, std::int32_t list, int axis, int rank) {
  pool<std::int64_t> shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == axis ? -1 : 1);
  return reshaped(node, list, shape);
}
/// Transposes x. TFLite has no tensor formats, so a reshape removes the format that a transposed image may get.
[[gnu::cold]] constexpr std::int32_t permuted(node_reader& node, std::int32_t x, const pool<std::int64_t>& order) {
  const std::int32_t y = node.add<ops::transpose>({}, {x, node.integer_list(order)});
  const tensor_desc& made = node.desc(y);
  return made.layout == default_format(made.rank()) ? y
                                                    : node.add<ops::reshape>({}, {y, node.add<ops::shape_of>({}, {y})});
}

}  // namespace detail

/// CUMSUM along an axis: adds x shifted by 1, 2, 4, … positions, which takes log2(n) additions.
[[gnu::cold]] constexpr void read_cumsum(node_reader& node) {
  using kind = schema::cumsum_options;
  const auto options = node.options<kind>();
  std::int32_t x = node.input(0);
  node.refuse_quantised(0, x);
  const std::int64_t named = node.integer(1);
  if (!node.is_fine()) return;
  const int axis = normalise_axis(named, node.desc(x).rank());
  if (axis < 0)
    return node.refuse(error_code::invalid_file, {"axis: got ", named, ", expected one of ", node.desc(x).rank()});
  const std::int64_t n = node.desc(x).shape[axis];
  if (n < 0) return node.not_supported({"an extent that is unknown along axis ", axis, ", expected one that is known"});
  const bool to_begin = options[kind::reverse];
  if (options[kind::exclusive] && n > 0) x = detail::shifted(node, x, axis, n, 1, to_begin);
  for (std::int64_t distance = 1; node.is_fine() && distance < n; distance *= 2)
    x = node.add<ops::add>({}, {x, detail::shifted(node, x, axis, n, distance, to_begin)});
  node.conclude(0, x);
}

/// Reverses the first elements of each sequence; an operand has their numbers.
[[gnu::cold]] constexpr void read_reverse_sequence(node_reader& node) {
  using kind = schema::reverse_sequence_options;
  const auto options = node.options<kind>();
  const std::int32_t x = detail::moved_input(node), lengths = node.input(1);
  const int rank = node.desc(x).rank();
  const std::int64_t time = options[kind::seq_dim], batch = options[kind::batch_dim];
  if (!node.is_fine()) return;
  if (time < 0 || time >= rank || batch < 0 || batch >= rank || time == batch || node.desc(lengths).rank() != 1)
    return node.refuse(error_code::invalid_file, {"options: got sequences along axis ", time, " of a batch along axis ",
                                                  batch, ", expected two of ", rank, " axes, and a list of lengths"});
  pool<std::int64_t> order{batch, time}, back;
  for (int i = 0; i < rank; ++i)
    if (i != time && i != batch) order.push_back(i);
  back.assign(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  const bool is_in_order = batch == 0 && time == 1;
  const std::int32_t sequences = is_in_order ? x : detail::permuted(node, x, order);
  // For each element [B, T]: its sequence, and its source position in time.
  const std::int32_t length = detail::along_axis(node, detail::cast_to(node, lengths, i64), 0, 2);
  const std::int32_t at = detail::along_axis(node, detail::indices_along(node, sequences, 1), 1, 2);
  const std::int32_t backwards = node.add<ops::sub>({}, {node.add<ops::sub>({}, {length, node.scalar(i64, 1)}), at});
  const std::int32_t place = node.add<ops::select>({}, {node.add<ops::less>({}, {at, length}), backwards, at});
  const std::int32_t which = node.add<ops::add>(
      {},
      {detail::along_axis(node, detail::indices_along(node, sequences, 0), 0, 2), node.add<ops::sub>({}, {at, at})});
  ops::stack::attrs pairwise;
  pairwise.axis = 2;
  const std::int32_t pairs = node.add<ops::stack>(pairwise, {which, place});
  const std::int32_t y = node.add<ops::gather_nd>(ops::detail::index_attributes::from_start(), {sequences, pairs});
  node.conclude(0, is_in_order ? y : detail::permuted(node, y, back));
}

/// Replaces a part of x by another tensor. The third operand has the begin of the part, clamped so that the tensor
/// fits. The update is gathered to the shape of x, and a mask selects it inside the part.
[[gnu::cold]] constexpr void read_dynamic_update_slice(node_reader& node) {
  const std::int32_t x = detail::moved_input(node), update = detail::moved_input(node, 1), begin = node.input(2);
  if (!node.is_fine()) return;
  const shape_t whole = node.desc(x).shape, part = node.desc(update).shape;
  bool fits = whole.rank == part.rank && node.desc(begin).rank() == 1 &&
              (node.desc(begin).shape[0] == whole.rank || node.desc(begin).shape[0] < 0);
  for (int i = 0; fits && i < whole.rank; ++i) fits = whole[i] < 0 || part[i] < 0 || part[i] <= whole[i];
  if (!fits)
    return node.refuse(error_code::invalid_file,
                       {"update: got ", part, " for ", whole, ", expected one that fits in, and as many begins"});
  if (whole.rank == 0 || part.elements() == 0) return node.conclude(0, whole.rank == 0 ? update : x);
  const std::int32_t begins = detail::cast_to(node, begin, i64), zero = node.integer_list({0});
  std::int32_t moved = update, is_inside = ir::none;
  for (int axis = 0; axis < whole.rank; ++axis) {
    if (whole[axis] >= 0 && whole[axis] == part[axis]) continue;  // begins at 0
    const std::int32_t extent = detail::extents_of(node, x, axis, 1), size = detail::extents_of(node, update, axis, 1);
    const std::int32_t wanted = node.add<ops::maximum>({}, {detail::part_of_list(node, begins, axis, 1), zero});
    const std::int32_t first = node.add<ops::minimum>({}, {wanted, node.add<ops::sub>({}, {extent, size})});
    const std::int32_t place = node.add<ops::sub>({}, {detail::indices_along(node, x, axis), first});
    const std::int32_t inside = node.add<ops::logical_and>(
        {}, {node.add<ops::greater_equal>({}, {place, zero}), node.add<ops::less>({}, {place, size})});
    const std::int32_t last = node.add<ops::sub>({}, {size, node.integer_list({1})});
    const std::int32_t nearest = node.add<ops::minimum>({}, {node.add<ops::maximum>({}, {place, zero}), last});
    moved =
        node.add<ops::gather>(ops::detail::index_attributes::from_start(), {moved, nearest, node.integer_list({axis})});
    const std::int32_t mask = detail::along_axis(node, inside, axis, whole.rank);
    is_inside = is_inside == ir::none ? mask : node.add<ops::logical_and>({}, {is_inside, mask});
  }
  if (is_inside == ir::none) return node.conclude(0, update);
  node.finish<ops::select>({}, {is_inside, moved, x});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
