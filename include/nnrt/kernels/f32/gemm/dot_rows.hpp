// dot_rows: vector times transposed weights in their original order, for large weights that each run reads once.
// Flow: bind/full_connection.hpp calls it for single rows of large layers; f32/gemm/gemm.hpp multiplies packed weights.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Adds the products of x and `Rows` consecutive rows of w (k floats each) to `sums`, one vector per row.
/// The sum of a row does not depend on the other rows of the call.
template <int Rows>
[[gnu::always_inline]] inline void add_row_products(const float* x, const float* w, std::int64_t k,
                                                    f32_vec (&sums)[Rows]) {
  std::int64_t i = 0;
  for (; i + f32_lanes <= k; i += f32_lanes) {
    const f32_vec at = load(x + i);
    each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] = fma(at, load(w + r * k + i), sums[r]); });
  }
  if (i == k) return;
  const f32_vec last = load_n(x + i, k - i);
  each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] = fma(last, load_n(w + r * k + i, k - i), sums[r]); });
}
/// Writes the dot products of x and `Rows` rows of w.
template <int Rows>
[[gnu::always_inline]] inline void row_products(const float* x, const float* w, std::int64_t k, float* to) {
  f32_vec sums[Rows];
  each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] = f32_vec(0.0F); });
  add_row_products(x, w, k, sums);
  each<Rows>([&](int r) __attribute__((always_inline)) { to[r] = reduce_add(sums[r]); });
}

/// Dot product of x and one row of w that exceeds L2, in four accumulators.
/// Hardware prefetchers follow one stream up to the end of its page. A software prefetch four pages ahead loads the
/// address translation of that page in time. Prefetches past the end of w are harmless.
template <class Isa>
[[gnu::always_inline]] inline float product_from_afar(const float* x, const float* w, std::int64_t k) {
  constexpr std::int64_t floats_in_page = 4096 / 4, pages_ahead = 4;
  f32_vec sums[4] = {f32_vec(0.0F), f32_vec(0.0F), f32_vec(0.0F), f32_vec(0.0F)};
  std::int64_t i = 0;
  for (; i + 4 * f32_lanes <= k; i += 4 * f32_lanes) {
    if (i % floats_in_page == 0)
      __builtin_prefetch(floats_at(advanced(address_of(w), i + pages_ahead * floats_in_page)), 0, 2);
    each<4>([&](int s) __attribute__((always_inline)) {
      sums[s] = fma(load(x + i + s * f32_lanes), load(w + i + s * f32_lanes), sums[s]);
    });
  }
  for (; i < k; i += f32_lanes) {
    const std::int64_t count = std::min(k - i, f32_lanes);
    sums[0] = fma(load_n(x + i, count), load_n(w + i, count), sums[0]);
  }
  return reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/// products[j] = sum over i of x[i] * w[j][i], for `count` rows.
/// If x fits in L1 (16 KiB), rows are read one at a time, as a single stream. Longer rows are read four at a time, so
/// that x is read once for four rows.
template <class Isa>
void products_of_rows(const float* x, const float* w, std::int64_t k, std::int64_t count, float* products) {
  constexpr std::int64_t at_once = 4, max_alone = 16 * 1024 / 4;
  std::int64_t j = 0;
  if (k <= max_alone)
    for (; j < count; ++j) products[j] = product_from_afar<Isa>(x, w + j * k, k);
  for (; j + at_once <= count; j += at_once) row_products<at_once>(x, w + j * k, k, products + j);
  for (; j < count; ++j) row_products<1>(x, w + j * k, k, products + j);
}

}  // namespace detail

/// Weights of a dense layer in the order of storage: n contiguous rows of k floats, n floats of bias (null: zeros).
struct dense_weights {
  std::int64_t k = 0, n = 0;
  const float* w = nullptr;
  const float* bias = nullptr;
};

/// y[j] = clamp(bias[j] + sum over i of x[i] * w[j][i]). Results do not depend on the number of parts.
template <class Isa = native>
void dot_rows(const dense_weights& of, const float* x, float* y, clamp_range range = {}, part p = {}) {
  const auto [k, n, w, bias] = of;
  const interval mine = share(n, p);
  const f32_vec lo(range.lo), hi(range.hi);
  for (std::int64_t first = mine.begin; first < mine.end; first += f32_lanes) {
    const std::int64_t count = mine.end - first < f32_lanes ? mine.end - first : f32_lanes;
    float sums[f32_lanes];
    detail::products_of_rows<Isa>(x, w + first * k, k, count, sums);
    const f32_vec begun = bias != nullptr ? load_n(bias + first, count) : f32_vec(0.0F);
    store_n(y + first, clamp(load_n(sums, count) + begun, lo, hi), count);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
