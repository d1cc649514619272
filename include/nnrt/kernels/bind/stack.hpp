// stack: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/stack.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::stack, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  /// Each input is a box of `outer` rows; each row becomes part of one row of the output.
  static void run(const kernel_call& call) {
    const view& y = call.out[0];
    const axis_block block = block_of(y.shape(), normalise_axis(unpack<ops::stack::attrs>(call.attrs).axis, y.rank()));
    const std::int64_t row = block.inner, bytes = size_of(y.type());
    const box_loops loops = loops_of({block.outer, row}, {row, 1}, {block.extent * row, 1}, bytes);
    for (std::size_t i = 0; i < call.in.size(); ++i)
      copy_box(loops, bytes_in(call, i), bytes_out(call) + static_cast<std::int64_t>(i) * row * bytes, part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
