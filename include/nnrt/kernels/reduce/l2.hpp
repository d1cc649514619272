// l2: L2 norms (square roots of sums of squares) of groups along rows or columns, and L2 normalisation.
// Flow: bind/l2_normalize.hpp and bind/reduce_l2.hpp call l2_normalize() and l2_lengths() for a part of the groups.
#pragma once

#include <nnrt/core/convert.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/reduce/columns.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Sum of squares of n floats that are `step` apart; `sum` is the float approximation. If squares or their sum may
/// overflow or be subnormal, adds them again in f64.
inline double safe_squares(float sum, const float* x, std::int64_t n, std::int64_t step) {
  if (sum > 1e-24F && sum < std::numeric_limits<float>::infinity()) return double{sum};
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) squares += double{x[i * step]} * double{x[i * step]};
  return squares;
}
/// Sum of squares of n floats. The order depends on n and the number of lanes alone; a lane adds at most
/// numbers_of_a_sum values in a row.
template <class V> inline float row_sum_of_squares(const float* x, std::int64_t n) {
  V all(0.0F);
  for (std::int64_t i = 0; i < n;) {
    const std::int64_t end = n - i > 2 * f32_lanes * numbers_of_a_sum ? i + 2 * f32_lanes * numbers_of_a_sum : n;
    V sums[2] = {V(0.0F), V(0.0F)};
    for (; i + 2 * f32_lanes <= end; i += 2 * f32_lanes)
      each<2>([&](int k) __attribute__((always_inline)) {
        const V v = load(x + i + k * f32_lanes);
        sums[k] = fma(v, v, sums[k]);
      });
    for (; i < end; i += f32_lanes) {
      const V v = load_n(x + i, end - i < f32_lanes ? end - i : f32_lanes);
      sums[0] = fma(v, v, sums[0]);
    }
    all = all + (sums[0] + sums[1]);
  }
  return reduce_add(all);
}
inline double row_squares(const float* x, std::int64_t n) {
  return safe_squares(row_sum_of_squares<f32_vec>(x, n), x, n, 1);
}

/// Sums of squares of columns, for safe_squares().
template <class V> inline void column_squares(const column_bundle& columns, const float* x, float* totals) {
  alignas(64) float sums[columns_at_once];
  add_columns<V>(
      columns, sums, totals, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
        const V v = load_n(x + at, n);
        store(sums + c, fma(v, v, load(sums + c)));
      });
}

/// 1 / sqrt(max(squares, epsilon)).
inline float one_over_length(double squares, float epsilon) {
  return static_cast<float>(1.0 / math::sqrt(squares < double{epsilon} ? double{epsilon} : squares));
}
/// True if the value is far from the subnormal floats, so that it has full precision.
inline bool has_digits(float one_over_length) { return one_over_length >= 0x1p-120F; }
inline float limited(double x, clamp_range range) {
  const auto y = static_cast<float>(x);
  return y < range.lo ? range.lo : y > range.hi ? range.hi : y;
}
/// Divides n floats that are `step` apart by their norm, for norms without has_digits(); y may be x.
[[gnu::noinline, gnu::cold]] inline void divide_by_length(const float* x, std::int64_t n, std::int64_t step,
                                                          clamp_range range, float* y) {
  const double length = math::sqrt(safe_squares(0, x, n, step));
  for (std::int64_t i = 0; i < n; ++i) y[i * step] = limited(double{x[i * step]} / length, range);
}

/// Normalises columns of which some have no has_digits(); the other columns are multiplied by sums[c] as usual.
[[gnu::noinline, gnu::cold]] inline void divide_columns(const column_bundle& columns, const float* x, const float* sums,
                                                        clamp_range range, float* y) {
  for (std::int64_t c = 0; c < columns.width; ++c) {
    if (!has_digits(sums[c])) divide_by_length(x + c, columns.extent, columns.step, range, y + c);
    else
      for (std::int64_t i = 0; i < columns.extent; ++i)
        y[i * columns.step + c] = limited(double{x[i * columns.step + c] * sums[c]}, range);
  }
}

template <class V>
inline void l2_normalize_columns(const column_bundle& columns, const float* x, float epsilon, clamp_range range,
                                 float* y) {
  alignas(64) float sums[columns_at_once];
  column_squares<V>(columns, x, sums);
  bool have_digits = true;
  for (std::int64_t c = 0; c < columns.width; ++c) {
    sums[c] = one_over_length(safe_squares(sums[c], x + c, columns.extent, columns.step), epsilon);
    have_digits = have_digits && has_digits(sums[c]);
  }
  if (!have_digits) return divide_columns(columns, x, sums, range, y);
  columns.each_place(
      0, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
        store_n(y + at, clamp(load_n(x + at, n) * load(sums + c), V(range.lo), V(range.hi)), n);
      });
}

}  // namespace detail

/// y = clamp(x / sqrt(max(sum of x^2, epsilon))) along the middle axis of a block; y may be x. Parts are shares of the
/// groups.
template <class Isa = native>
void l2_normalize(const axis_block& block, const float* x, float epsilon, clamp_range range, float* y, part p = {}) {
  if (block.inner != 1)
    return detail::for_each_bundle(block, p, [=](const detail::column_bundle& columns, std::int64_t at, std::int64_t) {
      detail::l2_normalize_columns<f32_vec>(columns, x + at, epsilon, range, y + at);
    });
  const interval rows = share(block.outer, p);
  const std::int64_t n = block.extent;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const float* const from = x + row * n;
    float* const to = y + row * n;
    const float factor = detail::one_over_length(detail::row_squares(from, n), epsilon);
    if (!detail::has_digits(factor)) {
      detail::divide_by_length(from, n, 1, range, to);
      continue;
    }
    const f32_vec by(factor), lo(range.lo), hi(range.hi);
    map(
        from, n, to, [=](f32_vec v) __attribute__((always_inline)) { return clamp(v * by, lo, hi); });
  }
}

/// y[outer, inner] = factor * sqrt(sum of x^2) along the middle axis of a block. Parts are shares of the groups.
template <class Isa = native>
void l2_lengths(const axis_block& block, const float* x, float factor, float* y, part p = {}) {
  const auto length = [=](double squares) { return static_cast<float>(math::sqrt(squares) * double{factor}); };
  if (block.inner != 1)
    return detail::for_each_bundle(
        block, p, [=](const detail::column_bundle& columns, std::int64_t at, std::int64_t group) {
          alignas(64) float sums[detail::columns_at_once];
          detail::column_squares<f32_vec>(columns, x + at, sums);
          for (std::int64_t c = 0; c < columns.width; ++c)
            y[group + c] = length(detail::safe_squares(sums[c], x + at + c, columns.extent, columns.step));
        });
  const interval rows = share(block.outer, p);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    y[row] = length(detail::row_squares(x + row * block.extent, block.extent));
}

}}}  // namespace nnrt::NNRT_ISA::kernels
