// layer_sums: int8 kernel of the operator: conv2d, depthwise_conv2d or full_connection that returns its accumulators.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/full_connection.hpp>
#include <nnrt/ops/layer_sums.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::layer_sums::code> {
  using type = ops::layer_sums;
};

/// A dense layer runs as a 1x1 convolution with one pixel per row.
template <class Isa> struct binding<ops::layer_sums, family::int8, Isa> {
  static constexpr int methods = 1;
  template <int> static constexpr kernel_functions functions() { return {&run, &pack}; }
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!keeps_int8_accumulators(node)) return {};
    const tensor_desc& w = node.in[1].desc;
    const left_sums sums{
        shape_for(unpack<ops::layer_sums::attrs>(node.attrs), node.in[0].desc.shape, w, node.out[0].elements()),
        factors_for(node)};
    return {.code = {.method = 0},
            .packs = 0b110,
            .packed_bytes = sums.packed_bytes(),
            .plan = kernel_plan::of(sums.shape),
            .scratch_bytes = sums.scratch_bytes(),
            .parts = sums.parts(ops::layer_sums::macs(unpack<ops::layer_sums::attrs>(node.attrs), node.in, node.out)),
            .name = w.rank() == 2 ? "dot rows to i32" : name_of(sums)};
  }

  static void pack(const kernel_call& call) {
    pack_left_sums(call, {call.planned<conv_shape>(), factors_of(call)}, scaled_range::of({-128, 127}, 0, false),
                   [&](std::int64_t o) { return unscaled_channel_of(call, o); });
  }
  static void run(const kernel_call& call) {
    const auto shape = call.planned<conv_shape>();
    const left_sums sums{shape, factors_of(call)};
    const int8_accumulators_target kept = kept_in(call);
    run_left_sums<Isa>(call, sums, product_of_kept(call, sums.packing(), kept));
  }

 private:
  static constexpr std::string_view name_of(const left_sums& sums) {
    if (sums.is_depthwise()) return "dot taps to i32";
    if (sums.shape.group > 1) return "dot groups to i32";
    return int8_winograd_pays(sums.shape) ? "dot winograd to i32" : "dot windows to i32";
  }
  static constexpr conv_shape shape_for(const ops::layer_sums::attrs& a, const shape_t& x, const tensor_desc& w,
                                        std::int64_t sums) {
    if (ops::layer_sums::is_convolution(w)) return conv_shape_for(ops::layer_sums::convolution(a), x, w.shape);
    return conv_shape_for({}, {sums / w.shape[0], 1, 1, w.shape[1]}, {w.shape[0], 1, 1, w.shape[1]});
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
