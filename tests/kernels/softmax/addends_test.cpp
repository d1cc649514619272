#include <nnrt/kernels/softmax/addends.hpp>

#include <doctest/doctest.h>
#include <support/fenced.hpp>
#include <support/kernels.hpp>

#include <cstring>
#include <limits>

using namespace nnrt_test;

namespace {

/// Falls with d, of 19 bits, and is 0 from `used` on.
std::uint32_t addend_of(std::int64_t d, std::int64_t used) {
  return d < used ? static_cast<std::uint32_t>((used - d) * 524287 / used) : 0;
}

/// Numbers from `least` to `largest`, both among them.
template <class T> std::vector<T> row_of(T least, T largest, std::int64_t n) {
  std::vector<T> row;
  std::uint32_t state = 5;
  for (std::int64_t i = 0; i < n; ++i)
    row.push_back(static_cast<T>(least + static_cast<int>((state = state * 1664525U + 1013904223U) >> 16U) %
                                             (largest - least + 1)));
  row.front() = largest;
  row.back() = least;
  return row;
}

template <class T> std::int64_t sum_of(const std::vector<T>& row, T largest, std::int64_t used) {
  std::int64_t sum = 0;
  for (const T x : row) sum += addend_of(std::int64_t{largest} - x, used);
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE("addends: the sum of any row of at least a register, whatever its range and how far addends reach",
                   T, std::int8_t, std::uint8_t) {
  constexpr int lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  for (const std::int64_t used : {1, 15, 16, 17, 100, 128, 129, 144, 256}) {
    const kernels::softmax_addends addends([&](std::int64_t d) { return addend_of(d, used); });
    for (const int width : {0, 1, 15, 16, 40, 127, 128, 200, 255})
      for (const int above : {0, 3, 255 - width})
        for (const std::int64_t n : {64, 65, 95, 96, 97, 127, 128, 1000}) {
          if (above > 255 - width) continue;
          const auto least = static_cast<T>(lowest + above), largest = static_cast<T>(lowest + above + width);
          CAPTURE(used);
          CAPTURE(width);
          CAPTURE(above);
          CAPTURE(n);
          CHECK(largest <= highest);
          const std::vector<T> row = row_of(least, largest, n);
          std::vector<std::byte> stored(row.size());
          std::memcpy(stored.data(), row.data(), row.size());
          fenced_bytes x(stored);
          const auto* const from = reinterpret_cast<const T*>(x.data());
          const auto range = kernels::byte_range<T>::of(from, n);
          CHECK(range.least == least);
          CHECK(range.largest == largest);
          CHECK(addends.sum(range, from, n) == sum_of(row, largest, used));
        }
  }
}

TEST_CASE("addends: a sum beyond 32 bits") {
  const kernels::softmax_addends addends([](std::int64_t) { return std::uint32_t{(1U << 19U) - 1}; });
  const std::vector<std::uint8_t> row(20'000, 7);
  CHECK(addends.sum(kernels::byte_range<std::uint8_t>{7, 7}, row.data(), 20'000) ==
        20'000 * ((std::int64_t{1} << 19) - 1));
}
