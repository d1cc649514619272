// softmax: e^(x - shift) divided by its sum, along the last axis or down the rows of a block.
// Flow: bind/softmax.hpp calls softmax_rows(), softmax_short_rows() or softmax_columns() for a part of the groups.
//
// The quotients do not depend on the shift. For rows, the shift is 0 if the largest value is neither so large that the
// sum could overflow nor so small that exponentials lose digits. Then no separate pass has to find the largest value
// first, and no difference is rounded.
#pragma once

#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/reduce/columns.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Vectors of accumulators in a loop along a row: enough to hide the latency of an addition.
inline constexpr int row_accumulators = 4;

template <class V> [[gnu::always_inline]] inline float row_maximum(const float* x, std::int64_t n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  V most[row_accumulators] = {V(lowest), V(lowest), V(lowest), V(lowest)};
  std::int64_t i = 0;
  for (; i + row_accumulators * f32_lanes <= n; i += row_accumulators * f32_lanes)
    each<row_accumulators>([&](int k)
                               __attribute__((always_inline)) { most[k] = max(load(x + i + k * f32_lanes), most[k]); });
  for (; i + f32_lanes <= n; i += f32_lanes) most[0] = max(load(x + i), most[0]);
  if (i < n) most[1] = max(first_or(load_n(x + i, n - i), n - i, lowest), most[1]);
  return reduce_max(max(max(most[0], most[1]), max(most[2], most[3])));
}

/// End of a partial sum that starts at i in a row of n, with `vectors` vectors of accumulators, see numbers_of_a_sum.
constexpr std::int64_t end_of_sum(std::int64_t i, std::int64_t n, std::int64_t vectors) {
  return n - i > numbers_of_a_sum * vectors * f32_lanes ? i + numbers_of_a_sum * vectors * f32_lanes : n;
}

/// Whether a row with this largest value (any value if there is a NaN) needs no shift. e^60 is 1e26, and a row has
/// fewer than 1e12 values. Exponentials e^71 times smaller than e^-16 are still normal floats.
constexpr bool needs_no_shift(float largest) { return largest >= -16.0F && largest <= 60.0F; }

/// Totals of the exponentials of a row: their sum, and the largest value minus the shift. On machines that compare bits
/// faster than floats, `extreme` is the smallest value if all are negative (any value if there is a NaN).
struct row_totals {
  float sum, extreme;
};

/// What the exponentials of a row add up to while they are computed.
template <class V> struct exponential_sums {
  V sums[2] = {V(0.0F), V(0.0F)}, total = V(0.0F), most = V(min_extreme);

  [[gnu::always_inline]] void end_sums() {
    total = total + (sums[0] + sums[1]);
    sums[0] = sums[1] = V(0.0F);
  }
};

/// The first elements of a row, row_accumulators vectors at a time; returns how many.
template <class V, class Shifted>
[[gnu::always_inline]] inline std::int64_t side_by_side_exponentials(const float* x, std::int64_t n, float* y,
                                                                     const Shifted& shifted, exponential_sums<V>& of) {
  std::int64_t i = 0;
  for (std::int64_t end; i + row_accumulators * f32_lanes <= n;) {
    end = end_of_sum(i, n, 2);
    for (; i + row_accumulators * f32_lanes <= end; i += row_accumulators * f32_lanes) {
      V e[row_accumulators];
      each<row_accumulators>([&](int k) __attribute__((always_inline)) {
        e[k] = shifted(load(x + i + k * f32_lanes));
        of.most = extreme_of(e[k], of.most);
      });
      exponentials_of(e);
      each<row_accumulators>([&](int k) __attribute__((always_inline)) {
        store(y + i + k * f32_lanes, e[k]);
        of.sums[k % 2] = of.sums[k % 2] + e[k];
      });
    }
    of.end_sums();
  }
  return i;
}

/// y = e^(x - shift), or e^x unless IsShifted; returns the totals.
template <class V, bool IsShifted>
[[gnu::noinline]] row_totals row_exponentials(const float* x, std::int64_t n, float shift, float* y) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  exponential_sums<V> of;
  const V from(shift);
  const auto shifted = [&](V v) __attribute__((always_inline)) { return IsShifted ? v - from : v; };
  std::int64_t i = 0;
  if constexpr (has_side_by_side_exponentials) i = side_by_side_exponentials<V>(x, n, y, shifted, of);
  // One vector at a time: four at a time would be another kilobyte of code. Lanes after the last value have exponential
  // 0.
  while (i < n) {
    for (const std::int64_t end = end_of_sum(i, n, 1); i < end; i += f32_lanes) {
      const std::int64_t left = n - i < f32_lanes ? n - i : f32_lanes;
      V e[] = {shifted(load_n(x + i, left))}, seen = e[0];
      if (f32_lanes > 4 || left < f32_lanes) {
        seen = first_or(e[0], left, min_extreme);
        e[0] = first_or(e[0], left, lowest);
      }
      of.most = extreme_of(seen, of.most);
      exponentials_of(e);
      store_n(y + i, e[0], left);
      of.sums[0] = of.sums[0] + e[0];
    }
    of.total = of.total + of.sums[0];
    of.sums[0] = V(0.0F);
  }
  return {reduce_add(of.total), extreme_lane(of.most)};
}

template <class V> [[gnu::always_inline]] inline void scale_row(float* y, std::int64_t n, float factor) {
  const V by(factor);
  std::int64_t i = 0;
  // Unrolled: with one vector per iteration, this takes twice as long if the core's other thread shares the decoder.
  for (; i + row_accumulators * f32_lanes <= n; i += row_accumulators * f32_lanes)
    each<row_accumulators>([&](int k) __attribute__((always_inline)) {
      store(y + i + k * f32_lanes, load(y + i + k * f32_lanes) * by);
    });
  for (; i + f32_lanes <= n; i += f32_lanes) store(y + i, load(y + i) * by);
  if (i < n) store_n(y + i, load_n(y + i, n - i) * by, n - i);
}

/// Softmax of any row; y may be x. Finds the largest value first.
template <class V> [[gnu::noinline]] void softmax_row_by_largest(const float* x, std::int64_t n, float* y) {
  const float largest = row_maximum<V>(x, n);
  scale_row<V>(y, n, 1.0F / row_exponentials<V, true>(x, n, needs_no_shift(largest) ? 0.0F : largest, y).sum);
}
/// Softmax of a row with y other than x; gives the bits of softmax_row_by_largest().
template <class V> [[gnu::always_inline]] inline void softmax_row(const float* x, std::int64_t n, float* y) {
  // Vectors of four lanes always shift: the shift costs less than compiling a second loop.
  const row_totals made = row_exponentials<V, f32_lanes <= 4>(x, n, 0.0F, y);
  if (needs_no_shift(made.extreme)) scale_row<V>(y, n, 1.0F / made.sum);
  else softmax_row_by_largest<V>(x, n, y);
}

/// Largest value of each column.
template <class V>
[[gnu::always_inline]] inline void column_maxima(const column_bundle& columns, const float* x, float* most) {
  columns.each_vector([&](std::int64_t c, std::int64_t n)
                          __attribute__((always_inline)) { store(most + c, load_n(x + c, n)); });
  columns.each_place(
      1, [&](std::int64_t at, std::int64_t c, std::int64_t n)
             __attribute__((always_inline)) { store(most + c, max(load_n(x + at, n), load(most + c))); });
}

template <class V> inline void softmax_columns(const column_bundle& columns, const float* x, float* y) {
  alignas(64) float most[columns_at_once], sums[columns_at_once], totals[columns_at_once];
  column_maxima<V>(columns, x, most);
  add_columns<V>(
      columns, sums, totals, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
        const V e = exp(load_n(x + at, n) - load(most + c));
        store_n(y + at, e, n);
        store(sums + c, load(sums + c) + e);
      });
  columns.each_vector([&](std::int64_t c, std::int64_t)
                          __attribute__((always_inline)) { store(totals + c, V(1.0F) / load(totals + c)); });
  columns.each_place(
      0, [&](std::int64_t at, std::int64_t c, std::int64_t n)
             __attribute__((always_inline)) { store_n(y + at, load_n(y + at, n) * load(totals + c), n); });
}

}  // namespace detail

/// Softmax along the middle of a block whose inner extent is 1; y may be x. Parts are groups.
/// Domain: all floats; a NaN anywhere in a group makes the whole group NaN.
/// Error: relative, at most 5e-7 + 2^-24 * n / lanes for n values; if shifted, plus 2^-24 * (largest - x) (test:
/// kernels/softmax/softmax_test).
template <class Isa = native> void softmax_rows(const axis_block& block, const float* x, float* y, part p = {}) {
  const interval rows = share(block.outer, p);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const float* const from = x + row * block.extent;
    float* const to = y + row * block.extent;
    if (from == to) detail::softmax_row_by_largest<f32_vec>(from, block.extent, to);
    else detail::softmax_row<f32_vec>(from, block.extent, to);
  }
}

/// softmax_rows() for rows of at most one vector, with the same bits.
template <class Isa = native> void softmax_short_rows(const axis_block& block, const float* x, float* y, part p = {}) {
  const interval rows = share(block.outer, p);
  const std::int64_t n = block.extent;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const f32_vec values = load_n(x + row * n, n);
    const float largest = reduce_max(first_or(values, n, -std::numeric_limits<float>::infinity()));
    f32_vec e[] = {values - f32_vec(detail::needs_no_shift(largest) ? 0.0F : largest)};
    exponentials_of(e);
    store_n(y + row * n, e[0] * f32_vec(1.0F / reduce_add(first_or(e[0], n, 0.0F))), n);
  }
}

/// Softmax along the middle of a block with any inner extent: vectors are made of adjacent groups. y may be x.
template <class Isa = native> void softmax_columns(const axis_block& block, const float* x, float* y, part p = {}) {
  detail::for_each_bundle(block, p, [=](const detail::column_bundle& columns, std::int64_t at, std::int64_t) {
    detail::softmax_columns<f32_vec>(columns, x + at, y + at);
  });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
