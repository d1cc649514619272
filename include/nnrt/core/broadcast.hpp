// broadcast: NumPy's rule for operands of different shapes - extents of 1 are repeated, missing leading axes count as
// 1.
// Flow: binary operators' infer, reference and kernels.
#pragma once

#include <nnrt/core/verdict.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// What broadcasting two shapes gives, or the first pair of extents (from the innermost) that does not fit.
struct broadcast_result {
  shape_t shape;
  bool fits = true;
  std::int64_t left = 0, right = 0;
};

constexpr broadcast_result broadcast(const shape_t& a, const shape_t& b) {
  broadcast_result out;
  out.shape.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = 1; i <= out.shape.rank; ++i) {
    const std::int64_t x = i <= a.rank ? a[-i] : 1, y = i <= b.rank ? b[-i] : 1;
    if (x != y && x != 1 && y != 1 && x >= 0 && y >= 0 && out.fits) out.fits = false, out.left = x, out.right = y;
    // An unknown extent beside a known one other than 1 can only be 1 or that one.
    out.shape[-i] = x == 1 ? y : y == 1 ? x : x < 0 ? y : x;
  }
  return out;
}

/// Strides of an operand under a broadcast shape: 0 along repeated axes.
constexpr shape_t broadcast_strides(const shape_t& shape, const shape_t& strides, const shape_t& to) {
  shape_t out;
  out.rank = to.rank;
  for (int i = 1; i <= to.rank; ++i) out[-i] = i <= shape.rank && shape[-i] != 1 ? strides[-i] : 0;
  return out;
}

/// Steps an index vector through a shape in row-major order; false after the last one.
constexpr bool next_index(shape_t& index, const shape_t& shape) {
  for (int axis = shape.rank; axis-- > 0;) {
    if (++index.extents[axis] < shape.extents[axis]) return true;
    index.extents[axis] = 0;
  }
  return false;
}

/// The axis that a possibly negative number means, or -1 when there is none such among `rank` axes.
constexpr int normalise_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}}  // namespace nnrt::NNRT_ISA
