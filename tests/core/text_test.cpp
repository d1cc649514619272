// text: pieces of every kind, and none.
#include <nnrt/core/text.hpp>

#include <doctest/doctest.h>

TEST_CASE("text: joined puts pieces one after the other") {
  const std::string name = "x";
  CHECK(nnrt::joined({"tensor ", name, ": ", std::to_string(3), std::string_view("!?", 1)}) == "tensor x: 3!");
  CHECK(nnrt::joined({}).empty());
  CHECK(nnrt::joined({"", std::string_view("a\0b", 3)}).size() == 3);
}

TEST_CASE("text: numbers of any type keep their sign and all their digits") {
  CHECK(nnrt::joined({0, " ", -7, " ", std::size_t{18446744073709551615U}}) == "0 -7 18446744073709551615");
  CHECK(nnrt::joined({std::int64_t{-9223372036854775807} - 1, " ", std::uint8_t{200}}) == "-9223372036854775808 200");
}

TEST_CASE("text: shapes, tensors and quoted names read as in every message") {
  const nnrt::shape_t image{1, 28, 28, -1};
  CHECK(nnrt::joined({image, " ", {nnrt::f32, image}, nnrt::shape_t{}}) == "[1, 28, 28, -1] f32 [1, 28, 28, -1][]");
  CHECK(nnrt::joined({nnrt::piece::in_quotes("a\"\n")}) == "\"a\\\"\\n\"");
  CHECK(nnrt::text_of(nnrt::i8, image) == "i8 [1, 28, 28, -1]");
}
