#include <nnrt/kernels/common/part.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

using namespace nnrt;
using kernels::interval, kernels::part, kernels::rectangle, kernels::share, kernels::takes_rows;

namespace {

bool is(interval x, std::int64_t begin, std::int64_t end) { return x.begin == begin && x.end == end; }

}  // namespace

TEST_CASE("part: parts follow each other, end where all ends, and differ by one unit at most") {
  for (const std::int64_t n : {0, 1, 5, 7, 64})
    for (const int count : {1, 2, 3, 8}) {
      CAPTURE(n);
      CAPTURE(count);
      std::int64_t done = 0;
      for (int i = 0; i < count; ++i) {
        const interval mine = share(n, part{i, count});
        if (mine.size() > 0) CHECK(mine.begin == done);
        CHECK(mine.size() >= n / count);
        CHECK(mine.size() <= (n + count - 1) / count);
        done += mine.size();
      }
      CHECK(done == n);
    }
}

TEST_CASE("part: pieces follow each other within their part, along its longer axis, and differ by one unit at most") {
  for (const std::int64_t rows : {0, 1, 3, 4, 9, 64})
    for (const std::int64_t columns : {1, 5, 32})
      for (const int count : {2, 3, 8})
        for (const int pieces : {1, 2, 5, 8})
          for (int i = 0; i < count; ++i) {
            CAPTURE(rows);
            CAPTURE(columns);
            CAPTURE(count);
            CAPTURE(pieces);
            const rectangle mine = share(rows, columns, part{i, count});
            const bool by_rows = mine.rows.size() >= mine.columns.size();
            const interval whole = by_rows ? mine.rows : mine.columns;
            std::int64_t done = whole.begin;
            for (int k = 0; k < pieces; ++k) {
              const rectangle piece = share(rows, columns, part{i, count, k, pieces});
              const interval cut = by_rows ? piece.rows : piece.columns;
              const interval kept = by_rows ? piece.columns : piece.rows, uncut = by_rows ? mine.columns : mine.rows;
              CHECK(is(kept, uncut.begin, uncut.end));
              if (cut.size() > 0) CHECK(cut.begin == done);
              CHECK(cut.size() >= whole.size() / pieces);
              CHECK(cut.size() <= (whole.size() + pieces - 1) / pieces);
              done += cut.size();
            }
            CHECK(done == whole.begin + whole.size());
          }
}

TEST_CASE("part: how long a row is says which axis pieces cut") {
  const rectangle by_columns = share(16, 32, part{0, 2, 1, 4}), by_rows = share(16, 32, part{0, 2, 1, 4}, 4);
  CHECK((is(by_columns.rows, 0, 8) && is(by_columns.columns, 8, 16)));
  CHECK((is(by_rows.rows, 2, 4) && is(by_rows.columns, 0, 32)));
}

TEST_CASE("part: what transforms rows first cuts rows alone into pieces, and leaves columns to the first") {
  using kernels::share_of_transforms;
  const rectangle rows = share_of_transforms(14, 16, part{1, 2, 1, 2});
  CHECK((is(rows.rows, 11, 14) && is(rows.columns, 0, 16)));
  const rectangle columns = share_of_transforms(1, 8, part{1, 2, 0, 4}),
                  nothing = share_of_transforms(1, 8, part{1, 2, 1, 4});
  CHECK((is(columns.rows, 0, 1) && is(columns.columns, 4, 8)));
  CHECK((nothing.rows.size() == 0 && nothing.columns.size() == 0));
  const rectangle all = share_of_transforms(3, 4, part{});
  CHECK((is(all.rows, 0, 3) && is(all.columns, 0, 4)));
}

TEST_CASE("part: where there are many rows, parts are rows, even where there are more columns") {
  CHECK(takes_rows(14, 16, 2));  // a product of 196 pixels and 512 channels
  CHECK(takes_rows(14, 1000, 2));
  CHECK(takes_rows(9, 16, 2));
  CHECK_FALSE(takes_rows(9, 16, 8));  // the largest of eight parts has two of nine rows, or two of sixteen columns
}

TEST_CASE("part: where there are few rows, parts are as equal as can be") {
  CHECK_FALSE(takes_rows(4, 32, 2));  // 49 pixels: the last tile of them is no whole one
  CHECK(takes_rows(4, 5, 2));         // two and two tiles, not three and two panels
  CHECK_FALSE(takes_rows(3, 4, 2));
  CHECK_FALSE(takes_rows(1, 8, 2));
  CHECK(takes_rows(1, 1, 2));
  CHECK(takes_rows(2, 1, 8));
}

TEST_CASE("part: a part of a rectangle has all of the other axis") {
  const rectangle rows = share(14, 16, part{1, 2}), columns = share(4, 32, part{1, 2}), all = share(3, 4, part{});
  CHECK((is(rows.rows, 7, 14) && is(rows.columns, 0, 16)));
  CHECK((is(columns.rows, 0, 4) && is(columns.columns, 16, 32)));
  CHECK((is(all.rows, 0, 3) && is(all.columns, 0, 4)));
}
