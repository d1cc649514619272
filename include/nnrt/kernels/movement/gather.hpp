// gather: copies rows of any size that are selected by indices, or by tuples of indices for the first axes.
// Flow: bind/gather.hpp and bind/gather_nd.hpp describe the rows and call these for a part of them.
#pragma once

#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A list of i32 or i64 indices, as bytes.
struct index_list {
  const std::byte* first;
  bool is_wide;  // i64

  std::int64_t operator[](std::int64_t i) const { return is_wide ? load<std::int64_t>(i) : load<std::int32_t>(i); }

 private:
  template <class T> T load(std::int64_t i) const {
    T value;
    std::memcpy(&value, first + i * std::int64_t{sizeof(T)}, sizeof(T));
    return value;
  }
};

/// `outer` blocks of `extent` rows; `count` rows are selected from each block.
struct picked_rows {
  std::int64_t outer = 1, extent = 1, count = 1;
  std::int64_t row_bytes = 1;
  bool from_end = true;  // negative indices count from the end

  constexpr std::int64_t rows() const { return outer * count; }
};

namespace detail {

/// Copies rows of a compile-time length (one load and one store each); Bytes = 0: length known at run time only.
template <std::size_t Bytes>
void gather_rows(const picked_rows& p, const std::byte* x, index_list indices, std::byte* y, interval rows) {
  const std::size_t bytes = Bytes != 0 ? Bytes : static_cast<std::size_t>(p.row_bytes);
  std::int64_t place = rows.begin % p.count;
  const std::byte* block = x + rows.begin / p.count * p.extent * p.row_bytes;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t given = indices[place], index = given < 0 && p.from_end ? given + p.extent : given;
    std::byte* const to = y + row * p.row_bytes;
    if (index >= 0 && index < p.extent) std::memcpy(to, block + index * p.row_bytes, bytes);
    else std::memset(to, 0, bytes);
    if (++place == p.count) place = 0, block += p.extent * p.row_bytes;
  }
}

}  // namespace detail

/// Row i of each block of y is row indices[i] of that block of x. Negative indices count from the end if from_end is
/// set. Indices out of range give zeros. A part is a share of the rows of y.
template <class Isa = void>
void gather_rows(const picked_rows& p, const std::byte* x, index_list indices, std::byte* y, part of = {}) {
  const interval rows = share(p.rows(), of);
  switch (p.row_bytes) {
    case 1: return detail::gather_rows<1>(p, x, indices, y, rows);
    case 2: return detail::gather_rows<2>(p, x, indices, y, rows);
    case 4: return detail::gather_rows<4>(p, x, indices, y, rows);
    case 8: return detail::gather_rows<8>(p, x, indices, y, rows);
    default: return detail::gather_rows<0>(p, x, indices, y, rows);
  }
}

/// `count` blocks of a tensor of this shape; a tuple of `length` indices, for the first axes, selects each block.
struct picked_places {
  shape_t shape;
  int length = 0;
  std::int64_t count = 1;
  std::int64_t place_bytes = 1;
  bool from_end = true;
};

/// Block i of y is the block of x that tuple i selects. Negative indices count from the end if from_end is set. Indices
/// out of range give zeros. A part is a share of the blocks.
inline void gather_places(const picked_places& p, const std::byte* x, index_list indices, std::byte* y, part of = {}) {
  const interval places = share(p.count, of);
  for (std::int64_t i = places.begin; i < places.end; ++i) {
    std::int64_t place = 0;
    for (int axis = 0; axis < p.length && place >= 0; ++axis) {
      const std::int64_t extent = p.shape[axis], given = indices[i * p.length + axis],
                         index = given < 0 && p.from_end ? given + extent : given;
      place = index >= 0 && index < extent ? place * extent + index : -1;
    }
    std::byte* const to = y + i * p.place_bytes;
    if (place >= 0) std::memcpy(to, x + place * p.place_bytes, static_cast<std::size_t>(p.place_bytes));
    else std::memset(to, 0, static_cast<std::size_t>(p.place_bytes));
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
