// onnx_newer: rows for the operators that NNRt has since API 12 (57 to 108).
#include "oracles/onnx_import.hpp"

#include <algorithm>

namespace nnrt_test::onnx_import {

namespace {

using onnx_file::node;
using numbers_t = std::vector<std::int64_t>;

// --- element by element ----------------------------------------------------

void unary(network& net, const node& n, std::string_view op) { net.define(n, 0, net.one(op, {net.value(n, 0)})); }
void binary(network& net, const node& n, std::string_view op) {
  if (net.opset() < 7 && names(n, "axis")) throw left_out{reasons::axis_of_the_second};
  net.define(n, 0, net.one(op, {net.value(n, 0), net.value(n, 1)}));
}
void minima(network& net, const node& n, std::string_view op) {
  std::int32_t all = net.value(n, 0);
  for (std::size_t i = 1; i < n.inputs.size(); ++i) all = net.one(op, {all, net.value(n, i)});
  net.define(n, 0, n.inputs.size() == 1 ? net.one(op, {all, all}) : all);
}
void remainder(network& net, const node& n, std::string_view op) {
  if (integer(n, "fmod", 0) != 0) throw left_out{reasons::sign_of_the_dividend};
  binary(net, n, op);
}
void leaky_relu(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 0)}, {{"negative_slope", real(n, "alpha", 0.01F)}}));
}
void choice(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 0), net.value(n, 1), net.value(n, 2)}));
}
void clip(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  if (!types::floating.contains(net.desc(x).type)) throw left_out{reasons::clip_of_integers};
  std::vector<named_attribute> bounds;
  for (std::size_t i = 1; i <= 2; ++i) {
    const std::string_view name = i == 1 ? "min" : "max";
    if (net.opset() < 11 ? names(n, name) : net.has(n, i))
      bounds.emplace_back(name, net.opset() < 11 ? real(n, name, 0) : static_cast<float>(net.reals(n, i)[0]));
  }
  net.define(n, 0, net.apply(op, {x}, bounds)[0]);
}

// --- reductions and normalisation ------------------------------------------

void reduce(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const numbers_t axes = net.has(n, 1) ? net.integers(n, 1) : integers(n, "axes");
  if (axes.empty() && integer(n, "noop_with_empty_axes", 0) != 0) throw left_out{reasons::no_axes};
  net.define(n, 0, net.one(op, {x, net.list(axes)}, {{"keep_dims", integer(n, "keepdims", 1) != 0}}));
}
/// Up to opset 12 the axes from `axis` on are one: the rows of a matrix.
void log_softmax(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const shape_t s = net.shape(x);
  if (net.opset() >= 13) return net.define(n, 0, net.one(op, {x}, {{"axis", integer(n, "axis", -1)}}));
  const std::int64_t axis = from_front(integer(n, "axis", 1), s.rank);
  const int first = static_cast<int>(axis);
  const std::int32_t rows = net.reshaped(x, {s.elements(0, first), s.elements(first)});
  net.define(n, 0, net.reshaped(net.one(op, {rows}, {{"axis", 1}}), s));
}
void instance_norm(network& net, const node& n, std::string_view op) {
  const std::vector<std::int32_t> in{net.value(n, 0), net.value(n, 1), net.value(n, 2)};
  net.define(n, 0, net.one(op, in, {{"epsilon", real(n, "epsilon", 1e-5F)}}));
}
/// `size` channels, as many on both sides; ONNX divides alpha by their number.
void lrn(network& net, const node& n, std::string_view op) {
  const std::int64_t size = integer(n, "size", 1);
  if (size % 2 == 0) throw left_out{reasons::even_window};
  const named_attribute alpha{"alpha", real(n, "alpha", 1e-4F) / static_cast<float>(size)};
  const std::int32_t y =
      net.one(op, {to_nhwc(net, net.value(n, 0))},
              {{"depth_radius", size / 2}, {"bias", real(n, "bias", 1)}, alpha, {"beta", real(n, "beta", 0.75F)}});
  net.define(n, 0, to_nchw(net, y, net.desc_of(n, 0).rank()));
}

// --- shapes, places, sequences ---------------------------------------------

void constant_of_shape(network& net, const node& n, std::string_view op) {
  const auto found = n.attributes.find("value");
  float value = 0;
  dtype type = f32;
  if (found != n.attributes.end()) {
    type = found->second.value.desc.type;
    with_element<types::any>(type, [&]<class T>(T element) {
      std::memcpy(&element, found->second.value.bytes.data(), sizeof element);
      value = static_cast<float>(element);
    });
  }
  net.define(n, 0,
             net.one(op, {net.list(net.integers(n, 0))}, {{"data_type", static_cast<int>(type)}, {"value", value}}));
}
void expand(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const shape_t from = net.shape(x);
  numbers_t to = net.integers(n, 1);
  while (std::ssize(to) < from.rank) to.insert(to.begin(), 1);
  for (int i = 1; i <= from.rank; ++i) {
    std::int64_t& extent = to[to.size() - static_cast<std::size_t>(i)];
    if (extent == 1) extent = from[-i];
  }
  net.define(n, 0, net.one(op, {x}, {{"shape", to}}));
}
void flatten(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  net.define(n, 0, net.one(op, {x}, {{"axis", from_front(integer(n, "axis", 1), net.shape(x).rank)}}));
}
void depth_to_space(network& net, const node& n, std::string_view op) {
  const named_attribute crd{"crd", text(n, "mode", "DCR") == "CRD"};
  const std::int32_t x = to_nhwc(net, net.value(n, 0));
  net.define(n, 0, to_nchw(net, net.one(op, {x}, {{"block_size", integer(n, "blocksize", 1)}, crd}), 4));
}
void space_to_depth(network& net, const node& n, std::string_view op) {
  const std::int32_t x = to_nhwc(net, net.value(n, 0));
  net.define(n, 0, to_nchw(net, net.one(op, {x}, {{"block_size", integer(n, "blocksize", 1)}}), 4));
}
void range(network& net, const node& n, std::string_view op) {
  if (types::floating.contains(net.desc_of(n, 0).type)) throw left_out{reasons::range_of_reals};
  net.define(
      n, 0,
      net.one(op, {net.value(n, 0)},
              {{"start", net.integers(n, 0)[0]}, {"limit", net.integers(n, 1)[0]}, {"delta", net.integers(n, 2)[0]}}));
}
void gather_nd(network& net, const node& n, std::string_view op) {
  if (integer(n, "batch_dims", 0) != 0) throw left_out{reasons::batch_dims};
  binary(net, n, op);
}
/// Added to zeros, and then to what was there: ONNX's reduction "add".
void scatter_nd(network& net, const node& n, std::string_view op) {
  if (text(n, "reduction", "none") != "add") throw left_out{reasons::scatter_without_sum};
  const std::int32_t x = net.value(n, 0);
  const shape_t s = net.shape(x);
  const std::int32_t sums = net.one(op, {net.value(n, 1), net.value(n, 2), net.list(std::span(s.begin(), s.end()))});
  net.define(n, 0, net.one("add", {x, sums}));
}

/// Operands of ONNX with layout 1 have the batch first. Results are [S, D, B, H] there.
void lstm(network& net, const node& n, std::string_view op) {
  if (net.has(n, 7)) throw left_out{reasons::peepholes};
  if (net.has(n, 4) || names(n, "clip") || names(n, "activations")) throw left_out{reasons::other_cells};
  const std::string_view direction = text(n, "direction", "forward");
  if (direction == "reverse") throw left_out{reasons::backwards_alone};
  const bool has_batch_first = integer(n, "layout", 0) != 0, is_both = direction == "bidirectional";
  std::vector<std::int32_t> in;
  for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U}) {
    const bool is_turned = has_batch_first && (i == 0 || i >= 5);
    in.push_back(!net.has(n, i) ? ir::none : is_turned ? net.transposed(net.value(n, i), {1, 0, 2}) : net.value(n, i));
  }
  while (in.back() == ir::none) in.pop_back();
  const std::vector<named_attribute> told{{"bidirectional", is_both}, {"hidden_size", integer(n, "hidden_size", 0)}};
  const std::vector<std::int32_t> made = net.apply(op, in, told);
  const shape_t s = net.shape(made[0]), state = net.shape(made[1]);
  const std::int32_t steps = net.reshaped(made[0], {s[0], s[1], state[0], state[2]});
  const auto has_output = [&](std::size_t i) { return i < n.outputs.size() && !n.outputs[i].empty(); };
  if (has_output(0))
    net.define(n, 0, has_batch_first ? net.transposed(steps, {1, 0, 2, 3}) : net.transposed(steps, {0, 2, 1, 3}));
  for (const std::size_t i : {1U, 2U})
    if (has_output(i)) net.define(n, i, has_batch_first ? net.transposed(made[i], {1, 0, 2}) : made[i]);
}

constexpr row table[] = {
    {"Abs", "abs", unary},
    {"Neg", "neg", unary},
    {"Exp", "exp", unary},
    {"Log", "log", unary},
    {"Erf", "erf", unary},
    {"Sin", "sin", unary},
    {"Cos", "cos", unary},
    {"Floor", "floor", unary},
    {"Ceil", "ceil", unary},
    {"Round", "round", unary},
    {"Reciprocal", "reciprocal", unary},
    {"LeakyRelu", "leaky_relu", leaky_relu},
    {"Clip", "clip", clip},
    {"Not", "logical_not", unary},
    {"And", "logical_and", binary},
    {"Or", "logical_or", binary},
    {"Less", "less", binary},
    {"Greater", "greater", binary},
    {"GreaterOrEqual", "greater_equal", binary},
    {"Equal", "equal", binary},
    {"Mod", "mod", remainder},
    {"Min", "minimum", minima},
    {"Where", "where", choice},
    {"Where", "select", choice},
    {"ReduceMax", "reduce_max", reduce},
    {"ReduceMin", "reduce_min", reduce},
    {"ReduceSum", "reduce_sum", reduce},
    {"ReduceL2", "reduce_l2", reduce},
    {"LogSoftmax", "log_softmax", log_softmax},
    {"InstanceNormalization", "instance_norm", instance_norm},
    {"LRN", "lrn", lrn},
    {"ConstantOfShape", "constant_of_shape", constant_of_shape},
    {"Expand", "broadcast_to", expand},
    {"Flatten", "flatten", flatten},
    {"DepthToSpace", "depth_to_space", depth_to_space},
    {"SpaceToDepth", "space_to_depth", space_to_depth},
    {"Range", "range", range},
    {"GatherND", "gather_nd", gather_nd},
    {"ScatterND", "scatter_nd", scatter_nd},
    {"LSTM", "lstm", lstm},
};

}  // namespace

std::span<const row> newer_rows() { return table; }

}  // namespace nnrt_test::onnx_import
