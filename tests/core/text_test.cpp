// text: pieces of every kind, and none.
#include <nnrt/core/text.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

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

namespace {

std::string shortest(float number) {
  char digits[48] = {};
  std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific);
  return digits;
}
/// How many digits it has, without those of the exponent and zeros at either end.
std::size_t figures_of(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e')))
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits.size();
}

}  // namespace

TEST_CASE("text: a float reads as few digits that become the same float again") {
  struct row {
    float number;
    const char* expected;
  };
  static constexpr row table[] = {
      {0.0F, "0"},       {-0.0F, "-0"},        {1, "1"},          {0.1F, "0.1"},
      {-2.25F, "-2.25"}, {100, "100"},         {1e9F, "1e+09"},   {123456789.0F, "123456790"},
      {1e-5F, "1e-05"},  {3.4e38F, "3.4e+38"}, {1e-45F, "1e-45"}, {0.0078125F, "0.0078125"}};
  for (const row& r : table) CHECK(nnrt::text_of(r.number) == r.expected);
  std::vector<float> numbers;
  std::uint32_t bits = 1;
  for (int i = 0; i < 100'000; ++i) numbers.push_back(std::bit_cast<float>(bits = bits * 1664525U + 1013904223U));
  for (float power = 1e-45F; power < 1e38F; power *= 2)
    numbers.insert(numbers.end(), {power, std::nextafter(power, 0.0F), std::nextafter(power, 1e38F)});
  int longer = 0;  // than the shortest text: that may lie half the way to a neighbour, or be no nearest one
  for (const float number : numbers) {
    if (!std::isfinite(number)) continue;
    const std::string text = nnrt::text_of(number);
    CAPTURE(text);
    REQUIRE(std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)) == std::bit_cast<std::uint32_t>(number));
    longer += figures_of(text) > figures_of(shortest(number)) ? 1 : 0;
  }
  CHECK(longer < 500);
}
static_assert(nnrt::letters_of(nnrt::letters({"scale ", -0.25F})) == "scale -0.25");  // in the compiler, too
