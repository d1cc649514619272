// text: pieces of every kind, and none.
#include <nnrt/core/text.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>

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

TEST_CASE("text: a float reads as its nine digits do, and becomes the same float again") {
  struct row {
    float number;
    const char* expected;
  };
  static constexpr row table[] = {{0.0F, "0"}, {-0.0F, "-0"}, {1, "1"}, {0.1F, "0.100000001"}, {-2.25F, "-2.25"},
                                  {100, "100"}, {1e9F, "1e+09"}, {123456789.0F, "123456792"}, {1e-5F, "9.99999975e-06"},
                                  {3.4e38F, "3.39999995e+38"}, {1e-45F, "1.40129846e-45"}};
  for (const row& r : table) CHECK(nnrt::text_of(r.number) == r.expected);
  std::uint32_t bits = 1;
  for (int i = 0; i < 100'000; ++i) {
    bits = bits * 1664525U + 1013904223U;
    const auto number = std::bit_cast<float>(bits);
    if ((bits & 0x7f800000U) == 0x7f800000U) continue;  // infinities and NaN
    const std::string text = nnrt::text_of(number);
    CAPTURE(text);
    REQUIRE(std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)) == bits);
  }
}
static_assert(nnrt::letters_of(nnrt::letters({"scale ", -0.25F})) == "scale -0.25");  // in the compiler, too
