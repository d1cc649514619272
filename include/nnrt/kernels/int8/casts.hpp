// casts: converts floats to quantised values and back, with the bits of the reference of quant_dtype_cast.
// Flow: bind/quant_dtype_cast.hpp calls store_floats() and restore_floats() for a part of the elements.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <cstddef>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// Vector of as many values of type T as a register has floats.
template <class T> struct quantised_vector {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a register without vectors is a float.
  typedef T type __attribute__((vector_size(sizeof(f32_vec::register_type) / sizeof(float) * sizeof(T))));
};

/// Truncates integers to type T. Domain: values in the range of T.
template <class T, class Integers>
[[gnu::always_inline]] inline typename quantised_vector<T>::type narrowed_lanes(Integers x) {
  using type = typename quantised_vector<T>::type;
  return machine::narrow<type>(x);
}

/// x / scale to the nearest integer, halves away from zero, plus the zero point, saturated to T; per lane.
/// Domain: all floats; NaN gives the zero point.
/// Error: none, the reference's bits (test: kernels/bind/unary_test).
template <class T, class V>
[[gnu::always_inline]] inline typename quantised_vector<T>::type quantised_lanes(V x, V scale,
                                                                                 std::int32_t zero_point) {
  using ints = typename V::integers;
  using limits = std::numeric_limits<T>;
  // Compares bits: with -ffast-math, comparisons with NaN are folded.
  const ints bits = (ints)x.data;
  const ints is_number = (ints)((bits & 0x7fffffff) <= 0x7f800000);
  const V quotient = V((typename V::register_type)(bits & is_number)) / scale;
  // Values beyond 2^20 are ends of the range. Adding the largest float below 0.5 rounds halves up, and nothing below
  // them.
  const V bounded = clamp(quotient, V(-0x1p20F), V(0x1p20F));
  const V half((typename V::register_type)(((ints)bounded.data & INT32_MIN) | 0x3effffff));
  ints steps = __builtin_convertvector((bounded + half).data, ints) + zero_point;
  const ints least = std::int32_t{limits::min()} - ints{}, most = std::int32_t{limits::max()} - ints{};
  steps = steps < least ? least : steps;
  steps = steps > most ? most : steps;
  return narrowed_lanes<T>(steps);
}

/// x / scale + zero point to the nearest integer, halves to even, saturated to T; per lane. The sum is rounded to float
/// before it is rounded to an integer.
/// Domain: all floats; NaN gives the zero point.
/// Error: none, the reference's bits (test: kernels/bind/to_even_test).
template <class T, class V>
[[gnu::always_inline]] inline typename quantised_vector<T>::type quantised_lanes_to_even(V x, V scale, V zero_point) {
  using ints = typename V::integers;
  using limits = std::numeric_limits<T>;
  const ints bits = (ints)x.data;
  const ints is_number = (ints)((bits & 0x7fffffff) <= 0x7f800000);
  const V sum = V((typename V::register_type)(bits & is_number)) / scale + zero_point;
  const V bounded = clamp(sum, V(-0x1p20F), V(0x1p20F));
  ints steps = __builtin_convertvector(bounded.data, ints);  // rounded toward zero
  const typename V::register_type rest = bounded.data - __builtin_convertvector(steps, typename V::register_type);
  const ints is_odd = -(steps & 1);
  const ints is_above = (ints)(rest > 0.5F) | ((ints)(rest == 0.5F) & is_odd),
             is_below = (ints)(rest < -0.5F) | ((ints)(rest == -0.5F) & is_odd);
  steps = steps - is_above + is_below;
  const ints least = std::int32_t{limits::min()} - ints{}, most = std::int32_t{limits::max()} - ints{};
  steps = steps < least ? least : steps;
  steps = steps > most ? most : steps;
  return narrowed_lanes<T>(steps);
}

/// scale * (x - zero point) per lane, rounded once.
template <class T, class V>
[[gnu::always_inline]] inline V real_lanes(typename quantised_vector<T>::type x, V scale, std::int32_t zero_point) {
  using ints = typename V::integers;
  const ints steps = __builtin_convertvector(x, ints) - zero_point;
  return V(__builtin_convertvector(steps, typename V::register_type)) * scale;
}

}  // namespace detail

/// Quantises n floats: y = x / scale + zero point. Halves are rounded to even or, as in TFLite, away from zero.
template <bool IsToEven, class T> void store_floats(const float* x, std::int64_t n, const quantisation& q, T* y) {
  if constexpr (machine::has_float_vectors) {
    const f32_vec scale(q.scale);
    const auto quantised_of = [&](f32_vec numbers) __attribute__((always_inline)) {
      if constexpr (IsToEven)
        return detail::quantised_lanes_to_even<T>(numbers, scale, f32_vec(static_cast<float>(q.zero_point)));
      else return detail::quantised_lanes<T>(numbers, scale, q.zero_point);
    };
    const auto put = [&](std::int64_t i, f32_vec numbers, std::int64_t count) __attribute__((always_inline)) {
      const auto stored = quantised_of(numbers);
      __builtin_memcpy(y + i, &stored, static_cast<std::size_t>(count) * sizeof(T));
    };
    std::int64_t i = 0;
    for (; i + f32_lanes <= n; i += f32_lanes) put(i, load(x + i), f32_lanes);
    if (i < n) put(i, load_n(x + i, n - i), n - i);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = quantised_as<T>(x[i], q);
  }
}

/// Dequantises n values: y = scale * (x - zero point).
template <class T> void restore_floats(const T* x, std::int64_t n, const quantisation& q, float* y) {
  if constexpr (machine::has_float_vectors) {
    const f32_vec scale(q.scale);
    typename detail::quantised_vector<T>::type stored{};
    std::int64_t i = 0;
    for (; i + f32_lanes <= n; i += f32_lanes) {
      __builtin_memcpy(&stored, x + i, sizeof stored);
      store(y + i, detail::real_lanes<T>(stored, scale, q.zero_point));
    }
    if (i == n) return;
    __builtin_memcpy(&stored, x + i, static_cast<std::size_t>(n - i) * sizeof(T));
    store_n(y + i, detail::real_lanes<T>(stored, scale, q.zero_point), n - i);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = real_of(x[i], q);
  }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
