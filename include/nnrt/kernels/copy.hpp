// copy: boxes of elements of any size from one tensor into another.
// Flow: the bindings of concat, split, slice, pad and transpose describe their boxes and call copy_box().
#pragma once

#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt::inline NNRT_ISA::kernels {

/// Loops over rows of bytes, outermost first; extents of 1 left out, axes that lie alike in both tensors made one.
struct box_loops {
  int count = 0;  // of loops around the rows
  std::int64_t extents[max_rank] = {};
  std::int64_t from_steps[max_rank] = {};  // in bytes
  std::int64_t to_steps[max_rank] = {};
  std::int64_t row_bytes = 0;

  constexpr std::int64_t rows() const {
    std::int64_t n = 1;
    for (int i = 0; i < count; ++i) n *= extents[i];
    return n;
  }
  constexpr std::int64_t bytes() const { return rows() * row_bytes; }
};

/// A box of these extents, whose neighbours along each axis are so many elements apart in either tensor.
constexpr box_loops loops_of(const shape_t& extents, const shape_t& from_steps, const shape_t& to_steps,
                             std::int64_t element_bytes) {
  box_loops loops;
  for (int axis = 0; axis < extents.rank; ++axis) {
    const std::int64_t extent = extents.extents[axis];
    const std::int64_t from = from_steps.extents[axis] * element_bytes, to = to_steps.extents[axis] * element_bytes;
    if (extent == 1) continue;
    const int last = loops.count - 1;
    if (last >= 0 && loops.from_steps[last] == from * extent && loops.to_steps[last] == to * extent)
      loops.extents[last] *= extent;
    else loops.extents[loops.count++] = extent;
    loops.from_steps[loops.count - 1] = from;
    loops.to_steps[loops.count - 1] = to;
  }
  loops.row_bytes = element_bytes;
  const int last = loops.count - 1;
  if (last >= 0 && loops.from_steps[last] == element_bytes && loops.to_steps[last] == element_bytes) {
    loops.row_bytes *= loops.extents[last];
    --loops.count;
  }
  return loops;
}

namespace detail {

/// Where the rows of a box lie.
struct box_position {
  std::int64_t index[max_rank] = {};
  std::int64_t from = 0, to = 0;

  /// The place of row `row`, counted in row-major order.
  constexpr box_position(const box_loops& loops, std::int64_t row) {
    for (int i = loops.count; i-- > 0; row /= loops.extents[i]) {
      index[i] = row % loops.extents[i];
      from += index[i] * loops.from_steps[i];
      to += index[i] * loops.to_steps[i];
    }
  }
  constexpr void next_row(const box_loops& loops) {
    for (int i = loops.count; i-- > 0;) {
      from += loops.from_steps[i];
      to += loops.to_steps[i];
      if (++index[i] < loops.extents[i]) return;
      from -= index[i] * loops.from_steps[i];
      to -= index[i] * loops.to_steps[i];
      index[i] = 0;
    }
  }
};

/// Rows of a length that the compiler knows are a load and a store each.
template <std::size_t Bytes>
void copy_rows(const box_loops& loops, const std::byte* from, std::byte* to, interval rows) {
  box_position at(loops, rows.begin);
  for (std::int64_t row = rows.begin; row < rows.end; ++row, at.next_row(loops))
    std::memcpy(to + at.to, from + at.from, Bytes);
}

}  // namespace detail

/// Copies a part of a box between tensors that do not overlap. A part is a share of the bytes, so that a box of one row
/// can be cut, too.
template <class Isa = void> void copy_box(const box_loops& loops, const std::byte* from, std::byte* to, part p = {}) {
  const std::int64_t length = loops.row_bytes;
  switch (length) {
    case 1:
      return detail::copy_rows<1>(loops, from, to, share(loops.rows(), p));
    case 2:
      return detail::copy_rows<2>(loops, from, to, share(loops.rows(), p));
    case 4:
      return detail::copy_rows<4>(loops, from, to, share(loops.rows(), p));
    case 8:
      return detail::copy_rows<8>(loops, from, to, share(loops.rows(), p));
    case 16:
      return detail::copy_rows<16>(loops, from, to, share(loops.rows(), p));
    default:
      break;
  }
  const interval bytes = share(loops.bytes(), p);
  std::int64_t begin = bytes.begin, skipped = begin % length;
  for (detail::box_position at(loops, begin / length); begin < bytes.end; at.next_row(loops)) {
    const std::int64_t left = bytes.end - begin, row = length - skipped, n = row < left ? row : left;
    std::memcpy(to + at.to + skipped, from + at.from + skipped, static_cast<std::size_t>(n));
    begin += n;
    skipped = 0;
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
