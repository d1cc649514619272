#include <nnrt/core/boolean_bytes.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

namespace {

constexpr std::byte no{0}, yes{1}, two{2}, last{255};
constexpr std::byte fine[] = {no, yes, yes, no}, early[] = {two, yes, last}, late[] = {yes, no, last};

static_assert(first_no_boolean({}) == 0);
static_assert(first_no_boolean(fine) == 4);
static_assert(first_no_boolean(early) == 0);
static_assert(first_no_boolean(late) == 2);

TEST_CASE("first_no_boolean: only 0 and 1 are booleans, wherever the other byte stands") {
  std::byte bytes[5] = {no, yes, no, yes, no};
  for (std::size_t at = 0; at < 5; ++at)
    for (int value = 2; value < 256; ++value) {
      const std::byte was = bytes[at];
      bytes[at] = static_cast<std::byte>(value);
      CHECK(first_no_boolean(bytes) == at);
      bytes[at] = was;
    }
  CHECK(first_no_boolean(bytes) == 5);
}

TEST_CASE("make_booleans: 0 stays, every other byte becomes 1") {
  std::byte bytes[256];
  for (int value = 0; value < 256; ++value) bytes[value] = static_cast<std::byte>(value);
  make_booleans(bytes);
  CHECK(bytes[0] == no);
  for (int value = 1; value < 256; ++value) CHECK(bytes[value] == yes);
}

}  // namespace
