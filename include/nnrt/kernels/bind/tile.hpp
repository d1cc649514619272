// tile: kernel of the operator for every dtype; copies rows.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/tile.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::tile, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node) || !is_whole_number_of_times(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  /// Two loops per axis: over the copies, with a source stride of 0, and over the extent.
  static void run(const kernel_call& call) {
    call.report(ops::tile::check(call.in, call.out));
    const shape_t& y = call.out[0].shape();
    const shape_t x = ops::tile::of_rank(call.in[0].shape(), y.rank);
    const shape_t from = row_major_strides(x), to = row_major_strides(y);
    const std::int64_t bytes = size_of(call.in[0].type());
    box_loops loops;
    for (int i = 0; i < x.rank; ++i) {
      loops.add_axis(y.extents[i] / x.extents[i], 0, x.extents[i] * to.extents[i] * bytes);
      loops.add_axis(x.extents[i], from.extents[i] * bytes, to.extents[i] * bytes);
    }
    loops.close(bytes);
    copy_box(loops, bytes_in(call, 0), bytes_out(call), part_of(call));
  }

 private:
  /// False if the declared output is not a multiple of the input; the reference then reports the error.
  static constexpr bool is_whole_number_of_times(const kernel_request& node) {
    const shape_t &y = node.out[0].shape, x = ops::tile::of_rank(node.in[0].desc.shape, y.rank);
    for (int i = 0; i < y.rank; ++i)
      if (y[i] % x[i] != 0) return false;
    return true;
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
