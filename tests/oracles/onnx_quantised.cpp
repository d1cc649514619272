// onnx_quantised: rows for operators on 8-bit integers, those that stand for real numbers and those that do not.
#include "oracles/onnx_import.hpp"
#include "support/wish.hpp"

#include <algorithm>

namespace nnrt_test::onnx_import {

namespace {

using onnx_file::node;
using numbers_t = std::vector<std::int64_t>;

// --- plain integers ----------------------------------------------------------

/// Integers of 8 bits less their zero point, as real numbers: sums of products of them are exact.
std::int32_t less_zero_point(network& net, const node& n, std::size_t x, std::size_t zero_point) {
  const std::int32_t real = net.cast(net.value(n, x), f32);
  if (!net.has(n, zero_point)) return real;
  const auto points = net.reals(n, zero_point);
  if (points.size() != 1) throw left_out{reasons::per_channel_zero_points};
  return net.one("sub", {real, net.number(f32, points[0])});
}
void conv_integer(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  const std::int32_t x = to_nhwc(net, less_zero_point(net, n, 0, 2)),
                     weight = to_nhwc(net, less_zero_point(net, n, 1, 3));
  const auto attributes = convolution_attributes(n, net.shape(weight), net.shape(x));
  net.define(n, 0, net.cast(to_nchw(net, net.apply(op, {x, weight}, attributes)[0], rank), i32));
}
void matmul_integer(network& net, const node& n, std::string_view op) {
  net.define(n, 0, net.cast(net.one(op, {less_zero_point(net, n, 0, 2), less_zero_point(net, n, 1, 3)}), i32));
}

// --- quantised values ----------------------------------------------------------

/// The quantisation that operands `scale` and `zero_point` of a node say: one for the whole tensor.
quant quant_of(network& net, const node& n, std::size_t scale, std::size_t zero_point) {
  const auto scales = net.reals(n, scale);
  if (scales.size() != 1) throw left_out{reasons::per_channel_zero_points};
  const auto points = net.has(n, zero_point) ? net.integers(n, zero_point) : numbers_t{0};
  return {static_cast<float>(scales[0]), static_cast<std::int32_t>(points[0])};
}

void quantize(network& net, const node& n, std::string_view op) {
  if (net.desc_of(n, 1).elements() != 1) throw left_out{reasons::per_channel_result};
  const std::int32_t x = net.value(n, 0);
  const dtype to = net.has(n, 2) ? net.desc_of(n, 2).type : u8;
  const tensor_desc wanted = wish(quant_of(net, n, 1, 2));
  const named_attribute attributes[] = {{"src_t", static_cast<int>(net.desc(x).type)}, {"dst_t", static_cast<int>(to)}};
  net.define(n, 0, net.apply(op, {x}, attributes, std::span(&wanted, 1))[0]);
}
void dequantize(network& net, const node& n, std::string_view op) {
  const std::int32_t x = net.stored(n, 0, quant_of(net, n, 1, 2));
  net.define(n, 0, net.one(op, {x}, {{"src_t", static_cast<int>(net.desc(x).type)}, {"dst_t", static_cast<int>(f32)}}));
}

/// Operands of both: x, its scale and zero point, those of the weight, scale and zero point of the result.
void qlinear_conv(network& net, const node& n, std::string_view op) {
  const int rank = net.desc_of(n, 0).rank();
  const std::int32_t x = to_nhwc(net, net.stored(n, 0, quant_of(net, n, 1, 2))),
                     weight = to_nhwc(net, net.stored(n, 3, quant_of(net, n, 4, 5)));
  std::vector<std::int32_t> in{x, weight};
  if (net.has(n, 8)) in.push_back(net.value(n, 8));
  const tensor_desc wanted = wish(quant_of(net, n, 6, 7));
  const auto attributes = convolution_attributes(n, net.shape(weight), net.shape(x));
  net.define(n, 0, to_nchw(net, net.apply(op, in, attributes, std::span(&wanted, 1))[0], rank));
}
void qlinear_matmul(network& net, const node& n, std::string_view op) {
  const std::int32_t a = net.stored(n, 0, quant_of(net, n, 1, 2)), b = net.stored(n, 3, quant_of(net, n, 4, 5));
  const tensor_desc wanted = wish(quant_of(net, n, 6, 7));
  net.define(n, 0, net.apply(op, {a, b}, std::span<const named_attribute>(), std::span(&wanted, 1))[0]);
}

constexpr row table[] = {
    {"ConvInteger", "conv2d", conv_integer},          {"MatMulInteger", "matmul", matmul_integer},
    {"QuantizeLinear", "quant_dtype_cast", quantize}, {"DequantizeLinear", "quant_dtype_cast", dequantize},
    {"QLinearConv", "conv2d", qlinear_conv},          {"QLinearMatMul", "matmul", qlinear_matmul},
};

}  // namespace

std::span<const row> quantised_rows() { return table; }

}  // namespace nnrt_test::onnx_import
