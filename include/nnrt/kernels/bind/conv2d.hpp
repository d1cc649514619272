// conv2d: f32, int8 and int16 kernels of the operator: gemm, Winograd, spatial, and depthwise if each channel is a
// group.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/bind/detail/int16.hpp>
#include <nnrt/kernels/bind/detail/int8.hpp>
#include <nnrt/kernels/f32/conv/conv2d.hpp>
#include <nnrt/kernels/f32/conv/spatial.hpp>
#include <nnrt/kernels/f32/winograd/winograd.hpp>
#include <nnrt/kernels/int8/conv/conv2d.hpp>
#include <nnrt/ops/conv2d.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Shape of a conv2d node for the kernels.
constexpr conv_shape conv_shape_for(const ops::conv2d::attrs& a, const shape_t& x, const shape_t& w) {
  const ops::detail::window_pair at = ops::conv2d::windows(a, x, w);
  return {.batch = x[0],
          .height = x[1],
          .width = x[2],
          .in = x[3],
          .out = w[0],
          .kernel_h = w[1],
          .kernel_w = w[2],
          .stride_h = a.stride.h,
          .stride_w = a.stride.w,
          .dilation_h = a.dilation.h,
          .dilation_w = a.dilation.w,
          .pad_top = at.h.pad_before(),
          .pad_left = at.w.pad_before(),
          .out_height = at.h.outputs(),
          .out_width = at.w.outputs(),
          .group = a.group};
}
/// The planned shape, reduced to the rows that a call computes.
inline conv_shape conv_shape_of(const kernel_call& call) { return recorded_rows<conv_shape>(call); }
/// Range of float results, and storage of int8 operands, from the plan.
inline clamp_range conv_range_of(const kernel_call& call) { return planned_range<conv_shape, clamp_range>(call); }
inline int8_layer int8_conv_layer_of(const kernel_call& call) { return planned_range<conv_shape, int8_layer>(call); }

template <> struct operator_of<ops::conv2d::code> {
  using type = ops::conv2d;
};

/// Methods: those of conv_method, then the named ones below (`across` per number of filters), then the depthwise ones.
template <class Isa> struct binding<ops::conv2d, family::f32, Isa> : with_tiles<Isa> {
  using depthwise = depthwise_binding<ops::conv2d, Isa>;
  enum : std::int16_t {
    across = 3,
    winograd_2 = across + max_spatial_filters,
    winograd_4,
    winograd_2_by_2,
    winograd_4_by_2,
    conv_methods
  };
  static constexpr int methods = conv_methods + depthwise::methods;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method >= conv_methods) return depthwise::template functions<Method - conv_methods>();
    else if constexpr (Method >= across && Method < winograd_2) return {&run_across<Method - across + 1>, &pack_across};
    else if constexpr (Method == winograd_2) return {&run_winograd<2, 1>, &pack_winograd<2, 1>};
    else if constexpr (Method == winograd_4) return {&run_winograd<4, 1>, &pack_winograd<4, 1>};
    else if constexpr (Method == winograd_2_by_2) return {&run_winograd<2, 2>, &pack_winograd<2, 2>};
    else if constexpr (Method == winograd_4_by_2) return {&run_winograd<4, 2>, &pack_winograd<4, 2>};
    else return {&run<static_cast<conv_method>(Method)>, &pack};
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<ops::conv2d::attrs>(node.attrs);
    const shape_t &x = node.in[0].desc.shape, &w = node.in[1].desc.shape;
    if (attrs.group > 1 && attrs.group == x[3]) return depthwise::choose(node, conv_methods);
    const conv_shape shape = conv_shape_for(attrs, x, w);
    const kernel_plan plan = plan_of(shape, range_of(attrs.fused));
    if (goes_across(shape)) return by_pixels(shape, plan, parts_of_macs(ops::conv2d::macs(attrs, node.in, node.out)));
    // Weights that are not constant would be transformed in every run.
    const bool may_transform = node.winograd != winograd::off && node.in[1].constant;
    if (const int tile = may_transform ? winograd_choice(shape) : 0; tile != 0)
      return by_winograd(shape, plan, tile, parts_of_macs(ops::conv2d::macs(attrs, node.in, node.out)));
    const bool is_pointwise = w[1] * w[2] == 1;
    const tile_set tiles =
        node.stripe_rows == 0 ? conv_tile_set(shape) : conv_tile_set_of_stripes(shape, node.stripe_rows);
    return {.code = code_of(static_cast<int>(detail::float_method_of(shape)), tiles),
            .packs = 0b110,
            .packed_bytes = conv_packed_floats(shape) * size_of(f32),
            .plan = plan,
            .scratch_bytes = conv_scratch_floats(shape) * size_of(f32),
            .parts = parts_of_macs(ops::conv2d::macs(attrs, node.in, node.out)),
            .rows = conv_has_stripes(shape) ? row_window_of(shape) : row_window{},
            .name = is_pointwise      ? "gemm pixels"
                    : attrs.group > 1 ? "gemm groups"
                                      : "gemm windows"};
  }

  static void pack(const kernel_call& call) {
    conv_pack(call.planned<conv_shape>(), floats_in(call, 1), optional_floats_in(call, 2), floats_out(call));
  }
  template <conv_method Method> static void run(const kernel_call& call) {
    conv_by<native, Method>(conv_shape_of(call), layer_operands_of(call, conv_range_of(call)), part_of(call),
                            tiles_in(call));
  }
  static void pack_across(const kernel_call& call) {
    across_pack(call.planned<conv_shape>(), floats_in(call, 1), optional_floats_in(call, 2), floats_out(call));
  }
  template <int Out> static void run_across(const kernel_call& call) {
    conv_spatial(conv_shape_of(call), layer_operands_of(call, conv_range_of(call)), across_rows_of<native, Out>,
                 part_of(call));
  }
  template <int Tile, int Stride> static void pack_winograd(const kernel_call& call) {
    winograd_pack<Tile, Stride>(call.planned<conv_shape>(), floats_in(call, 1), optional_floats_in(call, 2),
                                floats_out(call));
  }
  template <int Tile, int Stride> static void run_winograd(const kernel_call& call) {
    conv_winograd<native, Tile, Stride>(conv_shape_of(call), layer_operands_of(call, conv_range_of(call)),
                                        part_of(call), tiles_in(call));
  }

 private:
  static constexpr kernel_choice by_pixels(const conv_shape& shape, const kernel_plan& plan, int parts) {
    return {.code = {.method = static_cast<std::int16_t>(across + shape.out - 1)},
            .packs = 0b110,
            .packed_bytes = across_packed_floats(shape) * size_of(f32),
            .plan = plan,
            .scratch_bytes = across_scratch_floats(shape) * size_of(f32),
            .parts = parts,
            .name = "spatial"};
  }
  static constexpr kernel_choice by_winograd(const conv_shape& shape, const kernel_plan& plan, int tile, int parts) {
    const bool is_by_2 = shape.stride_h == 2;
    const int method = tile == 4 ? (is_by_2 ? winograd_4_by_2 : winograd_4) : (is_by_2 ? winograd_2_by_2 : winograd_2);
    return {.code = code_of(method, winograd_tile_set(shape, tile)),
            .packs = 0b110,
            .packed_bytes = winograd_packed_floats(shape, tile) * size_of(f32),
            .plan = plan,
            .scratch_bytes = winograd_scratch_floats(shape, tile) * size_of(f32),
            .parts = parts,
            .name = tile == 4 ? (is_by_2 ? "winograd 4x4 by 2" : "winograd 4x4")
                              : (is_by_2 ? "winograd 2x2 by 2" : "winograd 2x2")};
  }
};

/// Methods: 0 is its own, the depthwise ones follow.
template <class Isa> struct binding<ops::conv2d, family::int8, Isa> {
  using depthwise = int8_depthwise_binding<ops::conv2d, Isa>;
  static constexpr int methods = 1 + depthwise::methods;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == 0) return {&run, &pack};
    else return depthwise::template functions<Method - 1>();
  }
  static constexpr kernel_choice select(const kernel_request& node) {
    const auto attrs = unpack<ops::conv2d::attrs>(node.attrs);
    const shape_t& w = node.in[1].desc.shape;
    if (!is_int8_layer(node, w.elements(1))) return {};
    if (attrs.group > 1 && attrs.group == node.in[0].desc.shape[3]) return depthwise::choose(node, 1);
    const conv_shape shape = conv_shape_for(attrs, node.in[0].desc.shape, w);
    const int8_conv_plan plan = int8_conv_plan::of(shape);
    return {.code = {.method = 0},
            .packs = 0b110,
            .packed_bytes = int8_conv_packed_bytes(plan),
            .plan = plan_of(plan, int8_layer::of(node, attrs.fused)),
            .scratch_bytes = int8_conv_scratch_bytes(plan),
            .parts = parts_of_int8_macs(ops::conv2d::macs(attrs, node.in, node.out), int8_conv_packing(plan).in_blocks),
            .rows = byte_conv_has_stripes(plan) ? row_window_of(shape) : row_window{},
            .name = w[1] * w[2] == 1        ? "dot pixels"
                    : attrs.group > 1       ? "dot groups"
                    : plan.in_winograd != 0 ? "dot winograd"
                                            : "dot windows"};
  }

  static void pack(const kernel_call& call) {
    pack_convolution<Isa>(
        call, conv_shape_for(unpack<ops::conv2d::attrs>(call.attrs), call.in[0].shape(), call.in[1].shape()),
        layer_of(call));
  }
  static void run(const kernel_call& call) {
    auto plan = call.planned<int8_conv_plan>();
    narrow(plan.s, call.rows);
    run_convolution<Isa>(call, plan, layer_of(call));
  }

 private:
  static int8_layer layer_of(const kernel_call& call) { return planned_range<int8_conv_plan, int8_layer>(call); }
};

template <class Isa> struct binding<ops::conv2d, family::int16, Isa> : int16_convolution_binding<ops::conv2d, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
