// reduce_l2: f32 kernel of the operator, along adjacent axes.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/reduction.hpp>
#include <nnrt/kernels/reduce/l2.hpp>
#include <nnrt/ops/reduce_l2.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::reduce_l2, family::f32, Isa> {
  using blocks = reduction_blocks<Isa>;

  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.type != f32 || !has_work(node)) return {};
    const axis_block block = blocks::block_for(node);
    if (!block.is_contiguous()) return {};
    return {.run = &run,
            .plan = kernel_plan::of(block),
            .parts = parts_for(block.elements()),
            .name = block.inner == 1 ? "l2 rows" : "l2 columns"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::detail::reduction_attributes>(call.attrs);
    l2_lengths<Isa>(call.planned<axis_block>(), floats_in(call, 0), attrs.factor(), floats_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
