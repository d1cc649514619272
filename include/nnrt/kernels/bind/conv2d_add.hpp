// conv2d_add: int8 kernel of the operator: conv2d that adds a tensor to its accumulators before requantisation.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/detail/addend.hpp>
#include <nnrt/ops/conv2d_add.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::conv2d_add::code> {
  using type = ops::conv2d_add;
};

/// Packed weights: those of the convolution, then the data of the addend.
template <class Isa> struct binding<ops::conv2d_add, family::int8, Isa> {
  static constexpr int methods = 1;
  template <int> static constexpr kernel_functions functions() { return {&run, &pack}; }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!is_int8_layer(node, node.in[1].desc.shape.elements(1)) || node.in[3].desc.type != node.in[0].desc.type)
      return {};
    const auto attrs = unpack<ops::conv2d_add::attrs>(node.attrs);
    const conv_shape shape = conv_shape_for(attrs, node.in[0].desc.shape, node.in[1].desc.shape);
    const left_sums sums{shape, factors_for(node)};
    return {.code = {.method = 0},
            .packs = 0b110,
            .packed_bytes = places_in(sums).bytes(),
            .plan = plan_of(shape, int8_layer::of(node, attrs.fused)),
            .scratch_bytes = sums.scratch_bytes(),
            .parts = sums.parts(ops::conv2d_add::macs({}, node.in, node.out)),
            .name = sums.is_depthwise()         ? "dot taps with addend"
                    : int8_winograd_pays(shape) ? "dot winograd with addend"
                                                : "dot windows with addend"};
  }

  static void pack(const kernel_call& call) {
    const left_sums sums{conv_shape_of(call), factors_of(call)};
    pack_left_sums(call, sums, scaled_range_of(result_behind_packed(call), int8_conv_layer_of(call).range),
                   [&](std::int64_t o) { return channel_with_addend(call, o); });
    pack_addend(call, places_in(sums), bytes_out(call));
  }
  static void run(const kernel_call& call) {
    const int8_layer layer = int8_conv_layer_of(call);
    const left_sums sums{conv_shape_of(call), layer.factors()};
    const int8_addend addend = addend_of(call, places_in(sums), layer.range);
    int8_product p = product_of(call, sums.packing(), layer);
    p.addend = &addend;
    run_left_sums<Isa>(call, sums, p);
  }

 private:
  static constexpr addend_places places_in(const left_sums& sums) { return {sums.packed_bytes(), sums.shape.out}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
