// dot_rows: one row times the transpose of a matrix as it lies there, for weights that are large and read once a run.
// Flow: bind/full_connection.hpp chooses it for single rows of large layers; gemm.hpp has the products of packed weights.
#pragma once

#include <nnrt/kernels/lane_math.hpp>
#include <nnrt/kernels/lanes.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

namespace detail {

inline constexpr std::int64_t floats_in_line = 64 / 4;

/// Adds the products of x and Rows rows of w, each k floats long, one below the other, to the sums of their lanes. A sum depends on its own row alone,
/// not on those that are read beside it. As many rows behind these are asked for when they come from afar, not read, so it does not matter whether they
/// are there: no machine guesses from several short rows at once where the next ones lie.
template <int Rows, bool FromAfar>
[[gnu::always_inline]] inline void add_row_products(const float* x, const float* w, std::int64_t k, vf (&sums)[Rows]) {
  address ahead = advanced(address_of(w), Rows * k);
  std::int64_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    const vf at = load(x + i);
    each<Rows>([&](int r) __attribute__((always_inline)) {
      if (FromAfar && i % floats_in_line == 0) __builtin_prefetch(floats_at(ahead), 0, 2);
      ahead = advanced(ahead, lanes);
      sums[r] = fma(at, load(w + r * k + i), sums[r]);
    });
  }
  if (i == k) return;
  const vf last = load_first(x + i, k - i);
  each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] = fma(last, load_first(w + r * k + i, k - i), sums[r]); });
}
/// The products of x and Rows rows of w that come from afar.
template <int Rows> [[gnu::always_inline]] inline void row_products(const float* x, const float* w, std::int64_t k, float* to) {
  vf sums[Rows];
  each<Rows>([&](int r) __attribute__((always_inline)) { sums[r] = vf(0.0F); });
  add_row_products<Rows, true>(x, w, k, sums);
  each<Rows>([&](int r) __attribute__((always_inline)) { to[r] = sum_of_lanes(sums[r]); });
}

}  // namespace detail

/// y[j] = clamp(bias[j] + the sum over i of x[i] * w[j][i]); w has n rows of k floats. Every division into parts gives the same bits.
///
/// \param bias n floats; null: zeros
template <class Isa = native>
void dot_rows(const float* x, const float* w, const float* bias, std::int64_t k, std::int64_t n, float* y, clamp_range range = {}, part p = {}) {
  constexpr std::int64_t at_once = 4;
  const interval mine = share(n, p);
  const vf lo(range.lo), hi(range.hi);
  for (std::int64_t first = mine.begin; first < mine.end; first += lanes) {
    const std::int64_t count = mine.end - first < lanes ? mine.end - first : lanes;
    float sums[lanes];
    std::int64_t j = 0;
    for (; j + at_once <= count; j += at_once) detail::row_products<at_once>(x, w + (first + j) * k, k, sums + j);
    for (; j < count; ++j) detail::row_products<1>(x, w + (first + j) * k, k, sums + j);
    const vf begun = bias != nullptr ? load_first(bias + first, count) : vf(0.0F);
    store_first(y + first, clamp(load_first(sums, count) + begun, lo, hi), count);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
