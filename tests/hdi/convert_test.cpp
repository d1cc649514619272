// convert_test: members of HDI as attributes - enumerations, as many values as they have, and lists, as many numbers as
// they take.
#include <nnrt/hdi/convert.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

namespace {

enum class sides { left, right };
enum class seasons { spring, summer, autumn, winter };

static_assert(hdi::detail::choices_of<bool>() == 2 && hdi::detail::choices_of<sides>() == 2 &&
              hdi::detail::choices_of<seasons>() == 4);
static_assert(hdi::detail::choices_of<pad_mode>() == 3 && hdi::detail::choices_of<border>() == 3);
static_assert(hdi::detail::choices_of<coordinates>() == 3 && hdi::detail::choices_of<eltwise_mode>() == 3);

TEST_CASE("convert: a number beyond an enumeration is refused, and its last one is taken") {
  sides side{};
  seasons season{};
  CHECK(hdi::detail::get(side, 2) == "got 2, expected 0 to 1");
  CHECK(hdi::detail::get(season, -1) == "got -1, expected 0 to 3");
  CHECK(hdi::detail::get(season, 4) == "got 4, expected 0 to 3");
  CHECK(hdi::detail::get(side, 1).empty());
  CHECK(side == sides::right);
  CHECK(hdi::detail::get(season, 3).empty());
  CHECK(season == seasons::winter);
}

TEST_CASE("convert: lists have as many numbers as they stand for, or none, which changes nothing") {
  extent2 lengths{7, 8};
  CHECK(hdi::detail::get(lengths, hdi::longs{}).empty());
  CHECK(lengths == extent2{7, 8});
  CHECK(hdi::detail::get(lengths, hdi::longs{3}).empty());
  CHECK(lengths == extent2{3, 3});
  CHECK(hdi::detail::get(lengths, hdi::longs{3, 4}).empty());
  CHECK(lengths == extent2{3, 4});
  CHECK(hdi::detail::get(lengths, hdi::longs{3, 4, 5}) == "has 3 numbers, expected at most 2");
  pads border{pad_mode::explicit_pads, 1, 2, 3, 4};
  CHECK(hdi::detail::get(border, hdi::longs{}).empty());
  CHECK(border == pads{pad_mode::explicit_pads, 1, 2, 3, 4});
  CHECK(hdi::detail::get(border, hdi::longs{5, 6, 7, 8}).empty());
  CHECK(border == pads{pad_mode::explicit_pads, 5, 6, 7, 8});
  CHECK(hdi::detail::get(border, hdi::longs{5, 6, 7}) == "has 3 numbers, expected 4");
  CHECK(hdi::detail::get(border, hdi::longs{5, 6, 7, 8, 9}) == "has 5 numbers, expected 4");
}

}  // namespace
