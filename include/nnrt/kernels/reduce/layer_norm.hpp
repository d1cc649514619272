// layer_norm: normalises rows to mean 0 and variance 1, then applies parameters per element or per row.
// Flow: bind/layer_norm.hpp and bind/instance_norm.hpp call layer_norm() and instance_norm() for a part of the rows.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/elementwise/elementwise.hpp>
#include <nnrt/kernels/reduce/reduce.hpp>
#include <nnrt/ops/detail/over_zero.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Rows of n floats that are normalised: (x - mean) / sqrt(variance + epsilon). y may be x.
struct normalised_rows {
  const float* x = nullptr;
  float* y = nullptr;
  std::int64_t rows = 0, n = 0;
  float epsilon = 0;
};

/// Parameters that repeat over the elements of x in row-major order.
struct repeated_parameters {
  const float* first;
  std::int64_t count;
};

namespace detail {

/// Sums over a row: of x - centre and of (x - centre)^2.
struct moments {
  double first, second;
};

/// The moments of a row of n floats. The order of summation depends on n and the number of lanes alone; a lane adds at
/// most numbers_of_a_sum values in a row.
template <class V> inline moments row_moments(const float* x, std::int64_t n, float centre) {
  const V from(centre);
  V first(0.0F), second(0.0F);
  for (std::int64_t i = 0; i < n;) {
    const std::int64_t end = n - i > 2 * f32_lanes * numbers_of_a_sum ? i + 2 * f32_lanes * numbers_of_a_sum : n;
    V sums[2] = {V(0.0F), V(0.0F)}, squares[2] = {V(0.0F), V(0.0F)};
    const auto add = [&](V off, int k) __attribute__((always_inline)) {
      sums[k] = sums[k] + off;
      squares[k] = fma(off, off, squares[k]);
    };
    for (; i + 2 * f32_lanes <= end; i += 2 * f32_lanes)
      each<2>([&](int k) __attribute__((always_inline)) { add(load(x + i + k * f32_lanes) - from, k); });
    for (; i < end; i += f32_lanes) {
      const std::int64_t left = end - i < f32_lanes ? end - i : f32_lanes;
      add(first_or(load_n(x + i, left) - from, left, 0.0F), 0);
    }
    first = first + (sums[0] + sums[1]);
    second = second + (squares[0] + squares[1]);
  }
  return {double{reduce_add(first)}, double{reduce_add(second)}};
}

/// Normalisation of a row: (x - centre) * factor + shift. The centre is close to the mean, so that differences are
/// nearly exact; shift corrects the rest. If squares or their sum may overflow or be subnormal, is_safe is false and
/// safe_row() computes the row.
struct normaliser {
  float centre = 0, factor = 0, shift = 0;
  bool is_safe = true;
};
template <class V> inline normaliser normaliser_of(const float* x, std::int64_t n, float epsilon) {
  const double share = 1.0 / static_cast<double>(n);
  normaliser normal;
  normal.centre = kernels::row_sum<V>(x, n) / static_cast<float>(n);
  moments sums = row_moments<V>(x, n, normal.centre);
  double rest = sums.first * share;
  // If all values are nearly equal, the rounding error of the mean may exceed their differences.
  if (rest * rest > 0x1p-6 * (sums.second * share)) {
    normal.centre = static_cast<float>(double{normal.centre} + rest);
    sums = row_moments<V>(x, n, normal.centre);
    rest = sums.first * share;
  }
  const double variance = sums.second * share - rest * rest;
  normal.is_safe = sums.second < 1e37 && variance + double{epsilon} > 1e-24;
  store_one(&normal.factor, V(1.0F) / sqrt(V(static_cast<float>(variance + double{epsilon}))));
  normal.shift = static_cast<float>(-rest * double{normal.factor});
  return normal;
}

/// A row in the arithmetic of the reference; gamma(i) and beta(i) are the parameters of element i. y may be x.
template <class Gamma, class Beta>
[[gnu::noinline, gnu::cold]] void safe_row(const float* x, std::int64_t n, float epsilon, const Gamma& gamma,
                                           const Beta& beta, float* y) {
  const ops::detail::moments m =
      ops::detail::moments_of<float>(n, double{epsilon}, [=](std::int64_t i) { return double{x[i]}; });
  for (std::int64_t i = 0; i < n; ++i) {
    const double off = m.off(double{x[i]}), factor = gamma(i), shift = beta(i);
    y[i] = static_cast<float>(m.deviation == 0 ? ops::detail::scaled_over_zero(off, factor, shift)
                                               : math::product(off / m.deviation, factor) + shift);
  }
}

/// y = ((x - mean) / deviation) * gamma + beta for n elements.
template <class V>
inline void finish_row(const float* x, std::int64_t n, const normaliser& normal, const float* gamma, const float* beta,
                       float* y) {
  const V centre(normal.centre), by(normal.factor), shift(normal.shift);
  for (std::int64_t i = 0; i < n; i += f32_lanes) {
    const std::int64_t left = n - i < f32_lanes ? n - i : f32_lanes;
    store_n(y + i, fma(fma(load_n(x + i, left) - centre, by, shift), load_n(gamma + i, left), load_n(beta + i, left)),
            left);
  }
}

}  // namespace detail

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta. A part is a share of the rows.
template <class Isa = native>
void layer_norm(const normalised_rows& of, repeated_parameters gamma, repeated_parameters beta, part p = {}) {
  const auto& [x, y, rows, n, epsilon] = of;
  const interval range = share(rows, p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const detail::normaliser normal = detail::normaliser_of<f32_vec>(x + row * n, n, epsilon);
    if (!normal.is_safe) {
      const auto parameter = [first = row * n](const repeated_parameters& repeated) {
        return [=](std::int64_t i) { return double{repeated.first[(first + i) % repeated.count]}; };
      };
      detail::safe_row(x + row * n, n, epsilon, parameter(gamma), parameter(beta), y + row * n);
      continue;
    }
    // A segment ends with the row, or where gamma or beta repeats.
    for (std::int64_t at = row * n, end = at + n; at < end;) {
      const std::int64_t g = at % gamma.count, b = at % beta.count;
      std::int64_t stretch = end - at;
      if (gamma.count - g < stretch) stretch = gamma.count - g;
      if (beta.count - b < stretch) stretch = beta.count - b;
      detail::finish_row<f32_vec>(x + at, stretch, normal, gamma.first + g, beta.first + b, y + at);
      at += stretch;
    }
  }
}

/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias; row r uses element r % channels of scale and bias. A part
/// is a share of the rows.
template <class Isa = native>
void instance_norm(const normalised_rows& of, const float* scale, const float* bias, std::int64_t channels,
                   part p = {}) {
  const auto& [x, y, rows, n, epsilon] = of;
  const interval range = share(rows, p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const float* const from = x + row * n;
    float* const to = y + row * n;
    const detail::normaliser normal = detail::normaliser_of<f32_vec>(from, n, epsilon);
    if (!normal.is_safe) {
      const auto parameter = [channel = row % channels](const float* values) {
        return [=](std::int64_t) { return double{values[channel]}; };
      };
      detail::safe_row(from, n, epsilon, parameter(scale), parameter(bias), to);
      continue;
    }
    const f32_vec centre(normal.centre), by(normal.factor), shift(normal.shift);
    const f32_vec factor = broadcast(scale + row % channels), offset = broadcast(bias + row % channels);
    map(
        from, n,
        to, [=](f32_vec v) __attribute__((always_inline)) { return fma(fma(v - centre, by, shift), factor, offset); });
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
