#include <nnrt/kernels/softmax/softmax.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace nnrt;
using kernels::axis_block;
using kernels::block_of;

namespace {

constexpr bool is_block(const axis_block& block, std::int64_t outer, std::int64_t extent, std::int64_t inner) {
  return block.is_contiguous() && block.outer == outer && block.extent == extent && block.inner == inner;
}

constexpr bool first_two[max_rank] = {true, true}, last_two[max_rank] = {false, false, true, true},
               ends[max_rank] = {true, false, false, true};
static_assert(is_block(block_of({2, 3, 4, 5}, 1), 2, 3, 20));
static_assert(is_block(block_of({2, 3, 4, 5}, 3), 24, 5, 1));
static_assert(is_block(block_of({2, 3, 4, 5}, first_two), 1, 6, 20));
static_assert(is_block(block_of({2, 3, 4, 5}, last_two), 6, 20, 1));
static_assert(!block_of({2, 3, 4, 5}, ends).is_contiguous());
static_assert(is_block(block_of({1, 3, 4, 5}, ends), 12, 5, 1));  // an axis of extent 1 is nowhere
static_assert(is_block(block_of({2, 1, 1, 5}, ends), 1, 10, 1));

}  // namespace

TEST_CASE("softmax: e^(x - max) over its sum, in place, rows and columns alike") {
  const float x[] = {1.0F, 2.0F, 4.0F, 1000.0F, 999.0F, 0.0F};
  const double sum = std::exp(-3.0) + std::exp(-2.0) + 1.0, second = 1.0 + std::exp(-1.0);
  const double expected[] = {std::exp(-3.0) / sum, std::exp(-2.0) / sum,    1.0 / sum,
                             1.0 / second,         std::exp(-1.0) / second, 0.0};
  std::vector<float> rows(x, x + 6), columns;
  kernels::softmax_rows({2, 3, 1}, rows.data(), rows.data());
  for (int i = 0; i < 3; ++i) columns.push_back(x[i]), columns.push_back(x[3 + i]);
  kernels::softmax_columns({1, 3, 2}, columns.data(), columns.data());
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(std::fabs(double{rows[i]} - expected[i]) < 1e-7);
    CHECK(std::fabs(double{columns[i % 3 * 2 + i / 3]} - expected[i]) < 1e-7);
  }
}

TEST_CASE("softmax: rows of one vector at most have the bits of any rows, NaN and infinities too") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t n = 1; n <= kernels::f32_lanes; ++n) {
    CAPTURE(n);
    const auto count = static_cast<std::size_t>(6 * n);
    std::vector<float> x(count + 1, 7.0F), y(x), short_y(x);  // one more, which nobody may touch
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101) * 0.31F - 15.0F;
    x[static_cast<std::size_t>(2 * n - 1)] = nan;
    x[static_cast<std::size_t>(3 * n - 1)] = -infinity;
    x[static_cast<std::size_t>(4 * n - 1)] = infinity;
    x[static_cast<std::size_t>(5 * n - 1)] = 2e38F;
    kernels::softmax_rows({6, n, 1}, x.data(), y.data());
    for (std::int64_t part = 3; part-- > 0;)
      kernels::softmax_short_rows({6, n, 1}, x.data(), short_y.data(), {part, 3});
    for (std::size_t i = 0; i <= count; ++i) {
      CAPTURE(i);
      CHECK((std::isnan(y[i]) ? std::isnan(short_y[i])
                              : std::bit_cast<std::uint32_t>(y[i]) == std::bit_cast<std::uint32_t>(short_y[i])));
    }
    for (std::int64_t i = n; i < 2 * n; ++i) CHECK(std::isnan(short_y[static_cast<std::size_t>(i)]));
    kernels::softmax_short_rows({6, n, 1}, x.data(), x.data());
    CHECK(x[0] == y[0]);
  }
}

TEST_CASE("softmax: a NaN of either sign, anywhere, makes the whole row NaN") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t n : {1, 4, 16, 17, 64, 100, 200})
    for (const float others : {-40.0F, -2.0F, 3.0F, 70.0F})
      for (const float not_a_number : {nan, -nan})
        for (std::int64_t at = 0; at < n; at += 7) {
          CAPTURE(n);
          CAPTURE(others);
          CAPTURE(at);
          std::vector<float> x(static_cast<std::size_t>(n), others), y(x);
          x[static_cast<std::size_t>(at)] = not_a_number;
          kernels::softmax_rows({1, n, 1}, x.data(), y.data());
          CHECK(std::all_of(y.begin(), y.end(), [](float v) { return std::isnan(v); }));
          kernels::softmax_rows({1, n, 1}, x.data(), x.data());
          CHECK(std::all_of(x.begin(), x.end(), [](float v) { return std::isnan(v); }));
        }
}

TEST_CASE("softmax: rows whose largest number lies anywhere, in place with the same bits") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {2, 5, 16, 17, 63, 64, 65, 100, 1000})
    for (const float first : {-infinity, -3e38F, -1000.0F, -70.0F, -1.0F, 0.0F, 1.0F, 59.0F, 61.0F, 3e38F})
      for (const float others : {-1000.0F, -90.0F, -30.0F, -17.5F, -16.5F, -3.0F, 0.0F, 58.5F, 59.5F, 80.0F, 1e30F}) {
        CAPTURE(n);
        CAPTURE(first);
        CAPTURE(others);
        const auto count = static_cast<std::size_t>(n);
        std::vector<float> x(count), y(count);
        for (std::size_t i = 1; i < count; ++i) x[i] = others + static_cast<float>(i * 37 % 101) * 0.01F;
        x[0] = first;
        kernels::softmax_rows({1, n, 1}, x.data(), y.data());
        double largest = double{x[0]}, sum = 0;
        for (const float number : x) largest = std::max(largest, double{number});
        for (const float number : x) sum += std::exp(double{number} - largest);
        for (std::size_t i = 0; i < count; ++i) {
          const double less = largest - double{x[i]}, expected = std::exp(-less) / sum;
          const double additions = static_cast<double>(n / kernels::f32_lanes);
          // a rounded difference
          const double allowed =
              5e-7 + 0x1p-24 * additions +
              (kernels::detail::needs_no_shift(static_cast<float>(largest)) ? 0.0 : 0x1p-24 * std::min(less, 200.0));
          if (!(std::fabs(double{y[i]} - expected) <= allowed * expected + 1e-38))
            FAIL_CHECK("number ", i, " is ", y[i], ", expected ", expected);
        }
        kernels::softmax_rows({1, n, 1}, x.data(), x.data());
        CHECK(x == y);
      }
}

TEST_CASE("softmax: more columns than are worked on at once") {
  const std::int64_t n = 2 * kernels::detail::columns_at_once + 3;
  std::vector<float> x(static_cast<std::size_t>(3 * n)), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13) - 5.0F;
  kernels::softmax_columns({1, 3, n}, x.data(), y.data());
  for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::exp(double{x[i * static_cast<std::size_t>(n) + c]});
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t at = i * static_cast<std::size_t>(n) + c;
      if (std::fabs(double{y[at]} - std::exp(double{x[at]}) / sum) > 2e-7) FAIL_CHECK("column ", c);
    }
  }
}
