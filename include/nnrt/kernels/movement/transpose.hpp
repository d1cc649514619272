// transpose: permutes the axes of a tensor with elements of 1, 2, 4 or 8 bytes.
// Flow: bind/transpose.hpp obtains the loops from transposition_of(), then calls transpose() for a part of them.
#pragma once

#include <nnrt/core/shape.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/movement/copy.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A permutation as 2D planes to transpose, and loops around them. Rows and columns are those of the input.
struct transposition {
  box_loops around;  // without the two axes of the plane; row_bytes is the size of one element
  std::int64_t rows = 1,
               columns = 1;    // rows are contiguous in the input, columns in the output
  std::int64_t from_step = 0;  // from row to row of the input, in elements
  std::int64_t to_step = 0;    // from row to row of the output, in elements; these are columns of the input
  bool moves_rows = false;     // the innermost axis is not moved: only the rows of `around` are copied
};

/// Axis i of the output is axis perm[i] of x; axes count from the front.
constexpr transposition transposition_of(const shape_t& x, const shape_t& perm, std::int64_t element_bytes) {
  const shape_t x_steps = row_major_strides(x);
  shape_t extents, from_steps;
  for (const std::int64_t axis : perm) {
    extents.push_back(x.extents[axis]);
    from_steps.push_back(x_steps.extents[axis]);
  }
  transposition t;
  box_loops all = loops_of(extents, from_steps, row_major_strides(extents), element_bytes);
  t.moves_rows = all.count == 0 || all.row_bytes > element_bytes;
  t.around = all;
  if (t.moves_rows) return t;
  int inner = 0;  // the innermost loop of the input
  while (all.from_steps[inner] != element_bytes) ++inner;
  const int last = all.count - 1;
  t.rows = all.extents[last];
  t.columns = all.extents[inner];
  t.from_step = all.from_steps[last] / element_bytes;
  t.to_step = all.to_steps[inner] / element_bytes;
  t.around.count = 0;
  for (int i = 0; i < last; ++i) {
    if (i == inner) continue;
    const int to = t.around.count++;
    t.around.extents[to] = all.extents[i];
    t.around.from_steps[to] = all.from_steps[i];
    t.around.to_steps[to] = all.to_steps[i];
  }
  return t;
}

namespace detail {

/// An element of `Bytes` bytes of any type; may_alias permits access as an integer.
template <int Bytes> struct cell;
template <> struct [[gnu::may_alias]] cell<1> {
  using number = std::uint8_t;
  number bits;
};
template <> struct [[gnu::may_alias]] cell<2> {
  using number = std::uint16_t;
  number bits;
};
template <> struct [[gnu::may_alias]] cell<4> {
  using number = std::uint32_t;
  number bits;
};
template <> struct [[gnu::may_alias]] cell<8> {
  using number = std::uint64_t;
  number bits;
};

/// Registers as 16-byte lanes: interleaving two lanes is one instruction on every machine.
inline constexpr int transposed_lanes = machine::transposed_pieces;

template <class T, int Lanes> struct lanes_of_cells {
  typedef typename T::number type __attribute__((vector_size(16 * Lanes)));
  static constexpr int in_lane = 16 / sizeof(T), size = Lanes * in_lane;
};

/// The lower (Half = 0) or upper half of each 16-byte lane of a and b, elements interleaved.
template <class T, int Lanes, int Half, class Vector>
[[gnu::always_inline]] inline Vector interleave_halves(Vector a, Vector b) {
  constexpr int n = lanes_of_cells<T, Lanes>::in_lane, all = n * Lanes;
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (I / n * n + Half * n / 2 + I % n / 2 + I % 2 * all)...);
  }
  (std::make_integer_sequence<int, all>{});
}

/// Loads 16 bytes of a row into the lowest 16-byte lane, and of the rows at multiples of `step` into the others.
template <int Lanes, class T, class Machine = machine>
[[gnu::always_inline]] inline auto load_lanes(const T* row, [[maybe_unused]] std::int64_t step) {
  typename lanes_of_cells<T, Lanes>::type loaded;
  if constexpr (Lanes == 1) std::memcpy(&loaded, row, 16);
  else
    loaded = (decltype(loaded))Machine::template load_pieces<Lanes>(reinterpret_cast<const std::byte*>(row),
                                                                    step * static_cast<std::int64_t>(sizeof(T)));
  return loaded;
}

/// Transposes `Lanes` vertically adjacent squares of 16 bytes. Interleaving row i with row i + half, log2 times,
/// transposes each square; the results are adjacent in the rows of the output.
template <int Lanes, class T>
[[gnu::always_inline]] inline void transpose_squares(const T* from, std::int64_t from_step, T* to,
                                                     std::int64_t to_step) {
  constexpr int n = lanes_of_cells<T, Lanes>::in_lane;
  using vector = typename lanes_of_cells<T, Lanes>::type;
  vector rows[n], mixed[n];
  each<n>([&](auto i)
              __attribute__((always_inline)) { rows[i] = load_lanes<Lanes>(from + i * from_step, n * from_step); });
  each<std::countr_zero(static_cast<unsigned>(n))>([&](auto) __attribute__((always_inline)) {
    each<n / 2>([&](auto i) __attribute__((always_inline)) {
      mixed[2 * i] = interleave_halves<T, Lanes, 0>(rows[i], rows[i + n / 2]);
      mixed[2 * i + 1] = interleave_halves<T, Lanes, 1>(rows[i], rows[i + n / 2]);
    });
    each<n>([&](auto i) __attribute__((always_inline)) { rows[i] = mixed[i]; });
  });
  each<n>([&](auto i) __attribute__((always_inline)) { std::memcpy(to + i * to_step, &rows[i], sizeof(vector)); });
}

/// Transposes a compile-time number of rows, such as the channels of a colour image.
template <class T, int Rows>
inline void transpose_few_rows(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                               std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j)
    each<Rows>([&](auto i) __attribute__((always_inline)) { to[j * to_step + i] = from[i * from_step + j]; });
}
/// Transposes a compile-time number of columns.
template <class T, int Columns>
inline void transpose_few_columns(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                                  std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i)
    each<Columns>([&](auto j) __attribute__((always_inline)) { to[j * to_step + i] = from[i * from_step + j]; });
}

template <class T>
inline void transpose_elements(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
                               std::int64_t columns) {
  if (rows == 2) return transpose_few_rows<T, 2>(from, from_step, to, to_step, columns);
  if (rows == 3) return transpose_few_rows<T, 3>(from, from_step, to, to_step, columns);
  if (columns == 2) return transpose_few_columns<T, 2>(from, from_step, to, to_step, rows);
  if (columns == 3) return transpose_few_columns<T, 3>(from, from_step, to, to_step, rows);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) to[j * to_step + i] = from[i * from_step + j];
}

/// Transposes a tile of any size: whole squares, several at once, then the rest at the right and lower edge.
template <class T>
inline void transpose_tile(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
                           std::int64_t columns) {
  // Squares of small elements have many rows. Four at once were slower than one with elements of one byte (measured,
  // AVX-512); so were two if 16 registers cannot hold them.
  constexpr int most = sizeof(T) >= 4 ? 4 : sizeof(T) == 2 || vector_registers == 32 ? 2 : 1;
  constexpr int lanes_at_once = transposed_lanes < most ? transposed_lanes : most;
  using cells = lanes_of_cells<T, lanes_at_once>;
  constexpr std::int64_t n = cells::in_lane;
  const std::int64_t square_rows = rows / n * n, square_columns = columns / n * n;
  for (std::int64_t j = 0; j < square_columns; j += n) {
    std::int64_t i = 0;
    if constexpr (lanes_at_once > 1)
      for (; i + cells::size <= rows; i += cells::size)
        transpose_squares<lanes_at_once>(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
    for (; i < square_rows; i += n)
      transpose_squares<1>(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
  }
  transpose_elements(from + square_columns, from_step, to + square_columns * to_step, to_step, rows,
                     columns - square_columns);
  transpose_elements(from + square_rows * from_step, from_step, to + square_rows, to_step, rows - square_rows,
                     square_columns);
}

/// Rows and columns of a tile: the elements of a cache line, so that each line is read and written completely while it
/// is in L1.
template <class T> inline constexpr std::int64_t tile_extent = 64 / std::int64_t{sizeof(T)};

/// Prefetches the lines of a later tile: hardware does not prefetch many rows at once.
template <class T>
[[gnu::always_inline]] inline void fetch_tile(const transposition& t, const T* from, const rectangle& piece,
                                              std::int64_t i, std::int64_t j) {
  const std::int64_t end = piece.rows.end - i < tile_extent<T> ? piece.rows.end : i + tile_extent<T>;
  for (std::int64_t row = i; j < piece.columns.end && row < end; ++row)
    __builtin_prefetch(from + row * t.from_step + j);
}

/// Transposes some rows of a plane. Tiles proceed down a column, or (GoesAlong) eight tiles along a row first.
template <class T, bool GoesAlong>
inline void transpose_tiles(const transposition& t, const T* from, T* to, const rectangle& piece) {
  constexpr std::int64_t tile = tile_extent<T>, beside = (GoesAlong ? 8 : 1) * tile;
  const interval rows = piece.rows, columns = piece.columns;
  for (std::int64_t first = columns.begin; first < columns.end; first += beside) {
    // start of the last tile, or a later column
    const std::int64_t last = first + beside - tile < columns.end ? first + beside - tile : columns.end - 1;
    for (std::int64_t i = rows.begin; i < rows.end; i += tile) {
      const bool is_last = i + tile >= rows.end;
      for (std::int64_t j = first; j <= last; j += tile) {
        if (GoesAlong && j + tile <= last) fetch_tile(t, from, piece, i, j + tile);
        else fetch_tile(t, from, piece, is_last ? rows.begin : i + tile, is_last ? first + beside : first);
        transpose_tile(from + i * t.from_step + j, t.from_step, to + j * t.to_step + i, t.to_step,
                       rows.end - i < tile ? rows.end - i : tile, columns.end - j < tile ? columns.end - j : tile);
      }
    }
  }
}

/// True if tiles should proceed along rows that are longer than columns. Planes larger than L2: hardware detects few
/// streams sooner than many. Rows a multiple of 1 KiB apart: vertically adjacent tiles share few sets of L1. In other
/// cases it is faster to write the output sequentially.
template <class T> constexpr bool goes_along(const transposition& t, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t size = sizeof(T);
  return columns > rows && (rows * columns * size >= 1024 * 1024 || t.from_step * size % 1024 == 0);
}

/// Transposes some rows of a plane.
template <class T> inline void transpose_rows(const transposition& t, const T* from, T* to, const rectangle& piece) {
  const interval rows = piece.rows, columns = piece.columns;
  if (rows.size() < lanes_of_cells<T, 1>::size || columns.size() < lanes_of_cells<T, 1>::size)
    return transpose_elements(from + rows.begin * t.from_step + columns.begin, t.from_step,
                              to + columns.begin * t.to_step + rows.begin, t.to_step, rows.size(), columns.size());
  if (goes_along<T>(t, rows.size(), columns.size())) transpose_tiles<T, true>(t, from, to, piece);
  else transpose_tiles<T, false>(t, from, to, piece);
}

/// Transposes a rectangle of one plane. In blocks of 1024 rows: with more rows, L2 evicts lines before the adjacent
/// columns are read.
template <class T> inline void transpose_plane(const transposition& t, const T* from, T* to, const rectangle& piece) {
  constexpr std::int64_t at_once = 1024;
  for (std::int64_t row = piece.rows.begin; row < piece.rows.end; row += at_once)
    transpose_rows(t, from, to,
                   {{row, piece.rows.end - row < at_once ? piece.rows.end : row + at_once}, piece.columns});
}

/// Transposes a part's share of all planes.
template <class T> void transpose_planes(const transposition& t, const std::byte* from, std::byte* to, part p) {
  constexpr std::int64_t tile = tile_extent<T>;
  // Parts are whole planes, or tiles along the longer side of each plane.
  const bool cuts_rows = t.rows > t.columns;
  const std::int64_t side = cuts_rows ? t.rows : t.columns;
  const rectangle work = share(t.around.rows(), (side + tile - 1) / tile, p);
  const interval cut{work.columns.begin * tile, work.columns.end * tile < side ? work.columns.end * tile : side};
  const rectangle piece{cuts_rows ? cut : interval{0, t.rows}, cuts_rows ? interval{0, t.columns} : cut};
  box_position at(t.around, work.rows.begin);
  for (std::int64_t plane = work.rows.begin; plane < work.rows.end; ++plane, at.next_row(t.around))
    transpose_plane(t, reinterpret_cast<const T*>(from + at.from), reinterpret_cast<T*>(to + at.to), piece);
}

}  // namespace detail

/// Transposes a matrix. Rows of the input are `from_step` elements apart, rows of the output `to_step`.
template <class T>
inline void transpose_matrix(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
                             std::int64_t columns) {
  using cell = detail::cell<int{sizeof(T)}>;
  const transposition t{.around = {}, .rows = rows, .columns = columns, .from_step = from_step, .to_step = to_step};
  detail::transpose_plane(t, reinterpret_cast<const cell*>(from), reinterpret_cast<cell*>(to),
                          {{0, rows}, {0, columns}});
}

/// Computes part p of a transposition. Input and output do not overlap and are aligned to their elements.
template <class Isa = void> void transpose(const transposition& t, const std::byte* from, std::byte* to, part p = {}) {
  if (t.moves_rows) return copy_box<Isa>(t.around, from, to, p);
  switch (t.around.row_bytes) {
    case 1: return detail::transpose_planes<detail::cell<1>>(t, from, to, p);
    case 2: return detail::transpose_planes<detail::cell<2>>(t, from, to, p);
    case 4: return detail::transpose_planes<detail::cell<4>>(t, from, to, p);
    default: return detail::transpose_planes<detail::cell<8>>(t, from, to, p);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
