// axis_block: a tensor as [outer, extent, inner]; `extent` holds the axes that an operator works along.
// Flow: kernels of softmax, reductions, arg_max, top_k, concat and others reduce any shape to this one.
#pragma once

#include <nnrt/core/shape.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Maximum number of values that a lane adds before its sum joins the total: the rounding error of a sum grows with its
/// number of terms.
inline constexpr std::int64_t numbers_of_a_sum = 64;

/// Extents in elements.
struct axis_block {
  std::int64_t outer = 1, extent = 1, inner = 1;

  constexpr std::int64_t elements() const { return outer * extent * inner; }
  /// False if the axes are not adjacent, or if the tensor has no elements.
  constexpr bool is_contiguous() const { return extent != 0; }
};

/// The block of one axis, 0 <= axis < rank.
constexpr axis_block block_of(const shape_t& shape, int axis) {
  return {shape.elements(0, axis), shape.extents[axis], shape.elements(axis + 1)};
}

/// The block of the axes for which `listed` is true; axes of extent 1 are ignored.
constexpr axis_block block_of(const shape_t& shape, const bool (&listed)[max_rank]) {
  axis_block block;
  for (int i = 0; i < shape.rank; ++i) {
    const std::int64_t extent = shape.extents[i];
    if (extent == 1) continue;
    if (listed[i]) {
      block.extent *= block.inner == 1 ? extent : 0;  // 0: other axes are between this one and the previous ones
    } else {
      (block.extent == 1 ? block.outer : block.inner) *= extent;
    }
  }
  return block;
}

}}}  // namespace nnrt::NNRT_ISA::kernels
