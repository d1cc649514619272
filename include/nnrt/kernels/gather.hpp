// gather: rows of any size picked by a list of indices.
// Flow: bind/gather.hpp describes the rows and calls gather_rows() for a part of them.
#pragma once

#include <nnrt/kernels/part.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt::inline NNRT_ISA::kernels {

/// A list of i32 or i64, as bytes.
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

/// `outer` blocks of `extent` rows, from each of which `count` are picked.
struct picked_rows {
  std::int64_t outer = 1, extent = 1, count = 1;
  std::int64_t row_bytes = 1;

  constexpr std::int64_t rows() const { return outer * count; }
};

namespace detail {

/// Rows of a length that the compiler knows (0: it does not) are a load and a store each.
template <std::size_t Bytes>
void gather_rows(const picked_rows& p, const std::byte* x, index_list indices, std::byte* y, interval rows) {
  const std::size_t bytes = Bytes != 0 ? Bytes : static_cast<std::size_t>(p.row_bytes);
  std::int64_t place = rows.begin % p.count;
  const std::byte* block = x + rows.begin / p.count * p.extent * p.row_bytes;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t given = indices[place], index = given < 0 ? given + p.extent : given;
    std::byte* const to = y + row * p.row_bytes;
    if (index >= 0 && index < p.extent) std::memcpy(to, block + index * p.row_bytes, bytes);
    else std::memset(to, 0, bytes);
    if (++place == p.count) place = 0, block += p.extent * p.row_bytes;
  }
}

}  // namespace detail

/// Row i of each block of y is row indices[i] of the same block of x, counted from its end when negative; zeros where
/// there is no such row. A part is a share of the rows of y.
template <class Isa = void>
void gather_rows(const picked_rows& p, const std::byte* x, index_list indices, std::byte* y, part of = {}) {
  const interval rows = share(p.rows(), of);
  switch (p.row_bytes) {
    case 1:
      return detail::gather_rows<1>(p, x, indices, y, rows);
    case 2:
      return detail::gather_rows<2>(p, x, indices, y, rows);
    case 4:
      return detail::gather_rows<4>(p, x, indices, y, rows);
    case 8:
      return detail::gather_rows<8>(p, x, indices, y, rows);
    default:
      return detail::gather_rows<0>(p, x, indices, y, rows);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
