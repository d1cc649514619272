// elementwise: readers of arithmetic, activations and conversions of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/sub.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

/// Operators of one tensor without options.
template <class Op> [[gnu::cold]] void read_unary(node_reader& node) { node.finish<Op>({}, {node.input(0)}); }

/// Operators of two tensors without options.
template <class Op> [[gnu::cold]] void read_binary(node_reader& node) {
  node.finish<Op>({}, {node.input(0), node.input(1)});
}

/// Operators of two tensors that fuse an activation.
template <class Op, class Options> [[gnu::cold]] void read_arithmetic(node_reader& node) {
  typename Op::attrs attrs;
  attrs.fused = node.fused(node.options<Options>()[Options::fused]);
  node.finish<Op>(attrs, {node.input(0), node.input(1)});
}

[[gnu::cold]] inline void read_square(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.finish<ops::mul>({}, {x, x});
}

[[gnu::cold]] inline void read_neg(node_reader& node) { node.conclude(0, detail::negated(node, node.input(0))); }

/// A rectifier with the slope -1, whose arithmetic on stored numbers is that of TFLite's ABS.
[[gnu::cold]] inline void read_abs(node_reader& node) {
  const std::int32_t x = node.input(0);
  if (node.desc(x).quantised) return node.finish<ops::prelu>({}, {x, node.one_step(-1, x)});
  node.finish<ops::maximum>({}, {detail::negated(node, x), x});
}

/// One after the other.
[[gnu::cold]] inline void read_add_n(node_reader& node) {
  std::int32_t sum = node.input(0);
  if (node.desc(sum).quantised) node.not_supported({"quantised numbers"});
  for (std::size_t i = 1; i < node.input_count(); ++i) sum = node.add<ops::add>({}, {sum, node.input(i)});
  node.conclude(0, sum);
}

namespace detail {

/// Operators that TFLite looks up in a table when their numbers are quantised, or that it has for f32 alone.
[[gnu::cold]] inline void require_f32(node_reader& node, std::int32_t x) {
  const tensor_desc desc = node.desc(x);
  if (desc.type != f32) node.not_supported({desc.quantised ? "quantised " : "", name_of(desc.type)});
}

/// e to the power of x, computed in f64.
[[gnu::cold]] inline std::int32_t exponential(node_reader& node, std::int32_t x) {
  return node.add<ops::pow>({}, {node.scalar(f64, 2.718281828459045235), x});
}

/// The nearest integer, halves to even: beside 1.5 * 2^23 there is no room for a fraction. Numbers beyond 2^22 are left
/// as they are: those without a fraction have none to lose, and the others are NaN.
[[gnu::cold]] inline std::int32_t rounded(node_reader& node, std::int32_t x) {
  const std::int32_t magic = node.scalar(f32, 0x1.8p23);
  return node.add<ops::sub>({}, {node.add<ops::add>({}, {x, magic}), magic});
}
[[gnu::cold]] inline std::int32_t is_small(node_reader& node, std::int32_t x) {
  const std::int32_t size = node.add<ops::maximum>({}, {negated(node, x), x});
  return at_most(node, size, node.scalar(f32, 0x1p22));
}
[[gnu::cold]] inline std::int32_t one_where(node_reader& node, std::int32_t condition, dtype type) {
  return cast_to(node, condition, type);
}
[[gnu::cold]] inline std::int32_t floor(node_reader& node, std::int32_t x) {
  const std::int32_t nearest = rounded(node, x);
  const std::int32_t above = denied(node, at_most(node, nearest, x));
  const std::int32_t below = node.add<ops::sub>({}, {nearest, one_where(node, above, f32)});
  return chosen(node, is_small(node, x), below, x);
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

[[gnu::cold]] inline void read_exp(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::cast_to(node, detail::exponential(node, x), f32));
}
/// x where it is positive, else exp(x) - 1.
[[gnu::cold]] inline void read_elu(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  const std::int32_t less = node.add<ops::sub>({}, {detail::exponential(node, x), node.scalar(f64, 1)});
  const std::int32_t is_not_positive = detail::at_most(node, x, node.scalar(f32, 0));
  node.conclude(0, detail::chosen(node, is_not_positive, detail::cast_to(node, less, f32), x));
}
[[gnu::cold]] inline void read_floor(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::floor(node, x));
}
[[gnu::cold]] inline void read_ceil(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::negated(node, detail::floor(node, detail::negated(node, x))));
}
[[gnu::cold]] inline void read_round(node_reader& node) {
  const std::int32_t x = node.input(0);
  detail::require_f32(node, x);
  node.conclude(0, detail::chosen(node, detail::is_small(node, x), detail::rounded(node, x), x));
}

/// Quotients that are rounded down.
[[gnu::cold]] inline void read_floor_div(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  if (node.desc(a).type == f32) return node.conclude(0, detail::floor(node, node.add<ops::div>({}, {a, b})));
  const detail::division d = detail::divided(node, a, b);
  node.finish<ops::sub>({}, {d.quotient, d.is_off});
}
/// What then remains, with the sign of the divisor.
[[gnu::cold]] inline void read_floor_mod(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  const detail::division d = detail::divided(node, a, b);
  node.finish<ops::add>({}, {d.remainder, node.add<ops::mul>({}, {d.is_off, b})});
}

/// RELU_N1_TO_1 and RELU_0_TO_1, whose most is 1.
template <int Least> [[gnu::cold]] void read_clamp(node_reader& node) {
  const std::int32_t x = node.input(0);
  if (node.desc(x).quantised) detail::require_one_quantisation(node, {x});
  node.conclude(0, detail::clamped(node, x, Least, 1));
}

[[gnu::cold]] inline void read_gelu(node_reader& node) {
  ops::gelu::attrs attrs;
  attrs.approximate = node.options<schema::gelu_options>()[schema::gelu_options::approximate];
  node.finish<ops::gelu>(attrs, {node.input(0)});
}

/// The slopes are [1, 1, C] beside an image [N, H, W, C]: all but the last extent are 1.
[[gnu::cold]] inline void read_prelu(node_reader& node) {
  const std::int32_t x = node.input(0), slopes = node.weight(1, x);
  const shape_t& shape = node.desc(slopes).shape;
  const bool is_vector = shape.rank != 1 && shape.is_known() && shape.elements(0, shape.rank - 1) == 1;
  node.finish<ops::prelu>({}, {x, is_vector ? node.add<ops::reshape>({}, {slopes, node.integer_list({-1})}) : slopes});
}

/// A rectifier with one slope; beside quantised numbers that is one step, whose scale is the slope.
[[gnu::cold]] inline void read_leaky_relu(node_reader& node) {
  const float slope = node.options<schema::leaky_relu_options>()[schema::leaky_relu_options::alpha];
  const std::int32_t x = node.input(0);
  node.finish<ops::prelu>({}, {x, node.desc(x).quantised ? node.one_step(slope, x) : node.real_number(slope)});
}

/// Along the last axis, of x times beta.
[[gnu::cold]] inline void read_softmax(node_reader& node) {
  const float beta = node.options<schema::softmax_options>()[schema::softmax_options::beta];
  std::int32_t x = node.input(0);
  ops::softmax::attrs attrs;
  if (node.desc(x).quantised) attrs.beta = beta;
  else if (beta != 1) x = node.add<ops::mul>({}, {x, node.real_number(beta)});
  node.finish<ops::softmax>(attrs, {x});
}

/// To the element type of the output. Stored numbers in steps of 1 are the real ones.
[[gnu::cold]] inline void read_cast(node_reader& node) {
  std::int32_t x = node.input(0);
  if (node.desc(x).quantised == quantisation(quant{.scale = 1, .zero_point = 0})) x = detail::as_real(node, x);
  node.finish<ops::cast>({}, {x, node.integer_list({static_cast<std::int64_t>(node.declared(0).type)})});
}

/// To the element type and quantisation of the output.
[[gnu::cold]] inline void read_quantize(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::quant_dtype_cast::attrs attrs;
  attrs.src_t = static_cast<std::int64_t>(node.desc(x).type);
  attrs.dst_t = static_cast<std::int64_t>(node.declared(0).type);
  attrs.axis = node.desc(x).quantised.axis;
  node.finish<ops::quant_dtype_cast>(attrs, {x});
}

/// Constants are dequantised here: files keep the weights of float networks so.
[[gnu::cold]] inline void read_dequantize(node_reader& node) {
  if (node.is_constant(0)) return node.define(0, node.constant(0, {.as_f32 = true}));
  if (node.desc(node.input(0)).type == f16) return read_cast(node);
  read_quantize(node);
}

}  // namespace nnrt::inline NNRT_ISA::tflite
