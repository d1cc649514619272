// array_ref: what it can be made of, and what it converts to.
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/pool.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

namespace {

using ints = nnrt::array_ref<const int>;

constexpr int sum_of(ints list) {
  int sum = 0;
  for (const int i : list) sum += i;
  return sum;
}

constexpr int built_in[] = {1, 2, 3};
static_assert(sum_of(built_in) == 6 && sum_of(std::array{4, 5}) == 9 && sum_of(nnrt::pool<int>{7, 8}) == 15 &&
              sum_of({}) == 0);
static_assert(!std::is_convertible_v<ints, nnrt::array_ref<int>> && !std::is_convertible_v<std::vector<long>, ints>);

TEST_CASE("array_ref: refers to the elements of whatever holds them side by side") {
  std::vector<int> list{1, 2, 3};
  const nnrt::array_ref<int> changeable = list;
  changeable[1] = 20;
  const ints all = changeable;
  CHECK(all.data() == list.data());
  CHECK(sum_of(all) == 24);
  CHECK(sum_of(std::span(list).first(2)) == 21);
}

TEST_CASE("array_ref: its parts lie where the whole does") {
  const ints all = built_in;
  CHECK((all.front() == 1 && all.back() == 3 && !all.empty()));
  CHECK(all.subspan(1).data() == built_in + 1);
  CHECK(all.subspan(1).size() == 2);
  CHECK(all.subspan(1, 1).back() == 2);
  CHECK(all.first(2).size() == 2);
  CHECK(all.subspan(3).empty());
}

TEST_CASE("array_ref: converts to std::span, a temporary one as well") {
  std::vector<int> list{1, 2, 3};
  const std::span<int> changeable = nnrt::array_ref<int>(list);
  const std::span<const int> all = ints(list);
  CHECK(changeable.data() == list.data());
  CHECK(all.size() == 3);
}

}  // namespace
