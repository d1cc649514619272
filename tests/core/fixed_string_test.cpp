// fixed_string_test: a literal as a template argument.
#include <nnrt/core/fixed_string.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

template <fixed_string Name> struct called {
  static constexpr std::string_view name = Name.view();
};
static_assert(called<"probability">::name == "probability" && called<"">::name.empty());
static_assert(std::string_view(called<"a\0b">::name) == std::string_view("a\0b", 3));

TEST_CASE("fixed_string: types differ by their letters") {
  CHECK((!std::is_same_v<called<"x">, called<"y">>));
  CHECK((std::is_same_v<called<"x">, called<"x">>));
  CHECK(called<"a\0b">::name.size() == 3);
}

}  // namespace
