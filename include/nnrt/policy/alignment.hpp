// alignment: layout of a tensor in an accelerator's memory - aligned extents, strides, bytes.
// Flow: callers that fill or read such memory ask here; elements outside of the valid extents are 0.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/half_bytes.hpp>
#include <nnrt/policy/accelerator.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The use of a tensor, on which its alignment depends.
enum class tensor_use { input, output, feature_map, image };

/// A tensor in an accelerator's memory. Extents and strides are in the tensor's order of axes; strides are in bytes.
/// Rows of 4-bit values begin at whole bytes; their innermost stride is not a whole number of bytes and is given as 0.
struct aligned_tensor {
  shape_t valid;
  shape_t aligned;
  std::int64_t strides[max_rank] = {};
  std::int64_t bytes = 0;
};

namespace detail {

/// Rounds up to 256 k + 0, 16, 32, 64 or 128.
constexpr std::int64_t in_steps(std::int64_t bytes) {
  const std::int64_t whole = bytes / 256 * 256;
  for (const std::int64_t step : {0, 16, 32, 64, 128})
    if (bytes - whole <= step) return whole + step;
  return whole + 256;
}

constexpr const alignment& alignment_for(const accelerator& table, const tensor_desc& desc, tensor_use use) {
  if (use == tensor_use::image) return table.of_images;
  if (desc.layout == nchw) return table.of_planes;
  const bool is_narrow = use == tensor_use::input && desc.rank() == 4 && desc.shape[3] <= 4;
  return is_narrow ? table.of_narrow_inputs : table.of_feature_maps;
}

}  // namespace detail

/// The tensor in an accelerator's memory, with 4 axes [N, H, W, C] or [N, C, H, W]. Lower ranks get extents of 1 after
/// N; a single axis is C. With more than 4 axes, the last three are aligned like those of an image.
///
/// For use `image`, C counts planes or interleaved channels, and only rows are aligned. `is_halves`: the elements have
/// 4 bits each and are packed two to a byte here; in the graph each has a byte. Strides and bytes saturate at the
/// largest 64-bit number; they have no meaning if an extent is 0. Source: the alignment rules of the boards'
/// documentation.
constexpr aligned_tensor aligned(const accelerator& table, const tensor_desc& desc,
                                 tensor_use use = tensor_use::feature_map, bool is_halves = false) {
  shape_t four = desc.shape;
  while (four.rank < 4) four = four.with_axis(desc.shape.rank > 1 ? 1 : 0, 1);
  const alignment& by = detail::alignment_for(table, tensor_desc{desc.type, desc.layout, four}, use);
  aligned_tensor made;
  made.valid = made.aligned = four;
  const bool is_planes = desc.layout == nchw;
  const int h = four.rank - (is_planes ? 2 : 3), w = h + 1, c = is_planes ? four.rank - 3 : four.rank - 1;
  made.aligned[h] = detail::rounded_up(four[h], by.height);
  made.aligned[w] = detail::rounded_up(four[w], by.width);
  made.aligned[c] = detail::rounded_up(four[c], by.channels);
  const std::int64_t element = size_of(desc.type);
  std::int64_t& innermost = made.aligned[four.rank - 1];
  std::int64_t stride = is_halves ? packed_bytes(innermost) : detail::saturated_product(innermost, element);
  if (by.innermost_in_steps) stride = detail::in_steps(stride), innermost = is_halves ? 2 * stride : stride / element;
  made.strides[four.rank - 1] = is_halves ? 0 : element;
  for (int axis = four.rank - 1; axis-- > 0;) {
    made.strides[axis] = stride;
    stride = detail::saturated_product(stride, made.aligned[axis]);
  }
  made.bytes = stride;
  return made;
}

}}  // namespace nnrt::NNRT_ISA
