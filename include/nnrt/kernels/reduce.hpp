// reduce: the mean along the middle of [outer, extent, inner].
// Flow: bind/reduce_mean.hpp calls mean() for a part of the results.
#pragma once

#include <nnrt/kernels/axis_block.hpp>
#include <nnrt/kernels/lane_math.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// The sum of n floats, in an order that depends on n and the number of lanes alone.
template <class V> inline float row_sum(const float* x, std::int64_t n) {
  V sums[4] = {V(0.0F), V(0.0F), V(0.0F), V(0.0F)};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    each<4>([&](auto k) __attribute__((always_inline)) { sums[k] = sums[k] + load(x + i + k * lanes); });
  for (; i + lanes <= n; i += lanes) sums[0] = sums[0] + load(x + i);
  if (i < n) sums[1] = sums[1] + load_first(x + i, n - i);
  return sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

namespace detail {

/// Means of Vectors vectors of columns over `extent` rows, each row summed after the one before; `last` columns of the
/// last vector.
template <class V, int Vectors>
[[gnu::always_inline]] inline void column_means(const float* x, std::int64_t extent, std::int64_t step,
                                                std::int64_t last, float factor, float* y) {
  V sums[Vectors];
  each<Vectors>([&](auto k) __attribute__((always_inline)) { sums[k] = V(0.0F); });
  for (std::int64_t i = 0; i < extent; ++i)
    each<Vectors>([&, row = x + i * step ](auto k) __attribute__((always_inline)) {
      sums[k] = sums[k] + (k + 1 < Vectors ? load(row + k * lanes) : load_first(row + k * lanes, last));
    });
  const V count(static_cast<float>(extent)), by(factor);
  each<Vectors>([&](auto k) __attribute__((always_inline)) {
    store_first(y + k * lanes, sums[k] / count * by, k + 1 < Vectors ? lanes : last);
  });
}

}  // namespace detail

/// y[outer, inner] = factor * mean of x along the middle. A part never adds to another's sum: the parts share the
/// results.
template <class Isa = native> void mean(const axis_block& block, const float* x, float factor, float* y, part p = {}) {
  if (block.inner == 1) {
    const interval rows = share(block.outer, p);
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      y[row] = row_sum<vf>(x + row * block.extent, block.extent) / static_cast<float>(block.extent) * factor;
    return;
  }
  constexpr int vectors = 4;
  const rectangle work = share(block.outer, (block.inner + lanes - 1) / lanes, p);
  const std::int64_t end = work.columns.end * lanes < block.inner ? work.columns.end * lanes : block.inner;
  for (std::int64_t row = work.rows.begin; row < work.rows.end; ++row) {
    const float* const from = x + row * block.extent * block.inner;
    float* const to = y + row * block.inner;
    std::int64_t c = work.columns.begin * lanes;
    for (; c + vectors * lanes <= end; c += vectors * lanes)
      detail::column_means<vf, vectors>(from + c, block.extent, block.inner, lanes, factor, to + c);
    for (; c < end; c += lanes)
      detail::column_means<vf, 1>(from + c, block.extent, block.inner, end - c < lanes ? end - c : lanes, factor,
                                  to + c);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
