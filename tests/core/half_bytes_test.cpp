#include <nnrt/core/half_bytes.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace nnrt;

namespace {

template <std::size_t N> constexpr std::array<std::byte, N> bytes(const int (&numbers)[N]) {
  std::array<std::byte, N> made{};
  for (std::size_t i = 0; i < N; ++i) made[i] = static_cast<std::byte>(numbers[i]);
  return made;
}

struct row {
  const char* what;
  half_byte type;
  std::array<std::byte, 3> packed;
  std::array<std::byte, 5> numbers;
};
constexpr row rows[] = {
    {"signed, lower halves first", half_byte::s4, bytes({0x21, 0xf8, 0x07}), bytes({1, 2, -8, -1, 7})},
    {"without sign", half_byte::u4, bytes({0x21, 0xf8, 0x07}), bytes({1, 2, 8, 15, 7})},
};

constexpr bool holds(const row& r) {
  std::array<std::byte, 5> numbers{};
  unpack_half_bytes(r.type, r.packed, numbers);
  std::array<std::byte, 3> packed = bytes({0xff, 0xff, 0xff});
  pack_half_bytes(r.type, r.numbers, packed);
  return numbers == r.numbers && packed == r.packed;
}
static_assert(holds(rows[0]) && holds(rows[1]));

// What four bits cannot hold becomes the nearest number that they can.
static_assert([] {
  std::array<std::byte, 2> s{}, u{};
  pack_half_bytes(half_byte::s4, bytes({8, -9, 127, -128}), s);
  pack_half_bytes(half_byte::u4, bytes({16, 15, 255, 0}), u);
  return s == bytes({0x87, 0x87}) && u == bytes({0xff, 0x0f});
}());

static_assert(packed_bytes(0) == 0 && packed_bytes(1) == 1 && packed_bytes(2) == 1 && packed_bytes(5) == 3);
static_assert(name_of(half_byte::s4) == "s4" && unpacked_type(half_byte::s4) == i8 &&
              unpacked_type(half_byte::u4) == u8);

}  // namespace

TEST_CASE("half_bytes: every byte comes back from its two numbers") {
  for (const half_byte type : {half_byte::s4, half_byte::u4}) {
    CAPTURE(name_of(type));
    for (int byte = 0; byte < 256; ++byte) {
      const std::byte packed[] = {static_cast<std::byte>(byte)};
      std::byte numbers[2], again[1];
      unpack_half_bytes(type, packed, numbers);
      pack_half_bytes(type, numbers, again);
      CHECK(again[0] == packed[0]);
    }
  }
}
