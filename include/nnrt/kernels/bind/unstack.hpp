// unstack: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/unstack.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::unstack, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.in[0].desc.elements()), .name = "copy rows"};
  }
  /// Each output consists of one row from each block of the axis.
  static void run(const kernel_call& call) {
    const shape_t& x = call.in[0].shape();
    const int axis = normalise_axis(unpack<ops::unstack::attrs>(call.attrs).axis, x.rank);
    const std::int64_t row = x.elements(axis + 1) * size_of(call.in[0].type()), block = row * x[axis];
    for (std::size_t i = 0; i < call.out.size(); ++i) {
      box_loops loops;
      loops.add_axis(x.elements(0, axis), block, row);
      loops.add_axis(row, 1, 1);
      loops.close(1);
      copy_box(loops, bytes_in(call, 0) + static_cast<std::int64_t>(i) * row, bytes_out(call, i), part_of(call));
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
