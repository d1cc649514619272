// broadcast_loops: how two operands are walked together under NumPy's broadcasting, and which way of walking fits them.
// Flow: bind/detail/binary.hpp chooses by broadcast_form; the kernels over floats and over other elements take the
// loops.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// The loops of a broadcast, outermost first: extents of 1 left out, neighbouring axes that both operands walk alike
/// made one.
struct broadcast_loops {
  int count = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t a_steps[max_rank] = {};  // in elements; 0: repeated
  std::int64_t b_steps[max_rank] = {};
};

constexpr broadcast_loops loops_of(const shape_t& a, const shape_t& b, const shape_t& y) {
  const shape_t a_steps = broadcast_strides(a, row_major_strides(a), y),
                b_steps = broadcast_strides(b, row_major_strides(b), y);
  broadcast_loops loops;
  for (int axis = 0; axis < y.rank; ++axis) {
    const std::int64_t extent = y.extents[axis], step_a = a_steps.extents[axis], step_b = b_steps.extents[axis];
    if (extent == 1) continue;
    const int last = loops.count - 1;
    if (last >= 0 && loops.a_steps[last] == step_a * extent && loops.b_steps[last] == step_b * extent)
      loops.extents[last] *= extent;
    else loops.extents[loops.count++] = extent;
    loops.a_steps[loops.count - 1] = step_a;
    loops.b_steps[loops.count - 1] = step_b;
  }
  if (loops.count == 0) loops.extents[loops.count++] = 1;  // a single element: both steps may be 0
  return loops;
}

/// Where the rows of a broadcast lie; the row is the innermost loop.
struct broadcast_position {
  std::int64_t index[max_rank] = {};
  std::int64_t a = 0, b = 0;

  /// The place of row `row`, counted in row-major order.
  constexpr broadcast_position(const broadcast_loops& loops, std::int64_t row) {
    for (int i = loops.count - 1; i-- > 0; row /= loops.extents[i]) {
      index[i] = row % loops.extents[i];
      a += index[i] * loops.a_steps[i];
      b += index[i] * loops.b_steps[i];
    }
  }
  constexpr void next_row(const broadcast_loops& loops) {
    for (int i = loops.count - 1; i-- > 0;) {
      a += loops.a_steps[i];
      b += loops.b_steps[i];
      if (++index[i] < loops.extents[i]) return;
      a -= index[i] * loops.a_steps[i];
      b -= index[i] * loops.b_steps[i];
      index[i] = 0;
    }
  }
};

/// What two operands are to each other, from the quickest way of walking them to the one for all.
enum class broadcast_form {
  same,      // element by element
  scalar,    // one of them is a single number
  channels,  // one of them is a row that is repeated
  general,
};

constexpr broadcast_form form_of(const shape_t& a, const shape_t& b, const shape_t& y) {
  const std::int64_t n = y.elements(), of_a = a.elements(), of_b = b.elements();
  if (of_a == n && of_b == n) return broadcast_form::same;
  if ((of_a == n && of_b == 1) || (of_b == n && of_a == 1)) return broadcast_form::scalar;
  const broadcast_loops loops = loops_of(a, b, y);
  const bool is_row = loops.count == 2 && loops.a_steps[1] == 1 && loops.b_steps[1] == 1;
  return is_row && (of_a == n || of_b == n) ? broadcast_form::channels : broadcast_form::general;
}

/// Calls row(place in a, place in b, place in y, elements) for the rows, or parts of them, that elements `range` of y are
/// made of. Along a row the places in a and b grow by the innermost steps.
template <class F> void for_each_row(const broadcast_loops& loops, interval range, F row) {
  const int inner = loops.count - 1;
  const std::int64_t extent = loops.extents[inner], a_step = loops.a_steps[inner], b_step = loops.b_steps[inner];
  std::int64_t begin = range.begin, skipped = begin % extent;
  for (broadcast_position at(loops, begin / extent); begin < range.end; at.next_row(loops)) {
    const std::int64_t left = range.end - begin, whole = extent - skipped, n = whole < left ? whole : left;
    row(at.a + skipped * a_step, at.b + skipped * b_step, begin, n);
    begin += n;
    skipped = 0;
  }
}

/// y = f(a, b) for the elements of y in `range`, one after the other, for every kind of elements and of functions on
/// them; y may be an operand of its own size.
template <class T, class R, class F>
void zip_elements(const broadcast_loops& loops, const T* a, const T* b, R* y, interval range, F f) {
  const std::int64_t a_step = loops.a_steps[loops.count - 1], b_step = loops.b_steps[loops.count - 1];
  for_each_row(loops, range, [&](std::int64_t at_a, std::int64_t at_b, std::int64_t at_y, std::int64_t n) {
    const T *from_a = a + at_a, *from_b = b + at_b;
    R* const to = y + at_y;
    for (std::int64_t i = 0; i < n; ++i) to[i] = f(from_a[i * a_step], from_b[i * b_step]);
  });
}

}  // namespace nnrt::inline NNRT_ISA::kernels
