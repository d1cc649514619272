// split: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/split.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::split, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.elements() <= 0) return {};
    return {.run = &run, .parts = parts_for(node.in[0].desc.elements()), .name = "copy rows"};
  }
  /// Each output is a box of `outer` rows; each row is part of one row of the input.
  static void run(const kernel_call& call) {
    const view& x = call.in[0];
    const int axis = normalise_axis(unpack<ops::split::attrs>(call.attrs).axis, x.rank());
    const std::int64_t from_step = x.shape().elements(axis), bytes = size_of(x.type());
    const std::byte* from = bytes_in(call, 0);
    for (std::size_t i = 0; i < call.out.size(); ++i) {
      const axis_block block = block_of(call.out[i].shape(), axis);
      const std::int64_t row = block.extent * block.inner;
      if (row == 0) continue;
      copy_box(loops_of({block.outer, row}, {from_step, 1}, {row, 1}, bytes), from, bytes_out(call, i), part_of(call));
      from += row * bytes;
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
