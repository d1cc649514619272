// composed_extents: arithmetic on extents that may be unknown until the network's inputs have their shapes.
// Flow: the node readers of the file formats call it; known extents become constants at once, others when a session is
// resized.
#pragma once

#include <nnrt/io/composed.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/fill.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/top_k.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace composed {

// Lists of extents are i64 values; a single number has the shape [1].

/// The `count` numbers of a list from `first` on.
[[gnu::cold]] constexpr std::int32_t part_of_list(node_maker& node, std::int32_t list, std::int64_t first,
                                                  std::int64_t count) {
  return node.add<ops::slice>({}, {list, node.integer_list({first}), node.integer_list({count})});
}
/// The extents of x along `count` axes from axis `first` on.
[[gnu::cold]] constexpr std::int32_t extents_of(node_maker& node, std::int32_t x, std::int64_t first,
                                                std::int64_t count) {
  return part_of_list(node, cast_to(node, node.add<ops::shape_of>({}, {x}), i64), first, count);
}
/// Concatenates lists.
[[gnu::cold]] constexpr std::int32_t joined_lists(node_maker& node, std::initializer_list<std::int32_t> lists) {
  return node.add<ops::concat>({}, lists);
}
/// The product of all numbers of a list; 1 for an empty list.
[[gnu::cold]] constexpr std::int32_t product_of_list(node_maker& node, std::int32_t list) {
  ops::reduce_prod::attrs attrs;
  attrs.keep_dims = true;
  return node.add<ops::reduce_prod>(attrs, {list, node.integer_list({0})});
}

/// Broadcasts x to this shape, for any dtype. `planned` has the extents that are known; a shape that is computed at run
/// time must agree with them.
[[gnu::cold]] constexpr std::int32_t repeated_to(node_maker& node, std::int32_t x, std::int32_t shape,
                                                 const shape_t& planned = {}) {
  const tensor_desc wanted{boolean, default_format(planned.rank), planned};
  const std::int32_t everywhere = node.add<ops::fill>({}, {node.scalar(boolean, 1), shape}, wanted);
  return node.add<ops::select>({}, {everywhere, x, x});
}

/// The numbers 0, 1, … count - 1 as i64; `count` is a list of one number. No operator counts up to an operand, but
/// top_k returns the indices of equal numbers in order. It takes one number more, because it needs at least one.
[[gnu::cold]] constexpr std::int32_t counted_up(node_maker& node, std::int32_t count) {
  const std::int32_t one_more = node.add<ops::add>({}, {count, node.integer_list({1})});
  const std::int32_t equal = node.add<ops::fill>({}, {node.scalar(i32, 0), one_more});
  const pool<std::int32_t> ranked = node.add_all<ops::top_k>({}, {equal, one_more});
  if (!node.is_fine()) return ir::none;
  const std::int32_t wanted = node.add<ops::slice>({}, {ranked[1], node.integer_list({0}), count});
  return cast_to(node, wanted, i64);
}

}}}  // namespace nnrt::NNRT_ISA::composed
