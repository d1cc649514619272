// part: how the work of one kernel call is divided among tasks.
// Flow: a thread pool calls a kernel once per part, in any order or at once; together they do what part {0, 1} does.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// Part `index` of `count` (0 <= index < count). Every kernel gives the same bits for any count.
struct part {
  std::int64_t index = 0;
  std::int64_t count = 1;
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
  return begin < end ? interval{begin, end} : interval{};
}
}  // namespace detail

/// What a part does of n units; the parts differ by one unit at most. The first parts get the larger shares, since part 0 is the caller's own,
/// who begins before others have woken up; those that get nothing have 0 <= i < 0.
constexpr interval share(std::int64_t n, part p) {
  // Two divisions are some percent of a step that takes a hundred nanoseconds.
  return p.count == 1 ? interval{0, n} : detail::share_among(n, p);
}

/// Whether parts of rows x columns units are rows. That is so wherever there are many of them: a core finds in its cache the rows that it wrote in the
/// step before, however many columns those had, while lines that two cores have read are taken from one of them before they are written again.
/// Elsewhere parts are as equal as can be; the last of few rows is often no whole tile, so they have to be an eighth better.
constexpr bool takes_rows(std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  if (rows >= columns) return true;
  // What the largest part does of all, by either.
  const std::int64_t by_rows = (rows + parts - 1) / parts * columns, by_columns = (columns + parts - 1) / parts * rows;
  return rows >= 4 * parts ? 4 * by_rows <= 5 * by_columns : 9 * by_rows < 8 * by_columns;
}

/// What a part does of rows x columns units.
constexpr rectangle share(std::int64_t rows, std::int64_t columns, part p) {
  if (p.count == 1 || takes_rows(rows, columns, p.count)) return {share(rows, p), {0, columns}};
  return {{0, rows}, share(columns, p)};
}

}  // namespace nnrt::inline NNRT_ISA::kernels
