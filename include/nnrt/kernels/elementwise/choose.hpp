// choose: y = condition ? a : b per element, with NumPy's broadcasting of all three operands.
// Flow: bind/detail/choice.hpp calls choose_elements() for elements of 1, 2, 4 or 8 bytes; elements are only moved.
#pragma once

#include <nnrt/kernels/common/broadcast_loops.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// A register of elements (integers of type T), and as many booleans.
template <class T> struct chosen_lanes {
  static constexpr std::int64_t count = register_bytes / static_cast<std::int64_t>(sizeof(T));
  typedef T elements __attribute__((vector_size(register_bytes)));
  typedef std::int8_t booleans __attribute__((vector_size(count)));

  [[gnu::always_inline]] static elements from(const T* p, std::int64_t step, std::int64_t n) {
    if (step == 0) return *p - elements{};
    elements v = {};
    __builtin_memcpy(&v, p, static_cast<std::size_t>(n) * sizeof(T));
    return v;
  }
  /// All bits set in the lanes where the condition is true.
  [[gnu::always_inline]] static elements mask(const bool* p, std::int64_t n) {
    booleans v = {};
    __builtin_memcpy(&v, p, static_cast<std::size_t>(n));
    return -__builtin_convertvector(v, elements);
  }
};

/// Addresses and strides (0 or 1) of a row's operands.
template <class T> struct choice_row {
  const bool* condition;
  const T *a, *b;
  std::int64_t condition_step, a_step, b_step;
};

/// Elements i to i + n - 1 of a row.
template <class T>
[[gnu::always_inline]] inline void choose_some(const choice_row<T>& row, std::int64_t i, std::int64_t n, T* y) {
  using lanes_of = chosen_lanes<T>;
  const auto a = lanes_of::from(row.a + i * row.a_step, row.a_step, n),
             b = lanes_of::from(row.b + i * row.b_step, row.b_step, n);
  const auto mask = lanes_of::mask(row.condition + i, n), chosen = (a & mask) | (b & ~mask);
  __builtin_memcpy(y + i, &chosen, static_cast<std::size_t>(n) * sizeof(T));
}

template <class T> inline void choose_row(const choice_row<T>& row, std::int64_t n, T* y) {
  if (row.condition_step == 0) {  // one condition for the whole row
    const T* const from = *row.condition ? row.a : row.b;
    const std::int64_t step = *row.condition ? row.a_step : row.b_step;
    for (std::int64_t i = 0; i < n; ++i) y[i] = from[i * step];
    return;
  }
  constexpr std::int64_t count = chosen_lanes<T>::count;
  std::int64_t i = 0;
  for (; i + count <= n; i += count) choose_some(row, i, count, y);
  if (i < n) choose_some(row, i, n - i, y);
}

}  // namespace detail

/// y = condition ? a : b for the elements of y in `range`; `loops` are over condition, a and b. y must not alias an
/// operand.
template <class T>
void choose_elements(const loops_over<3>& loops, const bool* condition, const T* a, const T* b, T* y, interval range) {
  for_each_row(loops, range, [&](const std::int64_t(&at)[3], std::int64_t at_y, std::int64_t n) {
    detail::choose_row<T>(
        {condition + at[0], a + at[1], b + at[2], loops.inner_step(0), loops.inner_step(1), loops.inner_step(2)}, n,
        y + at_y);
  });
}

}}}  // namespace nnrt::NNRT_ISA::kernels
