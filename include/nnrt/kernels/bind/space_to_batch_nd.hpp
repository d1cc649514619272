// space_to_batch_nd: kernel of the operator for every dtype; copies pixels.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/ops/space_to_batch_nd.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::space_to_batch_nd, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const std::int64_t images = node.out[0].shape[0], parts = parts_for(node.out[0].elements());
    return {.run = &run, .parts = static_cast<int>(std::min(images, parts)), .name = "copy pixels"};
  }
  /// A part computes whole images with their borders.
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::space_to_batch_nd::attrs>(call.attrs);
    const shape_t &x = call.in[0].shape(), &y = call.out[0].shape();
    const shape_t from = row_major_strides(x), to = row_major_strides(y);
    const std::int64_t bytes = size_of(call.in[0].type()), block_h = attrs.block.h, block_w = attrs.block.w;
    const shape_t from_steps{block_h * from.extents[1], block_w * from.extents[2], 1};
    const shape_t to_steps{to.extents[1], to.extents[2], 1};
    std::byte zero[8] = {};
    with_element<types::any>(call.in[0].type(), [&]<class T>(T) {
      const T value = ops::space_to_batch_nd::zero<T>(call.in[0].desc->quantised);
      std::memcpy(zero, &value, sizeof(T));
    });
    const interval images = share(y.extents[0], part_of(call));
    for (std::int64_t image = images.begin; image < images.end; ++image) {
      const std::int64_t place = image / x.extents[0], n = image % x.extents[0];
      const std::int64_t top = place / block_w - attrs.paddings[0], left = place % block_w - attrs.paddings[2];
      const auto rows = ops::detail::inside(y.extents[1], block_h, top, x.extents[1]);
      const auto columns = ops::detail::inside(y.extents[2], block_w, left, x.extents[2]);
      std::byte* const target = bytes_out(call) + image * to.extents[0] * bytes;
      if (rows.count() < y.extents[1] || columns.count() < y.extents[2])
        fill_numbers({zero, bytes}, to.extents[0] * bytes, target);
      if (rows.count() == 0 || columns.count() == 0) continue;
      const std::int64_t first_from = n * from.extents[0] + (rows.first * block_h + top) * from.extents[1] +
                                      (columns.first * block_w + left) * from.extents[2];
      const std::int64_t first_to = rows.first * to.extents[1] + columns.first * to.extents[2];
      copy_box(loops_of({rows.count(), columns.count(), y.extents[3]}, from_steps, to_steps, bytes),
               bytes_in(call, 0) + first_from * bytes, target + first_to * bytes);
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
