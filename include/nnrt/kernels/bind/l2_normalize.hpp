// l2_normalize: f32 kernel of the operator, along adjacent axes.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/reduce/l2.hpp>
#include <nnrt/ops/l2_normalize.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::l2_normalize, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const shape_t& shape = node.in[0].desc.shape;
    const auto attrs = unpack<ops::l2_normalize::attrs>(node.attrs);
    bool listed[max_rank] = {};
    for (const std::int64_t axis : attrs.axis) listed[normalise_axis(axis, shape.rank)] = true;
    for (int i = 0; attrs.axis.empty() && i < shape.rank; ++i) listed[i] = true;
    const axis_block block = block_of(shape, listed);
    if (!block.is_contiguous()) return {};
    constexpr std::int64_t cost = 2;  // passes over the elements
    return {.run = &run,
            .plan = kernel_plan::of(block),
            .parts = parts_for(block.elements() * cost),
            .name = block.inner == 1 ? "l2 normalize rows" : "l2 normalize columns"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::l2_normalize::attrs>(call.attrs);
    l2_normalize<Isa>(call.planned<axis_block>(), floats_in(call, 0), attrs.epsilon, range_of(attrs.fused),
                      floats_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
