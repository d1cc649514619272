#include <nnrt/kernels/int8/gemm/values.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <cstring>
#include <vector>

using namespace nnrt;
using namespace nnrt::kernels;

namespace {

constexpr std::byte untouched{0xee};

std::vector<std::byte> some_bytes(std::int64_t n) {
  std::vector<std::byte> made;
  for (std::int64_t i = 0; i < n; ++i) made.push_back(static_cast<std::byte>(37 * i + 11));
  return made;
}

/// Number i of a row in this encoding.
int value_at(const std::vector<std::byte>& row, std::int64_t i, const int8_encoding& encoding) {
  if (encoding.size() == 1) return static_cast<int>(row[static_cast<std::size_t>(i)]);
  std::uint16_t wide;
  std::memcpy(&wide, row.data() + 2 * i, sizeof wide);
  return wide;
}
/// What stands there for a stored byte.
int seen(std::byte stored, const int8_encoding& encoding) { return static_cast<int>(stored) ^ (encoding.flip & 0xff); }

constexpr auto all_signs = static_cast<std::int32_t>(0x80808080U);
constexpr int8_encoding encodings[] = {{false, 0}, {false, all_signs}, {true, 0}, {true, all_signs}};

TEST_CASE("byte values: only machines without dot products of bytes read wide ones") {
  CHECK(int8_encoding{false, 0}.size() == 1);
  CHECK(int8_encoding{true, 0}.size() == (tiles_read_wide ? 2 : 1));
  CHECK((tiles_read_wide || weights_flip) == (sizeof(dot_weights) == 2 * register_bytes));
  CHECK(int8_encoding{false, 0}.is_quantised());
  CHECK(!int8_encoding{false, all_signs}.is_quantised());
  CHECK(worst_case_encoding.is_quantised() == weights_flip);
}

TEST_CASE("byte values: rows of any length are copied, and nothing after them is written") {
  for (const int8_encoding& encoding : encodings)
    for (std::int64_t n = 0; n <= 2 * register_bytes + 5; ++n) {
      CAPTURE(n);
      const std::vector<std::byte> from = some_bytes(n);
      std::vector<std::byte> to(static_cast<std::size_t>(n * encoding.size() + 4), untouched);
      copy_values(from.data(), n, encoding, to.data());
      for (std::int64_t i = 0; i < n; ++i)
        CHECK(value_at(to, i, encoding) == seen(from[static_cast<std::size_t>(i)], encoding));
      for (std::size_t i = to.size() - 4; i < to.size(); ++i) CHECK(to[i] == untouched);
    }
}

TEST_CASE("byte values: any count of one byte") {
  for (const int8_encoding& encoding : encodings)
    for (const std::int64_t n : {0, 1, 3, 15, 16, 17, 40, 256, 300}) {
      CAPTURE(n);
      std::vector<std::byte> to(static_cast<std::size_t>(n * encoding.size() + 4), untouched);
      set_values(n, std::byte{0x9c}, encoding, to.data());
      for (std::int64_t i = 0; i < n; ++i) CHECK(value_at(to, i, encoding) == seen(std::byte{0x9c}, encoding));
      for (std::size_t i = to.size() - 4; i < to.size(); ++i) CHECK(to[i] == untouched);
    }
}

TEST_CASE("byte values: a row is given its encoding where it lies") {
  for (const int8_encoding& encoding : encodings)
    for (std::int64_t n = 0; n <= 3 * register_bytes; ++n) {
      CAPTURE(n);
      const std::vector<std::byte> from = some_bytes(n);
      std::vector<std::byte> row(static_cast<std::size_t>(n * encoding.size() + 4), untouched);
      std::copy(from.begin(), from.end(), row.begin() + place_before_encoding(n, encoding));
      set_encoding(n, encoding, row.data());
      for (std::int64_t i = 0; i < n; ++i)
        CHECK(value_at(row, i, encoding) == seen(from[static_cast<std::size_t>(i)], encoding));
      for (std::size_t i = row.size() - 4; i < row.size(); ++i) CHECK(row[i] == untouched);
    }
}

}  // namespace
