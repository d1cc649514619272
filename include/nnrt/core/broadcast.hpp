// broadcast: NumPy's broadcasting - extents of 1 are repeated, missing leading axes count as 1.
// Flow: used by infer, reference and kernels of binary operators.
#pragma once

#include <nnrt/core/verdict.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The broadcast shape, or the first pair of extents (from the innermost) that differs.
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
    // An unknown extent next to a known one other than 1 must be 1 or equal to it.
    out.shape[-i] = x == 1 ? y : y == 1 ? x : x < 0 ? y : x;
  }
  return out;
}

/// Strides of an operand in a broadcast shape: 0 along repeated axes.
constexpr shape_t broadcast_strides(const shape_t& shape, const shape_t& strides, const shape_t& to) {
  shape_t out;
  out.rank = to.rank;
  for (int i = 1; i <= to.rank; ++i) out[-i] = i <= shape.rank && shape[-i] != 1 ? strides[-i] : 0;
  return out;
}

/// Advances an index vector in row-major order; false after the last index.
constexpr bool next_index(shape_t& index, const shape_t& shape) {
  for (int axis = shape.rank; axis-- > 0;) {
    if (++index.extents[axis] < shape.extents[axis]) return true;
    index.extents[axis] = 0;
  }
  return false;
}

/// The axis of a possibly negative number; -1 if it is out of range.
constexpr int normalise_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}}  // namespace nnrt::NNRT_ISA
