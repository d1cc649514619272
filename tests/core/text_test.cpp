// text: pieces of every kind, and none.
#include <nnrt/core/text.hpp>

#include <doctest/doctest.h>

TEST_CASE("text: joined puts pieces one after the other") {
  const std::string name = "x";
  CHECK(nnrt::joined({"tensor ", name, ": ", std::to_string(3), std::string_view("!?", 1)}) == "tensor x: 3!");
  CHECK(nnrt::joined({}).empty());
  CHECK(nnrt::joined({"", std::string_view("a\0b", 3)}).size() == 3);
}
