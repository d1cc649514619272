// copy: copies boxes of elements of any size between tensors, and fills memory with one value.
// Flow: bindings of operators that only move elements describe their boxes and call copy_box().
#pragma once

#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Loops over rows of bytes, outermost first. Axes of extent 1 are dropped; adjacent axes with compatible strides are
/// merged.
struct box_loops {
  static constexpr int most = 2 * max_rank;  // a tile has two per axis

  int count = 0;  // of loops around the rows
  std::int64_t extents[most] = {};
  std::int64_t from_steps[most] = {};  // strides in bytes; 0 repeats, negative ones go backwards
  std::int64_t to_steps[most] = {};
  std::int64_t row_bytes = 0;

  /// Adds an axis inside the previous ones; `from` and `to` are its strides in bytes.
  constexpr void add_axis(std::int64_t extent, std::int64_t from, std::int64_t to) {
    if (extent == 1) return;
    const int last = count - 1;
    if (last >= 0 && from_steps[last] == from * extent && to_steps[last] == to * extent) extents[last] *= extent;
    else extents[count++] = extent;
    from_steps[count - 1] = from;
    to_steps[count - 1] = to;
  }
  /// Call after the innermost axis: if its elements are contiguous, it becomes the row.
  constexpr void close(std::int64_t element_bytes) {
    row_bytes = element_bytes;
    const int last = count - 1;
    if (last < 0 || from_steps[last] != element_bytes || to_steps[last] != element_bytes) return;
    row_bytes *= extents[last];
    --count;
  }

  constexpr std::int64_t rows() const {
    std::int64_t n = 1;
    for (int i = 0; i < count; ++i) n *= extents[i];
    return n;
  }
  constexpr std::int64_t bytes() const { return rows() * row_bytes; }
};

/// The loops of a box with these extents; strides are in elements.
constexpr box_loops loops_of(const shape_t& extents, const shape_t& from_steps, const shape_t& to_steps,
                             std::int64_t element_bytes) {
  box_loops loops;
  for (int i = 0; i < extents.rank; ++i)
    loops.add_axis(extents.extents[i], from_steps.extents[i] * element_bytes, to_steps.extents[i] * element_bytes);
  loops.close(element_bytes);
  return loops;
}

namespace detail {

/// Offsets of one row of a box in both tensors, in bytes.
struct box_position {
  std::int64_t index[box_loops::most] = {};
  std::int64_t from = 0, to = 0;

  /// The offsets of row `row`, counted in row-major order.
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

/// Copies rows of a compile-time length: one load and one store each.
template <std::size_t Bytes>
void copy_rows(const box_loops& loops, const std::byte* from, std::byte* to, interval rows) {
  box_position at(loops, rows.begin);
  for (std::int64_t row = rows.begin; row < rows.end; ++row, at.next_row(loops))
    std::memcpy(to + at.to, from + at.from, Bytes);
}

}  // namespace detail

/// Copies a part of a box between tensors that do not overlap. Parts are shares of the bytes, so that a box of one row
/// can be divided, too.
template <class Isa = void> void copy_box(const box_loops& loops, const std::byte* from, std::byte* to, part p = {}) {
  const std::int64_t length = loops.row_bytes;
  switch (length) {
    case 1: return detail::copy_rows<1>(loops, from, to, share(loops.rows(), p));
    case 2: return detail::copy_rows<2>(loops, from, to, share(loops.rows(), p));
    case 4: return detail::copy_rows<4>(loops, from, to, share(loops.rows(), p));
    case 8: return detail::copy_rows<8>(loops, from, to, share(loops.rows(), p));
    case 16: return detail::copy_rows<16>(loops, from, to, share(loops.rows(), p));
    default: break;
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

/// One value, as bytes.
struct number_bytes {
  const std::byte* first;
  std::int64_t size;
};

/// Fills `bytes` bytes with copies of a value.
inline void fill_numbers(number_bytes number, std::int64_t bytes, std::byte* to) {
  constexpr std::int64_t max_copy = 4096;  // still in L1
  if (bytes <= 0) return;
  bool is_one_byte = true;
  for (std::int64_t i = 1; i < number.size; ++i) is_one_byte = is_one_byte && number.first[i] == number.first[0];
  if (is_one_byte) {
    std::memset(to, static_cast<int>(number.first[0]), static_cast<std::size_t>(bytes));
    return;
  }
  std::memcpy(to, number.first, static_cast<std::size_t>(number.size));
  for (std::int64_t done = number.size, n = 0; done < bytes; done += n) {
    const std::int64_t whole = done < max_copy ? done : max_copy, left = bytes - done;
    n = whole < left ? whole : left;
    std::memcpy(to + done, to, static_cast<std::size_t>(n));
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
