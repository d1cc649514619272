// slice: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/slice.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::slice, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  static void run(const kernel_call& call) {
    const view &x = call.in[0], &y = call.out[0];
    const axis_list axes = unpack<ops::slice::attrs>(call.attrs).axes;
    const shape_t steps = row_major_strides(x.shape());
    const std::int64_t bytes = size_of(x.type());
    std::int64_t first = 0;  // element of x
    for (int i = 0; i < static_cast<int>(call.in[1].elements()); ++i)
      first += call.in[1].integer(i) * steps[axes.empty() ? i : normalise_axis(axes[i], x.rank())];
    copy_box(loops_of(y.shape(), steps, row_major_strides(y.shape()), bytes), bytes_in(call, 0) + first * bytes,
             bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
