// elementwise: readers of arithmetic, activations and conversions of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/node_reader.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/softmax.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

/// Operators of one tensor without options.
template <class Op> [[gnu::cold]] void read_unary(node_reader& node) { node.finish<Op>({}, {node.input(0)}); }

/// Operators of two tensors without options.
template <class Op> [[gnu::cold]] void read_binary(node_reader& node) {
  node.finish<Op>({}, {node.input(0), node.input(1)});
}

/// a >= b as b <= a: of numbers both are true, of NaN neither.
template <class Op> [[gnu::cold]] void read_swapped(node_reader& node) {
  node.finish<Op>({}, {node.input(1), node.input(0)});
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

/// To the element type of the output.
[[gnu::cold]] inline void read_cast(node_reader& node) {
  node.finish<ops::cast>({}, {node.input(0), node.integer_list({static_cast<std::int64_t>(node.declared(0).type)})});
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
