// log_softmax: f32 kernel of the operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/softmax/log_softmax.hpp>
#include <nnrt/ops/log_softmax.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::log_softmax, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const shape_t& shape = node.in[0].desc.shape;
    const axis_block block =
        block_of(shape, normalise_axis(unpack<ops::log_softmax::attrs>(node.attrs).axis, shape.rank));
    constexpr std::int64_t cost = 8;  // cost of an element in additions
    return {.run = &run,
            .plan = kernel_plan::of(block),
            .parts = parts_for(block.elements() * cost),
            .name = block.inner == 1 ? "log softmax rows" : "log softmax columns"};
  }
  static void run(const kernel_call& call) {
    log_softmax<Isa>(call.planned<axis_block>(), floats_in(call, 0), floats_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
