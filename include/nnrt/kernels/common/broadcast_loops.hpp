// broadcast_loops: loops over operands under NumPy's broadcasting, and the kinds of broadcasts of two operands.
// Flow: bind/detail/binary.hpp selects a kernel by broadcast_kind; kernels of all dtypes iterate with these loops.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Loops of a broadcast of N operands, outermost first. Axes of extent 1 are dropped; adjacent axes with compatible
/// strides are merged.
template <int N> struct loops_over {
  int count = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t steps[N][max_rank] = {};  // strides of each operand in elements; 0: repeated

  /// Stride of operand `which` along a row (the innermost loop).
  constexpr std::int64_t inner_step(int which) const { return steps[which][count - 1]; }
};
using broadcast_loops = loops_over<2>;

/// The loops for operands of these shapes and a result of shape y.
template <int N> constexpr loops_over<N> loops_of(const shape_t* const (&shapes)[N], const shape_t& y) {
  shape_t all[N];
  for (int k = 0; k < N; ++k) all[k] = broadcast_strides(*shapes[k], row_major_strides(*shapes[k]), y);
  loops_over<N> loops;
  for (int axis = 0; axis < y.rank; ++axis) {
    const std::int64_t extent = y.extents[axis];
    if (extent == 1) continue;
    const int last = loops.count - 1;
    bool goes_on = last >= 0;
    for (int k = 0; k < N; ++k) goes_on = goes_on && loops.steps[k][last] == all[k].extents[axis] * extent;
    if (goes_on) loops.extents[last] *= extent;
    else loops.extents[loops.count++] = extent;
    for (int k = 0; k < N; ++k) loops.steps[k][loops.count - 1] = all[k].extents[axis];
  }
  if (loops.count == 0) loops.extents[loops.count++] = 1;  // a single element: all strides may be 0
  return loops;
}
constexpr broadcast_loops loops_of(const shape_t& a, const shape_t& b, const shape_t& y) {
  return loops_of<2>({&a, &b}, y);
}

/// Offsets of the operands for one row of a broadcast; a row is the innermost loop.
template <int N> struct broadcast_position {
  std::int64_t index[max_rank] = {};
  std::int64_t of[N] = {};

  /// The offsets of row `row`, counted in row-major order.
  constexpr broadcast_position(const loops_over<N>& loops, std::int64_t row) {
    for (int i = loops.count - 1; i-- > 0; row /= loops.extents[i]) {
      index[i] = row % loops.extents[i];
      for (int k = 0; k < N; ++k) of[k] += index[i] * loops.steps[k][i];
    }
  }
  constexpr void next_row(const loops_over<N>& loops) {
    for (int i = loops.count - 1; i-- > 0;) {
      for (int k = 0; k < N; ++k) of[k] += loops.steps[k][i];
      if (++index[i] < loops.extents[i]) return;
      for (int k = 0; k < N; ++k) of[k] -= index[i] * loops.steps[k][i];
      index[i] = 0;
    }
  }
};

/// Relation of two operands' shapes, from the fastest case to the general one.
enum class broadcast_kind {
  same,      // equal shapes
  scalar,    // one operand is a single value
  channels,  // one operand is a row that is repeated
  general,
};

/// The kind of broadcast of operands of shapes a and b to a result of shape y.
constexpr broadcast_kind broadcast_kind_of(const shape_t& a, const shape_t& b, const shape_t& y) {
  const std::int64_t n = y.elements(), of_a = a.elements(), of_b = b.elements();
  if (of_a == n && of_b == n) return broadcast_kind::same;
  if ((of_a == n && of_b == 1) || (of_b == n && of_a == 1)) return broadcast_kind::scalar;
  const broadcast_loops loops = loops_of(a, b, y);
  const bool is_row = loops.count == 2 && loops.inner_step(0) == 1 && loops.inner_step(1) == 1;
  return is_row && (of_a == n || of_b == n) ? broadcast_kind::channels : broadcast_kind::general;
}

/// Calls row(operand offsets, offset in y, elements) for the rows, or parts of rows, of elements `range` of y. Within a
/// row, offsets grow by the innermost strides.
template <int N, class F> void for_each_row(const loops_over<N>& loops, interval range, F row) {
  const std::int64_t extent = loops.extents[loops.count - 1];
  std::int64_t begin = range.begin, skipped = begin % extent;
  for (broadcast_position<N> at(loops, begin / extent); begin < range.end; at.next_row(loops)) {
    const std::int64_t left = range.end - begin, whole = extent - skipped, n = whole < left ? whole : left;
    std::int64_t places[N];
    for (int k = 0; k < N; ++k) places[k] = at.of[k] + skipped * loops.inner_step(k);
    row(places, begin, n);
    begin += n;
    skipped = 0;
  }
}

/// y = f(a, b) for the elements of y in `range`, one at a time, for any element types. y may alias an operand of equal
/// shape.
template <class T, class R, class F>
void zip_elements(const broadcast_loops& loops, const T* a, const T* b, R* y, interval range, F f) {
  const std::int64_t a_step = loops.inner_step(0), b_step = loops.inner_step(1);
  for_each_row(loops, range, [&](const std::int64_t(&at)[2], std::int64_t at_y, std::int64_t n) {
    const T *from_a = a + at[0], *from_b = b + at[1];
    R* const to = y + at_y;
    for (std::int64_t i = 0; i < n; ++i) to[i] = f(from_a[i * a_step], from_b[i * b_step]);
  });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
