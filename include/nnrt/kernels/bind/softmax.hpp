// softmax: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/kernels/call.hpp>
#include <nnrt/kernels/fast.hpp>
#include <nnrt/kernels/softmax.hpp>
#include <nnrt/ops/softmax.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::softmax, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node) || unpack<ops::softmax::attrs>(node.attrs).beta != 1) return {};
    const axis_block block = block_for(node.attrs, node.in[0].desc.shape);
    if (!block.found) return {};
    constexpr std::int64_t cost = 8;  // additions that one element is worth
    return {.run = &run,
            .parts = parts_for(block.elements() * cost),
            .name = block.inner == 1 ? "softmax rows" : "softmax columns"};
  }
  static void run(const kernel_call& call) {
    softmax(block_for(call.attrs, call.in[0].shape()), floats_in(call, 0), floats_out(call), part_of(call));
  }

 private:
  static constexpr axis_block block_for(array_ref<const word> attrs, const shape_t& shape) {
    const axis_list axes = unpack<ops::softmax::attrs>(attrs).axis;
    bool listed[max_rank] = {};
    for (const std::int64_t axis : axes) listed[normalise_axis(axis, shape.rank)] = true;
    if (axes.empty()) listed[shape.rank - 1] = true;
    return block_of(shape, listed);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
