// axes_test: reading a list of axes.
#include <nnrt/ops/detail/axes.hpp>

#include <doctest/doctest.h>
#include <support/operators.hpp>

using namespace nnrt_test;

namespace {

enum class rule { axes_must_exist, axes_must_differ };

constexpr verdict chosen_from(ops::chosen_axes& chosen, std::span<const std::int64_t> list, int rank) {
  return ops::choose_axes(chosen, list, rank, rule::axes_must_exist, rule::axes_must_differ);
}
constexpr verdict refused(std::span<const std::int64_t> list, int rank) {
  ops::chosen_axes chosen;
  return chosen_from(chosen, list, rank);
}

}  // namespace

static_assert(breaks(refused(numbers<0, 3>, 3), rule::axes_must_exist, 3, 2));
static_assert(breaks(refused(numbers<-1, 2>, 3), rule::axes_must_differ, 2, 1));

TEST_CASE("axes: numbers are read in order and counted from the front") {
  ops::chosen_axes chosen;
  REQUIRE(chosen_from(chosen, numbers<-1, 0>, 4));
  CHECK(chosen.count == 2);
  CHECK(chosen.items[0] == 3);
  CHECK(chosen.items[1] == 0);
  CHECK(chosen.contains(3));
  CHECK_FALSE(chosen.contains(1));
}

TEST_CASE("axes: a list of thousands is refused at the ninth axis at the latest") {
  const std::vector<std::int64_t> many(5000, 0);
  CHECK(breaks(refused(many, 8), rule::axes_must_differ, 2, 1));
}
