// pad: adds a border to a tensor of elements of any size.
// Flow: bind/pad.hpp describes the border of each axis and calls pad() for a part of the rows.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/movement/copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A padded tensor as rows: the row is the innermost axis with a border; the axes inside it form one element.
struct padded_rows {
  shape_t outer_x, outer_y;  // extents of the outer axes
  std::int64_t outer_before[max_rank] = {};
  std::int64_t x = 1, y = 1, before = 0;  // extents and border of the row's axis
  std::int64_t element_bytes = 0;

  constexpr std::int64_t rows() const { return outer_y.elements(); }
};

/// The rows of a padding from shape x to shape y; before[i]: border at the start of axis i, in elements.
constexpr padded_rows padded_rows_of(const shape_t& x, const shape_t& y, const std::int64_t* before,
                                     std::int64_t element_bytes) {
  int axis = x.rank - 1;
  while (axis > 0 && x.extents[axis] == y.extents[axis]) --axis;
  padded_rows rows;
  rows.element_bytes = element_bytes * (axis < 0 ? 1 : x.elements(axis + 1));
  if (axis < 0) return rows;
  rows.x = x.extents[axis];
  rows.y = y.extents[axis];
  rows.before = before[axis];
  for (int i = 0; i < axis; ++i) {
    rows.outer_x.push_back(x.extents[i]);
    rows.outer_y.push_back(y.extents[i]);
    rows.outer_before[i] = before[i];
  }
  return rows;
}

/// Writes a share of the rows of y. source(i, extent) returns the index in x for index i, or -1 for the value
/// `outside`. i is relative to the first element of x and may be negative.
template <class Source>
void pad(const padded_rows& rows, const std::byte* x, number_bytes outside, std::byte* y, Source source, part p = {}) {
  const std::int64_t bytes = rows.element_bytes, length = rows.y * bytes;
  const shape_t x_steps = row_major_strides(rows.outer_x);
  const interval range = share(rows.rows(), p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    std::byte* const to = y + row * length;
    std::int64_t from = 0, rest = row;
    bool is_inside = true;
    for (int i = rows.outer_y.rank; i-- > 0; rest /= rows.outer_y.extents[i]) {
      const std::int64_t at = source(rest % rows.outer_y.extents[i] - rows.outer_before[i], rows.outer_x.extents[i]);
      is_inside = is_inside && at >= 0;
      from += at * x_steps.extents[i];
    }
    if (!is_inside) {
      fill_numbers(outside, length, to);
      continue;
    }
    const std::byte* const first = x + from * rows.x * bytes;
    const auto border = [&](std::int64_t begin, std::int64_t end) {  // indices of y
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = source(i - rows.before, rows.x);
        if (at < 0) return fill_numbers(outside, (end - i) * bytes, to + i * bytes);
        std::memcpy(to + i * bytes, first + at * bytes, static_cast<std::size_t>(bytes));
      }
    };
    border(0, rows.before);
    std::memcpy(to + rows.before * bytes, first, static_cast<std::size_t>(rows.x * bytes));
    border(rows.before + rows.x, rows.y);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
