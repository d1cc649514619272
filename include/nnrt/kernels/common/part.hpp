// part: division of the work of one kernel call among tasks.
// Flow: a thread pool calls a kernel once per part, in any order or concurrently; all parts together compute what part
// {0, 1} computes.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Part `index` of `count` (0 <= index < count), or piece `piece` of `pieces` of that part. Results do not depend on
/// the counts.
///
/// The division into parts depends on `count` alone: parts belong to threads, so a core finds its own results in its
/// cache. Pieces divide a part further, so that an idle thread can take over some of another thread's work.
struct part {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::int64_t piece = 0;
  std::int64_t pieces = 1;

  /// The whole part, without pieces.
  constexpr part in_one() const { return {index, count}; }
};

/// A part of a matrix product. Parts are tiles of rows or panels of columns, whichever axis is cheaper to divide;
/// by_columns: panels if there are enough, for threads that have just packed their own panels of B.
struct product_part : part {
  bool by_columns = false;
};

/// The indices begin <= i < end.
struct interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t size() const { return end - begin; }
};

/// Units along two axes.
struct rectangle {
  interval rows, columns;
};

namespace detail {
/// share() for more than one part.
[[gnu::noinline]] constexpr interval share_among(std::int64_t n, part p) {
  const std::int64_t up = p.count - 1, begin = (n * p.index + up) / p.count, end = (n * (p.index + 1) + up) / p.count;
  if (begin >= end) return {};
  if (p.pieces == 1) return {begin, end};
  const interval mine = share_among(end - begin, {p.piece, p.pieces});
  return mine.size() == 0 ? mine : interval{begin + mine.begin, begin + mine.end};
}
}  // namespace detail

/// Share of a part in n units. Parts differ by at most one unit. The first parts get the larger shares: part 0 runs on
/// the calling thread, which starts before the others wake up. Empty shares are {0, 0}.
constexpr interval share(std::int64_t n, part p) {
  // Two divisions would be some percent of a step of 100 ns.
  return p.count == 1 ? interval{0, n} : detail::share_among(n, p);
}

/// True if parts of rows x columns units are rows. A core then finds the rows that it wrote in the previous step in its
/// cache. No line is read by two cores and then written by one of them. Parts are rows if rows >= columns. With 4 or
/// more rows per part, they are rows unless the largest part becomes a quarter larger than by columns. With fewer rows,
/// columns must be more than an eighth worse: the last row tile is often partial.
constexpr bool takes_rows(std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  if (rows >= columns) return true;
  // Work of the largest part, by rows and by columns.
  const std::int64_t by_rows = (rows + parts - 1) / parts * columns, by_columns = (columns + parts - 1) / parts * rows;
  return rows >= 4 * parts ? 4 * by_rows <= 5 * by_columns : 9 * by_rows < 8 * by_columns;
}

/// One piece of a part, cut along the longer axis: each piece reads all data along the other axis. A row counts as
/// `row_length` columns.
constexpr rectangle piece_of(rectangle mine, part p, std::int64_t row_length = 1) {
  if (p.pieces == 1) return mine;
  interval& cut = mine.rows.size() * row_length >= mine.columns.size() ? mine.rows : mine.columns;
  const interval taken = share(cut.size(), {p.piece, p.pieces});
  cut = {cut.begin + taken.begin, cut.begin + taken.end};
  return mine;
}

/// Share of a part in rows x columns units.
constexpr rectangle share(std::int64_t rows, std::int64_t columns, part p, std::int64_t row_length = 1) {
  if (p.count == 1) return {{0, rows}, {0, columns}};
  const bool by_rows = takes_rows(rows, columns, p.count);
  return piece_of(
      by_rows ? rectangle{share(rows, p.in_one()), {0, columns}} : rectangle{{0, rows}, share(columns, p.in_one())}, p,
      row_length);
}

/// Share of a part for work that first transforms each of its rows, for any number of columns. Shares of columns are
/// not cut into pieces.
constexpr rectangle share_of_transforms(std::int64_t rows, std::int64_t columns, part p) {
  if (p.count == 1 || takes_rows(rows, columns, p.count)) return {share(rows, p), {0, columns}};
  if (p.piece > 0) return {};
  return {{0, rows}, share(columns, p.in_one())};
}

}}}  // namespace nnrt::NNRT_ISA::kernels
