// dot_rows_test: a row times rows of weights against sums in double, at the edges of vectors and groups, divided in
// every way.
#include <nnrt/kernels/f32/gemm/dot_rows.hpp>

#include "../../../support/fenced.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace nnrt::kernels;
using nnrt_test::fenced;
using nnrt_test::same_bits;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float untouched = -123.0F;

void check(std::int64_t k, std::int64_t n, bool has_bias, clamp_range range, std::minstd_rand& random) {
  CAPTURE(k);
  CAPTURE(n);
  fenced x(k), w(n * k), bias(n), y(n, untouched);
  randomize(x, random), randomize(w, random), randomize(bias, random);
  const dense_weights weights{.k = k, .n = n, .w = w.data(), .bias = has_bias ? bias.data() : nullptr};
  dot_rows(weights, x.data(), y.data(), range);
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = has_bias ? double{bias[j]} : 0, size = 1;
    for (std::int64_t i = 0; i < k; ++i) {
      const double product = double{x[i]} * double{w[j * k + i]};
      sum += product, size += std::abs(product);
    }
    const double expected = std::clamp(sum, double{range.lo}, double{range.hi});
    REQUIRE(std::abs(double{y[j]} - expected) <= size * 0x1p-22);
  }
  for (const std::int64_t parts : {2, 3, 7, 64}) {
    fenced divided(n, untouched);
    for (std::int64_t i = parts; i-- > 0;) dot_rows(weights, x.data(), divided.data(), range, {i, parts});
    REQUIRE(same_bits(divided, y));
  }
}

}  // namespace

TEST_CASE("dot_rows: lengths around whole vectors, numbers of rows around groups and vectors") {
  std::minstd_rand random(1);
  for (const std::int64_t k :
       {std::int64_t{1}, f32_lanes - 1, f32_lanes, f32_lanes + 1, 2 * f32_lanes, 3 * f32_lanes + 1, 4 * f32_lanes - 1,
        4 * f32_lanes + 1, 9 * f32_lanes, std::int64_t{1280}})
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{3}, std::int64_t{4}, f32_lanes - 1, f32_lanes,
                                 f32_lanes + 5, 3 * f32_lanes + 2})
      if (n > 0 && k > 0) check(k, n, (k + n) % 2 == 0, k % 3 == 0 ? clamp_range{0.0F, 0.5F} : clamp_range{}, random);
}

TEST_CASE("dot_rows: rows of several pages, and those that are read four at a time") {
  std::minstd_rand random(2);
  for (const std::int64_t k : {1024, 2051, 4096, 4097, 9216 + 5})
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{7}, f32_lanes + 2}) check(k, n, n % 2 == 0, {}, random);
}

TEST_CASE("dot_rows: no products give the bias, clamped; no rows write nothing") {
  fenced nothing(0), bias(5, 7.0F), y(5, untouched);
  dot_rows({.k = 0, .n = 5, .w = nothing.data(), .bias = bias.data()}, nothing.data(), y.data(), {0.0F, 6.0F});
  CHECK(std::ranges::all_of(y.all(), [](float x) { return x == 6.0F; }));
  dot_rows({.k = 0, .n = 5, .w = nothing.data()}, nothing.data(), y.data());
  CHECK(std::ranges::all_of(y.all(), [](float x) { return x == 0.0F; }));
  dot_rows({.k = 3, .n = 0, .w = nothing.data()}, nothing.data(), nothing.data());
}

TEST_CASE("dot_rows: an infinity or a NaN reaches the rows that it is a factor of, and no others") {
  for (const std::int64_t k : {f32_lanes + 3, 2 * f32_lanes, 5 * f32_lanes, std::int64_t{4100}}) {
    CAPTURE(k);
    fenced x(k, 1.0F), w(6 * k, 1.0F), y(6);
    w[1 * k] = inf, w[3 * k + k - 1] = std::numeric_limits<float>::quiet_NaN();
    dot_rows({.k = k, .n = 6, .w = w.data()}, x.data(), y.data(), {0.0F, inf});
    for (const std::int64_t j : {0, 2, 4, 5}) CHECK(y[j] == static_cast<float>(k));
    CHECK(y[1] == inf);
    CHECK(y[3] != y[3]);
  }
}
