// extents: arithmetic of readers on extents that may be unknown until the network's inputs have their shapes.
// Flow: the readers in this folder use them; known extents become constants at once, others when a session is resized.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/fill.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/top_k.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::detail {

// Lists of extents are values of i64, one number has the shape [1].

/// The numbers of a list from the first on, so many of them.
[[gnu::cold]] constexpr std::int32_t part_of_list(node_reader& node, std::int32_t list, std::int64_t first,
                                                  std::int64_t count) {
  return node.add<ops::slice>({}, {list, node.integer_list({first}), node.integer_list({count})});
}
/// The extents of x along `count` axes from the first on.
[[gnu::cold]] constexpr std::int32_t extents_of(node_reader& node, std::int32_t x, std::int64_t first,
                                                std::int64_t count) {
  return part_of_list(node, cast_to(node, node.add<ops::shape_of>({}, {x}), i64), first, count);
}
/// Lists as one.
[[gnu::cold]] constexpr std::int32_t joined_lists(node_reader& node, std::initializer_list<std::int32_t> lists) {
  return node.add<ops::concat>({}, lists);
}
/// The product of all numbers of a list, 1 of none.
[[gnu::cold]] constexpr std::int32_t product_of_list(node_reader& node, std::int32_t list) {
  ops::reduce_prod::attrs attrs;
  attrs.keep_dims = true;
  return node.add<ops::reduce_prod>(attrs, {list, node.integer_list({0})});
}

/// x repeated until it has this shape, whatever its dtype; `planned` are its extents as far as they are known, which
/// one that only a run knows must turn out to have.
[[gnu::cold]] constexpr std::int32_t repeated_to(node_reader& node, std::int32_t x, std::int32_t shape,
                                                 const shape_t& planned = {}) {
  const tensor_desc wanted{boolean, default_format(planned.rank), planned};
  const std::int32_t everywhere = node.add<ops::fill>({}, {node.scalar(boolean, 1), shape}, wanted);
  return node.add<ops::select>({}, {everywhere, x, x});
}

/// 0, 1 … as many i64 as the list of one number says. No operator counts up to an operand, but the largest of equal
/// numbers are found in order; one more than wanted, since there must be one.
[[gnu::cold]] constexpr std::int32_t counted_up(node_reader& node, std::int32_t count) {
  const std::int32_t one_more = node.add<ops::add>({}, {count, node.integer_list({1})});
  const std::int32_t equal = node.add<ops::fill>({}, {node.scalar(i32, 0), one_more});
  const pool<std::int32_t> ranked = node.add_all<ops::top_k>({}, {equal, one_more});
  if (!node.is_fine()) return ir::none;
  const std::int32_t wanted = node.add<ops::slice>({}, {ranked[1], node.integer_list({0}), count});
  return cast_to(node, wanted, i64);
}

}}}  // namespace nnrt::NNRT_ISA::tflite::detail
