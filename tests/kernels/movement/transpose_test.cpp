#include <nnrt/kernels/movement/transpose.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace nnrt;
using kernels::transposition;
using kernels::transposition_of;

// Images: one plane for each of the batch, channels and pixels its two axes.
static_assert(transposition_of({2, 64, 112, 112}, {0, 2, 3, 1}, 4).rows == 64);
static_assert(transposition_of({2, 64, 112, 112}, {0, 2, 3, 1}, 4).columns == 112 * 112);
static_assert(transposition_of({2, 64, 112, 112}, {0, 2, 3, 1}, 4).around.rows() == 2);
static_assert(transposition_of({2, 112, 112, 64}, {0, 3, 1, 2}, 4).rows == 112 * 112);
// The innermost axis stays: rows are copied; nothing moves at all: a single one.
static_assert(transposition_of({1, 128, 12, 64}, {0, 2, 1, 3}, 4).moves_rows);
static_assert(transposition_of({1, 128, 12, 64}, {0, 2, 1, 3}, 4).around.row_bytes == 256);
static_assert(transposition_of({5, 1, 7}, {1, 0, 2}, 4).moves_rows &&
              transposition_of({5, 1, 7}, {1, 0, 2}, 4).around.rows() == 1);
static_assert(transposition_of({1, 1}, {1, 0}, 4).moves_rows);

namespace {

template <class T> void check_matrix(std::int64_t rows, std::int64_t columns) {
  std::vector<T> x, expected;
  for (std::int64_t i = 0; i < rows * columns; ++i) x.push_back(static_cast<T>(i * 7 + 1));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) expected.push_back(x[static_cast<std::size_t>(i * columns + j)]);
  const transposition t = transposition_of({rows, columns}, {1, 0}, sizeof(T));
  for (const std::int64_t parts : {1, 3}) {
    std::vector<T> y(x.size());
    for (std::int64_t part = 0; part < parts; ++part)
      kernels::transpose(t, reinterpret_cast<const std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data()),
                         {part, parts});
    CAPTURE(rows);
    CAPTURE(columns);
    CHECK(y == expected);
  }
}

}  // namespace

TEST_CASE("transpose: matrices of every size around whole squares and tiles, elements of every size") {
  const std::int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 67};
  for (const std::int64_t rows : extents)
    for (const std::int64_t columns : extents) {
      check_matrix<std::uint8_t>(rows, columns);
      check_matrix<std::uint16_t>(rows, columns);
      check_matrix<std::uint32_t>(rows, columns);
      check_matrix<std::uint64_t>(rows, columns);
    }
  // Along rows: those that are a multiple of 1 KiB apart, and those of more than 1 MiB; of any number of tiles next to
  // each other.
  static_assert(kernels::detail::goes_along<std::uint32_t>({.around = {}, .from_step = 512}, 196, 512) &&
                !kernels::detail::goes_along<std::uint32_t>({.around = {}, .from_step = 512}, 512, 512));
  static_assert(kernels::detail::goes_along<std::uint8_t>({.around = {}, .from_step = 5001}, 217, 5001) &&
                !kernels::detail::goes_along<std::uint8_t>({.around = {}, .from_step = 5001}, 209, 5001));
  for (const std::int64_t rows : {8, 17, 130}) {
    for (const std::int64_t columns : {512, 1024})
      check_matrix<std::uint16_t>(rows, columns), check_matrix<std::uint32_t>(rows, columns),
          check_matrix<std::uint64_t>(rows, columns);
    check_matrix<std::uint8_t>(rows, 2048);
  }
  check_matrix<std::uint32_t>(67, 5003), check_matrix<std::uint8_t>(300, 5003), check_matrix<std::uint64_t>(33, 5000);
  // more than are turned at once
  for (const std::int64_t rows : {1023, 1025, 1040, 2053})
    check_matrix<std::uint8_t>(rows, 70), check_matrix<std::uint32_t>(rows, 35);
}
