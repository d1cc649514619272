// batch_to_space_nd: kernel of the operator for every dtype; copies pixels.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/batch_to_space_nd.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::batch_to_space_nd, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy pixels"};
  }
  /// All images with the same position in their blocks form one box.
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::batch_to_space_nd::attrs>(call.attrs);
    const shape_t &x = call.in[0].shape(), &y = call.out[0].shape();
    const shape_t from = row_major_strides(x), to = row_major_strides(y);
    const std::int64_t bytes = size_of(call.in[0].type()), block_h = attrs.block.h, block_w = attrs.block.w;
    const shape_t to_steps{to.extents[0], block_h * to.extents[1], block_w * to.extents[2], 1};
    for (std::int64_t place = 0; place < block_h * block_w; ++place) {
      const std::int64_t top = place / block_w - attrs.crops[0], left = place % block_w - attrs.crops[2];
      const auto rows = ops::detail::inside(x.extents[1], block_h, top, y.extents[1]);
      const auto columns = ops::detail::inside(x.extents[2], block_w, left, y.extents[2]);
      if (rows.count() == 0 || columns.count() == 0) continue;
      const std::int64_t first_from =
          place * y.extents[0] * from.extents[0] + rows.first * from.extents[1] + columns.first * from.extents[2];
      const std::int64_t first_to =
          (rows.first * block_h + top) * to.extents[1] + (columns.first * block_w + left) * to.extents[2];
      copy_box(loops_of({y.extents[0], rows.count(), columns.count(), y.extents[3]}, from, to_steps, bytes),
               bytes_in(call, 0) + first_from * bytes, bytes_out(call) + first_to * bytes, part_of(call));
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
