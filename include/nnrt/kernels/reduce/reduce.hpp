// reduce: folds along the middle axis of [outer, extent, inner], such as sums, means, products.
// Flow: the bindings of reductions call fold() for a part of the results; reduce/layer_norm.hpp uses row_sum().
#pragma once

#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/reduce/folds.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Folds n floats to one vector.
template <class V, class Fold> [[gnu::always_inline]] inline V folded_vectors(const float* x, std::int64_t n) {
  const V start(Fold::start);
  V folded[4] = {start, start, start, start};
  std::int64_t i = 0;
  for (; i + 4 * f32_lanes <= n; i += 4 * f32_lanes)
    each<4>([&](int k)
                __attribute__((always_inline)) { folded[k] = Fold::step(folded[k], load(x + i + k * f32_lanes)); });
  for (; i + f32_lanes <= n; i += f32_lanes) folded[0] = Fold::step(folded[0], load(x + i));
  if (i < n) {
    V rest = load_n(x + i, n - i);
    if constexpr (Fold::start != 0) rest = first_or(rest, n - i, Fold::start);
    folded[1] = Fold::step(folded[1], rest);
  }
  return Fold::step(Fold::step(folded[0], folded[1]), Fold::step(folded[2], folded[3]));
}

/// folded_vectors() for long rows: a lane folds at most numbers_of_a_sum values in a row before its result joins the
/// total.
template <class V, class Fold> [[gnu::noinline]] V folded_blocks(const float* x, std::int64_t n) {
  constexpr std::int64_t block = 4 * f32_lanes * numbers_of_a_sum;
  V all = folded_vectors<V, Fold>(x + n / block * block, n % block);
  for (std::int64_t i = 0; i < n / block; ++i) all = Fold::step(all, folded_vectors<V, Fold>(x + i * block, block));
  return all;
}

}  // namespace detail

/// Folds n floats, before Fold::result(). The order depends on n and the number of lanes alone.
template <class V, class Fold> inline float folded_row(const float* x, std::int64_t n) {
  const V all = n <= 4 * f32_lanes * numbers_of_a_sum ? detail::folded_vectors<V, Fold>(x, n)
                                                      : detail::folded_blocks<V, Fold>(x, n);
  return detail::fold_lanes(
      all, [](V a, V b) __attribute__((always_inline)) { return Fold::step(a, b); });
}

/// Sum of n floats. The order depends on n and the number of lanes alone.
template <class V> inline float row_sum(const float* x, std::int64_t n) { return folded_row<V, mean_fold>(x, n); }

namespace detail {

/// Repeats the folds of `columns` columns whose result is not finite, in f64.
template <class Fold>
[[gnu::noinline, gnu::cold]] void refold_columns(const float* x, std::int64_t extent, std::int64_t step,
                                                 std::int64_t columns, float factor, float* y) {
  for (std::int64_t c = 0; c < columns; ++c)
    if (!math::is_finite(y[c]))
      y[c] = static_cast<float>(in_f64<Fold>(extent, [=](std::int64_t i) { return x[i * step + c]; }) * double{factor});
}

/// Folds `Vectors` vectors of columns over `extent` rows in order; the last vector has `last` columns.
template <class V, class Fold, int Vectors>
[[gnu::always_inline]] inline void fold_columns(const float* x, std::int64_t extent, std::int64_t step,
                                                std::int64_t last, float factor, float* y) {
  V folded[Vectors], all[Vectors];
  each<Vectors>([&](int k) __attribute__((always_inline)) { all[k] = V(Fold::start); });
  for (std::int64_t i = 0; i < extent;) {
    each<Vectors>([&](int k) __attribute__((always_inline)) { folded[k] = V(Fold::start); });
    for (const std::int64_t end = extent - i < numbers_of_a_sum ? extent : i + numbers_of_a_sum; i < end; ++i)
      each<Vectors>([&, row = x + i * step ](int k) __attribute__((always_inline)) {
        folded[k] =
            Fold::step(folded[k], k + 1 < Vectors ? load(row + k * f32_lanes) : load_n(row + k * f32_lanes, last));
      });
    each<Vectors>([&](int k) __attribute__((always_inline)) { all[k] = Fold::step(all[k], folded[k]); });
  }
  const V count(static_cast<float>(extent)), by(factor);
  V specials(0.0F);
  each<Vectors>([&](int k) __attribute__((always_inline)) {
    const V result = Fold::result(all[k], count) * by;
    store_n(y + k * f32_lanes, result, k + 1 < Vectors ? f32_lanes : last);
    specials = specials + (result - result);
  });
  if constexpr (may_overflow<Fold>)
    if (has_special_lane(specials)) refold_columns<Fold>(x, extent, step, (Vectors - 1) * f32_lanes + last, factor, y);
}

}  // namespace detail

/// y[outer, inner] = factor * fold of x along the middle axis. A part is a share of the results: parts never add to the
/// same result.
template <class Fold, class Isa = native>
void fold(const axis_block& block, const float* x, float factor, float* y, part p = {}) {
  if (block.inner == 1) {
    const interval rows = share(block.outer, p);
    const auto count = static_cast<float>(block.extent);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const float* const from = x + row * block.extent;
      y[row] = Fold::result(folded_row<f32_vec, Fold>(from, block.extent), count) * factor;
      if constexpr (may_overflow<Fold>)
        if (!math::is_finite(y[row])) detail::refold_columns<Fold>(from, block.extent, 1, 1, factor, y + row);
    }
    return;
  }
  constexpr int vectors = 4;
  const rectangle work = share(block.outer, (block.inner + f32_lanes - 1) / f32_lanes, p);
  const std::int64_t end = work.columns.end * f32_lanes < block.inner ? work.columns.end * f32_lanes : block.inner;
  for (std::int64_t row = work.rows.begin; row < work.rows.end; ++row) {
    const float* const from = x + row * block.extent * block.inner;
    float* const to = y + row * block.inner;
    std::int64_t c = work.columns.begin * f32_lanes;
    for (; c + vectors * f32_lanes <= end; c += vectors * f32_lanes)
      detail::fold_columns<f32_vec, Fold, vectors>(from + c, block.extent, block.inner, f32_lanes, factor, to + c);
    for (; c < end; c += f32_lanes)
      detail::fold_columns<f32_vec, Fold, 1>(from + c, block.extent, block.inner,
                                             end - c < f32_lanes ? end - c : f32_lanes, factor, to + c);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
