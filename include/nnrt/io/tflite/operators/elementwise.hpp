// elementwise: readers of arithmetic, activations and conversions of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/lrn.hpp>
#include <nnrt/ops/mod.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/round.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/sub.hpp>
#include <nnrt/ops/tanh.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Operators of one tensor without options.
template <class Op> [[gnu::cold]] constexpr void read_unary(node_reader& node) { node.finish<Op>({}, {node.input(0)}); }

/// Operators of two tensors without options.
template <class Op> [[gnu::cold]] constexpr void read_binary(node_reader& node) {
  node.finish<Op>({}, {node.input(0), node.input(1)});
}

/// POW. Integers must not have negative exponents.
[[gnu::cold]] constexpr void read_pow(node_reader& node) {
  node.finish<ops::pow>({}, {node.input(0), detail::input_without(node, detail::forbidden::negative, 1, "exponent")});
}
/// FLOOR_MOD. Integers must not have zero divisors.
[[gnu::cold]] constexpr void read_floor_mod(node_reader& node) {
  node.finish<ops::mod>({}, {node.input(0), detail::input_without(node, detail::forbidden::zero, 1, "divisor")});
}

namespace detail {
/// tanh of Op's result on quantised values. The file has no scale for that result, so real values are computed.
template <class Op> [[gnu::cold]] constexpr void read_tanh_of_quantised(node_reader& node) {
  const std::int32_t y = node.add<Op>({}, {as_real(node, node.input(0)), as_real(node, node.input(1))});
  node.conclude(0, as_quantised(node, node.add<ops::tanh>({}, {y}), node.declared(0)));
}
}  // namespace detail
/// Operators of two tensors with a fused activation.
template <class Op, class Options> [[gnu::cold]] constexpr void read_arithmetic(node_reader& node) {
  const std::int8_t fused = node.options<Options>()[Options::fused];
  if (fused == fused_tanh && node.desc(node.input(0)).quantised) return detail::read_tanh_of_quantised<Op>(node);
  typename Op::attrs attrs;
  attrs.fused = node.fused(fused);
  if constexpr (std::is_same_v<Op, ops::div>)
    return node.finish<Op>(attrs, {node.input(0), detail::input_without(node, detail::forbidden::zero, 1, "divisor")});
  node.finish<Op>(attrs, {node.input(0), node.input(1)});
}

namespace detail {
/// True when x is a power of two, by TFLite's tolerance.
[[gnu::cold]] constexpr bool is_power_of_two(float x) {
  constexpr double log2_of_e = 1.4426950408889634;
  const double power = math::log(double{x}) * log2_of_e;
  return math::abs(power - math::round_half_away(power)) < 1e-3;
}
}  // namespace detail
/// ADD and SUB. Refuses 16-bit values whose scales are powers of two when options are present and do not switch off
/// TFLite's special kernel for them.
template <class Op, class Options> [[gnu::cold]] constexpr void read_sum_of_two(node_reader& node) {
  const auto options = node.options<Options>();
  bool shifts = options && options[Options::pot_scale_int16];
  for (const tensor_desc& x : {node.desc(node.input(0)), node.desc(node.input(1)), node.declared(0)})
    shifts = shifts && x.type == i16 && detail::is_power_of_two(x.quantised.scale);
  if (shifts) node.not_supported({"16-bit numbers whose scales are powers of two (pot_scale_int16)"});
  read_arithmetic<Op, Options>(node);
}

/// NEG, of unquantised values.
[[gnu::cold]] constexpr void read_neg(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.refuse_quantised(0, x);
  node.finish<ops::neg>({}, {x});
}

/// Adds the operands in order.
[[gnu::cold]] constexpr void read_add_n(node_reader& node) {
  std::int32_t sum = node.input(0);
  node.refuse_quantised(0, sum);
  for (std::size_t i = 1; i < node.input_count(); ++i) sum = node.add<ops::add>({}, {sum, node.input(i)});
  node.conclude(0, sum);
}

/// RELU_N1_TO_1 and RELU_0_TO_1: clamps to [Least, 1]. Quantised values are first converted to the output's scale, as
/// in TFLite: the bounds in the input's scale might differ.
template <int Least> [[gnu::cold]] constexpr void read_clamp(node_reader& node) {
  const std::int32_t x = node.input(0);
  const bool is_rescaled = node.desc(x).quantised && node.desc(x).quantised != node.declared(0).quantised;
  const std::int32_t in_scale = is_rescaled ? detail::as_quantised(node, x, node.declared(0)) : x;
  node.conclude(0, detail::clamped(node, in_scale, Least, 1));
}

[[gnu::cold]] constexpr void read_gelu(node_reader& node) {
  ops::gelu::attrs attrs;
  attrs.approximate = node.options<schema::gelu_options>()[schema::gelu_options::approximate];
  node.finish<ops::gelu>(attrs, {node.input(0)});
}

/// PReLU slopes with extents of 1 except the last, such as [1, 1, C] for an image [N, H, W, C], become a vector.
[[gnu::cold]] constexpr void read_prelu(node_reader& node) {
  const std::int32_t x = node.input(0), slopes = node.weight(1, x);
  const shape_t& shape = node.desc(slopes).shape;
  const bool is_vector = shape.rank != 1 && shape.is_known() && shape.elements(0, shape.rank - 1) == 1;
  node.finish<ops::prelu>({}, {x, is_vector ? node.add<ops::reshape>({}, {slopes, node.integer_list({-1})}) : slopes});
}

[[gnu::cold]] constexpr void read_leaky_relu(node_reader& node) {
  ops::leaky_relu::attrs attrs;
  attrs.negative_slope = node.options<schema::leaky_relu_options>()[schema::leaky_relu_options::alpha];
  node.finish<ops::leaky_relu>(attrs, {node.input(0)});
}

[[gnu::cold]] constexpr void read_local_response_normalization(node_reader& node) {
  using kind = schema::local_response_normalization_options;
  const auto options = node.options<kind>();
  ops::lrn::attrs attrs;
  attrs.depth_radius = options[kind::radius];
  attrs.bias = options[kind::bias], attrs.alpha = options[kind::alpha], attrs.beta = options[kind::beta];
  node.finish<ops::lrn>(attrs, {node.input(0)});
}

namespace detail {
/// x - x with the quantisation of x. It replaces x when beta is 0, which softmax does not support.
[[gnu::cold]] constexpr std::int32_t quantised_zeros(node_reader& node, std::int32_t x) {
  const tensor_desc like = node.desc(x);
  return node.add<ops::sub>({}, {x, x}, {like.type, format::nd, {}, like.quantised});
}
}  // namespace detail

/// Softmax of x * beta along the last axis.
[[gnu::cold]] constexpr void read_softmax(node_reader& node) {
  const float beta = node.options<schema::softmax_options>()[schema::softmax_options::beta];
  std::int32_t x = node.input(0);
  ops::softmax::attrs attrs;
  if (node.desc(x).quantised && beta == 0) x = detail::quantised_zeros(node, x);
  else if (node.desc(x).quantised) attrs.beta = beta;
  else if (beta != 1) x = node.add<ops::mul>({}, {x, node.real_number(beta)});
  node.finish<ops::softmax>(attrs, {x});
}

namespace detail {

/// The stored integers of quantised x as f32.
[[gnu::cold]] constexpr std::int32_t quantised_as_real(node_reader& node, std::int32_t x) {
  const quantisation from = node.desc(x).quantised;
  const std::int32_t real = as_real(node, x);
  if (from == steps_of_1) return real;
  const std::int32_t steps = node.add<ops::round>({}, {node.add<ops::div>({}, {real, node.scalar(f32, from.scale)})});
  return node.add<ops::add>({}, {steps, node.scalar(f32, from.zero_point)});
}
/// Interprets integers of 8 or 16 bits as stored values with the output's quantisation.
[[gnu::cold]] constexpr std::int32_t quantised_from_plain(node_reader& node, std::int32_t x, const tensor_desc& like) {
  std::int32_t real = cast_to(node, x, f32);
  if (like.quantised != steps_of_1) {
    real = node.add<ops::sub>({}, {real, node.scalar(f32, like.quantised.zero_point)});
    real = node.add<ops::mul>({}, {real, node.scalar(f32, like.quantised.scale)});
  }
  return as_quantised(node, real, like);
}

}  // namespace detail

/// Casts to the element type of the output. Stored integers are cast without regard to scale and zero point.
[[gnu::cold]] constexpr void read_cast(node_reader& node) {
  const tensor_desc wanted = node.declared(0);
  std::int32_t x = node.input(0);
  if (node.desc(x).quantised.mode == quantisation::kind::per_channel)
    node.not_supported({"input 0: quantised values of several scales, expected one scale or none"});
  if (node.desc(x).quantised) x = detail::quantised_as_real(node, x);
  const std::int64_t type = static_cast<std::int64_t>(wanted.type);
  if (!wanted.quantised) return node.finish<ops::cast>({}, {x, node.integer_list({type})});
  node.conclude(0, detail::quantised_from_plain(node, detail::cast_to(node, x, wanted.type), wanted));
}

/// Converts to the element type and quantisation of the output.
[[gnu::cold]] constexpr void read_quantize(node_reader& node) {
  const std::int32_t x = node.input(0);
  // Here, constants of i32 and wider integers have no scale, even if the file states one.
  const auto loses_scale = [](const tensor_desc& desc, float scale) {
    return scale != 0 && types::integer.contains(desc.type) && !desc.quantised;
  };
  constexpr std::string_view who_has =
      " with a scale, which integers of 8, 16 and 32 bits that a run computes have here";
  const tensor_desc& from = node.desc(x);
  if (loses_scale(from, node.one_scale_or_0(0))) node.not_supported({"input 0: ", name_of(from.type), who_has});
  const tensor_desc to = node.declared(0);
  if (node.is_fine() && loses_scale(to, node.output_scale_or_0(0)))
    node.not_supported({"output 0: ", name_of(to.type), who_has});
  ops::quant_dtype_cast::attrs attrs;
  attrs.src_t = static_cast<std::int64_t>(node.desc(x).type);
  attrs.dst_t = static_cast<std::int64_t>(node.declared(0).type);
  attrs.axis = node.desc(x).quantised.axis;
  node.finish<ops::quant_dtype_cast>(attrs, {x});
}

/// DEQUANTIZE. Constants are converted while the file is read: files store weights of float networks so.
[[gnu::cold]] constexpr void read_dequantize(node_reader& node) {
  if (node.is_constant(0)) {
    const std::int32_t made = node.constant(0, {.as_f32 = true});
    if (node.is_fine() && node.desc(made).type != f32)
      return node.not_supported_beside(0, made, "i8, u8 or i16 with a scale, or f16");
    return node.conclude(0, made);
  }
  if (node.desc(node.input(0)).type == f16) return read_cast(node);
  read_quantize(node);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
