// reductions: readers of sums, means, extremes and norms of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/arg_max.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/reduce_all.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/squeeze.hpp>
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

template <class Op>
[[gnu::cold]] std::int32_t reduced(node_reader& node, std::int32_t x, const reduction& r,
                                   const tensor_desc& wanted = {}) {
  typename Op::attrs attrs;
  attrs.keep_dims = r.keep_dims;
  return node.add<Op>(attrs, {x, node.integer_list(r.axes)}, wanted);
}

/// The sum of floats, as their mean times their number.
[[gnu::cold]] inline std::int32_t sum(node_reader& node, std::int32_t x, const reduction& r) {
  const std::int32_t mean = reduced<ops::reduce_mean>(node, x, r);
  return node.add<ops::mul>({}, {mean, count_along(node, r.x, r.axes, node.desc(x).type)});
}
/// The nearest integers to f64 of less than 2^51: there is no room for a fraction beside this number.
[[gnu::cold]] inline std::int32_t rounded_to_integers(node_reader& node, std::int32_t x) {
  const std::int32_t magic = node.scalar(f64, 0x1.8p52);
  return node.add<ops::sub>({}, {node.add<ops::add>({}, {x, magic}), magic});
}

/// The largest elements along several axes, one axis after the other.
[[gnu::cold]] inline std::int32_t largest(node_reader& node, std::int32_t x, const reduction& r) {
  ops::arg_max::attrs attrs;
  attrs.out_max_value = attrs.keep_dims = true;
  for (const std::int64_t axis : r.axes) {
    attrs.axis = axis;
    x = node.add<ops::arg_max>(attrs, {x});
  }
  if (r.keep_dims) return x;
  ops::squeeze::attrs without;
  for (const std::int64_t axis : r.axes) without.axes.push_back(axis);
  return node.add<ops::squeeze>(without, {x});
}

}  // namespace detail

/// REDUCE_PROD and REDUCE_ALL.
template <class Op> [[gnu::cold]] void read_reduction(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (!detail::is_copy(node, r)) node.conclude(0, detail::reduced<Op>(node, r.x, r, node.declared(0)));
}

/// Of i32 and i64 the fraction is left out.
[[gnu::cold]] inline void read_mean(node_reader& node) {
  const dtype type = node.desc(node.input(0)).type;
  if (!types::index.contains(type)) return read_reduction<ops::reduce_mean>(node);
  const detail::reduction r = detail::read_reduction_of(node);
  if (type != i32) node.not_supported({"a mean of ", name_of(type)});
  if (detail::is_copy(node, r)) return;
  const std::int32_t wide = detail::cast_to(node, r.x, f64);
  node.conclude(0, detail::cast_to(node, detail::reduced<ops::reduce_mean>(node, wide, r), type));
}

[[gnu::cold]] inline void read_sum(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  const dtype type = node.desc(r.x).type;
  if (node.desc(r.x).quantised) node.not_supported({"a sum of quantised numbers"});
  if (!types::floating.contains(type) && type != i32) node.not_supported({"a sum of ", name_of(type)});
  if (detail::is_copy(node, r)) return;
  if (type != i32) return node.conclude(0, detail::sum(node, r.x, r));
  const std::int32_t exact = detail::rounded_to_integers(node, detail::sum(node, detail::cast_to(node, r.x, f64), r));
  node.conclude(0, detail::cast_to(node, exact, type));
}

[[gnu::cold]] inline void read_reduce_max(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (!detail::is_copy(node, r)) node.conclude(0, detail::largest(node, r.x, r));
}
/// The largest of the negated numbers, negated; of stored numbers, the real ones.
[[gnu::cold]] inline void read_reduce_min(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (detail::is_copy(node, r)) return;
  detail::require_one_quantisation(node, {r.x});
  const dtype type = node.desc(r.x).type;
  std::int32_t x = detail::as_real(node, r.x);
  if (type == i32) x = detail::cast_to(node, x, i64);  // the least i32 has no opposite
  const std::int32_t least = detail::negated(node, detail::largest(node, detail::negated(node, x), r));
  if (type == i32) return node.conclude(0, detail::cast_to(node, least, type));
  node.conclude(0, detail::as_stored(node, least, node.declared(0)));
}
[[gnu::cold]] inline void read_reduce_any(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (detail::is_copy(node, r)) return;
  const std::int32_t none = detail::reduced<ops::reduce_all>(node, detail::denied(node, r.x), r);
  node.conclude(0, detail::denied(node, none));
}

/// Along the axis that the second operand names.
[[gnu::cold]] inline void read_arg_max(node_reader& node) {
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  node.finish<ops::arg_max>(attrs, {node.input(0)});
}
[[gnu::cold]] inline void read_arg_min(node_reader& node) {
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  std::int32_t x = detail::as_real(node, node.input(0));
  if (node.desc(x).type == i32) x = detail::cast_to(node, x, i64);
  node.finish<ops::arg_max>(attrs, {detail::negated(node, x)});
}

/// x / max(its length, 1e-6), along the last axis.
[[gnu::cold]] inline void read_l2_normalization(node_reader& node) {
  const auto options = node.options<schema::l2_norm_options>();
  const std::int32_t x = node.input(0);
  if (node.desc(x).quantised) node.not_supported({"quantised numbers"});
  ops::div::attrs attrs;
  attrs.fused = node.fused(options[schema::l2_norm_options::fused]);
  detail::reduction r{x, {}, true};
  r.axes.push_back(node.desc(x).rank() - 1);
  const std::int32_t squares = node.add<ops::mul>({}, {x, x});
  const std::int32_t length = node.add<ops::sqrt>({}, {detail::sum(node, squares, r)});
  const std::int32_t divisor = node.add<ops::maximum>({}, {length, node.scalar(node.desc(x).type, 1e-6)});
  node.finish<ops::div>(attrs, {x, divisor});
}

}  // namespace nnrt::inline NNRT_ISA::tflite
