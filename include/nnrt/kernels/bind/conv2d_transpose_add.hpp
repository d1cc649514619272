// conv2d_transpose_add: int8 kernel of the operator: conv2d_transpose that adds a tensor before requantisation.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <nnrt/kernels/bind/detail/addend.hpp>
#include <nnrt/ops/conv2d_transpose_add.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::conv2d_transpose_add::code> {
  using type = ops::conv2d_transpose_add;
};

/// Packed weights: those of the transposed convolution, then the data of the addend. If some output pixels have no tap,
/// there is no product to add to, and the reference runs.
template <class Isa> struct binding<ops::conv2d_transpose_add, family::int8, Isa> : transposed_node {
  static constexpr int methods = 1;
  template <int> static constexpr kernel_functions functions() { return {&run, &pack}; }
  static constexpr kernel_choice select(const kernel_request& node) {
    const auto attrs = unpack<attributes>(node.attrs);
    const shape_t& w = node.in[1].desc.shape;
    if (!is_int8_layer(node, w.elements(1)) || node.in[3].desc.type != node.in[0].desc.type) return {};
    const conv_transpose_shape shape = shape_for(attrs, node.in[0].desc.shape, w, node.out[0].shape);
    if (shape.is_depthwise() || conv_transpose_phases(shape) > max_phases || detail::has_gaps(shape)) return {};
    return {.code = {.method = 0},
            .packs = 0b110,
            .packed_bytes = places_in(shape).bytes(),
            .plan = plan_of(shape, int8_layer::of(node, attrs.fused)),
            .scratch_bytes = int8_conv_transpose_scratch_bytes(shape),
            .parts = parts_of_int8_macs(ops::conv2d_transpose_add::macs(attrs, node.in, node.out)),
            .name = "dot phases with addend"};
  }
  static void pack(const kernel_call& call) {
    const conv_transpose_shape shape = shape_of(call);
    int8_conv_transpose_pack(shape, factors_of(call),
                             scaled_range_of(result_behind_packed(call), int8_layer_of(call).range), bytes_in(call, 1),
                             transposed_channels{[&](std::int64_t o) { return channel_with_addend(call, o); },
                                                 [](std::int64_t) { return 0; }},
                             bytes_out(call));
    pack_addend(call, places_in(shape), bytes_out(call));
  }
  static void run(const kernel_call& call) {
    const conv_transpose_shape shape = shape_of(call);
    const int8_layer layer = int8_layer_of(call);
    const int8_addend addend = addend_of(call, places_in(shape), layer.range);
    int8_product p = product_of(call, {}, layer);
    p.addend = &addend;
    int8_conv_transpose<native_for<Isa>>(shape, p, {bytes_in(call, 0), bytes_out(call), call.scratch}, part_of(call));
  }

 private:
  static constexpr addend_places places_in(const conv_transpose_shape& shape) {
    return {int8_conv_transpose_packed_bytes(shape), shape.out};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
