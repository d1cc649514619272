// lanes_test: the vector operations that xsimd lacks, against their scalar meaning, at every count of lanes.
#include <nnrt/kernels/simd/lanes.hpp>

#include "../../support/fenced.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using namespace nnrt::kernels;
using nnrt_test::fenced;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

float first_of(f32_vec x) {
  float all[f32_lanes];
  store(all, x);
  return all[0];
}

TEST_CASE("lanes: load_n reads exactly the first n floats and zeroes the other lanes") {
  for (std::int64_t n = 1; n <= f32_lanes; ++n) {
    CAPTURE(n);
    fenced x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i + 1);
    float got[f32_lanes];
    store(got, load_n(x.data(), n));
    for (std::int64_t i = 0; i < f32_lanes; ++i) CHECK(got[i] == (i < n ? static_cast<float>(i + 1) : 0.0F));
  }
}

TEST_CASE("lanes: store_n writes exactly the first n floats") {
  for (std::int64_t n = 1; n <= f32_lanes; ++n) {
    CAPTURE(n);
    fenced x(f32_lanes, 1.0F), at_the_fence(n);
    store_n(x.data(), f32_vec(7.0F), n);
    store_n(at_the_fence.data(), f32_vec(7.0F), n);
    for (std::int64_t i = 0; i < f32_lanes; ++i) CHECK(x[i] == (i < n ? 7.0F : 1.0F));
    CHECK(at_the_fence[n - 1] == 7.0F);
  }
}

TEST_CASE("lanes: clamp limits numbers and infinities and lets NaN pass") {
  struct row {
    const char* what;
    float x, lo, hi, y;
  };
  static constexpr row table[] = {
      {"inside", 3.0F, 0.0F, 6.0F, 3.0F},          {"below", -3.0F, 0.0F, 6.0F, 0.0F},
      {"above", 7.0F, 0.0F, 6.0F, 6.0F},           {"infinite above", inf, 0.0F, 6.0F, 6.0F},
      {"infinite below", -inf, 0.0F, 6.0F, 0.0F},  {"no limits", -inf, -inf, inf, -inf},
      {"relu of infinity", inf, 0.0F, inf, inf},   {"NaN between numbers", nan, 0.0F, 6.0F, nan},
      {"NaN without limits", nan, -inf, inf, nan},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const float y = first_of(clamp(f32_vec(r.x), f32_vec(r.lo), f32_vec(r.hi)));
    if (std::isnan(r.y)) CHECK(std::isnan(y));
    else CHECK(y == r.y);
  }
}

TEST_CASE("lanes: fma rounds once where the machine has fma") {
  // 1 + 2^-23 squared is 1 + 2^-22 + 2^-46; two roundings lose the last term before 1 is taken away.
  const float x = 1.0F + 0x1p-23F;
  const float y = first_of(fma(f32_vec(x), f32_vec(x), f32_vec(-1.0F)));
#if defined(__FMA__)
  CHECK(y == std::fma(x, x, -1.0F));
#endif
  CHECK(std::abs(y - 0x1p-22F) <= 0x1p-45F);
}

TEST_CASE("lanes: a factor may come from one lane") {
  if constexpr (has_lane_products) {
    const float four[] = {2.0F, -3.0F, 0.5F, 8.0F};
    const f32_vec x(5.0F), y = load(four), z(1.0F);
    CHECK(first_of(fma_lane<0>(x, y, z)) == 11.0F);
    CHECK(first_of(fma_lane<1>(x, y, z)) == -14.0F);
    CHECK(first_of(fma_lane<2>(x, y, z)) == 3.5F);
    CHECK(first_of(fma_lane<3>(x, y, z)) == 41.0F);
  }
}

TEST_CASE("lanes: halves go where their names say") {
  if constexpr (has_half_vector) {
    fenced half(f32_lanes / 2);
    for (std::int64_t i = 0; i < f32_lanes / 2; ++i) half[i] = static_cast<float>(i);
    float got[f32_lanes];
    store(got, load_half_twice(half.data()));
    for (std::int64_t i = 0; i < f32_lanes; ++i) CHECK(got[i] == static_cast<float>(i % (f32_lanes / 2)));
    const float one = 1, two = 2;
    const f32_vec both = blend_halves(f32_vec(one), f32_vec(two));
    for (std::int64_t n = 1; n <= f32_lanes / 2; ++n) {
      CAPTURE(n);
      fenced low(n), high(n);
      store_halves(low.data(), high.data(), both, n);
      for (std::int64_t i = 0; i < n; ++i) CHECK((low[i] == 1.0F && high[i] == 2.0F));
    }
  }
}

TEST_CASE("lanes: halves that do not take part are not read and do not change") {
  if constexpr (has_half_vector)
    for (const unsigned bits : {0U, 1U, 2U, 3U}) {
      CAPTURE(bits);
      const some_halves there(bits);
      // the half alone: no memory next to it may be touched
      fenced x(bits == 0 ? 0 : bits == 3 ? f32_lanes : f32_lanes / 2, 3.0F);
      const float* const from = bits == 2 ? floats_at(advanced(address_of(x.data()), -f32_lanes / 2)) : x.data();
      float read[f32_lanes], sums[f32_lanes];
      store(read, load_halves(from, there));
      store(sums, fma(f32_vec(2.0F), f32_vec(5.0F), f32_vec(1.0F), there));
      for (std::int64_t i = 0; i < f32_lanes; ++i) {
        const bool takes_part = (bits >> (i < f32_lanes / 2 ? 0 : 1) & 1U) != 0;
        CHECK(read[i] == (takes_part ? 3.0F : 0.0F));
        CHECK(sums[i] == (takes_part ? 11.0F : 1.0F));
      }
    }
}

TEST_CASE("lanes: pairs of lanes hold two floats, and add up to half a vector") {
  if constexpr (has_half_vector) {
    fenced half(f32_lanes / 2), two(2);
    for (std::int64_t i = 0; i < f32_lanes / 2; ++i) half[i] = static_cast<float>(i + 1);
    two[0] = 1, two[1] = 2;
    float spread[f32_lanes], pair[f32_lanes], sums[f32_lanes];
    store(spread, pair_lanes(load_n(half.data(), f32_lanes / 2), f32_vec(0.0F)));
    store(pair, broadcast_pair(two.data()));
    store(sums, sums_of_lane_pairs(load(spread), load(spread) + load(pair)));
    for (std::int64_t i = 0; i < f32_lanes; ++i) {
      CAPTURE(i);
      const bool is_first = i % 2 == 0, is_lower = i < f32_lanes / 2;
      CHECK(spread[i] == (is_first ? static_cast<float>(i / 2 + 1) : 0.0F));
      CHECK(pair[i] == (is_first ? 1.0F : 2.0F));
      CHECK(sums[i] == static_cast<float>(is_lower ? i + 1 : i + 1 - f32_lanes / 2 + 3));
    }
  }
}

TEST_CASE("lanes: one float comes into every lane, and nothing next to it is read") {
  fenced one(1, 3.0F);
  for (const f32_vec x : {broadcast(one.data()), broadcast_load(one.data())}) {
    float read[f32_lanes];
    store(read, x);
    for (const float value : read) CHECK(value == 3.0F);
  }
}

TEST_CASE("lanes: strides reach seven distances from one base") {
  const strides step(std::int64_t{5});
  const float x[40] = {};
  const address base = address_of(x);
  each<8>([&](auto i) { CHECK(floats_at(step.from<i>(base)) == x + 5 * i); });
  CHECK(floats_at(advanced(advanced(base, 7), -7)) == x);
}

TEST_CASE("lanes: copy_floats and zero_floats touch n floats and no more") {
  for (std::int64_t n = 0; n <= 3 * f32_lanes + 1; ++n) {
    CAPTURE(n);
    fenced from(n, 2.0F), to(n, 1.0F);
    copy_floats(from.data(), n, to.data());
    CHECK(nnrt_test::same_bits(from, to));
    zero_floats(n, to.data());
    CHECK(nnrt_test::same_bits(fenced(n, 0.0F), to));
  }
}

}  // namespace
