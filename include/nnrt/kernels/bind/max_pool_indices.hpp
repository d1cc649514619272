// max_pool_indices: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/pooling.hpp>
#include <nnrt/kernels/pooling/indices.hpp>
#include <nnrt/ops/max_pool_indices.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32 only; the reference computes other dtypes.
template <class Isa> struct binding<ops::max_pool_indices, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.type != f32 || !has_work(node)) return {};
    const auto attrs = unpack<ops::max_pool_indices::attrs>(node.attrs);
    const pooling_shape shape = pooling_shape_for(attrs, node.in[0].desc.shape);
    const std::int64_t taps = taps_in_image(shape.h) * taps_in_image(shape.w);
    return {.run = &run,
            .plan = plan_of(shape, counted_pixels{attrs.in_window ? 1 : 0, range_of(attrs.fused)}),
            .parts = parts_for(node.out[0].elements() * std::min<std::int64_t>(2 * taps, 64)),
            .name = "pool channels"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto [shape, counted] = call.planned<layer_plan<pooling_shape, counted_pixels>>();
    pool_with_indices<Isa>(shape, counted, floats_in(call, 0), floats_out(call), call.out[1].data.get<std::int32_t>(),
                           part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
