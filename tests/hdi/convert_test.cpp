// convert_test: numbers of HDI as values of an attribute's enumeration, as many as it has.
#include <nnrt/hdi/convert.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

namespace {

enum class sides { left, right };
enum class seasons { spring, summer, autumn, winter };

static_assert(hdi::detail::choices_of<bool>() == 2 && hdi::detail::choices_of<sides>() == 2 && hdi::detail::choices_of<seasons>() == 4);
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

}  // namespace
