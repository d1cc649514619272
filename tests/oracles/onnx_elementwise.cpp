// onnx_elementwise: rows for operators whose results depend on elements at the same place, broadcasting included.
#include "oracles/onnx_import.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace nnrt_test::onnx_import {

namespace {

using onnx_file::node;

void unary(network& net, const node& n, std::string_view op) { net.define(n, 0, net.one(op, {net.value(n, 0)})); }

/// The second operand of opset 6, whose axes begin at `axis` of the first one.
std::int32_t aligned(network& net, const node& n, std::int32_t a, std::int32_t b) {
  if (net.opset() >= 7 || integer(n, "broadcast", 0) == 0 || !names(n, "axis")) return b;
  shape_t to = net.shape(b);
  while (to.rank + integer(n, "axis", 0) < net.shape(a).rank) to.push_back(1);
  return net.reshaped(b, to);
}

void binary(network& net, const node& n, std::string_view op) {
  const std::int32_t a = net.value(n, 0), b = net.value(n, 1);
  net.define(n, 0, net.one(op, {a, aligned(net, n, a, b)}));
}
void swapped(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.one(op, {net.value(n, 1), net.value(n, 0)}));
}

/// Any number of operands: f of the first two, f of that and the third, …. A single one meets `alone`.
template <class F, class Alone> std::int32_t chain(network& net, const node& n, F f, Alone alone) {
  std::int32_t all = net.value(n, 0);
  if (n.inputs.size() == 1) return f(all, alone(all));
  for (std::size_t i = 1; i < n.inputs.size(); ++i) all = f(all, net.value(n, i));
  return all;
}

void sums(network& net, const node& n, std::string_view op) {
  const auto add = [&](std::int32_t a, std::int32_t b) { return net.one(op, {a, b}); };
  net.define(n, 0, chain(net, n, add, [&](std::int32_t x) { return net.number(net.desc(x).type, 0); }));
}
void maxima(network& net, const node& n, std::string_view op) {
  const auto larger = [&](std::int32_t a, std::int32_t b) { return net.one(op, {a, b}); };
  net.define(n, 0, chain(net, n, larger, [](std::int32_t x) { return x; }));
}

enum eltwise_mode { products, additions, larger_ones };  // NNRt's numbers
template <eltwise_mode Mode> void eltwise(network& net, const node& n, std::string_view op) {
  const auto join = [&](std::int32_t a, std::int32_t b) {
    return net.one(op, {a, aligned(net, n, a, b)}, {{"mode", static_cast<int>(Mode)}});
  };
  const auto alone = [&](std::int32_t x) {
    return Mode == larger_ones ? x : net.number(net.desc(x).type, Mode == products ? 1 : 0);
  };
  net.define(n, 0, chain(net, n, join, alone));
}

void negated(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  net.define(n, 0, net.one(op, {net.number(net.desc(x).type, 0), x}));
}
void reciprocal(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  net.define(n, 0, net.one(op, {net.number(net.desc(x).type, 1), x}));
}

/// 1 / rsqrt(x).
void square_root(network& net, const node& n, std::string_view op) {
  const std::int32_t inverse = net.one(op, {net.value(n, 0)});
  net.define(n, 0, net.one("div", {net.number(net.desc(inverse).type, 1), inverse}));
}

/// x^y; where the dtypes differ the wider one's, and back to that of x, as ONNX has it.
void power(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0), y = net.value(n, 1);
  const dtype type = net.desc(x).type;
  const bool is_real = types::floating.contains(type);
  const dtype computed = is_real ? type : f64;
  net.define(n, 0, net.cast(net.one(op, {net.cast(x, computed), net.cast(aligned(net, n, x, y), computed)}), type));
}

/// The bounds of a clip: attributes up to opset 10, then operands, which may be missing.
struct bounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};
bounds bounds_of(network& net, const node& n) {
  bounds b;
  if (net.opset() < 11) {
    if (names(n, "min")) b.low = double{real(n, "min", 0)};
    if (names(n, "max")) b.high = double{real(n, "max", 0)};
    return b;
  }
  if (net.has(n, 1)) b.low = net.reals(n, 1)[0];
  if (net.has(n, 2)) b.high = net.reals(n, 2)[0];
  return b;
}

/// x, moved so that both bounds are those of relu6, and back: low + (high - low) / 6 * relu6((x - low) * 6 / (high -
/// low)). With one bound: low + relu(x - low), or high - relu(high - x).
void clip(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const dtype type = net.desc(x).type;
  const auto [low, high] = bounds_of(net, n);
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  if (!has_low && !has_high) throw left_out{reasons::no_bounds};
  const auto number = [&](double value) { return net.number(type, value); };
  if (has_low && has_high) {
    const std::int32_t moved = net.one("mul", {net.one("sub", {x, number(low)}), number(6 / (high - low))});
    net.define(n, 0, net.one("add", {net.one("mul", {net.one(op, {moved}), number((high - low) / 6)}), number(low)}));
  } else if (has_low) {
    net.define(n, 0, net.one("add", {net.one("relu", {net.one("sub", {x, number(low)})}), number(low)}));
  } else {
    net.define(n, 0, net.one("sub", {number(high), net.one("relu", {net.one("sub", {number(high), x})})}));
  }
}

/// erf(z) = 2 gelu(z √2) / (z √2) - 1.
void error_function(network& net, const node& n, std::string_view op) {
  const std::int32_t z = net.value(n, 0);
  const auto number = [&](double value) { return net.number(net.desc(z).type, value); };
  const std::int32_t x = net.one("mul", {z, number(std::numbers::sqrt2)});
  const std::int32_t ratio = net.one("div", {net.one(op, {x}), x});
  net.define(n, 0, net.one("sub", {net.one("mul", {ratio, number(2)}), number(1)}));
}

void leaky_relu(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0);
  const double slope[] = {double{real(n, "alpha", 0.01F)}};
  net.define(n, 0, net.one(op, {x, net.numbers(net.desc(x).type, slope)}));
}

/// Our slopes lie along the last axis, so the one that ONNX's lie along is put there.
void prelu(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.value(n, 0), slope = net.value(n, 1);
  const shape_t from = net.shape(x), slopes = net.shape(slope);
  const std::int64_t count = slopes.elements();
  if (count == 1 || (net.opset() >= 7 && slopes.rank == 1)) {
    net.define(n, 0, net.one(op, {x, net.reshaped(slope, {count})}));
    return;
  }
  // One slope for each element; or for each channel, the axis after the batch: rows of what is inside are columns
  // then.
  const std::int64_t inner = slopes == from ? 1 : from.elements(2), batch = slopes == from ? 1 : from[0];
  const std::int32_t rows = net.transposed(net.reshaped(x, {batch, count, inner}), {0, 2, 1});
  const std::int32_t y = net.transposed(net.one(op, {rows, net.reshaped(slope, {count})}), {0, 2, 1});
  net.define(n, 0, net.reshaped(y, from));
}

/// Multiplication with an operand that lies along the last axes, which `scale` takes from its axis on.
void scaled(network& net, const node& n, std::string_view op) {
  const std::int32_t a = net.value(n, 0), b = aligned(net, n, a, net.value(n, 1));
  const int axis = net.shape(a).rank - net.shape(b).rank;
  const std::vector<double> zeros(static_cast<std::size_t>(net.shape(b).elements()), 0.0);
  const std::int32_t nothing = net.reshaped(net.numbers(net.desc(b).type, zeros), net.shape(b));
  net.define(n, 0, net.one(op, {a, b, nothing}, {{"axis", axis}}));
}

/// Batch normalisation with its factor and summand computed beforehand; channels stay where they are, at axis 1.
void scaled_channels(network& net, const node& n, std::string_view op) {
  if (integer(n, "training_mode", 0) != 0) throw left_out{reasons::training};
  const std::int32_t x = net.value(n, 0);
  const auto scale = net.reals(n, 1), offset = net.reals(n, 2), mean = net.reals(n, 3), variance = net.reals(n, 4);
  std::vector<double> factor, summand;
  for (std::size_t c = 0; c < scale.size(); ++c) {
    factor.push_back(scale[c] / std::sqrt(variance[c] + double{real(n, "epsilon", 1e-5F)}));
    summand.push_back(offset[c] - mean[c] * factor[c]);
  }
  const dtype type = net.desc(x).type;
  net.define(n, 0, net.one(op, {x, net.numbers(type, factor), net.numbers(type, summand)}, {{"axis", 1}}));
}

constexpr row table[] = {
    {"Add", "add", binary},
    {"Add", "eltwise", eltwise<additions>},
    {"Sum", "add", sums},
    {"Sum", "eltwise", eltwise<additions>},
    {"Sub", "sub", binary},
    {"Neg", "sub", negated},
    {"Mul", "mul", binary},
    {"Mul", "eltwise", eltwise<products>},
    {"Mul", "scale", scaled},
    {"BatchNormalization", "scale", scaled_channels},
    {"Div", "div", binary},
    {"Reciprocal", "div", reciprocal},
    {"Max", "maximum", maxima},
    {"Max", "eltwise", eltwise<larger_ones>},
    {"Pow", "pow", power},
    {"Sqrt", "sqrt", unary},
    {"Sqrt", "rsqrt", square_root},
    {"LessOrEqual", "less_equal", binary},
    {"GreaterOrEqual", "less_equal", swapped},
    {"Relu", "relu", unary},
    {"Clip", "relu6", clip},
    {"Sigmoid", "sigmoid", unary},
    {"Tanh", "tanh", unary},
    {"HardSwish", "hswish", unary},
    {"Erf", "gelu", error_function},
    {"PRelu", "prelu", prelu},
    {"LeakyRelu", "prelu", leaky_relu},
};

}  // namespace

std::span<const row> elementwise_rows() { return table; }

}  // namespace nnrt_test::onnx_import
