// xxh3_test: the hash is that of the xxHash library, for every length class, at any address and in constant evaluation.
#include <nnrt/io/xxh3.hpp>

#include <doctest/doctest.h>

// The library's scalar form: it takes no instruction set for granted.
#define XXH_INLINE_ALL
#define XXH_VECTOR 0
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using nnrt::detail::xxh3;

std::string random_bytes(std::size_t count) {
  std::string bytes;
  std::uint32_t state = 1;
  while (bytes.size() < count) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

constexpr std::string_view letters =
    "The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox "
    "jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy "
    "dog. The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog.";
static_assert(letters.size() > 240);

struct row {
  std::size_t length;
  std::uint64_t at_compile_time;
};
constexpr row at_compile_time(std::size_t length) { return {length, xxh3::of(letters.substr(0, length))}; }
constexpr row length_classes[] = {at_compile_time(0),
                                  at_compile_time(2),
                                  at_compile_time(8),
                                  at_compile_time(16),
                                  at_compile_time(100),
                                  at_compile_time(200),
                                  at_compile_time(letters.size())};
static_assert(length_classes[0].at_compile_time == 0x2d06800538d394c2);  // XXH3_64bits("", 0)

}  // namespace

TEST_CASE("xxh3: constant evaluation gives the library's hash for each length class") {
  for (const row& r : length_classes) {
    CAPTURE(r.length);
    CHECK(r.at_compile_time == XXH3_64bits(letters.data(), r.length));
  }
}

TEST_CASE("xxh3: every length up to three blocks has the library's hash") {
  const std::string bytes = random_bytes(3 * 1024 + 65);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    CAPTURE(length);
    REQUIRE(xxh3::of({bytes.data(), length}) == XXH3_64bits(bytes.data(), length));
  }
}

TEST_CASE("xxh3: the address does not matter, and neither does a length of many blocks") {
  const std::string bytes = random_bytes((std::size_t{1} << 20) + 80);
  for (std::size_t from = 0; from < 64; from += 7) {
    CAPTURE(from);
    const std::string_view rest = std::string_view(bytes).substr(from, (std::size_t{1} << 20) + from % 3);
    CHECK(xxh3::of(rest) == XXH3_64bits(rest.data(), rest.size()));
    CHECK(xxh3::of(rest) == xxh3::of(std::string(rest)));
  }
}
