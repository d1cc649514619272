// lookups: readers of .tflite operators that select elements by indices.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gather_nd.hpp>
#include <nnrt/ops/one_hot.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/scatter_nd.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/sparse_to_dense.hpp>
#include <nnrt/ops/stack.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Indices in files count from the start only.
inline constexpr ops::detail::index_attributes from_start = ops::detail::index_attributes::from_start();

/// Refuses a GATHER whose x and indices do not share their first `batch_dims` extents.
[[gnu::cold]] constexpr void check_batches(node_reader& node, std::int64_t batch_dims, std::int64_t axis,
                                           const shape_t& x, const shape_t& indices) {
  bool fits = 1 <= batch_dims && batch_dims <= indices.rank && batch_dims <= axis && axis < x.rank;
  for (int i = 0; fits && i < batch_dims; ++i) fits = x[i] < 0 || indices[i] < 0 || x[i] == indices[i];
  if (!fits)
    node.refuse(error_code::invalid_file,
                {"batch_dims: got ", batch_dims, " for ", x, " along axis ", axis, " and indices ", indices,
                 ", expected that number of equal first extents, all before the axis"});
}

/// GATHER with batch_dims: each element of the batch has separate indices. The axes that precede the gathered one
/// become rows of a table. Each index becomes a pair of row and position, so that it cannot reach another row.
[[gnu::cold]] constexpr void gather_of_batches(node_reader& node, std::int64_t batch_dims, std::int64_t axis) {
  const std::int32_t x = moved_input(node), indices = node.input(1);
  const shape_t shape = node.desc(x).shape, picked = node.desc(indices).shape;
  if (axis < 0) axis += shape.rank;
  check_batches(node, batch_dims, axis, shape, picked);
  if (!node.is_fine()) return;
  const std::int32_t outer = extents_of(node, x, 0, axis), inner = extents_of(node, x, axis + 1, shape.rank - axis - 1);
  const std::int32_t places = extents_of(node, indices, batch_dims, picked.rank - batch_dims);
  const std::int32_t rows = product_of_list(node, outer), columns = product_of_list(node, places),
                     one = node.integer_list({1});
  const auto in_shape = [&](std::int32_t value, std::initializer_list<std::int32_t> lists) {
    return node.add<ops::reshape>({}, {value, joined_lists(node, lists)});
  };
  const dtype type = node.desc(indices).type == i64 ? i64 : i32;
  std::int32_t within = cast_to(node, indices, type);
  if (axis > batch_dims) {  // the same indices for all rows of a batch element
    const std::int32_t batches = product_of_list(node, extents_of(node, x, 0, batch_dims));
    const std::int32_t repeats = product_of_list(node, extents_of(node, x, batch_dims, axis - batch_dims));
    within =
        repeated_to(node, in_shape(within, {batches, one, columns}), joined_lists(node, {batches, repeats, columns}));
  }
  const std::int32_t numbers = in_shape(cast_to(node, counted_up(node, rows), type), {rows, one});
  ops::stack::attrs pairwise;
  pairwise.axis = 2;
  const std::int32_t pairs = node.add<ops::stack>(
      pairwise, {repeated_to(node, numbers, joined_lists(node, {rows, columns})), in_shape(within, {rows, columns})});
  const std::int32_t table = in_shape(x, {rows, extents_of(node, x, axis, 1), inner});
  node.finish<ops::reshape>(
      {}, {node.add<ops::gather_nd>(from_start, {table, pairs}), joined_lists(node, {outer, places, inner})});
}

}  // namespace detail

[[gnu::cold]] constexpr void read_gather(node_reader& node) {
  node.require_no(detail::forbidden::negative, 1);
  using kind = schema::gather_options;
  const auto options = node.options<kind>();
  std::int32_t batch_dims = options[kind::batch_dims];
  if (batch_dims < 0) batch_dims += node.desc(node.input(1)).rank();  // counts from the end of the indices
  if (batch_dims != 0) return detail::gather_of_batches(node, batch_dims, options[kind::axis]);
  node.finish<ops::gather>(detail::from_start,
                           {detail::moved_input(node), node.input(1), node.integer_list({options[kind::axis]})});
}

/// The indices are input 0. Rows of quantised constants are converted to f32 if the output is f32.
[[gnu::cold]] constexpr void read_embedding_lookup(node_reader& node) {
  node.require_no(detail::forbidden::negative, 0);
  const bool as_f32 = node.is_constant(1) && node.declared(0).type == f32;
  const std::int32_t rows = as_f32 ? node.constant(1, weights_beside_f32) : detail::moved_input(node, 1);
  node.finish<ops::gather>(detail::from_start, {rows, node.input(0), node.integer_list({0})});
}

/// Lists of indices into the first axes.
[[gnu::cold]] constexpr void read_gather_nd(node_reader& node) {
  node.require_no(detail::forbidden::negative, 1);
  node.finish<ops::gather_nd>(detail::from_start, {detail::moved_input(node), node.input(1)});
}

[[gnu::cold]] constexpr void read_one_hot(node_reader& node) {
  ops::one_hot::attrs attrs;
  attrs.axis = node.options<schema::one_hot_options>()[schema::one_hot_options::axis];
  node.finish<ops::one_hot>(attrs,
                            {node.input(0), node.input(1), detail::moved_input(node, 2), detail::moved_input(node, 3)});
}

/// Updates with the same index are added.
[[gnu::cold]] constexpr void read_scatter_nd(node_reader& node) {
  node.require_no(detail::forbidden::negative, 0);
  node.finish<ops::scatter_nd>(detail::from_start, {node.input(0), node.input(1), node.input(2)});
}

/// Inputs: indices, shape, values, default. If the default is not 0, a second boolean tensor marks the given elements,
/// and select inserts the default elsewhere.
[[gnu::cold]] constexpr void read_sparse_to_dense(node_reader& node) {
  const std::int32_t indices = node.input(0), shape = node.input(1), values = node.input(2);
  node.refuse_quantised(2, values);
  if (node.real(3) == 0) return node.finish<ops::sparse_to_dense>({}, {indices, values, shape});
  const std::int32_t dense = node.add<ops::sparse_to_dense>({}, {indices, values, shape});
  const std::int32_t is_there = node.add<ops::sparse_to_dense>({}, {indices, node.scalar(boolean, 1), shape});
  node.finish<ops::select>({}, {is_there, dense, node.input(3)});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
