// tables: sets of tile functions, so that a program contains only the functions that its plans use.
// Flow: plans name a table for each product; f32/gemm/gemm.hpp and its users look up the function of each tile in it.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/gemm/tile.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Kinds of panels by their columns in use.
enum class tile_columns { one_vector, two_vectors, one_and_half, half };
constexpr tile_columns columns_for(std::int64_t width) {
  if (is_lane_paired(width)) return tile_columns::half;
  if (ends_in_half_vector(width)) return tile_columns::one_and_half;
  return width <= f32_lanes ? tile_columns::one_vector : tile_columns::two_vectors;
}

/// The function for 2 I rows; for one row if I is 0.
/// Tiles of fewer than 8 rows have no function for one and a half vectors: the function for two vectors computes them.
template <class Isa, tile_columns Columns, int I> constexpr tile_function function_for() {
  constexpr int rows = I == 0 ? 1 : 2 * I;
  if constexpr (Columns == tile_columns::half && has_half_vector)
    return &tile<Isa, sums_of_pairs<first_integers<rows>>>;
  else if constexpr (Columns == tile_columns::half || Columns == tile_columns::one_vector)
    return &tile<Isa, sums<1, first_integers<rows>>>;
  else if constexpr (Columns == tile_columns::one_and_half && has_half_vector && rows >= 8)
    return &tile<Isa, sums_and_half<first_integers<I>>>;
  else return &tile<Isa, sums<2, first_integers<rows>>>;
}

}  // namespace detail

/// Tile functions that a product needs. Bit i of `rows` is function_rows 2 i (bit 0: one row); bit c of `columns` is
/// tile_columns c.
struct tile_set {
  unsigned rows = 0, columns = 0;

  constexpr tile_set operator|(tile_set other) const { return {rows | other.rows, columns | other.columns}; }
  constexpr bool contains(tile_set other) const {
    return (rows | other.rows) == rows && (columns | other.columns) == columns;
  }
  friend constexpr bool operator==(const tile_set&, const tile_set&) = default;
};
inline constexpr tile_set all_tiles{(1U << detail::row_counts) - 1, has_half_vector ? 0b1111 : 0b11};

namespace detail {
/// The set with the function of one tile.
constexpr tile_set tile_of(std::int64_t rows, std::int64_t width) {
  return {1U << (function_rows(rows) / 2), 1U << static_cast<unsigned>(columns_for(width))};
}
/// The tiles of `rows` rows along n columns.
constexpr tile_set tiles_along(std::int64_t rows, std::int64_t n) {
  tile_set set;
  if (n >= nr) set = tile_of(rows, nr);
  if (n % nr != 0) set = set | tile_of(rows, n % nr);
  return set;
}
}  // namespace detail

/// The set for a division of rows into tiles, with n columns.
constexpr tile_set tile_set_for(const m_blocking& tiles, std::int64_t n) {
  if (tiles.count() <= 0) return {};
  return detail::tiles_along(tiles.rows(0), n) | detail::tiles_along(tiles.rows(tiles.count() - 1), n);
}
/// The set for the product of an m x k and a k x n matrix.
constexpr tile_set tile_set_for(std::int64_t m, std::int64_t n) { return tile_set_for(m_blocking_of(m), n); }

/// The functions of a set; null for functions outside the set.
struct tile_table {
  detail::tile_function of[4][detail::row_counts] = {};  // [tile_columns][function_rows / 2]
  detail::tile_function two_panels = nullptr;            // row_of_two_panels() for single rows

  detail::tile_function for_tile(std::int64_t rows, std::int64_t width) const {
    return of[static_cast<std::size_t>(detail::columns_for(width))][detail::function_rows(rows) / 2];
  }
};

/// Tile functions of a product, and the end of the weights that it may prefetch: its own and those of later layers.
/// Other threads may write the memory that follows. Prefetching such a line would move it between caches.
struct tiling {
  const tile_table& functions;
  address weights_end;

  constexpr tiling(const tile_table& from, address end = 0) : functions(from), weights_end(end) {}
  detail::tile_function for_tile(std::int64_t rows, std::int64_t width) const {
    return functions.for_tile(rows, width);
  }
};

namespace detail {

template <class Isa, tile_set Set, tile_columns Columns, int I> constexpr void add_function(tile_table& table) {
  if constexpr ((Set.rows >> I & 1U) != 0)
    table.of[static_cast<unsigned>(Columns)][I] = function_for<Isa, Columns, I>();
}
template <class Isa, tile_set Set, tile_columns Columns, int... I>
constexpr void add_functions(tile_table& table, std::integer_sequence<int, I...>) {
  if constexpr ((Set.columns >> static_cast<unsigned>(Columns) & 1U) != 0)
    (add_function<Isa, Set, Columns, I>(table), ...);
}

/// Builds the table of a set; other functions are not compiled.
template <class Isa, tile_set Set> constexpr tile_table make_table() {
  tile_table table;
  add_functions<Isa, Set, tile_columns::one_vector>(table, first_integers<row_counts>{});
  add_functions<Isa, Set, tile_columns::two_vectors>(table, first_integers<row_counts>{});
  add_functions<Isa, Set, tile_columns::one_and_half>(table, first_integers<row_counts>{});
  add_functions<Isa, Set, tile_columns::half>(table, first_integers<row_counts>{});
  if constexpr (has_rows_of_two_panels && Set.contains(tile_of(1, nr))) table.two_panels = &row_of_two_panels<Isa>;
  return table;
}

}  // namespace detail

/// The table with all functions.
template <class Isa> inline constexpr tile_table tiles_of = detail::make_table<Isa, all_tiles>();

namespace detail {

// All tile functions together cost the compiler 0.8 s and 26 KB of code. So each product's plan points to a small table
// with the functions that it needs, and a program contains only these.

/// Sets for which tables exist.
/// Rows: each count alone, each count with the largest, two adjacent counts, all. Columns: one kind, full panels with
/// one other kind, all. `smallest_of_two`: half the rows of the first of two tiles, for the smallest m that needs two.
inline constexpr int smallest_of_two = (mr / 2 + 1) / 2;
inline constexpr int row_sets = 2 * row_counts + std::max(0, row_counts - 1 - smallest_of_two), column_sets = 8;
constexpr unsigned row_set(int i) {
  constexpr unsigned largest = 1U << (row_counts - 1);
  if (i < row_counts) return 1U << i;
  if (i < 2 * row_counts - 1) return largest | 1U << (i - row_counts);
  if (i < row_sets - 1) return 0b11U << (i - (2 * row_counts - 1) + smallest_of_two - 1);
  return all_tiles.rows;
}
constexpr unsigned column_set(int i) {
  constexpr unsigned sets[column_sets] = {0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b0110, 0b1010, all_tiles.columns};
  return sets[i];
}

}  // namespace detail

/// Number of tables (the last one has all functions), and the index of the smallest table that contains a set.
inline constexpr int tile_tables = detail::row_sets * detail::column_sets;
constexpr int tile_table_for(tile_set set) {
  int r = 0, c = 0;
  while ((detail::row_set(r) | set.rows) != detail::row_set(r)) ++r;
  while ((detail::column_set(c) | set.columns) != detail::column_set(c)) ++c;
  return r * detail::column_sets + c;
}
/// The table with this index.
template <class Isa, int Table>
inline constexpr tile_table some_tiles =
    detail::make_table<Isa, tile_set{detail::row_set(Table / detail::column_sets),
                                     detail::column_set(Table % detail::column_sets)}>();

}}}  // namespace nnrt::NNRT_ISA::kernels
