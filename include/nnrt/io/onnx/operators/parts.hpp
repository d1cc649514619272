// parts: what several readers of .onnx nodes share - order of axes, lists, arithmetic on values.
// Flow: the readers in this folder call it; each function adds nodes and returns the value of the last one.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/onnx/node_reader.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/ops/unsqueeze.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx { namespace detail {

using namespace composed;

/// Permutes the axes of x. ONNX has no formats, so the result is not marked as NCHW.
[[gnu::cold]] constexpr std::int32_t transposed(node_maker& node, std::int32_t x, array_ref<const std::int64_t> order) {
  bool moves = false;
  for (std::size_t i = 0; i < order.size(); ++i) moves = moves || order[i] != static_cast<std::int64_t>(i);
  if (!moves) return x;
  const std::int32_t y = node.add<ops::transpose>({}, {x, node.integer_list(order)});
  node.network().forget_format(y);
  return y;
}
[[gnu::cold]] constexpr std::int32_t transposed(node_maker& node, std::int32_t x,
                                                std::initializer_list<std::int64_t> order) {
  return transposed(node, x, array_ref<const std::int64_t>(order.begin(), order.size()));
}
/// Moves axis 1, the channels, to the end: [N, C, H, W] to [N, H, W, C], for any rank.
[[gnu::cold]] constexpr std::int32_t channels_last(node_maker& node, std::int32_t x) {
  const int rank = node.desc(x).rank();
  pool<std::int64_t> order{0};
  for (int i = 2; i < rank; ++i) order.push_back(i);
  if (rank > 1) order.push_back(1);
  return rank < 3 ? x : transposed(node, x, order);
}
/// The inverse of channels_last().
[[gnu::cold]] constexpr std::int32_t channels_second(node_maker& node, std::int32_t x) {
  const int rank = node.desc(x).rank();
  pool<std::int64_t> order{0, rank - 1};
  for (int i = 1; i + 1 < rank; ++i) order.push_back(i);
  return rank < 3 ? x : transposed(node, x, order);
}

/// Inserts an axis of extent 1.
[[gnu::cold]] constexpr std::int32_t with_axis(node_maker& node, std::int32_t x, int axis) {
  ops::unsqueeze::attrs attrs;
  attrs.axes.push_back(axis);
  return node.add<ops::unsqueeze>(attrs, {x});
}
/// Removes an axis of extent 1.
[[gnu::cold]] constexpr std::int32_t without_axis(node_maker& node, std::int32_t x, int axis) {
  const tensor_desc is = node.desc(x);
  pool<std::int64_t> shape;
  bool is_known = true;
  for (int i = 0; i < is.rank(); ++i)
    if (i != axis) shape.push_back(is.shape[i]), is_known = is_known && is.shape[i] >= 0;
  int unknown = 0;
  for (const std::int64_t extent : shape) unknown += extent < 0 ? 1 : 0;
  if (unknown <= 1 && is.elements() != 0) return reshaped(node, x, shape);
  ops::squeeze::attrs attrs;
  attrs.axes.push_back(axis);
  return node.add<ops::squeeze>(attrs, {x});
}

/// A number of the dtype of x, which broadcasts.
[[gnu::cold]] constexpr std::int32_t number_like(node_maker& node, std::int32_t x, double value) {
  return node.scalar(node.desc(x).type, value);
}
[[gnu::cold]] constexpr std::int32_t plus(node_maker& node, std::int32_t a, std::int32_t b) {
  return node.add<ops::add>({}, {a, b});
}
[[gnu::cold]] constexpr std::int32_t minus(node_maker& node, std::int32_t a, std::int32_t b) {
  return node.add<ops::sub>({}, {a, b});
}
[[gnu::cold]] constexpr std::int32_t times(node_maker& node, std::int32_t a, std::int32_t b) {
  return node.add<ops::mul>({}, {a, b});
}
[[gnu::cold]] constexpr std::int32_t over(node_maker& node, std::int32_t a, std::int32_t b) {
  return node.add<ops::div>({}, {a, b});
}
[[gnu::cold]] constexpr std::int32_t plus(node_maker& node, std::int32_t a, double b) {
  return plus(node, a, number_like(node, a, b));
}
[[gnu::cold]] constexpr std::int32_t times(node_maker& node, std::int32_t a, double b) {
  return b == 1 ? a : times(node, a, number_like(node, a, b));
}

/// The extents of x as a list of i64; a constant when they are known.
[[gnu::cold]] constexpr std::int32_t shape_list(node_maker& node, std::int32_t x) {
  const shape_t is = node.desc(x).shape;
  if (is.is_known()) return node.integer_list(std::span(is.begin(), is.end()));
  return cast_to(node, node.add<ops::shape_of>({}, {x}), i64);
}
/// A list of extents that must equal those of another list. When they are known only as a session is resized, extents
/// that differ are refused then: the square of their difference is an index into a list of one number.
[[gnu::cold]] constexpr std::int32_t equal_to(node_maker& node, std::int32_t list, std::int32_t other) {
  const std::int32_t apart = minus(node, list, other), zero = node.integer_list({0});
  return plus(node, list, node.add<ops::gather>({}, {zero, times(node, apart, apart), zero}));
}

/// A constant with this value everywhere.
[[gnu::cold]] constexpr std::int32_t filled(node_maker& node, dtype type, const shape_t& shape, double value) {
  return node.add<ops::fill>({}, {node.scalar(type, value), node.integer_list(std::span(shape.begin(), shape.end()))});
}

/// A constant of these numbers, converted to `type`.
[[gnu::cold]] constexpr std::int32_t numbers(node_maker& node, dtype type, const shape_t& shape,
                                             array_ref<const double> list) {
  pool<std::byte> bytes;
  with_element<types::any>(type, [&]<class T>(T) {
    for (const double number : list) append_element(bytes, math::convert<T>(number));
  });
  return node.taken(node.network().constant_bytes({type, default_format(shape.rank), shape}, bytes));
}

/// An attribute list of these integers. Refuses more than it can hold.
template <class List> [[gnu::cold]] constexpr List as_list(node_maker& node, array_ref<const std::int64_t> items) {
  List made;
  for (const std::int64_t item : items) made.push_back(item);
  if (static_cast<std::size_t>(made.count) != items.size())
    node.not_supported({"got a list of ", items.size(), " numbers, expected at most ", made.count});
  return made;
}

/// The type in which an operator that does not have `type` computes: with all of its values, as far as there is one.
constexpr dtype wider_type(dtype type) {
  if (type == f16) return f32;
  return types_of(i64, u64, i32, u32, f64).contains(type) ? f64 : f32;
}
/// A function of one tensor. Dtypes that nnrt's operator does not have are converted and back.
template <class Op> [[gnu::cold]] constexpr std::int32_t function(node_maker& node, std::int32_t x) {
  const dtype type = node.desc(x).type;
  if (Op::inputs[0].accepts.contains(type)) return node.add<Op>({}, {x});
  return cast_to(node, node.add<Op>({}, {cast_to(node, x, wider_type(type))}), type);
}

}}}}  // namespace nnrt::NNRT_ISA::onnx::detail
