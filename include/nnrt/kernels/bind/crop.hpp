// crop: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/crop.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::crop, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  static void run(const kernel_call& call) {
    const shape_t& y = call.out[0].shape();
    const shape_t from = row_major_strides(call.in[0].shape()), to = row_major_strides(y);
    const std::int64_t bytes = size_of(call.in[0].type());
    operand x;
    x.desc = *call.in[0].desc;
    const std::int64_t first =
        ops::crop::part_offset(unpack<ops::crop::attrs>(call.attrs), {&x, 1}, {call.out[0].desc, 1}, 0);
    box_loops loops;
    for (int i = 0; i < y.rank; ++i) loops.add_axis(y.extents[i], from.extents[i] * bytes, to.extents[i] * bytes);
    loops.close(bytes);
    copy_box(loops, bytes_in(call, 0) + first * bytes, bytes_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
