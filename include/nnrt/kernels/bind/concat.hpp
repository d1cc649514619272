// concat: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/concat.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::concat, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.out[0].elements() <= 0) return {};
    for (const operand& x : node.in)
      if (x.desc.quantised != node.out[0].quantised) return {};  // values would have to be requantised
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  /// Each input is a box of `outer` rows; each row becomes part of one row of the output.
  static void run(const kernel_call& call) {
    const view& y = call.out[0];
    const int axis = normalise_axis(unpack<ops::concat::attrs>(call.attrs).axis, y.rank());
    const std::int64_t to_step = y.shape().elements(axis), bytes = size_of(y.type());
    std::byte* to = bytes_out(call);
    for (std::size_t i = 0; i < call.in.size(); ++i) {
      const axis_block block = block_of(call.in[i].shape(), axis);
      const std::int64_t row = block.extent * block.inner;
      if (row == 0) continue;
      copy_box(loops_of({block.outer, row}, {row, 1}, {to_step, 1}, bytes), bytes_in(call, i), to, part_of(call));
      to += row * bytes;
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
