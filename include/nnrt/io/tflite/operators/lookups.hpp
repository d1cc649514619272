// lookups: readers of operators of .tflite files that pick elements by indices.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gather_nd.hpp>
#include <nnrt/ops/one_hot.hpp>
#include <nnrt/ops/scatter_nd.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/sparse_to_dense.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/squeeze.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

namespace detail {

/// A tensor cut along its first axis into as many parts as it has elements there.
[[gnu::cold]] inline pool<std::int32_t> parts_of(node_reader& node, std::int32_t x) {
  ops::split::attrs attrs;
  attrs.axis = 0;
  if (node.is_fine()) attrs.output_num = node.desc(x).shape[0];
  return node.add_all<ops::split>(attrs, {x});
}
[[gnu::cold]] inline std::int32_t without_first_axis(node_reader& node, std::int32_t x) {
  ops::squeeze::attrs attrs;
  attrs.axes.push_back(0);
  return node.add<ops::squeeze>(attrs, {x});
}

/// GATHER whose indices differ from image to image of a batch: each for itself.
[[gnu::cold]] inline void gather_of_batch(node_reader& node, std::int64_t axis) {
  constexpr std::int64_t most = 64;
  const std::int32_t x = moved_input(node), indices = node.input(1);
  const shape_t shape = node.desc(x).shape, picked = node.desc(indices).shape;
  if (!node.is_fine()) return;
  if (axis < 0) axis += shape.rank;
  if (shape.rank < 2 || picked.rank < 1 || axis < 1 || axis >= shape.rank || shape[0] < 1 || shape[0] != picked[0] ||
      shape[0] > most)
    return node.not_supported({"batch_dims 1 for ", shape, " and indices ", picked, " along axis ", axis,
                               ", with a batch of at most ", most});
  const pool<std::int32_t> images = parts_of(node, x), lists = parts_of(node, indices);
  pool<std::int32_t> made;
  for (std::size_t i = 0; i < images.size() && i < lists.size(); ++i)
    made.push_back(
        node.add<ops::gather>({}, {images[i], without_first_axis(node, lists[i]), node.integer_list({axis})}));
  node.finish<ops::concat>({}, made);
}

}  // namespace detail

[[gnu::cold]] inline void read_gather(node_reader& node) {
  using kind = schema::gather_options;
  const auto options = node.options<kind>();
  std::int32_t batch_dims = options[kind::batch_dims];
  if (batch_dims < 0) batch_dims += node.desc(node.input(1)).rank();  // counts from the end of the indices
  if (batch_dims == 1) return detail::gather_of_batch(node, options[kind::axis]);
  if (batch_dims != 0) node.not_supported({"batch_dims ", batch_dims});
  node.finish<ops::gather>({}, {detail::moved_input(node), node.input(1), node.integer_list({options[kind::axis]})});
}

/// The indices first; rows of quantised constants become floats where the output has some.
[[gnu::cold]] inline void read_embedding_lookup(node_reader& node) {
  const bool as_f32 = node.is_constant(1) && node.declared(0).type == f32;
  const std::int32_t rows = as_f32 ? node.constant(1, weights_beside_f32) : detail::moved_input(node, 1);
  node.finish<ops::gather>({}, {rows, node.input(0), node.integer_list({0})});
}

/// Lists of indices, one for each of the first axes.
[[gnu::cold]] inline void read_gather_nd(node_reader& node) {
  node.finish<ops::gather_nd>({}, {detail::moved_input(node), node.input(1)});
}

[[gnu::cold]] inline void read_one_hot(node_reader& node) {
  ops::one_hot::attrs attrs;
  attrs.axis = node.options<schema::one_hot_options>()[schema::one_hot_options::axis];
  node.finish<ops::one_hot>(attrs, {node.input(0), node.input(1), detail::moved_input(node, 2), detail::moved_input(node, 3)});
}

/// Updates of one place add up.
[[gnu::cold]] inline void read_scatter_nd(node_reader& node) {
  node.finish<ops::scatter_nd>({}, {node.input(0), node.input(1), node.input(2)});
}

/// The shape comes second, and last what lies elsewhere: where that is not 0, a second tensor of truth values says where.
[[gnu::cold]] inline void read_sparse_to_dense(node_reader& node) {
  const std::int32_t indices = node.input(0), shape = node.input(1), values = node.input(2);
  if (node.desc(values).quantised) node.not_supported({"quantised numbers"});
  if (node.real(3) == 0) return node.finish<ops::sparse_to_dense>({}, {indices, values, shape});
  const std::int32_t dense = node.add<ops::sparse_to_dense>({}, {indices, values, shape});
  const std::int32_t is_there = node.add<ops::sparse_to_dense>({}, {indices, node.scalar(boolean, 1), shape});
  node.finish<ops::select>({}, {is_there, dense, node.input(3)});
}

}  // namespace nnrt::inline NNRT_ISA::tflite
