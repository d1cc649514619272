// l2_normalize: x over the root of the sum of its squares, along the last axis or across the rows before it.
// Flow: bind/l2_normalize.hpp calls l2_normalize() for a part of the groups.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/layer_norm.hpp>
#include <nnrt/kernels/softmax.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

namespace detail {

/// One over the length of n floats that are `step` apart, of which the sum of squares is about this. Squares that are no normal numbers, and sums that
/// are not, are made again with room enough.
inline float one_over_length(float sum, float epsilon, const float* x, std::int64_t n, std::int64_t step) {
  double squares = double{sum};
  if (!(sum > 1e-24F && sum < std::numeric_limits<float>::infinity())) {
    squares = 0;
    for (std::int64_t i = 0; i < n; ++i) squares += double{x[i * step]} * double{x[i * step]};
  }
  return static_cast<float>(1.0 / math::sqrt(squares < double{epsilon} ? double{epsilon} : squares));
}

template <class V> inline void l2_normalize_columns(const column_bundle& columns, const float* x, float epsilon, clamp_range range, float* y) {
  alignas(64) float sums[columns_at_once] = {};
  columns.each_place(0, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
    const V v = load_first(x + at, n);
    store(sums + c, fma(v, v, load(sums + c)));
  });
  for (std::int64_t c = 0; c < columns.width; ++c) sums[c] = one_over_length(sums[c], epsilon, x + c, columns.extent, columns.step);
  columns.each_place(0, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
    store_first(y + at, clamp(load_first(x + at, n) * load(sums + c), V(range.lo), V(range.hi)), n);
  });
}

}  // namespace detail

/// x / sqrt(max(sum of x^2, epsilon)) along the middle of a block, limited; y may be x. The parts share the groups.
template <class Isa = native> void l2_normalize(const axis_block& block, const float* x, float epsilon, clamp_range range, float* y, part p = {}) {
  if (block.inner != 1)
    return detail::for_each_bundle(block, x, y, p, [=](const detail::column_bundle& columns, const float* from, float* to) {
      detail::l2_normalize_columns<vf>(columns, from, epsilon, range, to);
    });
  const interval rows = share(block.outer, p);
  const std::int64_t n = block.extent;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const float* const from = x + row * n;
    float* const to = y + row * n;
    const vf by(detail::one_over_length(detail::row_sum_of_squares<vf>(from, n, 0.0F), epsilon, from, n, 1)), lo(range.lo), hi(range.hi);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) store(to + i, clamp(load(from + i) * by, lo, hi));
    if (i < n) store_first(to + i, clamp(load_first(from + i, n - i) * by, lo, hi), n - i);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
