// view_test: elements of tensors by index, by position, dense or not, and pointers that constant evaluation follows.
#include <nnrt/core/view.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace nnrt;

constexpr bool reads_every_way() {
  float numbers[6] = {0, 1, 2, 3, 4, 5};
  const tensor_desc desc{f32, {2, 3}};
  view v{&desc, numbers};  // not const: g++ 12 then refuses its union in constant evaluation
  const auto x = v.as<float>();
  bool same = x.elements() == 6 && x.rank() == 2 && x.extent(1) == 3 && x.is_dense;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) same = same && x(i, k) == static_cast<float>(i * 3 + k) && x.at({i, k}) == x[i * 3 + k];
  x(1, 2) = 9;
  return same && numbers[5] == 9;
}
static_assert(reads_every_way());

constexpr bool reads_strided() {
  float numbers[6] = {0, 1, 2, 3, 4, 5};
  const tensor_desc desc{f32, {3, 2}};
  const shape_t turned{1, 3};
  view v{&desc, numbers, &turned};
  const auto x = v.as<const float>();
  const float expected[] = {0, 3, 1, 4, 2, 5};
  bool same = !x.is_dense;
  for (std::int64_t i = 0; i < 6; ++i) same = same && x[i] == expected[i];
  return same && x(2, 1) == 5 && x.at({1, 1}) == 4;
}
static_assert(reads_strided());

TEST_CASE("view: elements by indices, by an index vector and by position agree, dense or strided") {
  CHECK(reads_every_way());
  CHECK(reads_strided());
}

template <class T> constexpr bool points() {
  T elements[2] = {T(0), T(1)};
  any_pointer p(&elements[0]);
  return p.get<T>()[1] == T(1);
}
static_assert(points<bool>() && points<std::int8_t>() && points<std::int64_t>() && points<float16>() &&
              points<double>());

TEST_CASE("view: pointers to elements of any dtype") {
  CHECK(points<bool>());
  CHECK(points<std::uint16_t>());
  CHECK(points<float16>());
  float number = 2;
  CHECK(*any_pointer::bytes(&number).get<float>() == 2);
  CHECK(any_pointer().raw() == nullptr);
}

TEST_CASE("view: integers of integer and boolean operands, and operands that are not there") {
  const std::int8_t small[] = {-3, 4};
  const bool flags[] = {false, true};
  const tensor_desc of_small{i8, {2}}, of_flags{boolean, {2}};
  CHECK(view{&of_small, const_cast<std::int8_t*>(small)}.integer(0) == -3);
  CHECK(view{&of_flags, const_cast<bool*>(flags)}.integer(1) == 1);
  CHECK(!view{});
}

}  // namespace
