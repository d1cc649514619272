// reductions: readers of sums, means, extremes and norms of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/arg_max.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/l2_normalize.hpp>
#include <nnrt/ops/logical_not.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/reduce_all.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/sqrt.hpp>
#include <nnrt/ops/sub.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// Operand and options of a reduction.
struct reduction {
  std::int32_t x = ir::none;
  pool<std::int64_t> axes;  // sorted, each once
  bool keep_dims = false;
};
[[gnu::cold]] constexpr reduction read_reduction_of(node_reader& node) {
  const std::int32_t x = node.input(0);
  return {x, axes_of(node, 1, x), node.options<schema::reducer_options>()[schema::reducer_options::keep_dims]};
}
/// Handles a reduction without axes, which is a copy; nnrt's operators would reduce all axes. Returns true if so.
[[gnu::cold]] constexpr bool is_copy(node_reader& node, const reduction& r) {
  if (!node.is_fine() || !r.axes.empty()) return false;
  node.conclude(0, r.x);
  return true;
}

template <class Op>
[[gnu::cold]] constexpr std::int32_t reduced(node_reader& node, std::int32_t x, const reduction& r) {
  typename Op::attrs attrs;
  attrs.keep_dims = r.keep_dims;
  return node.add<Op>(attrs, {x, node.integer_list(r.axes)});
}

}  // namespace detail

/// MEAN and the operators whose names begin with REDUCE_.
template <class Op> [[gnu::cold]] constexpr void read_reduction(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (detail::is_copy(node, r)) return;
  typename Op::attrs attrs;
  attrs.keep_dims = r.keep_dims;
  node.conclude(0, node.add_declared<Op>(attrs, {r.x, node.integer_list(r.axes)}));
}

namespace detail {
/// SUM of i8. As in TFLite, stored integers are added, then round(sum * scale + bias) is computed in f32, in this
/// order. Sums of at least 65,000 values are exact in f32.
[[gnu::cold]] constexpr void sum_of_i8(node_reader& node, const reduction& r) {
  const tensor_desc from = node.desc(r.x), to = node.declared(0);
  std::int64_t count = 1;
  for (const std::int64_t axis : r.axes) {
    const std::int64_t extent = from.shape[static_cast<int>(axis)];
    if (extent < 0) return node.not_supported({"a sum of quantised numbers along an extent that only a run knows"});
    count *= extent;
  }
  const float scale = from.quantised.scale / to.quantised.scale, zero = static_cast<float>(from.quantised.zero_point);
  const std::int32_t steps = as_real(node, with_scale(node, r.x, steps_of_1));
  const std::int32_t away = reduced<ops::reduce_sum>(node, steps, r);
  const std::int32_t sum = node.add<ops::add>({}, {away, node.scalar(f32, double{zero} * static_cast<double>(count))});
  const std::int32_t scaled = node.add<ops::mul>({}, {sum, node.scalar(f32, scale)});
  const std::int32_t result =
      node.add<ops::add>({}, {scaled, node.scalar(f32, -zero * scale * static_cast<float>(count))});
  const quantisation made = quant{.scale = 1, .zero_point = to.quantised.zero_point};
  node.conclude(0, with_scale(node, as_quantised(node, result, {to.type, format::nd, {}, made}), to.quantised));
}
}  // namespace detail
/// SUM. For i8 it follows TFLite's default kernel, because the reference kernel writes nothing.
[[gnu::cold]] constexpr void read_sum(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  const tensor_desc x = node.desc(r.x), y = node.declared(0);
  const bool is_rescaled = x.type == i8 && x.quantised && y.type == i8 && y.quantised && x.quantised != y.quantised;
  if (!is_rescaled || r.axes.empty() || !node.is_fine()) return read_reduction<ops::reduce_sum>(node);
  detail::sum_of_i8(node, r);
}

/// any(x) = not all(not x).
[[gnu::cold]] constexpr void read_reduce_any(node_reader& node) {
  const detail::reduction r = detail::read_reduction_of(node);
  if (detail::is_copy(node, r)) return;
  const std::int32_t opposites = node.add<ops::logical_not>({}, {r.x});
  node.conclude(0, node.add<ops::logical_not>({}, {detail::reduced<ops::reduce_all>(node, opposites, r)}));
}

namespace detail {
[[gnu::cold]] constexpr std::int32_t as_number(node_reader& node, std::int32_t x) {
  return node.desc(x).type == boolean ? cast_to(node, x, u8) : x;
}
/// A value that orders as -x does. Integers are not negated, because the lowest and unsigned ones would wrap.
[[gnu::cold]] constexpr std::int32_t reversed(node_reader& node, std::int32_t x) {
  const dtype type = node.desc(x).type;
  if (!types::integer.contains(type)) return negated(node, x);
  constexpr double beyond_all = 0x1p70;  // converts to the largest number of the type
  const bool has_sign = types_of(i8, i16, i32, i64).contains(type);
  return node.add<ops::sub>({}, {node.scalar(type, has_sign ? -1 : beyond_all), x});
}
}  // namespace detail

/// Along the axis that the second operand names. Booleans are compared as numbers.
[[gnu::cold]] constexpr void read_arg_max(node_reader& node) {
  node.check_result_type<schema::arg_max_options>();
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  node.finish<ops::arg_max>(attrs, {detail::as_number(node, node.input(0))});
}
[[gnu::cold]] constexpr void read_arg_min(node_reader& node) {
  node.check_result_type<schema::arg_min_options>();
  ops::arg_max::attrs attrs;
  attrs.axis = node.integer(1);
  node.finish<ops::arg_max>(attrs,
                            {detail::reversed(node, detail::as_real(node, detail::as_number(node, node.input(0))))});
}

namespace detail {
/// L2_NORMALIZATION of quantised values, whose sums TFLite computes in integers.
[[gnu::cold]] constexpr void normalise_quantised(node_reader& node, std::int32_t x) {
  ops::l2_normalize::attrs attrs;
  attrs.fused = node.fused(node.options<schema::l2_norm_options>()[schema::l2_norm_options::fused]);
  attrs.axis.push_back(-1);
  node.finish<ops::l2_normalize>(attrs, {x});
}
}  // namespace detail
/// x / max(sqrt(sum(x * x)), 1e-6) along the last axis. It is composed of several nodes, because l2_normalize bounds
/// the square of the length.
[[gnu::cold]] constexpr void read_l2_normalization(node_reader& node) {
  const auto options = node.options<schema::l2_norm_options>();
  const std::int32_t x = node.input(0);
  if (node.desc(x).quantised) return detail::normalise_quantised(node, x);
  ops::div::attrs attrs;
  attrs.fused = node.fused(options[schema::l2_norm_options::fused]);
  detail::reduction r{x, {}, true};
  r.axes.push_back(node.desc(x).rank() - 1);
  const std::int32_t squares = node.add<ops::mul>({}, {x, x});
  const std::int32_t length = node.add<ops::sqrt>({}, {detail::reduced<ops::reduce_sum>(node, squares, r)});
  const std::int32_t divisor = node.add<ops::maximum>({}, {length, node.scalar(node.desc(x).type, 1e-6)});
  node.finish<ops::div>(attrs, {x, divisor});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
