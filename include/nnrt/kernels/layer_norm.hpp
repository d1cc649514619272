// layer_norm: rows with mean 0 and variance 1, then parameters of each element, or of each row.
// Flow: bind/layer_norm.hpp and bind/instance_norm.hpp call layer_norm() and instance_norm() for a part of the rows.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/elementwise.hpp>
#include <nnrt/kernels/part.hpp>
#include <nnrt/kernels/reduce.hpp>
#include <nnrt/ops/detail/over_zero.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// Parameters that repeat over the elements of x in row-major order.
struct repeated_parameters {
  const float* first;
  std::int64_t count;
};

namespace detail {

/// The sum of what add() adds of each x - mean, in an order that depends on n and the number of lanes alone.
template <class V, class Add> inline float row_sum_around(const float* x, std::int64_t n, float mean, Add add) {
  const V centre(mean);
  V sums[2] = {V(0.0F), V(0.0F)};
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes)
    each<2>([&](int k) __attribute__((always_inline)) { sums[k] = add(load(x + i + k * lanes) - centre, sums[k]); });
  for (; i < n; i += lanes) {
    const std::int64_t left = n - i < lanes ? n - i : lanes;
    sums[0] = add(first_or(load_first(x + i, left) - centre, left, 0.0F), sums[0]);
  }
  return sum_of_lanes(sums[0] + sums[1]);
}
/// The sum of (x - mean)^2.
template <class V> inline float row_sum_of_squares(const float* x, std::int64_t n, float mean) {
  return row_sum_around<V>(x, n, mean, [](V off, V sum) __attribute__((always_inline)) { return fma(off, off, sum); });
}

/// What brings a row to mean 0 and variance 1: (x - mean) * factor. Not where squares or their sum may be no normal floats: such rows are safe_row()'s.
struct normaliser {
  float mean, factor;
  bool is_safe;
};
template <class V> inline normaliser normaliser_of(const float* x, std::int64_t n, float epsilon) {
  const auto count = static_cast<float>(n);
  float mean = kernels::row_sum<V>(x, n) / count, variance = row_sum_of_squares<V>(x, n, mean) / count;
  // So little may be the error of the mean: numbers that are all alike have no variance.
  if (variance <= 1e-6F * mean * mean) {
    mean += row_sum_around<V>(x, n, mean, [](V off, V sum) __attribute__((always_inline)) { return sum + off; }) / count;
    variance = row_sum_of_squares<V>(x, n, mean) / count;
  }
  const bool is_safe = variance + epsilon > 1e-24F && variance < std::numeric_limits<float>::infinity();
  return {mean, 1.0F / math::sqrt(variance + epsilon), is_safe};
}

/// A row by the reference's arithmetic, gamma(i) and beta(i) being the parameters of element i; y may be x.
template <class Gamma, class Beta>
[[gnu::noinline, gnu::cold]] void safe_row(const float* x, std::int64_t n, float epsilon, const Gamma& gamma, const Beta& beta, float* y) {
  const ops::detail::moments m = ops::detail::moments_of<float>(n, double{epsilon}, [=](std::int64_t i) { return double{x[i]}; });
  for (std::int64_t i = 0; i < n; ++i) {
    const double off = m.off(double{x[i]}), factor = gamma(i), shift = beta(i);
    y[i] = static_cast<float>(m.deviation == 0 ? ops::detail::scaled_over_zero(off, factor, shift) : math::product(off / m.deviation, factor) + shift);
  }
}

/// y = (x - mean) * factor * gamma + beta for n elements.
template <class V>
inline void finish_row(const float* x, std::int64_t n, normaliser normal, const float* gamma, const float* beta, float* y) {
  const V centre(normal.mean), by(normal.factor);
  for (std::int64_t i = 0; i < n; i += lanes) {
    const std::int64_t left = n - i < lanes ? n - i : lanes;
    store_first(y + i,
                fma((load_first(x + i, left) - centre) * by, load_first(gamma + i, left), load_first(beta + i, left)),
                left);
  }
}

}  // namespace detail

/// Rows of n elements; y may be x.
template <class Isa = native>
void layer_norm(const float* x, std::int64_t rows, std::int64_t n, float epsilon, repeated_parameters gamma,
                repeated_parameters beta, float* y, part p = {}) {
  const interval range = share(rows, p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const detail::normaliser normal = detail::normaliser_of<vf>(x + row * n, n, epsilon);
    if (!normal.is_safe) {
      const auto parameter = [row, n](const repeated_parameters& of) { return [=](std::int64_t i) { return double{of.first[(row * n + i) % of.count]}; }; };
      detail::safe_row(x + row * n, n, epsilon, parameter(gamma), parameter(beta), y + row * n);
      continue;
    }
    // A stretch ends with the row, or where gamma or beta begins anew.
    for (std::int64_t at = row * n, end = at + n; at < end;) {
      const std::int64_t g = at % gamma.count, b = at % beta.count;
      std::int64_t stretch = end - at;
      if (gamma.count - g < stretch) stretch = gamma.count - g;
      if (beta.count - b < stretch) stretch = beta.count - b;
      detail::finish_row<vf>(x + at, stretch, normal, gamma.first + g, beta.first + b, y + at);
      at += stretch;
    }
  }
}

/// Rows of n elements, row r with number r % channels of scale and of bias; y may be x.
template <class Isa = native>
void instance_norm(const float* x, std::int64_t rows, std::int64_t n, float epsilon, const float* scale, const float* bias, std::int64_t channels, float* y,
                   part p = {}) {
  const interval range = share(rows, p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const float* const from = x + row * n;
    float* const to = y + row * n;
    const detail::normaliser normal = detail::normaliser_of<vf>(from, n, epsilon);
    if (!normal.is_safe) {
      const auto parameter = [=](const float* of) { return [=](std::int64_t) { return double{of[row % channels]}; }; };
      detail::safe_row(from, n, epsilon, parameter(scale), parameter(bias), to);
      continue;
    }
    const vf centre(normal.mean), by(normal.factor), factor = broadcast(scale + row % channels), offset = broadcast(bias + row % channels);
    map(from, n, to, [=](vf v) __attribute__((always_inline)) { return fma((v - centre) * by, factor, offset); });
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
