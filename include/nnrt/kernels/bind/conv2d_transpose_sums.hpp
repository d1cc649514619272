// conv2d_transpose_sums: int8 kernel of the operator: conv2d_transpose that returns its accumulators.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <nnrt/ops/conv2d_transpose_sums.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::conv2d_transpose_sums::code> {
  using type = ops::conv2d_transpose_sums;
};

/// If some output pixels have no tap, there is no product, and the reference runs.
template <class Isa> struct binding<ops::conv2d_transpose_sums, family::int8, Isa> {
  static constexpr int methods = 1;
  template <int> static constexpr kernel_functions functions() { return {&run, &pack}; }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!keeps_int8_accumulators(node)) return {};
    const auto attrs = unpack<ops::conv2d_transpose_sums::attrs>(node.attrs);
    const conv_transpose_shape shape = transposed_node::shape_for(
        ops::conv2d_transpose_sums::layer(attrs), node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape);
    if (shape.is_depthwise() || conv_transpose_phases(shape) > transposed_node::max_phases || detail::has_gaps(shape))
      return {};
    return {.code = {.method = 0},
            .packs = 0b110,
            .packed_bytes = int8_conv_transpose_packed_bytes(shape),
            .plan = kernel_plan::of(shape),
            .scratch_bytes = int8_conv_transpose_scratch_bytes(shape),
            .parts = parts_of_int8_macs(ops::conv2d_transpose_sums::macs(attrs, node.in, node.out)),
            .name = "dot phases to i32"};
  }

  static void pack(const kernel_call& call) {
    int8_conv_transpose_pack(transposed_node::shape_of(call), factors_of(call), scaled_range::of({-128, 127}, 0, false),
                             bytes_in(call, 1),
                             transposed_channels{[&](std::int64_t o) { return unscaled_channel_of(call, o); },
                                                 [](std::int64_t) { return 0; }},
                             bytes_out(call));
  }
  static void run(const kernel_call& call) {
    const int8_accumulators_target kept = kept_in(call);
    const int8_product p = product_of_kept(call, {}, kept);
    int8_conv_transpose<native_for<Isa>>(transposed_node::shape_of(call), p,
                                         {bytes_in(call, 0), bytes_out(call), call.scratch}, part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
