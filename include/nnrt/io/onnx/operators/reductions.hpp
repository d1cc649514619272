// reductions: readers of reductions, softmax and cumulative sums of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/shapes.hpp>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/log.hpp>
#include <nnrt/ops/log_softmax.hpp>
#include <nnrt/ops/one_hot.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_min.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/square.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// What a reduction reads: axes (all when the list is empty) and whether they remain with extent 1.
struct reduction {
  std::int32_t axes = ir::none;
  bool keeps = true, is_identity = false;

  template <class Op> [[gnu::cold]] constexpr std::int32_t apply(node_maker& node, std::int32_t x) const {
    typename Op::attrs attrs;
    attrs.keep_dims = keeps;
    const dtype type = node.desc(x).type;
    if (Op::inputs[0].accepts.contains(type)) return node.add<Op>(attrs, {x, axes});
    const dtype wide = types::floating.contains(type) ? f32 : i64;
    const dtype taken = Op::inputs[0].accepts.contains(wide) ? wide : wider_type(type);
    return cast_to(node, node.add<Op>(attrs, {cast_to(node, x, taken), axes}), type);
  }
};

[[gnu::cold]] constexpr reduction read_reduction(node_reader& node, std::int32_t x, std::int64_t operand_since) {
  reduction made;
  made.keeps = node.integer_attribute("keepdims", 1) != 0;
  const bool can_be_identity = node.integer_attribute("noop_with_empty_axes", 0) != 0;
  pool<std::int64_t> axes = listed_axes(node, operand_since, 1);
  made.is_identity = axes.empty() && can_be_identity;
  const int rank = node.rank(x);
  if (axes.empty())
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  axes = node.axes_in(axes, rank);
  if (node.is_fine()) made.axes = node.integer_list(axes);
  return made;
}

/// Computes log(sum of exp(x)), shifted by the maximum.
[[gnu::cold]] constexpr std::int32_t log_sum_exp(node_maker& node, std::int32_t x, reduction over) {
  reduction kept = over;
  kept.keeps = true;
  const std::int32_t largest = kept.apply<ops::reduce_max>(node, x);
  // an infinite maximum must not become NaN
  const std::int32_t is_infinite =
      node.add<ops::equal>({}, {node.add<ops::abs>({}, {largest}), number_like(node, x, math::infinity<double>)});
  const std::int32_t shift = node.add<ops::select>({}, {is_infinite, number_like(node, x, 0), largest});
  const std::int32_t sum = over.apply<ops::reduce_sum>(node, node.add<ops::exp>({}, {minus(node, x, shift)}));
  const std::int32_t log = node.add<ops::log>({}, {sum});
  const std::int32_t back = over.keeps ? shift : over.apply<ops::reduce_max>(node, shift);
  return plus(node, log, back);
}

}  // namespace detail

/// Reductions that nnrt has; axes are an operand from `Since` on.
template <class Op, std::int64_t Since> [[gnu::cold]] constexpr void read_reduce(node_reader& node) {
  const std::int32_t x = node.input(0);
  const detail::reduction over = detail::read_reduction(node, x, Since);
  if (!node.is_fine() || over.is_identity) return node.define(0, x);
  node.define(0, over.apply<Op>(node, x));
}
[[gnu::cold]] constexpr void read_reduce_l1(node_reader& node) {
  const std::int32_t x = node.input(0);
  const detail::reduction over = detail::read_reduction(node, x, 18);
  const std::int32_t sizes = detail::function<ops::abs>(node, x);
  node.define(0, over.is_identity ? sizes : over.apply<ops::reduce_sum>(node, sizes));
}
[[gnu::cold]] constexpr void read_reduce_l2(node_reader& node) {
  const std::int32_t x = node.input(0);
  const detail::reduction over = detail::read_reduction(node, x, 18);
  node.define(0, over.is_identity ? detail::function<ops::abs>(node, x) : over.apply<ops::reduce_l2>(node, x));
}
[[gnu::cold]] constexpr void read_reduce_sum_square(node_reader& node) {
  const std::int32_t x = node.input(0);
  const detail::reduction over = detail::read_reduction(node, x, 18);
  const std::int32_t squares = detail::times(node, x, x);
  node.define(0, over.is_identity ? squares : over.apply<ops::reduce_sum>(node, squares));
}
[[gnu::cold]] constexpr void read_reduce_log_sum(node_reader& node) {
  const std::int32_t x = node.input(0);
  const detail::reduction over = detail::read_reduction(node, x, 18);
  node.define(0, detail::function<ops::log>(node, over.is_identity ? x : over.apply<ops::reduce_sum>(node, x)));
}
[[gnu::cold]] constexpr void read_reduce_log_sum_exp(node_reader& node) {
  const std::int32_t x = node.input(0);
  const detail::reduction over = detail::read_reduction(node, x, 18);
  if (!node.is_fine() || over.is_identity) return node.define(0, x);
  const dtype type = node.type(x), wide = types::floating.contains(type) ? type : f64;
  node.define(0, detail::cast_to(node, detail::log_sum_exp(node, detail::cast_to(node, x, wide), over), type));
}

namespace detail {

/// The axes of softmax and its kin: one from opset 13 on; before, all from `axis` on, as one sum.
[[gnu::cold]] constexpr pool<std::int64_t> softmax_axes(node_reader& node, std::int32_t x) {
  const int rank = node.rank(x);
  pool<std::int64_t> axes;
  node.ignore_attribute("axis");
  if (rank == 0) return axes;
  const bool is_new = node.version() >= 13;
  const int axis = node.axis_attribute("axis", is_new ? -1 : 1, rank);
  for (int i = axis; i < (is_new ? axis + 1 : rank); ++i) axes.push_back(i);
  return axes;
}

}  // namespace detail

[[gnu::cold]] constexpr void read_softmax(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::softmax::attrs attrs;
  attrs.axis = detail::as_list<axis_list>(node, detail::softmax_axes(node, x));
  node.finish<ops::softmax>(attrs, {x});
}
[[gnu::cold]] constexpr void read_log_softmax(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> axes = detail::softmax_axes(node, x);
  if (!node.is_fine()) return;
  ops::log_softmax::attrs attrs;
  if (axes.size() == 1) {
    attrs.axis = axes[0];
    return node.finish<ops::log_softmax>(attrs, {x});
  }
  detail::reduction over;
  over.axes = node.integer_list(axes);
  node.define(0, detail::minus(node, x, detail::log_sum_exp(node, x, over)));
}
/// Hardmax: 1 for the first of the largest elements, 0 elsewhere.
[[gnu::cold]] constexpr void read_hardmax(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> axes = detail::softmax_axes(node, x);
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  if (!is.is_known() || axes.empty()) return node.not_supported({"input 0: got ", is, ", expected known extents"});
  const int axis = static_cast<int>(axes[0]);
  std::int64_t depth = 1;
  for (const std::int64_t i : axes) depth = nnrt::detail::saturated_product(depth, is[static_cast<int>(i)]);
  const std::int64_t rows = is.elements(0, axis);
  const std::int64_t inner = axes.size() == 1 ? is.elements(axis + 1) : 1;
  ops::arg_max::attrs largest;
  largest.axis = 1;
  const std::int32_t lines = detail::reshaped(node, x, pool<std::int64_t>{rows, depth, inner});
  ops::one_hot::attrs attrs;
  attrs.axis = 1;
  const dtype type = node.type(x);
  const std::int32_t y = node.add<ops::one_hot>(
      attrs, {detail::cast_to(node, node.add<ops::arg_max>(largest, {lines}), i64),
              node.scalar(i64, static_cast<double>(depth)), node.scalar(type, 1), node.scalar(type, 0)});
  node.define(0, detail::reshaped(node, y, std::span(is.begin(), is.end())));
}

namespace detail {

/// Moves x by `by` places along an axis, to the end or to the front. Zeros enter, and `by` elements leave.
[[gnu::cold]] constexpr std::int32_t shifted(node_maker& node, std::int32_t x, int axis, std::int64_t by,
                                             bool to_front) {
  const shape_t is = node.desc(x).shape;
  if (by >= is[axis]) return node.add<ops::select>({}, {node.scalar(boolean, 0), x, number_like(node, x, 0)});
  ops::strided_slice::attrs attrs;
  pool<std::int64_t> begin, end, step, pads;
  for (int i = 0; i < is.rank; ++i) {
    const bool is_moved = i == axis;
    if (!is_moved) attrs.begin_mask |= std::int64_t{1} << i, attrs.end_mask |= std::int64_t{1} << i;
    begin.push_back(is_moved && to_front ? by : 0), step.push_back(1);
    end.push_back(!is_moved ? 0 : to_front ? is[axis] : is[axis] - by);
    pads.push_back(is_moved && !to_front ? by : 0), pads.push_back(is_moved && to_front ? by : 0);
  }
  const std::int32_t part = node.add<ops::strided_slice>(
      attrs, {x, node.integer_list(begin), node.integer_list(end), node.integer_list(step)});
  return node.add<ops::pad>({}, {part, node.integer_list(pads)});
}

}  // namespace detail

/// CumSum: adds x to itself, shifted by 1, 2, 4 … places (Hillis and Steele). An infinity reaches only later sums.
[[gnu::cold]] constexpr void read_cum_sum(node_reader& node) {
  const std::int32_t x = node.input(0);
  const int axis = node.axis_in(node.integer(1), node.rank(x));
  const bool is_exclusive = node.integer_attribute("exclusive", 0) != 0,
             is_reverse = node.integer_attribute("reverse", 0) != 0;
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return;
  const std::int64_t extent = is[axis];
  if (extent < 0) return node.not_supported({"CumSum along an unknown extent of ", is});
  if (is.elements() == 0) return node.define(0, x);
  const dtype type = node.type(x), computed = types_of(f32, f64, i32).contains(type) ? type : type == f16 ? f32 : i64;
  std::int32_t y = detail::cast_to(node, x, computed);
  if (is_exclusive) y = detail::shifted(node, y, axis, 1, is_reverse);
  for (std::int64_t by = 1; node.is_fine() && by < extent; by *= 2)
    y = detail::plus(node, y, detail::shifted(node, y, axis, by, is_reverse));
  node.define(0, detail::cast_to(node, y, type));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
