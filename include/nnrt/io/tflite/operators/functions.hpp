// functions: readers of exponentials, logarithms and roundings of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/io/tflite/operators/reductions.hpp>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/floor.hpp>
#include <nnrt/ops/log_softmax.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

namespace detail {

/// Operators that TFLite looks up in a table when their numbers are quantised, or that it has for f32 alone.
[[gnu::cold]] inline void require_f32(node_reader& node, std::int32_t x) {
  const tensor_desc desc = node.desc(x);
  if (desc.type != f32) node.not_supported({desc.quantised ? "quantised " : "", name_of(desc.type)});
}

[[gnu::cold]] inline std::int32_t one_where(node_reader& node, std::int32_t condition, dtype type) {
  return cast_to(node, condition, type);
}

/// Whether a remainder of i32 and its divisor differ in sign, neither being 0.
[[gnu::cold]] inline std::int32_t differ_in_sign(node_reader& node, std::int32_t remainder, std::int32_t divisor) {
  const std::int32_t product = node.add<ops::mul>({}, {cast_to(node, remainder, i64), cast_to(node, divisor, i64)});
  return denied(node, at_most(node, node.scalar(i64, 0), product));
}
/// Quotients that are rounded toward zero, and what remains.
struct division {
  std::int32_t quotient, remainder, is_off;  // is_off: 1 where the quotient is one too large
};
[[gnu::cold]] inline division divided(node_reader& node, std::int32_t a, std::int32_t b) {
  if (node.desc(a).type != i32) node.not_supported({name_of(node.desc(a).type)});
  const std::int32_t quotient = node.add<ops::div>({}, {a, b});
  const std::int32_t remainder = node.add<ops::sub>({}, {a, node.add<ops::mul>({}, {quotient, b})});
  return {quotient, remainder, one_where(node, differ_in_sign(node, remainder, b), i32)};
}

}  // namespace detail

/// EXP, LOG, SIN, COS, FLOOR, CEIL and ROUND.
template <class Op> [[gnu::cold]] void read_function(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.finish<Op>({}, {x});
}
/// Along the last axis.
[[gnu::cold]] inline void read_log_softmax(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  ops::log_softmax::attrs attrs;
  attrs.axis = -1;
  node.finish<ops::log_softmax>(attrs, {x});
}
/// x where it is positive, else exp(x) - 1, in f64 for what is near 0.
[[gnu::cold]] inline void read_elu(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  const std::int32_t exponential = node.add<ops::exp>({}, {detail::cast_to(node, x, f64)});
  const std::int32_t less = node.add<ops::sub>({}, {exponential, node.scalar(f64, 1)});
  const std::int32_t is_not_positive = detail::at_most(node, x, node.scalar(f32, 0));
  node.conclude(0, detail::chosen(node, is_not_positive, detail::cast_to(node, less, f32), x));
}

/// Quotients that are rounded down.
[[gnu::cold]] inline void read_floor_div(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  if (node.desc(a).type == f32) return node.finish<ops::floor>({}, {node.add<ops::div>({}, {a, b})});
  const detail::division d = detail::divided(node, a, b);
  node.finish<ops::sub>({}, {d.quotient, d.is_off});
}
/// What then remains, with the sign of the divisor.
[[gnu::cold]] inline void read_floor_mod(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  const detail::division d = detail::divided(node, a, b);
  node.finish<ops::add>({}, {d.remainder, node.add<ops::mul>({}, {d.is_off, b})});
}

}  // namespace nnrt::inline NNRT_ISA::tflite
