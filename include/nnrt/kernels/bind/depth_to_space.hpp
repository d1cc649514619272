// depth_to_space: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/bind/detail/blocks.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/depth_to_space.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::depth_to_space, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::depth_to_space::attrs>(call.attrs);
    const std::int64_t bytes = size_of(call.in[0].type());
    box_loops loops;
    for_each_block_axis(
        call.in[0].shape(), attrs.block_size, attrs.crd, bytes,
        [&](std::int64_t extent, block_steps steps) { loops.add_axis(extent, steps.deep, steps.wide); });
    loops.close(bytes);
    copy_box(loops, bytes_in(call, 0), bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
