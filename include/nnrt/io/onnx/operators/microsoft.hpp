// microsoft: readers of operators of the domain com.microsoft, which ONNX Runtime's optimiser and quantiser write.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/elementwise.hpp>
#include <nnrt/io/onnx/operators/pools.hpp>
#include <nnrt/io/onnx/operators/quantised.hpp>
#include <nnrt/io/onnx/operators/reductions.hpp>
#include <nnrt/io/onnx/operators/scatter.hpp>
#include <nnrt/ops/greater_equal.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/less_equal.hpp>
#include <nnrt/ops/logical_and.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/stack.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// The activation of a fused layer; `numbers` are its parameters, as many as the file has.
[[gnu::cold]] constexpr std::int32_t fused_activation(node_reader& node, std::int32_t y,
                                                      array_ref<const float> numbers) {
  const std::string_view name = node.text_attribute("activation", "");
  const auto number = [&](std::size_t i, float otherwise) { return i < numbers.size() ? numbers[i] : otherwise; };
  if (name.empty()) return y;
  if (name == "Relu") return clipped(node, y, 0.0, math::infinity<double>);
  if (name == "Tanh") return function<ops::tanh>(node, y);
  if (name == "Sigmoid") return function<ops::sigmoid>(node, y);
  if (name == "HardSwish") return function<ops::hswish>(node, y);
  if (name == "LeakyRelu") {
    ops::leaky_relu::attrs attrs;
    attrs.negative_slope = number(0, 0.01F);
    return node.add<ops::leaky_relu>(attrs, {y});
  }
  if (name == "HardSigmoid") return hard_sigmoid(node, y, double{number(0, 0.2F)}, double{number(1, 0.5F)});
  if (name == "Clip" && numbers.size() == 2) return clipped(node, y, double{numbers[0]}, double{numbers[1]});
  node.not_supported({"activation: got ", piece::in_quotes(name), " with ", numbers.size(), " parameters"});
  return ir::none;
}

/// Refuses a missing operand after optional ones. The table checks the first operands.
[[gnu::cold]] constexpr bool has_inputs(node_reader& node, std::initializer_list<std::size_t> required) {
  for (const std::size_t i : required)
    if (!node.has(i)) node.refuse(error_code::invalid_file, {"input ", i, ": got none, expected a value"});
  return node.is_fine();
}

[[gnu::cold]] constexpr std::int32_t gelu_of(node_maker& node, std::int32_t x, bool approximate) {
  ops::gelu::attrs attrs;
  attrs.approximate = approximate;
  return node.add<ops::gelu>(attrs, {x});
}

}  // namespace detail

/// Conv, plus an optional tensor, then an activation.
[[gnu::cold]] constexpr void read_fused_conv(node_reader& node) {
  const std::int32_t x = node.input(0), weight = node.weight(1), bias = node.has(2) ? node.weight(2) : ir::none;
  std::int32_t y = detail::convolution(node, x, weight, bias);
  if (node.has(3)) y = detail::plus(node, y, node.input(3));
  const pool<float> numbers = node.reals_attribute("activation_params");
  node.define(0, detail::fused_activation(node, y, numbers));
}
[[gnu::cold]] constexpr void read_fused_gemm(node_reader& node) {
  pool<float> numbers;
  for (const std::string_view name : {"activation_alpha", "activation_beta"})
    if (node.has_attribute(name)) numbers.push_back(node.real_attribute(name, 0));
  const std::int32_t y = detail::gemm(node);
  node.define(0, detail::fused_activation(node, y, numbers));
}
/// alpha * A' * B', where a prime exchanges the last two axes.
[[gnu::cold]] constexpr void read_fused_matmul(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.weight(1);
  ops::matmul::attrs attrs;
  attrs.transpose_a = node.integer_attribute("transA", 0) != 0;
  attrs.transpose_b = node.integer_attribute("transB", 0) != 0;
  node.require_integer("transBatchA", 0, 0);
  node.require_integer("transBatchB", 0, 0);
  const double alpha = double{node.real_attribute("alpha", 1)};
  if (!node.is_fine()) return;
  const bool has_transposes = attrs.transpose_a || attrs.transpose_b;
  if (node.rank(a) < (has_transposes ? 2 : 1) || node.rank(b) < (has_transposes ? 2 : 1))
    return node.not_supported({"got ", node.desc(a).shape, " and ", node.desc(b).shape, ", expected matrices"});
  const std::int32_t y = has_transposes ? node.add<ops::matmul>(attrs, {a, b}) : detail::matrix_product(node, a, b);
  node.define(0, detail::times(node, y, alpha));
}

/// Swish with another default.
[[gnu::cold]] constexpr void read_quick_gelu(node_reader& node) { detail::define_swish(node, 1.702F); }
[[gnu::cold]] constexpr void read_bias_gelu(node_reader& node) {
  node.define(0, detail::gelu_of(node, detail::plus(node, node.input(0), node.weight(1)), false));
}
/// Gelu by tanh; with an optional bias.
[[gnu::cold]] constexpr void read_fast_gelu(node_reader& node) {
  const std::int32_t x = node.input(0);
  node.define(0, detail::gelu_of(node, node.has(1) ? detail::plus(node, x, node.weight(1)) : x, true));
}

/// Normalises the sum of x, skip and bias along the last axis; the sum is output 3.
[[gnu::cold]] constexpr void read_skip_layer_norm(node_reader& node) {
  std::int32_t sum = detail::plus(node, node.input(0), node.input(1));
  if (node.has(4)) sum = detail::plus(node, sum, node.weight(4));
  const float epsilon = node.real_attribute("epsilon", 1e-12F);
  const std::int32_t gamma = node.weight(2), beta = node.has(3) ? node.weight(3) : ir::none;
  if (!node.is_fine()) return;
  const int axis = node.rank(sum) - 1;
  node.define(0, detail::layer_normalised(node, sum, gamma, beta, axis, epsilon));
  detail::define_statistics(node, sum, axis, epsilon, 1);
  node.define(3, sum);
}
/// SkipSimplifiedLayerNormalization: the sum, divided by its root mean square.
[[gnu::cold]] constexpr void read_skip_rms_norm(node_reader& node) {
  std::int32_t sum = detail::plus(node, node.input(0), node.input(1));
  if (node.has(3)) sum = detail::plus(node, sum, node.weight(3));
  const float epsilon = node.real_attribute("epsilon", 1e-12F);
  const std::int32_t gamma = node.weight(2);
  if (!node.is_fine()) return;
  if (node.has_output(1) || node.has_output(2)) return node.not_supported({"statistics as outputs"});
  node.define(0, detail::rms_normalised(node, sum, gamma, node.rank(sum) - 1, epsilon));
  node.define(3, sum);
}

namespace detail {

/// The numbers 0, 1, … along an axis of x, as i64.
[[gnu::cold]] constexpr std::int32_t places_along(node_maker& node, std::int32_t x, int axis) {
  const std::int64_t extent = node.desc(x).shape[axis];
  return extent >= 0 ? numbered(node, extent) : counted_up(node, extents_of(node, x, axis, 1));
}
[[gnu::cold]] constexpr std::int32_t rows_of_table(node_maker& node, std::int32_t table, std::int32_t ids) {
  return node.add<ops::gather>({}, {table, ids, node.integer_list({0})});
}

}  // namespace detail

/// EmbedLayerNormalization: rows of tables for words, positions and segments, added and normalised. Output 1 counts the
/// ones of each mask.
[[gnu::cold]] constexpr void read_embed_layer_norm(node_reader& node) {
  if (!detail::has_inputs(node, {2, 3, 5, 6})) return;
  const std::int32_t ids = node.input(0);
  const int rank = node.rank(ids);
  if (node.is_fine() && rank != 2) return node.not_supported_beside(0, ids, "indices [batch, sequence]");
  std::int32_t sum = detail::rows_of_table(node, node.weight(2), ids);
  const std::int32_t places = node.has(8) ? node.input(8) : detail::places_along(node, ids, 1);
  sum = detail::plus(node, sum, detail::rows_of_table(node, node.weight(3), places));
  if (node.has(1) != node.has(4))
    return node.refuse(error_code::invalid_file, {"got segment ids or their embedding, expected both or none"});
  if (node.has(1)) sum = detail::plus(node, sum, detail::rows_of_table(node, node.weight(4), node.input(1)));
  const float epsilon = node.real_attribute("epsilon", 1e-12F);
  const std::int32_t gamma = node.weight(5), beta = node.weight(6);
  if (!node.is_fine()) return;
  node.define(0, detail::layer_normalised(node, sum, gamma, beta, node.rank(sum) - 1, epsilon));
  if (node.has_output(1)) {
    const std::int32_t one = node.scalar(i32, 1);
    // without a mask zeros, not the lengths
    const std::int32_t ones = node.has(7) ? detail::cast_to(node, node.add<ops::equal>({}, {node.input(7), one}), i32)
                                          : detail::times(node, detail::cast_to(node, ids, i32), node.scalar(i32, 0));
    node.define(1, node.add<ops::reduce_sum>({}, {ones, node.integer_list({1})}));
  }
  node.define(2, sum);
}

namespace detail {

/// x [B, S, N * H] as [B, N, S, H].
[[gnu::cold]] constexpr std::int32_t split_heads(node_maker& node, std::int32_t x, std::int64_t heads) {
  const shape_t is = node.desc(x).shape;
  if (!node.is_fine()) return ir::none;
  if (is.rank != 3 || is[2] < 1 || heads < 1 || is[2] % heads != 0) {
    node.not_supported({"got ", is, " for ", heads, " heads, expected [batch, sequence, a multiple of these]"});
    return ir::none;
  }
  const std::int64_t size = is[2] / heads;
  const std::int32_t split =
      in_shape_of(node, x, {extent_list(node, x, 0, 2), node.integer_list({heads, size})}, {is[0], is[1], heads, size});
  return transposed(node, split, {0, 2, 1, 3});
}
/// The inverse of split_heads().
[[gnu::cold]] constexpr std::int32_t joined_heads(node_maker& node, std::int32_t x) {
  const std::int32_t y = transposed(node, x, {0, 2, 1, 3});
  const shape_t is = node.desc(y).shape;
  if (!node.is_fine()) return ir::none;
  const std::int64_t size = is[2] * is[3];
  return in_shape_of(node, y, {extent_list(node, y, 0, 2), node.integer_list({size})}, {is[0], is[1], size});
}

/// What is added to scores [B, N, S, T]: `filter` where a mask hides a key. Masks: key lengths [B], their ends and
/// starts [2 B], ones for visible keys [B, T] or [B, S, T].
[[gnu::cold]] constexpr std::int32_t hidden_keys(node_reader& node, std::int32_t mask, std::int32_t scores,
                                                 double filter) {
  const shape_t is = node.desc(mask).shape, of = node.desc(scores).shape;
  const dtype type = node.desc(scores).type;
  if (!node.is_fine()) return ir::none;
  const std::int32_t zero = node.scalar(i64, 0);
  const std::int32_t wide = cast_to(node, mask, i64);
  std::int32_t seen = ir::none;
  if (is.rank == 1 && of[0] > 0 && (is[0] == of[0] || is[0] == 2 * of[0])) {
    const std::int32_t places = places_along(node, scores, 3);
    const auto bounds = [&](std::int64_t first) {
      return reshaped(node, part_of_list(node, wide, first, of[0]), pool<std::int64_t>{of[0], 1, 1, 1});
    };
    seen = node.add<ops::less>({}, {places, bounds(0)});
    if (is[0] != of[0])
      seen = node.add<ops::logical_and>({}, {seen, node.add<ops::greater_equal>({}, {places, bounds(of[0])})});
  } else if ((is.rank == 2 || is.rank == 3) && is[0] == of[0] && is[-1] == of[3] && (is.rank == 2 || is[1] == of[2])) {
    seen = with_axis(node, node.add<ops::greater>({}, {wide, zero}), 1);
    if (is.rank == 2) seen = with_axis(node, seen, 1);
  } else {
    node.not_supported({"a mask ", is, " for scores ", of,
                        ", expected [B], [2 B], [B, keys] or [B, queries, keys] with extents that agree"});
    return ir::none;
  }
  return node.add<ops::select>({}, {seen, node.scalar(type, 0), node.scalar(type, filter)});
}

/// softmax(scale * q * k' + added) * v for q [B, N, S, H], k and v [B, N, T, H]. is_causal: query i sees the keys up to
/// i + T - S.
struct attention_parts {
  std::int32_t q = ir::none, k = ir::none, v = ir::none, mask = ir::none, bias = ir::none;
  double scale = 1, filter = -10000;
  bool is_causal = false;
};
[[gnu::cold]] constexpr std::int32_t attended(node_reader& node, const attention_parts& parts) {
  ops::matmul::attrs attrs;
  attrs.transpose_b = true;
  std::int32_t scores = times(node, node.add<ops::matmul>(attrs, {parts.q, parts.k}), parts.scale);
  if (parts.mask != ir::none) scores = plus(node, scores, hidden_keys(node, parts.mask, scores, parts.filter));
  if (parts.bias != ir::none) scores = plus(node, scores, parts.bias);
  if (parts.is_causal && node.is_fine()) {
    // distance of the last query to the last key is 0
    const shape_t is = node.desc(scores).shape;
    std::int32_t before = node.scalar(i64, static_cast<double>(is[3] - is[2]));
    if (is[2] < 0 || is[3] < 0) before = minus(node, extents_of(node, scores, 3, 1), extents_of(node, scores, 2, 1));
    const std::int32_t last = with_axis(node, plus(node, places_along(node, scores, 2), before), 1);
    const std::int32_t seen = node.add<ops::less_equal>({}, {places_along(node, scores, 3), last});
    scores = node.add<ops::select>({}, {seen, scores, number_like(node, scores, -math::infinity<double>)});
  }
  ops::softmax::attrs last;
  last.axis.push_back(-1);
  return node.add<ops::matmul>({}, {node.add<ops::softmax>(last, {scores}), parts.v});
}

/// Part `i` of a past or present state [2, B, N, P, H].
[[gnu::cold]] constexpr std::int32_t state_part(node_maker& node, std::int32_t state, std::int64_t i) {
  return node.add<ops::gather>({}, {state, node.scalar(i64, static_cast<double>(i)), node.integer_list({0})});
}

}  // namespace detail

namespace detail {

/// Numbers of queries, keys and values of Attention: those that the file lists, or equal parts of the columns of the
/// weights. Refuses those that do not fit.
[[gnu::cold]] constexpr pool<std::int64_t> read_hidden_sizes(node_reader& node, const shape_t& weights,
                                                             std::int64_t heads) {
  pool<std::int64_t> sizes = node.integers_attribute("qkv_hidden_sizes");
  if (!node.is_fine()) return sizes;
  if (weights.rank != 2 || weights[1] < 1 || node.rank(node.input(0)) != 3) {
    node.not_supported(
        {"got ", node.desc(node.input(0)).shape, " and weights ", weights, ", expected [B, S, I] and [I, 3 H]"});
    return sizes;
  }
  const std::int64_t all = weights[1];
  if (sizes.empty())
    for (int i = 0; i < 3; ++i) sizes.push_back(all / 3);
  if (sizes.size() != 3 || sizes[0] < 1 || sizes[1] != sizes[0] || sizes[2] < 1 || sizes[0] > all || sizes[2] > all ||
      2 * sizes[0] + sizes[2] != all || heads < 1 || sizes[0] % heads != 0)
    node.refuse(error_code::invalid_file,
                {"got ", heads, " heads and weights ", weights, ", expected equal sizes of queries and keys"});
  return sizes;
}
/// Puts past keys and values (input 4) before the others, and defines output 1, which has both.
[[gnu::cold]] constexpr void read_past(node_reader& node, attention_parts& parts, bool have_one_size) {
  if (node.has(4)) {
    const std::int32_t past = node.input(4);
    if (node.is_fine() && node.rank(past) != 5) return node.not_supported_beside(4, past, "a state of rank 5");
    ops::concat::attrs attrs;
    attrs.axis = 2;
    parts.k = node.add<ops::concat>(attrs, {state_part(node, past, 0), parts.k});
    parts.v = node.add<ops::concat>(attrs, {state_part(node, past, 1), parts.v});
  }
  if (!node.has_output(1)) return;
  ops::stack::attrs attrs;
  attrs.axis = 0;
  if (!have_one_size) return node.not_supported({"a state of keys and values of other sizes"});
  node.define(1, node.add<ops::stack>(attrs, {parts.k, parts.v}));
}

}  // namespace detail

/// Attention of com.microsoft: one matrix [I, Hq + Hk + Hv] makes queries, keys and values; past keys and values come
/// before them.
[[gnu::cold]] constexpr void read_attention(node_reader& node) {
  using namespace detail;
  const std::int32_t x = node.input(0), weight = node.weight(1), added = node.has(2) ? node.weight(2) : ir::none;
  const std::int64_t heads = node.integer_attribute("num_heads", 0);
  node.require_integer("do_rotary", 0, 0);
  node.require_integer("past_present_share_buffer", 0, 0);
  if (node.has(6)) node.not_supported({"past_sequence_length"});
  const pool<std::int64_t> sizes = read_hidden_sizes(node, node.desc(weight).shape, heads);
  if (!node.is_fine()) return;
  const std::int32_t all = dense(node, x, matrix_transposed(node, weight), added);
  std::int64_t first = 0;
  const auto part = [&](std::size_t i) {
    const std::int32_t list = node.integer_list({0, 0, first}), count = node.integer_list({-1, -1, sizes[i]});
    first += sizes[i];
    return split_heads(node, node.add<ops::slice>({}, {all, list, count}), heads);
  };
  attention_parts parts;
  parts.q = part(0), parts.k = part(1), parts.v = part(2);
  read_past(node, parts, sizes[2] == sizes[0]);
  parts.mask = node.has(3) ? node.input(3) : ir::none;
  parts.bias = node.has(5) ? node.input(5) : ir::none;
  parts.is_causal = node.integer_attribute("unidirectional", 0) != 0;
  parts.filter = double{node.real_attribute("mask_filter_value", -10000)};
  const float scale = node.real_attribute("scale", 0);
  parts.scale = scale != 0 ? double{scale} : 1 / math::sqrt(static_cast<double>(sizes[0] / heads));
  if (node.is_fine()) node.define(0, joined_heads(node, attended(node, parts)));
}

namespace detail {

/// A tensor at input i with its scale at i + 1 and its optional zero point at i + 2, as real numbers.
[[gnu::cold]] constexpr std::int32_t real_input(node_reader& node, std::size_t i) {
  if (!has_inputs(node, {i, i + 1})) return ir::none;
  const std::int32_t x = node.input(i), scale = node.input(i + 1);
  if (node.is_fine() && node.desc(scale).elements() != 1)
    node.not_supported({"scales ", node.desc(scale).shape, ", expected one number"});
  const std::int32_t zero = node.has(i + 2) ? along_axis(node, node.input(i + 2), x, 0) : ir::none;
  return real_of(node, x, along_axis(node, scale, x, 0), zero);
}
/// Defines output 0: y with the scale at input i and the optional zero point at i + 1. `like` has the type of results
/// without a zero point.
[[gnu::cold]] constexpr void define_quantised(node_reader& node, std::int32_t y, std::size_t i, std::int32_t like) {
  if (!has_inputs(node, {i})) return;
  const std::int32_t scale = node.input(i), zero = node.has(i + 1) ? node.input(i + 1) : ir::none;
  if (node.is_fine() && node.desc(scale).elements() != 1)
    node.not_supported({"scales ", node.desc(scale).shape, ", expected one number"});
  if (!node.is_fine()) return;
  node.define(
      0, quantised(node, y, along_axis(node, scale, y, 0), zero == ir::none ? ir::none : along_axis(node, zero, y, 0),
                   node.type(zero == ir::none ? like : zero)));
}

}  // namespace detail

/// Operators on two quantised tensors: QLinearAdd and QLinearMul.
template <class Op> [[gnu::cold]] constexpr void read_qlinear_pair(node_reader& node) {
  const std::int32_t a = detail::real_input(node, 0), b = detail::real_input(node, 3);
  detail::define_quantised(node, node.add<Op>({}, {a, b}), 6, node.input(0));
}
[[gnu::cold]] constexpr void read_qlinear_sigmoid(node_reader& node) {
  detail::define_quantised(node, node.add<ops::sigmoid>({}, {detail::real_input(node, 0)}), 3, node.input(0));
}
[[gnu::cold]] constexpr void read_qlinear_leaky_relu(node_reader& node) {
  ops::leaky_relu::attrs attrs;
  attrs.negative_slope = node.real_attribute("alpha", 0.01F);
  detail::define_quantised(node, node.add<ops::leaky_relu>(attrs, {detail::real_input(node, 0)}), 3, node.input(0));
}
/// Softmax along an axis, or, with an opset below 13, over all axes from `axis` on.
[[gnu::cold]] constexpr void read_qlinear_softmax(node_reader& node) {
  const std::int32_t x = detail::real_input(node, 0);
  const int rank = node.rank(x), axis = node.axis_attribute("axis", -1, rank);
  const bool is_alone = node.integer_attribute("opset", 13) >= 13;
  ops::softmax::attrs attrs;
  for (int i = axis; i < (is_alone ? axis + 1 : rank); ++i) attrs.axis.push_back(i);
  detail::define_quantised(node, node.add<ops::softmax>(attrs, {x}), 3, node.input(0));
}
[[gnu::cold]] constexpr void read_qlinear_average_pool(node_reader& node) {
  const bool is_last = node.integer_attribute("channels_last", 0) != 0;
  std::int32_t x = detail::real_input(node, 0);
  if (is_last) x = detail::channels_second(node, x);
  std::int32_t y = detail::mean_pooled(node, x);
  if (is_last) y = detail::channels_last(node, y);
  detail::define_quantised(node, y, 3, node.input(0));
}
[[gnu::cold]] constexpr void read_qlinear_global_average_pool(node_reader& node) {
  const std::int32_t x = detail::real_input(node, 0);
  const bool is_last = node.integer_attribute("channels_last", 0) != 0;
  pool<std::int64_t> axes;
  for (int i = is_last ? 1 : 2; i < node.rank(x) - (is_last ? 1 : 0); ++i) axes.push_back(i);
  if (node.is_fine() && axes.empty()) return node.not_supported_beside(0, x, "an image");
  detail::define_quantised(node, detail::mean_over(node, x, axes), 3, node.input(0));
}
/// Inputs: scale and zero point of the result, then three for each tensor.
[[gnu::cold]] constexpr void read_qlinear_concat(node_reader& node) {
  if (node.input_count() < 5 || node.input_count() % 3 != 2)
    return node.refuse(error_code::invalid_file, {"got ", node.input_count(), " inputs, expected 2 + 3 n"});
  pool<std::int32_t> parts;
  for (std::size_t i = 2; i < node.input_count(); i += 3) parts.push_back(detail::real_input(node, i));
  ops::concat::attrs attrs;
  attrs.axis = node.axis_attribute("axis", 0, node.rank(parts[0]));
  if (!node.is_fine()) return;
  const std::int32_t y = parts.size() == 1 ? parts[0] : node.add<ops::concat>(attrs, parts);
  detail::define_quantised(node, y, 0, node.input(2));
}
[[gnu::cold]] constexpr void read_channels_first_qlinear_conv(node_reader& node) {
  node.require_integer("channels_last", 0, 0);
  if (node.is_fine()) read_qlinear_conv(node);
}
/// MaxPool of stored numbers, channels last.
[[gnu::cold]] constexpr void read_nhwc_max_pool(node_reader& node) {
  const std::int32_t y = detail::max_pooled(node, detail::channels_second(node, node.input(0)));
  node.define(0, detail::channels_last(node, y));
}

namespace detail {

/// (a - zero of a) * (b - zero of b), in f32; zero points of b are one number or one for each column.
[[gnu::cold]] constexpr std::int32_t centred_product(node_reader& node, std::int32_t a, std::int32_t zero_a,
                                                     std::int32_t b, std::int32_t zero_b) {
  const int rank_a = node.rank(a), rank_b = node.rank(b);
  if (!node.is_fine()) return ir::none;
  if (zero_a != ir::none) zero_a = along_axis(node, zero_a, a, std::max(rank_a - 2, 0));
  if (zero_b != ir::none) zero_b = along_axis(node, zero_b, b, std::max(rank_b - 1, 0));
  return matrix_product(node, centred(node, a, zero_a, f32), centred(node, b, zero_b, f32));
}
/// Scale at input i of a matrix b: one number or one for each column.
[[gnu::cold]] constexpr std::int32_t column_scale(node_reader& node, std::size_t i, std::int32_t b) {
  return along_axis(node, node.input(i), b, std::max(node.rank(b) - 1, 0));
}

}  // namespace detail

/// A matrix of reals, made 8-bit by its range, times one of 8-bit numbers; the result is real.
[[gnu::cold]] constexpr void read_dynamic_quantize_matmul(node_reader& node) {
  const std::int32_t x = node.input(0), b = node.input(1);
  if (!node.is_fine()) return;
  const detail::dynamic_bytes a = detail::as_dynamic_bytes(node, x);
  std::int32_t y = detail::centred_product(node, a.y, a.zero, b, node.has(3) ? node.input(3) : ir::none);
  y = detail::times(node, y, detail::times(node, a.scale, detail::column_scale(node, 2, b)));
  node.define(0, node.has(4) ? detail::plus(node, y, node.input(4)) : y);
}
/// The product of two 8-bit matrices as real numbers.
[[gnu::cold]] constexpr void read_matmul_integer_to_float(node_reader& node) {
  const std::int32_t a = node.input(0), b = node.input(1);
  if (!node.is_fine()) return;
  std::int32_t y =
      detail::centred_product(node, a, detail::optional_input(node, 4), b, detail::optional_input(node, 5));
  const std::int32_t scale = detail::along_axis(node, node.input(2), a, std::max(node.rank(a) - 2, 0));
  y = detail::times(node, y, detail::times(node, scale, detail::column_scale(node, 3, b)));
  node.define(0, node.has(6) ? detail::plus(node, y, node.input(6)) : y);
}
/// Gemm of quantised matrices. C has the scale alpha * scale of A * scale of B; without a scale of Y the result is
/// real.
[[gnu::cold]] constexpr void read_qgemm(node_reader& node) {
  if (!detail::has_inputs(node, {3, 4})) return;
  std::int32_t a = node.input(0), b = node.input(3);
  if (node.is_fine() && (node.rank(a) != 2 || node.rank(b) != 2))
    return node.refuse(error_code::invalid_file,
                       {"got ", node.desc(a).shape, " and ", node.desc(b).shape, ", expected two matrices"});
  if (node.is_fine() && node.desc(node.input(1)).elements() != 1)
    return node.not_supported({"scales of input 0, expected one number"});
  if (node.integer_attribute("transA", 0) != 0) a = detail::matrix_transposed(node, a);
  if (node.integer_attribute("transB", 0) != 0) b = detail::matrix_transposed(node, b);
  std::int32_t y =
      detail::centred_product(node, a, detail::optional_input(node, 2), b, detail::optional_input(node, 5));
  if (node.has(6)) y = detail::plus(node, y, detail::cast_to(node, node.input(6), f32));
  const std::int32_t scale =
      detail::times(node, detail::along_axis(node, node.input(1), a, 0), detail::column_scale(node, 4, b));
  y = detail::times(node, y, detail::times(node, scale, double{node.real_attribute("alpha", 1)}));
  if (!node.has(7)) return node.define(0, y);
  detail::define_quantised(node, y, 7, node.input(0));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
