// strided_slice: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/strided_slice.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::strided_slice, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  static void run(const kernel_call& call) {
    ops::strided_slice::cuts cuts;
    const run_fault fault =
        ops::strided_slice::resolve(cuts, unpack<ops::strided_slice::attrs>(call.attrs), call.in, call.out);
    if (fault) return call.report(fault);
    const view &x = call.in[0], &y = call.out[0];
    const shape_t x_steps = row_major_strides(x.shape());
    std::int64_t first = 0;  // element of x
    for (int i = 0; i < x.rank(); ++i) first += cuts.of[i].first * x_steps.extents[i];
    shape_t from_steps;
    for (int i = 0; i < cuts.rank; ++i) {
      const int axis = cuts.axes[i];
      from_steps.push_back(axis < 0 || y.shape().extents[i] == 1 ? 0 : cuts.of[axis].step * x_steps.extents[axis]);
    }
    const std::int64_t bytes = size_of(x.type());
    copy_box(loops_of(y.shape(), from_steps, row_major_strides(y.shape()), bytes), bytes_in(call, 0) + first * bytes,
             bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
