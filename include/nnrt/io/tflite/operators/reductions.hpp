// reductions: readers of sums, means, extremes and norms of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/arg_max.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/logical_not.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/reduce_all.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/sub.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

namespace detail {

/// What a reduction of the file asks for.
struct reduction {
  std::int32_t x = ir::none;
  pool<std::int64_t> axes;  // each once, in order
  bool keep_dims = false;
};
[[gnu::cold]] inline reduction read_reduction_of(node_reader& node) {
  const std::int32_t x = node.input(0);
  return {x, axes_of(node, 1, x), node.options<schema::reducer_options>()[schema::reducer_options::keep_dims]};
}
/// No axes: nothing is reduced. (Ours would take that for all of them.)
[[gnu::cold]] inline bool is_copy(node_reader& node, const reduction& r) {
  if (!node.is_fine() || !r.axes.empty()) return false;
  node.conclude(0, r.x);
  return true;
}

template <class Op> [[gnu::cold]] std::int32_t reduced(node_reader& node, std::int32_t x, const reduction& r) {
  typename Op::attrs attrs;
  attrs.keep_dims = r.keep_dims;
  return node.add<Op>(attrs, {x, node.integer_list(r.axes)});
}

}  // namespace detail

/// MEAN and what begins with REDUCE_.
template <class Op> [[gnu::cold]] void read_reduction(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (detail::is_copy(node, r)) return;
  typename Op::attrs attrs;
  attrs.keep_dims = r.keep_dims;
  node.conclude(0, node.add_declared<Op>(attrs, {r.x, node.integer_list(r.axes)}));
}

[[gnu::cold]] inline void read_sum(node_reader& node) {
  // TFLite scales a quantised sum in floats, ours in fixed point.
  if (node.desc(node.input(0)).quantised) node.not_supported({"a sum of quantised numbers"});
  read_reduction<ops::reduce_sum>(node);
}

/// Not all of the opposites are true.
[[gnu::cold]] inline void read_reduce_any(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (detail::is_copy(node, r)) return;
  const std::int32_t opposites = node.add<ops::logical_not>({}, {r.x});
  node.conclude(0, node.add<ops::logical_not>({}, {detail::reduced<ops::reduce_all>(node, opposites, r)}));
}

namespace detail {
/// x in the reverse order. Of integers not their opposites: those of the least one and of unsigned ones would wrap.
[[gnu::cold]] inline std::int32_t reversed(node_reader& node, std::int32_t x) {
  const dtype type = node.desc(x).type;
  if (!types::integer.contains(type)) return negated(node, x);
  constexpr double beyond_all = 0x1p70;  // becomes the largest number of the type
  const bool has_sign = types_of(i8, i16, i32, i64).contains(type);
  return node.add<ops::sub>({}, {node.scalar(type, has_sign ? -1 : beyond_all), x});
}
}  // namespace detail

/// Along the axis that the second operand names.
[[gnu::cold]] inline void read_arg_max(node_reader& node) {
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  node.finish<ops::arg_max>(attrs, {node.input(0)});
}
[[gnu::cold]] inline void read_arg_min(node_reader& node) {
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  node.finish<ops::arg_max>(attrs, {detail::reversed(node, detail::as_real(node, node.input(0)))});
}

/// x / max(its length, 1e-6), along the last axis: of operators with kernels for vectors, which l2_normalize has not.
[[gnu::cold]] inline void read_l2_normalization(node_reader& node) {
  const auto options = node.options<schema::l2_norm_options>();
  const std::int32_t x = node.input(0);
  if (node.desc(x).quantised) node.not_supported({"quantised numbers"});
  ops::div::attrs attrs;
  attrs.fused = node.fused(options[schema::l2_norm_options::fused]);
  detail::reduction r{x, {}, true};
  r.axes.push_back(node.desc(x).rank() - 1);
  const std::int32_t squares = node.add<ops::mul>({}, {x, x});
  const std::int32_t length = node.add<ops::sqrt>({}, {detail::reduced<ops::reduce_sum>(node, squares, r)});
  const std::int32_t divisor = node.add<ops::maximum>({}, {length, node.scalar(node.desc(x).type, 1e-6)});
  node.finish<ops::div>(attrs, {x, divisor});
}

}  // namespace nnrt::inline NNRT_ISA::tflite
