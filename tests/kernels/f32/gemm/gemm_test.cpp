// gemm_test: the packed product against a naive one in double, at the edges of tiles and panels, divided in every way.
#include <nnrt/kernels/f32/gemm/gemm.hpp>

#include "../../../support/fenced.hpp"
#include "../../../support/tiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace nnrt::kernels;
using nnrt_test::fenced;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float untouched = -123.0F;

/// A product with buffers that end where they must: the last row of A has k floats, the last of C has n.
struct problem {
  gemm_shape s;
  std::int64_t lda, ldc;
  clamp_range range;
  fenced a, b, bias, packed;

  problem(gemm_shape shape, std::int64_t a_gap, std::int64_t c_gap, clamp_range limits, std::minstd_rand& random)
      : s(shape),
        lda(s.k + a_gap),
        ldc(s.n + c_gap),
        range(limits),
        a(extent(s.m, lda, s.k)),
        b(s.k * s.n),
        bias(s.n),
        packed(packed_floats(s.k, s.n)) {
    randomize(a, random), randomize(b, random), randomize(bias, random);
    pack({b.data(), s.n, 1}, {.k = s.k, .n = s.n, .bias = bias.data()}, packed.data());
  }
  static std::int64_t extent(std::int64_t rows, std::int64_t pitch, std::int64_t width) {
    return rows == 0 ? 0 : (rows - 1) * pitch + width;
  }
  gemm_arguments arguments(fenced& c) const {
    return {.shape = s, .a = {a.data(), lda}, .packed = packed.data(), .c = {c.data(), ldc}, .range = range};
  }
  fenced empty_result() const { return fenced(extent(s.m, ldc, s.n), untouched); }
  void run(fenced& c, part p = {}) const {
    const tile_table tiles = nnrt_test::tiles_in(tile_set_for(s.m, s.n));
    gemm(arguments(c), {p}, tiles);
  }
};

/// Largest error, in units of what rounding may cost the sum; anything below 1 is right.
double worst_error(const problem& p, const fenced& c) {
  double worst = 0;
  for (std::int64_t i = 0; i < p.s.m; ++i)
    for (std::int64_t j = 0; j < p.s.n; ++j) {
      double sum = p.bias[j], size = std::abs(sum) + 1;
      for (std::int64_t l = 0; l < p.s.k; ++l) {
        const double product = static_cast<double>(p.a[i * p.lda + l]) * p.b[l * p.s.n + j];
        sum += product, size += std::abs(product);
      }
      const double want = std::clamp<double>(sum, p.range.lo, p.range.hi);
      worst = std::max(worst, nnrt_test::error_ratio(c[i * p.ldc + j], want, 2e-6 * size));
    }
  return worst;
}

bool gaps_are_untouched(const problem& p, const fenced& c) {
  for (std::int64_t i = 0; i + 1 < p.s.m; ++i)
    for (std::int64_t j = p.s.n; j < p.ldc; ++j)
      if (c[i * p.ldc + j] != untouched) return false;
  return true;
}

void check(const problem& p) {
  CAPTURE(p.s.m);
  CAPTURE(p.s.k);
  CAPTURE(p.s.n);
  fenced c = p.empty_result();
  p.run(c);
  CHECK(worst_error(p, c) < 1);
  CHECK(gaps_are_untouched(p, c));
  for (const std::int64_t parts : {2, 3, 5}) {
    fenced divided = p.empty_result();
    for (std::int64_t i = parts; i-- > 0;) p.run(divided, {i, parts});
    CHECK(nnrt_test::same_bits(c, divided));
  }
}

TEST_CASE("gemm: every row count up to three tiles is right") {
  std::minstd_rand random(1);
  for (std::int64_t m = 0; m <= 3 * mr + 1; ++m)
    for (const std::int64_t n : {std::int64_t{1}, f32_lanes / 2, f32_lanes, f32_lanes + 1, f32_lanes + f32_lanes / 2,
                                 2 * f32_lanes, 2 * f32_lanes + f32_lanes / 2, 3 * f32_lanes + 1})
      check(problem({m, 1 + m % 5, n}, m % 3, n % 4, {}, random));
}

TEST_CASE("gemm: every column count up to 70 is right") {
  std::minstd_rand random(2);
  for (std::int64_t n = 0; n <= 70; ++n)
    for (const std::int64_t m : {1, 3, 7, 9, 15}) check(problem({m, 6, n}, 0, n % 3, {0.0F, 6.0F}, random));
}

TEST_CASE("gemm: every depth up to 20 is right, and depth 0 gives the bias") {
  std::minstd_rand random(3);
  for (std::int64_t k = 0; k <= 20; ++k)
    for (const std::int64_t m : {1, 2, 3, 4, 6, 14, 16})
      for (const std::int64_t n : {3, 20, 33}) check(problem({m, k, n}, 1, 0, {-0.5F, inf}, random));
}

TEST_CASE("gemm: rows of many tiles of few products, several of which one call makes, are right") {
  std::minstd_rand random(7);
  for (const std::int64_t m : {20 * mr, 20 * mr + 3, 20 * mr + mr / 2})
    for (const std::int64_t n :
         {f32_lanes / 2, f32_lanes, f32_lanes + f32_lanes / 2, 2 * f32_lanes, 2 * f32_lanes + 3, 5 * f32_lanes})
      for (const std::int64_t k : {0, 1, 8, 45}) check(problem({m, k, n}, n % 3, k % 2, {-1.0F, 6.0F}, random));
}

TEST_CASE("gemm: large products are right") {
  std::minstd_rand random(4);
  for (const gemm_shape s :
       {gemm_shape{1, 1000, 300}, {196, 64, 96}, {49, 700, 160}, {3, 5000, 70}, {60, 1100, 120}, {200, 700, 70}})
    check(problem(s, 0, 0, {}, random));
}

TEST_CASE("gemm: rows from afar are asked for first, then weights, then nothing that is not there already") {
  detail::tile_args t{.k = 3, .runs = 2, .count = 4};
  t.a = 5000;
  constexpr address far_away = 100'000'000;
  detail::panel_prefetch ahead(address{1'000'000}, far_away);
  CHECK(ahead.weights_end == address{1'000'000} + 4 * detail::weights_in_cache);
  static_assert(detail::bytes_ahead % 64 == 0 && detail::bytes_ahead >= nr * 4);
  constexpr address at_once = 3 * 2 * 4 * detail::bytes_ahead;  // of the lines of these tiles
  ahead.rows_behind(address{2'000'000}, at_once / 4 + 32);
  for (const address expected : {address{2'000'000}, 2'000'000 + at_once, address{1'000'000}, 1'000'000 + at_once}) {
    ahead.give(t);
    CHECK(t.ahead == expected);
    CHECK(t.ahead_step == detail::bytes_ahead);
    ahead.take(t);
  }
  ahead.weights = ahead.weights_end;
  ahead.give(t);
  CHECK(t.ahead == t.a);
  CHECK(t.ahead_step == 0);
  // After the last weights is memory that other threads write.
  CHECK(detail::panel_prefetch(address{1'000'000}, address{1'001'000}).weights_end == address{1'001'000});
  detail::panel_prefetch nothing(address{1'000'000}, 0);
  nothing.give(t);
  CHECK(t.ahead == t.a);
  CHECK(t.ahead_step == 0);
  CHECK(detail::comes_from_afar(784 * 256));
  CHECK_FALSE(detail::comes_from_afar(49 * 960));
}

TEST_CASE(
    "gemm: rows have 4K aliasing where they begin 4 KiB apart, if a tile has more of them than a set of L1 has lines") {
  constexpr bool is_high = mr > 12;
  CHECK(rows_alias_4k(mr, 4096, nr) == is_high);
  CHECK(rows_alias_4k(196, 3 * 4096, 1000) == is_high);
  CHECK_FALSE(rows_alias_4k(12, 4096, 1000));
  CHECK_FALSE(rows_alias_4k(196, 2048, 1000));
  CHECK_FALSE(rows_alias_4k(196, 4096 + 64, 1000));
  CHECK_FALSE(rows_alias_4k(196, 4096, nr - 1));
  CHECK_FALSE(rows_alias_4k(196, 0, 1000));
  for (const std::int64_t k : {1024, 2048, 10240}) CHECK(copied_row_floats(k) % 1024 != 0);
  CHECK(copied_row_floats(1000) == 1000);
  CHECK(copied_row_floats(0) == 0);
  for (const std::int64_t bytes : {0, 64, 2048, 4095, 4096 + 64}) CHECK(bytes_apart(bytes) == bytes);
  for (const std::int64_t bytes : {4096, 3 * 4096}) CHECK(bytes_apart(bytes) == bytes + 64);
}

TEST_CASE("gemm: copied rows give the bits that rows give where they lie, in every division into parts") {
  std::minstd_rand random(8);
  const auto total = [](std::int64_t m, std::int64_t k) { return copied_rows_floats(m, k) + 16; };
  for (const std::int64_t m : {std::int64_t{0}, std::int64_t{1}, std::int64_t{13}, std::int64_t{mr},
                               std::int64_t{mr + 1}, std::int64_t{9 * mr + 3}})
    for (const std::int64_t k : {0, 3, 1024, 6144})
      for (const std::int64_t n : {f32_lanes / 2, nr + 3}) {
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        const problem p({m, k, n}, 0, 0, {-0.5F, inf}, random);
        fenced right = p.empty_result();
        p.run(right);
        const tile_table tiles = nnrt_test::tiles_in(tile_set_for(m, n));
        for (const std::int64_t parts : {1, 2, 5}) {
          fenced c = p.empty_result();
          for (std::int64_t i = parts; i-- > 0;) {
            fenced scratch(total(m, k), nan);
            gemm_on_copies(p.arguments(c), scratch.data(), {{i, parts}}, tiles);
            for (std::int64_t at = copied_rows_floats(m, k); at < total(m, k); ++at) CHECK(std::isnan(scratch[at]));
          }
          CHECK(nnrt_test::same_bits(c, right));
        }
      }
}

TEST_CASE("gemm: random shapes are right") {
  std::minstd_rand random(5);
  for (int i = 0; i < 150; ++i) {
    const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    check(problem({below(31), below(21), below(71)}, below(4), below(4), {}, random));
  }
}

TEST_CASE("gemm: a matrix stored by columns packs like one stored by rows") {
  std::minstd_rand random(6);
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{4}, std::int64_t{5},
                               std::int64_t{7}, std::int64_t{8}, std::int64_t{21}, detail::turned_rows + 5})
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{3}, f32_lanes, f32_lanes + 1, f32_lanes + f32_lanes / 2,
                                 2 * f32_lanes, 2 * f32_lanes + 3, 5 * f32_lanes - 1}) {
      CAPTURE(k);
      CAPTURE(n);
      fenced b(k * n), transposed(k * n), by_rows(packed_floats(k, n)), by_columns(packed_floats(k, n));
      randomize(b, random);
      for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < n; ++j) transposed[j * k + i] = b[i * n + j];
      pack({b.data(), n, 1}, {.k = k, .n = n}, by_rows.data());
      pack({transposed.data(), 1, k}, {.k = k, .n = n}, by_columns.data());
      CHECK(nnrt_test::same_bits(by_rows, by_columns));
    }
}

TEST_CASE("gemm: a panel of half a vector has pairs of k, and the last of an odd run by halves") {
  if constexpr (has_half_vector) {
    const std::int64_t k = 6, n = f32_lanes / 2 - 1, run = 3;
    fenced b(k * n), packed(packed_floats(k, n));
    for (std::int64_t i = 0; i < k * n; ++i) b[i] = static_cast<float>(i + 1);
    pack({b.data(), n, 1}, {.k = k, .n = n, .run = run}, packed.data());
    const std::int64_t firsts[] = {0, 2, 3, 5}, seconds[] = {1, 2, 4, 5};
    const float* panel = packed.data() + f32_lanes;
    for (std::size_t pair = 0; pair < 4; ++pair, panel += f32_lanes)
      for (std::int64_t j = 0; j < f32_lanes / 2; ++j) {
        CAPTURE(pair);
        CAPTURE(j);
        const float part = firsts[pair] == seconds[pair] ? 0.5F : 1.0F;
        const auto weight = [&](std::int64_t i) { return j < n ? part * b[i * n + j] : 0.0F; };
        CHECK(panel[2 * j] == weight(firsts[pair]));
        CHECK(panel[2 * j + 1] == weight(seconds[pair]));
      }
    CHECK(packed_run(k, n, run) == run);
    CHECK(packed_run(k, n, 2) == k);
    CHECK(packed_run(k, f32_lanes, run) == k);
  }
}

TEST_CASE(
    "gemm: memory after the last of an odd number of products is not read, and infinities stay what they "
    "are") {
  for (const std::int64_t m : {std::int64_t{1}, std::int64_t{2}, std::int64_t{mr}})
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{3}, std::int64_t{17}}) {
      CAPTURE(m);
      CAPTURE(k);
      const std::int64_t n = 3, lda = k + 1;
      fenced a(m * lda, nan), b(k * n, 1.0F), packed(packed_floats(k, n)), c(m * n);
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < k; ++j) a[i * lda + j] = 1.0F;
      pack({b.data(), n, 1}, {.k = k, .n = n}, packed.data());
      gemm({.shape = {m, k, n}, .a = {a.data(), lda}, .packed = packed.data(), .c = {c.data(), n}});
      CHECK(nnrt_test::same_bits(c, fenced(m * n, static_cast<float>(k))));
      for (std::int64_t i = 0; i < m; ++i) a[i * lda + k - 1] = std::numeric_limits<float>::infinity();
      gemm({.shape = {m, k, n}, .a = {a.data(), lda}, .packed = packed.data(), .c = {c.data(), n}});
      CHECK(nnrt_test::same_bits(c, fenced(m * n, std::numeric_limits<float>::infinity())));
    }
}

TEST_CASE("gemm: no bias means zeros") {
  const std::int64_t n = f32_lanes + 1;
  fenced b(n, 1.0F), packed(packed_floats(1, n), untouched), a(1, 2.0F), c(n);
  pack({b.data(), n, 1}, {.k = 1, .n = n}, packed.data());
  gemm({.shape = {1, 1, n}, .a = {a.data(), 1}, .packed = packed.data(), .c = {c.data(), n}});
  CHECK(nnrt_test::same_bits(c, fenced(n, 2.0F)));
}

TEST_CASE("gemm: a NaN among the products stays NaN through the clamp and keeps to its row and column") {
  for (const std::int64_t m : {1, 5, 13, 14})
    for (const std::int64_t n : {std::int64_t{5}, f32_lanes + 3, 2 * f32_lanes}) {
      CAPTURE(m);
      CAPTURE(n);
      const std::int64_t k = 3;
      fenced a(m * k, 1.0F), b(k * n, 1.0F), packed(packed_floats(k, n)), c(m * n);
      a[(m - 1) * k + 1] = nan;
      pack({b.data(), n, 1}, {.k = k, .n = n}, packed.data());
      gemm(
          {.shape = {m, k, n}, .a = {a.data(), k}, .packed = packed.data(), .c = {c.data(), n}, .range = {0.0F, 6.0F}});
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          if (i == m - 1) CHECK(std::isnan(c[i * n + j]));
          else CHECK(c[i * n + j] == 3.0F);
        }
    }
}

TEST_CASE("gemm: the set for a product has the same function for each of its tiles as the set of all") {
  for (std::int64_t m = 1; m <= 200; ++m)
    for (std::int64_t n = 1; n <= 2 * nr; ++n) {
      const m_blocking tiles = m_blocking_of(m);
      const tile_table& some = nnrt_test::table_for(tile_set_for(m, n));
      for (std::int64_t t = 0; t < tiles.count(); ++t)
        for (std::int64_t p = 0; p < panels_of(n); ++p) {
          const std::int64_t rows = tiles.begin(t + 1) - tiles.begin(t);
          const std::int64_t width = std::min(nr, n - p * nr);
          const bool is_the_same = some.for_tile(rows, width) == tiles_of<native>.for_tile(rows, width);
          CHECK(is_the_same);
        }
    }
}

TEST_CASE("gemm: a product gets the functions of its tiles, and few others") {
  const auto functions = [](std::int64_t m, std::int64_t n) {
    int count = 0;
    for (const auto& row : nnrt_test::table_for(tile_set_for(m, n)).of)
      for (const auto function : row) count += function != nullptr ? 1 : 0;
    return count;
  };
  CHECK(functions(1, nr) == 1);
  CHECK(functions(mr, nr) == 1);
  CHECK(functions(5 * mr, 2 * nr) == 1);
  CHECK(functions(5 * mr, nr + 1) == 2);
  CHECK(functions(5 * mr - 2, nr) <= 2);
  for (std::int64_t m = 0; m <= 5 * mr; ++m) CHECK(functions(m, 2 * nr) <= 2);
}

TEST_CASE(
    "gemm: a row goes through whole panels in pairs where registers do, with the bits that it has in each of them "
    "alone") {
  const auto is_there = [](std::int64_t rows) {
    return nnrt_test::table_for(tile_set_for(rows, nr)).two_panels != nullptr;
  };
  CHECK(is_there(1) == nnrt::kernels::detail::has_rows_of_two_panels);
  CHECK(!is_there(mr));
  tile_table single = tiles_of<native>;
  single.two_panels = nullptr;
  std::minstd_rand random(7);
  for (const std::int64_t k : {0, 1, 3, 4, 7, 64, 129})
    for (const std::int64_t panels : {1, 2, 3, 4, 7}) {
      const problem p({1, k, panels * nr + (panels % 3 == 0 ? 5 : 0)}, 0, 0, {-1.0F, 2.0F}, random);
      fenced c = p.empty_result(), alone = p.empty_result();
      gemm(p.arguments(c));
      gemm(p.arguments(alone), {}, single);
      CHECK(nnrt_test::same_bits(c, alone));
    }
}

TEST_CASE("gemm: tiles cover the rows in order, and differ by two rows at most, and by one that is odd") {
  for (std::int64_t m = 0; m <= 200; ++m) {
    CAPTURE(m);
    const m_blocking tiles{m};
    CHECK(tiles.begin(0) == 0);
    CHECK(tiles.count() == (m + mr - 1) / mr);
    CHECK(tiles.begin(tiles.count()) == m);
    std::int64_t odd = 0;
    for (std::int64_t t = 0; t < tiles.count(); ++t) {
      const std::int64_t rows = tiles.rows(t);
      CHECK(rows == tiles.begin(t + 1) - tiles.begin(t));
      CHECK(rows <= mr);
      CHECK(rows >= std::min<std::int64_t>(m, mr / 2));
      CHECK(detail::function_rows(rows) >= detail::function_rows(tiles.rows(0)) - 2);
      CHECK(detail::function_rows(rows) <= detail::function_rows(tiles.rows(0)));
      const std::int64_t alike = tiles.alike(t);
      CHECK(alike >= 1);
      CHECK(tiles.begin(t + alike) - tiles.begin(t) == alike * rows);
      for (std::int64_t i = 0; i < alike; ++i) CHECK(tiles.rows(t + i) == rows);
      if (t + alike < tiles.count()) CHECK(tiles.rows(t + alike) != rows);
      odd += m > 1 ? rows % 2 : 0;
    }
    CHECK(odd == (m > 1 ? m % 2 : 0));
  }
}

TEST_CASE(
    "gemm: two threads have as many tiles of a product each, where it has three that are not full and four are large "
    "enough") {
  for (std::int64_t m = 1; m <= 200; ++m) {
    CAPTURE(m);
    const m_blocking plain{m}, tiles = m_blocking_of(m);
    const bool is_plain = tiles.count() == plain.count();
    CHECK((is_plain || (plain.count() == 3 && tiles.count() == 4 && tiles.rows(3) >= 7)));
    CHECK((is_plain || m % mr != 0));  // stripes of an image reckon with full tiles
    CHECK(is_plain == (mr < 14 || m < 31 || m > 41));
  }
}

TEST_CASE("gemm: a given number of tiles covers the rows, too") {
  for (std::int64_t m = 2; m <= 100; ++m)
    for (std::int64_t count = (m + mr - 1) / mr; count <= m / 2; ++count) {
      CAPTURE(m);
      CAPTURE(count);
      const m_blocking tiles(m, count);
      CHECK(tiles.count() == count);
      CHECK(tiles.begin(0) == 0);
      CHECK(tiles.begin(count) == m);
      for (std::int64_t t = 0; t < count; ++t) {
        CHECK(tiles.rows(t) >= 1);
        CHECK(tiles.rows(t) <= mr);
      }
    }
}

TEST_CASE("part: parts are disjoint, in order, and cover everything") {
  struct row {
    std::int64_t rows, columns, count;
  };
  for (const row r : {row{7, 3, 2}, {3, 7, 2}, {0, 0, 3}, {5, 5, 8}, {1, 100, 3}}) {
    CAPTURE(r.rows);
    CAPTURE(r.columns);
    std::int64_t covered = 0, next = 0;
    for (std::int64_t i = 0; i < r.count; ++i) {
      const rectangle work = share(r.rows, r.columns, part{i, r.count});
      covered += work.rows.size() * work.columns.size();
      const interval along = r.rows >= r.columns ? work.rows : work.columns;
      CHECK(along.begin == (along.size() > 0 ? next : 0));
      next = std::max(next, along.end);
    }
    CHECK(covered == r.rows * r.columns);
  }
}

TEST_CASE("part: what cannot be divided is the first part's, and the first part is never smaller than another") {
  for (const std::int64_t n : {1, 2, 5, 9, 64}) {
    CAPTURE(n);
    CHECK(share(1, part{0, n}).size() == 1);
    for (std::int64_t i = 1; i < 4; ++i) CHECK(share(n, part{i, 4}).size() <= share(n, part{0, 4}).size());
  }
}

}  // namespace
