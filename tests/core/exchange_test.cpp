// exchange: what owns something moves with these.
#include <nnrt/core/exchange.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

TEST_CASE("exchange: what is taken is no longer there") {
  int number = 7;
  int* pointer = &number;
  CHECK(detail::taken(pointer) == &number);
  CHECK(bool(pointer == nullptr));
  CHECK(detail::taken(number) == 7);
  CHECK(number == 0);
}

TEST_CASE("exchange: swapped values change places, in constant evaluation, too") {
  constexpr bool changed = [] {
    int a = 1, b = 2;
    detail::swap_values(a, b);
    return a == 2 && b == 1;
  }();
  static_assert(changed);
  int a = 3;
  detail::swap_values(a, a);
  CHECK(a == 3);
}
