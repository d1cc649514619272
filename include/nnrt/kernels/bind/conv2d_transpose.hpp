// conv2d_transpose: f32 and int8 kernels of the operator: one convolution per phase, or a depthwise one.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/bind/detail/int8.hpp>
#include <nnrt/kernels/f32/conv/conv2d_transpose.hpp>
#include <nnrt/kernels/int8/conv/conv2d_transpose.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Shapes of conv2d_transpose nodes for the kernels.
struct transposed_node {
  using attributes = ops::conv2d_transpose::attrs;
  /// A kernel of 64 x 64 with a stride of 32 has 1024 phases; with more, kernel selection would slow the compiler down.
  static constexpr std::int64_t max_phases = 1024;

  static constexpr conv_transpose_shape shape_for(const attributes& a, const shape_t& x, const shape_t& weight,
                                                  const shape_t& y) {
    const auto at = ops::conv2d_transpose::windows(a, x, weight);
    return {x[0], x[3], weight[0], a.group, axis_for(at.h, y[1]), axis_for(at.w, y[2])};
  }
  static conv_transpose_shape shape_of(const kernel_call& call) { return call.planned<conv_transpose_shape>(); }
  static int8_layer int8_layer_of(const kernel_call& call) {
    return planned_range<conv_transpose_shape, int8_layer>(call);
  }

 private:
  static constexpr transposed_axis axis_for(const ops::detail::transposed_window& at, std::int64_t output) {
    return {at.input, output, at.kernel, at.stride, at.dilation, at.pad_before(output)};
  }
};

template <> struct operator_of<ops::conv2d_transpose::code> {
  using type = ops::conv2d_transpose;
};

template <class Isa> struct binding<ops::conv2d_transpose, family::f32, Isa> : transposed_node, with_tiles<Isa> {
  static constexpr int methods = 2;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == 0) return {&run, &pack};
    else return {&run_depthwise, &pack};
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<ops::conv2d_transpose::attrs>(node.attrs);
    const conv_transpose_shape shape =
        shape_for(attrs, node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape);
    if (conv_transpose_phases(shape) > max_phases) return {};
    kernel_choice choice;
    choice.packs = 0b110;
    choice.packed_bytes = conv_transpose_packed_floats(shape) * size_of(f32);
    choice.plan = plan_of(shape, nnrt::range_of(attrs.fused));
    choice.parts = parts_of_macs(ops::conv2d_transpose::macs(attrs, node.in, node.out));
    if (shape.is_depthwise()) {
      choice.code.method = 1;
      choice.name = "depthwise phases";
    } else {
      choice.code = code_of(0, conv_transpose_tile_set(shape));
      choice.scratch_bytes = conv_transpose_scratch_floats(shape) * size_of(f32);
      choice.name = "gemm phases";
    }
    return choice;
  }

  static void pack(const kernel_call& call) {
    conv_transpose_pack(shape_of(call), floats_in(call, 1), optional_floats_in(call, 2), floats_out(call));
  }
  static void run(const kernel_call& call) {
    conv_transpose<native>(shape_of(call), layer_operands_of(call, range_of(call)), part_of(call), tiles_in(call));
  }
  static void run_depthwise(const kernel_call& call) {
    depthwise_transpose<native>(shape_of(call), layer_operands_of(call, range_of(call)), part_of(call));
  }

 private:
  static clamp_range range_of(const kernel_call& call) {
    return planned_range<conv_transpose_shape, clamp_range>(call);
  }
};

template <class Isa> struct binding<ops::conv2d_transpose, family::int8, Isa> : transposed_node {
  static constexpr int methods = 1;
  template <int> static constexpr kernel_functions functions() { return {&run, &pack}; }
  static constexpr kernel_choice select(const kernel_request& node) {
    const auto attrs = unpack<attributes>(node.attrs);
    const shape_t& w = node.in[1].desc.shape;
    if (!is_int8_layer(node, w.elements(1))) return {};
    const conv_transpose_shape shape = shape_for(attrs, node.in[0].desc.shape, w, node.out[0].shape);
    if (shape.is_depthwise() || conv_transpose_phases(shape) > max_phases) return {};
    return {.code = {.method = 0},
            .packs = 0b110,
            .packed_bytes = int8_conv_transpose_packed_bytes(shape),
            .plan = plan_of(shape, int8_layer::of(node, attrs.fused)),
            .scratch_bytes = int8_conv_transpose_scratch_bytes(shape),
            .parts = parts_of_int8_macs(ops::conv2d_transpose::macs(attrs, node.in, node.out)),
            .name = "dot phases"};
  }
  static void pack(const kernel_call& call) {
    const tensor_desc& y = result_behind_packed(call);
    const quantised_range range = int8_layer_of(call).range;
    const auto channel = [&](std::int64_t o) { return channel_of(call, o, convolution_scale(call, o)); };
    int8_conv_transpose_pack(shape_of(call), factors_of(call), scaled_range_of(y, range), bytes_in(call, 1),
                             transposed_channels{channel,
                                                 [&](std::int64_t o) {
                                                   const int8_channel of = channel(o);
                                                   return requantise<std::int32_t>(of.bias, of.factor, y.quantised,
                                                                                   range);
                                                 }},
                             bytes_out(call));
  }
  static void run(const kernel_call& call) {
    int8_conv_transpose<native>(shape_of(call), product_of(call, {}, int8_layer_of(call)),
                                {bytes_in(call, 0), bytes_out(call), call.scratch}, part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
