// log_softmax: x minus the logarithm of the sum of e^x, along the last axis or down the rows of a block.
// Flow: bind/log_softmax.hpp calls log_softmax() for a part of the groups; maxima and loops are from
// softmax/softmax.hpp.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/elementwise/functions.hpp>
#include <nnrt/kernels/softmax/softmax.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// x - y - difference per lane, exactly (Knuth's two-sum), where `difference` is the rounded x - y. Without
/// this correction, e^difference would be off by up to |difference| / 2 ULP. NaN gives 0.
template <class V> [[gnu::always_inline]] inline V rest_of_difference(V x, V y, V difference) {
  const V back = opaque_value(opaque_value(difference) - x), rest = (x - opaque_value(difference - back)) - (y + back);
  return where_nan(rest, V(0.0F), rest);
}

/// Sum of e^x, or of e^(x - largest), over the values of a row below the largest value; `equal` counts the others.
struct exponentials_below {
  float sum, equal;
};
template <class V, bool IsShifted>
[[gnu::noinline]] exponentials_below sum_of_exponentials_below(const float* x, std::int64_t n, float largest) {
  constexpr int count = has_side_by_side_exponentials ? row_accumulators : 1;
  const V from(largest);
  V below(0.0F), equal(0.0F), total(0.0F);
  const auto add = [&]<int N>(V(&v)[N]) __attribute__((always_inline)) {
    V e[N], off[N];
    each<N>([&](int k) __attribute__((always_inline)) { e[k] = off[k] = IsShifted ? v[k] - from : v[k]; });
    V rest[N];
    if constexpr (IsShifted)
      each<N>([&](int k) __attribute__((always_inline)) { rest[k] = rest_of_difference(v[k], from, e[k]); });
    exponentials_of(e);
    if constexpr (IsShifted) each<N>([&](int k) __attribute__((always_inline)) { e[k] = fma(e[k], rest[k], e[k]); });
    each<N>([&](int k) __attribute__((always_inline)) {
      below = below + where_equal(off[k], IsShifted ? V(0.0F) : from, V(0.0F), e[k]);
      equal = equal + where_equal(off[k], IsShifted ? V(0.0F) : from, V(1.0F), V(0.0F));
    });
  };
  for (std::int64_t i = 0; i < n;) {
    const std::int64_t end = end_of_sum(i, n, 1);
    for (; i + count * f32_lanes <= end; i += count * f32_lanes) {
      V v[count];
      each<count>([&](int k) __attribute__((always_inline)) { v[k] = load(x + i + k * f32_lanes); });
      add(v);
    }
    for (; i < end; i += f32_lanes) {
      const std::int64_t left = end - i < f32_lanes ? end - i : f32_lanes;
      V v[] = {first_or(load_n(x + i, left), left, -std::numeric_limits<float>::infinity())};
      add(v);
    }
    total = total + below;
    below = V(0.0F);
  }
  return {reduce_add(total), reduce_add(equal)};
}

/// Sum of e^(x - largest) over a row without the first of its largest values, whose term is 1. log(1 + rest) keeps its
/// digits if the rest is small.
template <class V> inline double rest_of_exponentials(const float* x, std::int64_t n, float largest) {
  // As in softmax/softmax.hpp: without a shift, no difference is rounded.
  if (f32_lanes > 4 && needs_no_shift(largest)) {
    const exponentials_below sums = sum_of_exponentials_below<V, f32_lanes <= 4>(x, n, largest);
    float scale;
    store_one(&scale, exp(V(-largest)));
    return double{sums.sum} * double{scale} + (double{sums.equal} - 1.0);
  }
  const exponentials_below sums = sum_of_exponentials_below<V, true>(x, n, largest);
  return double{sums.sum} + (double{sums.equal} - 1.0);
}

template <class V> inline void log_softmax_row(const float* x, std::int64_t n, float* y) {
  const float largest = row_maximum<V>(x, n);
  const V from(largest), less(static_cast<float>(math::log1p(rest_of_exponentials<V>(x, n, largest))));
  map(
      x, n, y, [=](V v) __attribute__((always_inline)) { return (v - from) - less; });
}

template <class V> inline void log_softmax_columns(const column_bundle& columns, const float* x, float* y) {
  alignas(64) float most[columns_at_once], sums[columns_at_once], totals[columns_at_once], equal[columns_at_once];
  column_maxima<V>(columns, x, most);
  columns.each_vector([&](std::int64_t c, std::int64_t) __attribute__((always_inline)) { store(equal + c, V(-1.0F)); });
  add_columns<V>(
      columns, sums, totals, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
        const V v = load_n(x + at, n), largest = load(most + c), off = v - largest, e = exp(off);
        store(sums + c,
              load(sums + c) + where_equal(off, V(0.0F), V(0.0F), fma(e, rest_of_difference(v, largest, off), e)));
        store(equal + c, load(equal + c) + where_equal(off, V(0.0F), V(1.0F), V(0.0F)));
      });
  columns.each_vector([&](std::int64_t c, std::int64_t) __attribute__((always_inline)) {
    store(sums + c, log1p_of(load(totals + c) + load(equal + c)));
  });
  columns.each_place(
      0, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
        store_n(y + at, (load_n(x + at, n) - load(most + c)) - load(sums + c), n);
      });
}

}  // namespace detail

/// Logarithm of softmax along the middle of a block; y must not be x. Parts are groups.
/// Domain: all floats; a NaN anywhere in a group makes the whole group NaN.
/// Error: at most 2e-7 absolute or 4e-7 relative (test: kernels/bind/log_softmax_test).
template <class Isa = native> void log_softmax(const axis_block& block, const float* x, float* y, part p = {}) {
  if (block.inner != 1)
    return detail::for_each_bundle(block, p, [=](const detail::column_bundle& columns, std::int64_t at, std::int64_t) {
      detail::log_softmax_columns<f32_vec>(columns, x + at, y + at);
    });
  const interval rows = share(block.outer, p);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    detail::log_softmax_row<f32_vec>(x + row * block.extent, block.extent, y + row * block.extent);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
