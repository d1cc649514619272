// broadcast_test: NumPy's rule for shapes, strides under it, and stepping through indices.
#include <nnrt/core/broadcast.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace nnrt;

struct row {
  const char* what;
  shape_t a, b, y;
  bool fits;
  std::int64_t left, right;
};
constexpr row table[] = {
    {"equal", {2, 3}, {2, 3}, {2, 3}, true, 0, 0},
    {"scalars", {}, {}, {}, true, 0, 0},
    {"a scalar with a tensor", {}, {2, 3}, {2, 3}, true, 0, 0},
    {"missing leading axes", {4, 2, 3}, {3}, {4, 2, 3}, true, 0, 0},
    {"extents of 1 on both sides", {4, 1, 3}, {1, 2, 1}, {4, 2, 3}, true, 0, 0},
    {"nothing with 1", {0}, {1}, {0}, true, 0, 0},
    {"nothing with two", {0}, {2}, {0}, false, 0, 2},
    {"the innermost misfit", {5, 4}, {6, 3}, {5, 4}, false, 4, 3},
    {"an outer misfit", {5, 3}, {6, 3}, {5, 3}, false, 5, 6},
    {"an unknown extent with 1", {-1}, {1}, {-1}, true, 0, 0},
    {"an unknown extent with a known one", {-1}, {4}, {4}, true, 0, 0},
    {"two unknown extents", {-1}, {-1}, {-1}, true, 0, 0},
};
constexpr bool broadcasts_as_stated(const row& r) {
  for (const bool swapped : {false, true}) {
    const broadcast_result got = swapped ? broadcast(r.b, r.a) : broadcast(r.a, r.b);
    if (got.fits != r.fits) return false;
    if (r.fits && got.shape != r.y) return false;
    if (!r.fits && (got.left != (swapped ? r.right : r.left) || got.right != (swapped ? r.left : r.right)))
      return false;
  }
  return true;
}
static_assert(std::all_of(std::begin(table), std::end(table), broadcasts_as_stated));

TEST_CASE("broadcast: shapes fit when extents are equal or 1, in either order") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(broadcasts_as_stated(r));
  }
}

static_assert(broadcast_strides({3}, {1}, {4, 2, 3}) == shape_t{0, 0, 1});
static_assert(broadcast_strides({2, 1}, {1, 1}, {4, 2, 3}) == shape_t{0, 1, 0});
static_assert(broadcast_strides({}, {}, {2}) == shape_t{0});

TEST_CASE("broadcast: an index steps through a shape in row-major order and then ends") {
  shape_t index;
  index.rank = 2;
  const shape_t shape{2, 3};
  int steps = 1;
  while (next_index(index, shape)) {
    CHECK(index[0] * 3 + index[1] == steps);
    ++steps;
  }
  CHECK(steps == 6);
  CHECK(index == shape_t{0, 0});
  shape_t scalar;
  CHECK(!next_index(scalar, {}));
}

static_assert(normalise_axis(-1, 3) == 2 && normalise_axis(0, 3) == 0 && normalise_axis(-3, 3) == 0);
static_assert(normalise_axis(3, 3) == -1 && normalise_axis(-4, 3) == -1 && normalise_axis(0, 0) == -1);
static_assert(normalise_axis(std::int64_t{1} << 40, 3) == -1);

}  // namespace
