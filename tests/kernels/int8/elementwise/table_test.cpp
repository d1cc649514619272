#include <nnrt/kernels/int8/elementwise/table.hpp>

#include <doctest/doctest.h>
#include <support/fenced.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

std::vector<std::byte> some_bytes(std::int64_t n, std::uint32_t seed) {
  std::vector<std::byte> bytes;
  std::uint32_t state = seed;
  for (std::int64_t i = 0; i < n; ++i)
    bytes.push_back(static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24U));
  return bytes;
}

std::vector<std::byte> expected_of(const std::vector<std::byte>& table, const std::vector<std::byte>& x) {
  std::vector<std::byte> y;
  for (const std::byte byte : x) y.push_back(table[static_cast<std::size_t>(byte)]);
  return y;
}

const std::vector<std::byte> table = some_bytes(kernels::table_entries, 7);

template <std::int64_t N> void check_all() {
  CAPTURE(N);
  const std::vector<std::byte> numbers = some_bytes(N, 11);
  fenced_bytes x(numbers), y(some_bytes(N, 13));
  kernels::look_up_all<N>(table.data(), x.data(), y.data());
  CHECK(y.copy() == expected_of(table, numbers));
  kernels::look_up_all<N>(table.data(), x.data(), x.data());
  CHECK(x.copy() == expected_of(table, numbers));
}

}  // namespace

TEST_CASE("tables: every number of bytes finds its entries, in place, too") {
  for (std::int64_t n = 0; n < 260; ++n) {
    CAPTURE(n);
    const std::vector<std::byte> numbers = some_bytes(n, static_cast<std::uint32_t>(n));
    fenced_bytes x(numbers), y(some_bytes(n, 3));
    kernels::look_up(table.data(), x.data(), n, y.data());
    CHECK(y.copy() == expected_of(table, numbers));
    kernels::look_up(table.data(), x.data(), n, x.data());
    CHECK(x.copy() == expected_of(table, numbers));
  }
}

TEST_CASE("tables: each of the 256 bytes has its own entry, at each place of a register") {
  for (int shift = 0; shift < 64; ++shift) {
    std::vector<std::byte> numbers;
    for (int i = 0; i < 256 + 64; ++i) numbers.push_back(static_cast<std::byte>(i + shift));
    std::vector<std::byte> y(numbers.size());
    kernels::look_up(table.data(), numbers.data(), static_cast<std::int64_t>(numbers.size()), y.data());
    CAPTURE(shift);
    CHECK(y == expected_of(table, numbers));
  }
}

TEST_CASE("tables: numbers of bytes that the compiler knows") {
  check_all<1>();
  check_all<3>();
  check_all<4>();
  check_all<8>();
  check_all<15>();
  check_all<16>();
  check_all<17>();
  check_all<33>();
  check_all<64>();
  check_all<65>();
}
