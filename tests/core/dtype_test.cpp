// dtype_test: dtypes, their C++ types, sizes and names agree, and sets of them visit exactly their members.
#include <nnrt/core/dtype.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace {

using namespace nnrt;

struct row {
  dtype type;
  int number;  // OH_NN_DataType
  std::int64_t bytes;
  std::string_view name;
};
constexpr row table[] = {
    {dtype::none, 0, 0, "none"}, {boolean, 1, 1, "boolean"}, {i8, 2, 1, "i8"},    {i16, 3, 2, "i16"},
    {i32, 4, 4, "i32"},          {i64, 5, 8, "i64"},         {u8, 6, 1, "u8"},    {u16, 7, 2, "u16"},
    {u32, 8, 4, "u32"},          {u64, 9, 8, "u64"},         {f16, 10, 2, "f16"}, {f32, 11, 4, "f32"},
    {f64, 12, 8, "f64"},
};
static_assert(std::size(table) == dtype_count);

constexpr bool is_as_stated(const row& r) {
  return static_cast<int>(r.type) == r.number && size_of(r.type) == r.bytes && name_of(r.type) == r.name;
}
static_assert(std::all_of(std::begin(table), std::end(table), is_as_stated));

TEST_CASE("dtype: numbers, sizes and names are those of NNRt and the DSL") {
  for (const row& r : table) {
    CAPTURE(std::string(r.name));
    CHECK(is_as_stated(r));
  }
}

template <dtype... T>
constexpr bool round_trips = ((dtype_for<element_t<T>>() == T && size_of(T) == sizeof(element_t<T>)) && ...);
static_assert(round_trips<boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64>);
static_assert(dtype_for<long long>() == i64 && dtype_for<unsigned long long>() == u64 && dtype_for<long>() == i64);
static_assert(dtype_for<char*>() == dtype::none && dtype_for<const float>() == dtype::none);

/// How many bytes the element has that a visit gets; -1: none came.
template <dtype_set Set> constexpr int visited(dtype type) {
  int bytes = -1;
  const bool found = with_element<Set>(
      type, [&]<class T>(T) { bytes = static_cast<int>(sizeof(T)) + (dtype_for<T>() == type ? 0 : 100); });
  return found == (bytes >= 0) ? bytes : -2;
}
static_assert(visited<types::any>(f64) == 8 && visited<types::real>(f64) == -1 &&
              visited<types::any>(dtype::none) == -1);

TEST_CASE("dtype: a set visits exactly its members, with their own type") {
  for (const row& r : table) {
    CAPTURE(std::string(r.name));
    CHECK(visited<types::any>(r.type) == (r.number == 0 ? -1 : static_cast<int>(r.bytes)));
    CHECK(visited<types::floating>(r.type) == (r.number >= 10 ? static_cast<int>(r.bytes) : -1));
    CHECK(visited<types_of(i8, u64)>(r.type) == (r.type == i8 || r.type == u64 ? static_cast<int>(r.bytes) : -1));
    CHECK(types::integer.contains(r.type) == (r.number >= 2 && r.number <= 9));
    CHECK(types::number.contains(r.type) == (r.number >= 2));
    CHECK((types::logical | types::real).contains(r.type) == (r.number == 1 || r.number == 10 || r.number == 11));
  }
}

/// What numbers, in dtype's order from `boolean` on, have in common; 0: nothing.
constexpr int common[dtype_count - 1][dtype_count - 1] = {
    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},          {2, 2, 3, 4, 5, 0, 0, 0, 0, 10, 11, 12},
    {3, 3, 3, 4, 5, 3, 0, 0, 0, 10, 11, 12},          {4, 4, 4, 4, 5, 4, 4, 0, 0, 10, 11, 12},
    {5, 5, 5, 5, 5, 5, 5, 5, 0, 10, 11, 12},          {6, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
    {7, 0, 0, 4, 5, 7, 7, 8, 9, 10, 11, 12},          {8, 0, 0, 0, 5, 8, 8, 8, 9, 10, 11, 12},
    {9, 0, 0, 0, 0, 9, 9, 9, 9, 10, 11, 12},          {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 11, 12},
    {11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 12}, {12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12},
};
constexpr bool has_in_common(int a, int b) {
  return common_type(static_cast<dtype>(a), static_cast<dtype>(b)) == static_cast<dtype>(common[a - 1][b - 1]);
}
static_assert(has_in_common(4, 11) && has_in_common(4, 8));

TEST_CASE("dtype: two dtypes have the one of higher precision in common, or none that holds the numbers of both") {
  for (int a = 1; a < dtype_count; ++a)
    for (int b = 1; b < dtype_count; ++b) {
      CAPTURE(a);
      CAPTURE(b);
      CHECK(has_in_common(a, b));
    }
}

}  // namespace
