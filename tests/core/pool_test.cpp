// pool_test: a pool grows, copies, moves and erases as a vector of plain structs does, in the compiler too.
#include <nnrt/core/pool.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using nnrt::pool;

template <class Pool> constexpr bool holds(const Pool& p, std::initializer_list<int> expected) {
  return p.size() == expected.size() && std::equal(p.begin(), p.end(), expected.begin());
}

constexpr bool grows() {
  pool<int> p;
  std::vector<int> v;
  for (int i = 0; i < 300; ++i) {
    p.push_back(i * i);
    v.push_back(i * i);
    if (i % 3 == 0) p.push_back(p[0]), v.push_back(v[0]);  // an element of the pool, which growing moves
    if (p.size() != v.size() || p.back() != v.back()) return false;
  }
  return std::equal(p.begin(), p.end(), v.begin());
}
static_assert(grows());

constexpr bool copies_and_moves() {
  pool<int> a{1, 2, 3};
  pool<int> b = a;
  b[0] = 9;
  if (!holds(a, {1, 2, 3}) || !holds(b, {9, 2, 3})) return false;
  pool<int> c = static_cast<pool<int>&&>(b);
  if (!holds(c, {9, 2, 3}) || !b.empty()) return false;
  b.push_back(7);  // what was moved from is empty, and works
  a = b;
  c = static_cast<pool<int>&&>(b);
  pool<int>& same = a;
  a = same;
  return holds(a, {7}) && holds(c, {7}) && b.empty();
}
static_assert(copies_and_moves());

constexpr bool edits() {
  pool<int> p;
  const std::array<int, 4> more{1, 2, 3, 4};
  p.insert(more.begin(), more.end());
  p.insert(more.begin(), more.begin());
  p.erase_if([](int x) { return x % 2 == 0; });
  if (!holds(p, {1, 3})) return false;
  p.pop_back();
  p.push_back(8);
  if (!holds(p, {1, 8})) return false;
  p.assign(3, 5);
  if (!holds(p, {5, 5, 5})) return false;
  p.erase_if([](int) { return true; });
  if (!p.empty()) return false;
  p.clear();
  p.reserve(100);
  const int* const first = p.data();
  for (int i = 0; i < 100; ++i) p.push_back(i);
  return p.data() == first && p.size() == 100;
}
static_assert(edits());

TEST_CASE("pool: it grows, also by one of its elements") { CHECK(grows()); }
TEST_CASE("pool: copies are apart, and what is moved from is empty") { CHECK(copies_and_moves()); }
TEST_CASE("pool: inserting, erasing and assigning keep the order of what stays") { CHECK(edits()); }

}  // namespace
