// part: how the work of one kernel call is divided among tasks.
// Flow: a thread pool calls a kernel once per part, in any order or at once; together they do what part {0, 1} does.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Part `index` of `count` (0 <= index < count), or piece `piece` of `pieces` of it. Every kernel gives the same bits
/// for any counts.
///
/// What is shared out, and along which axis, depends on count alone: parts go to threads, and a core finds in its cache
/// what it has made itself. Pieces cut further what a part does, so that a thread that is done can take over some of
/// another's.
struct part {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::int64_t piece = 0;
  std::int64_t pieces = 1;

  /// This part where it cannot be cut: the first piece does all of it.
  constexpr part in_one() const { return {index, count}; }
};

/// begin <= i < end.
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
/// share() among several parts.
[[gnu::noinline]] constexpr interval share_among(std::int64_t n, part p) {
  const std::int64_t up = p.count - 1, begin = (n * p.index + up) / p.count, end = (n * (p.index + 1) + up) / p.count;
  if (begin >= end) return {};
  if (p.pieces == 1) return {begin, end};
  const interval mine = share_among(end - begin, {p.piece, p.pieces});
  return mine.size() == 0 ? mine : interval{begin + mine.begin, begin + mine.end};
}
}  // namespace detail

/// What a part does of n units; the parts differ by one unit at most. The first parts get the larger shares, since part
/// 0 is the caller's own, who begins before others have woken up; those that get nothing have 0 <= i < 0.
constexpr interval share(std::int64_t n, part p) {
  // Two divisions are some percent of a step that takes a hundred nanoseconds.
  return p.count == 1 ? interval{0, n} : detail::share_among(n, p);
}

/// Whether parts of rows x columns units are rows. That is so wherever there are many of them: a core finds in its
/// cache the rows that it wrote in the step before, however many columns those had, while lines that two cores have
/// read are taken from one of them before they are written again. Elsewhere parts are as equal as can be; the last of
/// few rows is often no whole tile, so they have to be an eighth better.
constexpr bool takes_rows(std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  if (rows >= columns) return true;
  // What the largest part does of all, by either.
  const std::int64_t by_rows = (rows + parts - 1) / parts * columns, by_columns = (columns + parts - 1) / parts * rows;
  return rows >= 4 * parts ? 4 * by_rows <= 5 * by_columns : 9 * by_rows < 8 * by_columns;
}

/// A piece of what a part does: cut along the longer axis, for each piece reads all that lies along the other one. A
/// row counts as `row_length` columns.
constexpr rectangle piece_of(rectangle mine, part p, std::int64_t row_length = 1) {
  if (p.pieces == 1) return mine;
  interval& cut = mine.rows.size() * row_length >= mine.columns.size() ? mine.rows : mine.columns;
  const interval taken = share(cut.size(), {p.piece, p.pieces});
  cut = {cut.begin + taken.begin, cut.begin + taken.end};
  return mine;
}

/// What a part does of rows x columns units.
constexpr rectangle share(std::int64_t rows, std::int64_t columns, part p, std::int64_t row_length = 1) {
  if (p.count == 1) return {{0, rows}, {0, columns}};
  const bool by_rows = takes_rows(rows, columns, p.count);
  return piece_of(
      by_rows ? rectangle{share(rows, p.in_one()), {0, columns}} : rectangle{{0, rows}, share(columns, p.in_one())}, p,
      row_length);
}

/// The same for work that transforms each of its rows first, however few columns it then makes of them: columns are not
/// cut further.
constexpr rectangle share_of_transforms(std::int64_t rows, std::int64_t columns, part p) {
  if (p.count == 1 || takes_rows(rows, columns, p.count)) return {share(rows, p), {0, columns}};
  if (p.piece > 0) return {};
  return {{0, rows}, share(columns, p.in_one())};
}

}}}  // namespace nnrt::NNRT_ISA::kernels
