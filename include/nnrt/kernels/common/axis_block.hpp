// axis_block: a tensor as [outer, extent, inner], where the middle stands for the axes that an operator works along.
// Flow: kernels of softmax, reductions, the largest elements, concat and their like reduce any shape to this one.
#pragma once

#include <nnrt/core/shape.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// How many numbers a lane adds up before the sum joins a sum of sums: rounding errors of a sum grow with the number of
/// its terms.
inline constexpr std::int64_t numbers_of_a_sum = 64;

/// Extents in elements.
struct axis_block {
  std::int64_t outer = 1, extent = 1, inner = 1;

  constexpr std::int64_t elements() const { return outer * extent * inner; }
  /// False of axes that do not lie side by side, and of those of a tensor without elements.
  constexpr bool is_contiguous() const { return extent != 0; }
};

/// One axis, counted from the front.
constexpr axis_block block_of(const shape_t& shape, int axis) {
  return {shape.elements(0, axis), shape.extents[axis], shape.elements(axis + 1)};
}

/// The axes for which `listed` is true; those of extent 1 do not matter.
constexpr axis_block block_of(const shape_t& shape, const bool (&listed)[max_rank]) {
  axis_block block;
  for (int i = 0; i < shape.rank; ++i) {
    const std::int64_t extent = shape.extents[i];
    if (extent == 1) continue;
    if (listed[i]) {
      block.extent *= block.inner == 1 ? extent : 0;  // else others stand between this one and those before
    } else {
      (block.extent == 1 ? block.outer : block.inner) *= extent;
    }
  }
  return block;
}

}}}  // namespace nnrt::NNRT_ISA::kernels
