// shape_test: extents, products of them that do not overflow, and strides.
#include <nnrt/core/shape.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace {

using namespace nnrt;

constexpr std::int64_t tera = max_elements;

struct product_row {
  const char* what;
  shape_t shape;
  int from, to;
  std::int64_t elements;
};
constexpr product_row products[] = {
    {"a scalar", {}, 0, max_rank, 1},
    {"all axes", {2, 3, 4}, 0, max_rank, 24},
    {"some axes", {2, 3, 4}, 1, 2, 3},
    {"no axes", {2, 3, 4}, 2, 2, 1},
    {"from after the last axis", {2, 3, 4}, 3, max_rank, 1},
    {"an extent of 0", {2, 0, 4}, 0, max_rank, 0},
    {"an unknown extent", {2, -1, 4}, 0, max_rank, -1},
    {"an unknown extent elsewhere", {2, -1, 4}, 2, max_rank, 4},
    {"exactly the limit", {1 << 20, 1 << 20}, 0, max_rank, tera},
    {"beyond the limit", {1 << 20, (1 << 20) + 1}, 0, max_rank, -1},
    {"far beyond it", {tera, tera, tera, tera, tera, tera, tera, tera}, 0, max_rank, -1},
    {"the largest number", {std::int64_t{1} << 62, 4}, 0, max_rank, -1},
    {"0 before what would be beyond the limit", {0, tera, tera}, 0, max_rank, 0},
    {"0 after what would be beyond it", {tera, tera, 0}, 0, max_rank, 0},
    {"0 after one that is beyond it alone", {std::int64_t{1} << 62, 0, 4}, 0, max_rank, 0},
    {"0 and an unknown extent after it", {tera, tera, 0, -1}, 0, max_rank, -1},
    {"0 after the axes in question", {tera, tera, 0}, 0, 2, -1},
};
constexpr bool multiplies_as_stated(const product_row& r) { return r.shape.elements(r.from, r.to) == r.elements; }
static_assert(std::all_of(std::begin(products), std::end(products), multiplies_as_stated));

TEST_CASE("shape: the number of elements is exact, or -1 when it is unknown or too large") {
  for (const product_row& r : products) {
    CAPTURE(r.what);
    CHECK(multiplies_as_stated(r));
  }
}

TEST_CASE("shape: a product of extents is exact, unknown, or known to be too large") {
  static_assert(extent_product(3, 4) == 12);
  static_assert(extent_product(-1, 4) == -1);
  static_assert(extent_product(0, 4) == 0);
  static_assert(extent_product(-1, 0) == 0);
  static_assert(extent_product(max_elements, 1) == max_elements);
  static_assert(extent_product(max_elements / 2 + 1, 2) == max_elements + 1);
  CHECK(extent_product(max_elements + 1, std::numeric_limits<std::int64_t>::max()) == max_elements + 1);
}

TEST_CASE("shape: axes count from either end, and shapes are equal when rank and extents are") {
  const shape_t s{2, 3, 4};
  CHECK(s[0] == 2);
  CHECK(s[-1] == 4);
  CHECK(s[-3] == 2);
  CHECK(s == shape_t{2, 3, 4});
  CHECK(s != shape_t{2, 3});
  CHECK(s != shape_t{2, 3, 5});
  CHECK(s.with(1, 9) == shape_t{2, 9, 4});
  CHECK(s.with(-1, 9) == shape_t{2, 3, 9});
  CHECK(s.with_axis(0, 7) == shape_t{7, 2, 3, 4});
  CHECK(s.with_axis(3, 7) == shape_t{2, 3, 4, 7});
  CHECK(s.is_known());
  CHECK(!shape_t{2, -1}.is_known());
  CHECK(shape_t{}.is_known());
}

TEST_CASE("shape: more than 8 extents are left out") {
  const shape_t s{1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(s.rank == 8);
  CHECK(s[-1] == 8);
}

static_assert(shape_t(shape<2, 3>) == shape_t{2, 3} && shape_t(shape<>) == shape_t{});
static_assert(row_major_strides({2, 3, 4}) == shape_t{12, 4, 1} && row_major_strides({}) == shape_t{});

TEST_CASE("shape: strides are those of a dense tensor; unknown extents and 0 count as 1") {
  CHECK(row_major_strides({2, 3, 4}) == shape_t{12, 4, 1});
  CHECK(row_major_strides({2, -1, 4}) == shape_t{4, 4, 1});
  CHECK(row_major_strides({2, 0, 4}) == shape_t{4, 4, 1});
  CHECK(row_major_strides({0, tera, tera, tera})[3] == 1);  // no overflow, whatever the others are
}

}  // namespace
