// broadcast_loops_test: loops are as few as can be, kinds are told apart, and elements are taken where loops say.
#include <nnrt/kernels/common/broadcast_loops.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <vector>

using namespace nnrt;
using kernels::broadcast_kind;
using kernels::broadcast_kind_of;
using kernels::broadcast_loops;
using kernels::loops_of;

namespace {

struct row {
  shape_t a, b, y;
  int count;                // of loops
  std::int64_t extents[4];  // outermost first
  std::int64_t steps[2][4];
};

// What the comment of broadcast_loops promises, worked out by hand.
constexpr row table[] = {
    {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, 1, {24}, {{1}, {1}}},
    {{2, 3, 4}, {}, {2, 3, 4}, 1, {24}, {{1}, {0}}},
    {{2, 3, 4}, {4}, {2, 3, 4}, 2, {6, 4}, {{4, 1}, {0, 1}}},
    {{2, 3, 4}, {3, 4}, {2, 3, 4}, 2, {2, 12}, {{12, 1}, {0, 1}}},
    {{2, 3, 4}, {2, 1, 1}, {2, 3, 4}, 2, {2, 12}, {{12, 1}, {1, 0}}},
    {{2, 3, 4}, {2, 1, 4}, {2, 3, 4}, 3, {2, 3, 4}, {{12, 4, 1}, {4, 0, 1}}},
    {{5, 1}, {1, 7}, {5, 7}, 2, {5, 7}, {{1, 0}, {0, 1}}},
    {{1, 5, 1, 7}, {1, 1, 1, 7}, {1, 5, 1, 7}, 2, {5, 7}, {{7, 1}, {0, 1}}},
    {{1, 1}, {1}, {1, 1}, 1, {1}, {{0}, {0}}},
};

constexpr bool is_as_stated(const row& r) {
  const broadcast_loops loops = loops_of(r.a, r.b, r.y);
  if (loops.count != r.count) return false;
  for (int i = 0; i < r.count; ++i)
    if (loops.extents[i] != r.extents[i] || loops.steps[0][i] != r.steps[0][i] || loops.steps[1][i] != r.steps[1][i])
      return false;
  return true;
}
static_assert([] {
  for (const row& r : table)
    if (!is_as_stated(r)) return false;
  return true;
}());

struct kind_row {
  shape_t a, b, y;
  broadcast_kind kind;
};
constexpr kind_row kinds[] = {
    {{2, 3}, {2, 3}, {2, 3}, broadcast_kind::same},
    {{2, 3}, {1, 2, 3}, {1, 2, 3}, broadcast_kind::same},
    {{}, {1}, {1}, broadcast_kind::same},
    {{2, 3}, {}, {2, 3}, broadcast_kind::scalar},
    {{1, 1, 1}, {2, 3}, {1, 2, 3}, broadcast_kind::scalar},
    {{2, 3, 4}, {4}, {2, 3, 4}, broadcast_kind::channels},
    {{1, 3, 4}, {2, 3, 4}, {2, 3, 4}, broadcast_kind::channels},
    {{2, 3, 4}, {1, 3, 1}, {2, 3, 4}, broadcast_kind::general},
    {{2, 3, 4}, {2, 1, 4}, {2, 3, 4}, broadcast_kind::general},
    {{2, 3, 4}, {2, 3, 1}, {2, 3, 4}, broadcast_kind::general},
    {{5, 1}, {1, 7}, {5, 7}, broadcast_kind::general},
};
constexpr bool has_kind(const kind_row& r) {
  return broadcast_kind_of(r.a, r.b, r.y) == r.kind && broadcast_kind_of(r.b, r.a, r.y) == r.kind;
}
static_assert([] {
  for (const kind_row& r : kinds)
    if (!has_kind(r)) return false;
  return true;
}());

}  // namespace

TEST_CASE("loops_of: axes that both operands walk alike are one loop") {
  for (const row& r : table) {
    CAPTURE(r.a.rank);
    CAPTURE(r.count);
    CHECK(is_as_stated(r));
  }
}

TEST_CASE("loops_of three operands: an axis that one of them walks otherwise is a separate loop") {
  const shape_t a{2, 3, 4}, b{4}, c{2, 1, 1}, y{2, 3, 4};
  const kernels::loops_over<3> loops = loops_of<3>({&a, &b, &c}, y);
  REQUIRE(loops.count == 3);
  const std::int64_t extents[] = {2, 3, 4}, steps[3][3] = {{12, 4, 1}, {0, 0, 1}, {1, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    CHECK(loops.extents[i] == extents[i]);
    for (int k = 0; k < 3; ++k) CHECK(loops.steps[k][i] == steps[k][i]);
  }
  CHECK(loops_of<3>({&a, &a, &a}, y).count == 1);
}

TEST_CASE("form_of: what two operands are to each other does not depend on their order") {
  for (const kind_row& r : kinds) {
    CAPTURE(r.y.rank);
    CAPTURE(r.a.elements());
    CAPTURE(r.b.elements());
    CHECK(has_kind(r));
  }
}

TEST_CASE("zip_elements: any stretch of the result can be computed alone, and nothing else is written") {
  const shape_t a{2, 1, 5}, b{3, 1}, y{2, 3, 5};
  const int x[] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}, z[] = {1, 2, 3};
  const broadcast_loops loops = loops_of(a, b, y);
  std::vector<int> whole;
  for (int n = 0; n < 2; ++n)
    for (int h = 0; h < 3; ++h)
      for (int w = 0; w < 5; ++w) whole.push_back(x[5 * n + w] - z[h]);
  for (std::int64_t begin = 0; begin <= 30; ++begin)
    for (std::int64_t end = begin; end <= 30; ++end) {
      std::vector<int> stretch(30, -1), expected(30, -1);
      kernels::zip_elements(loops, x, z, stretch.data(), {begin, end}, [](int p, int q) { return p - q; });
      std::copy(whole.begin() + begin, whole.begin() + end, expected.begin() + begin);
      if (stretch != expected) {
        CAPTURE(begin);
        CAPTURE(end);
        FAIL_CHECK("a stretch differs from the whole");
      }
    }
}
