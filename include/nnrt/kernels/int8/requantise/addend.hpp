// addend: adds a tensor to the accumulators of a product before the output stage, rescaled and rounded half to even.
// Flow: bind/conv2d_add.hpp packs the factors. int8/gemm/gemm.hpp ends the tiles of such a product with
// finish_with_addend().
//
// A quantised value has 8 bits and the mantissa of its factor 31 bits. So a double holds their product exactly, and
// conversion to an integer rounds once.
#pragma once

#include <nnrt/kernels/int8/gemm/tile.hpp>

#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Factor from the addend to the accumulators of one column.
struct addend_scale {
  fixed_point factor;
  std::int32_t is_wide = 0;  // an accumulator may leave 32 bits: elements are computed one by one
};

/// Addend of a product: a tensor with the shape of C, without gaps.
struct int8_addend {
  const std::byte* x;
  const std::byte* c;          // address of C
  std::int64_t columns;        // columns of C, all groups together
  const double* factors;       // by column, then the first int_lanes columns again; 0 for columns with is_wide
  const addend_scale* scales;  // by column
  std::int32_t zero, y_zero;
  quantised_range range;  // range of results
  bool is_unsigned, any_wide;
};

namespace detail {

/// Loads int_lanes stored values and widens them to i32.
[[gnu::always_inline]] inline int_vector widened_numbers(const std::byte* from, bool is_unsigned) {
  return machine::load_widened_to_i32(from, is_unsigned);
}
/// Loads n stored values (at most int_lanes) and widens them to i32; other lanes are 0.
inline int_vector widened_numbers(const std::byte* from, std::int64_t n, bool is_unsigned) {
  if (n == int_lanes) return widened_numbers(from, is_unsigned);
  std::byte numbers[int_lanes] = {};
  for (std::int64_t i = 0; i < n; ++i) numbers[i] = from[i];
  return widened_numbers(numbers, is_unsigned);
}

/// numbers[i] * factors[i] per lane, rounded to the nearest integer, halves to even. Domain: products below 2^31 in
/// magnitude. Error: none besides the rounding.
[[gnu::always_inline]] inline int_vector rounded_products(int_vector numbers, const double* factors) {
  constexpr double to_integers = 0x1.8p52;  // a sum with it has no fraction bits
  constexpr int at_once = int_lanes / 2;
  const auto product = [&](half_vector half, int first) __attribute__((always_inline)) {
    const auto exact = __builtin_convertvector(half, doubles) * load_vector<doubles>(factors + first);
    return __builtin_convertvector(opaque_value(exact + to_integers) - to_integers, half_vector);
  };
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    const half_vector lower = product(__builtin_shufflevector(numbers, numbers, I...), 0),
                      upper = product(__builtin_shufflevector(numbers, numbers, at_once + I...), at_once);
    return __builtin_shufflevector(lower, upper, I..., at_once + I...);
  }
  (std::make_integer_sequence<int, at_once>{});
}

/// Result of a column whose accumulators may leave 32 bits. `sum` does not include the bias, which the scales of
/// one_by_one hold.
inline std::byte wide_result(const int8_addend& a, const channel_scales& s, std::int64_t lane, std::int64_t sum,
                             std::int32_t x, fixed_point factor) {
  const std::int64_t all = sum + s.single.bias[lane] + rounding::half_to_even::scale(x, factor);
  const fixed_point to{s.single.mantissa[lane], s.single.exponent[lane]};
  const std::int32_t steps =
      s.single.is_to_even[lane] != 0 ? scaled_to_even(all, to, s.single.parity[lane]) : scaled(all, to);
  return static_cast<std::byte>(nnrt::detail::clamped(std::int64_t{a.y_zero} + steps, a.range.low, a.range.high));
}

/// Calls f(row, vector, column, x, n) for each vector of a tile. `column` is the column of lane 0, `x` the addend minus
/// its zero point, and `n` the number of columns in use.
template <class F>
[[gnu::always_inline]] inline void for_each_addend(const int8_addend& a, const int8_target& at, std::int64_t width,
                                                   F f) {
  const std::int64_t step = at.ldc % a.columns;
  std::int64_t first = at.c - a.c, column = first % a.columns;
  for (std::int64_t row = 0; row < at.rows; ++row, first += at.ldc) {
    for (std::int64_t v = 0; v * int_lanes < width; ++v) {
      const std::int64_t begin = v * int_lanes, n = std::min(int_lanes, width - begin), here = column + begin;
      f(row, v, here < a.columns ? here : here % a.columns,
        widened_numbers(a.x + first + begin, n, a.is_unsigned) - a.zero, n);
    }
    column += step;
    if (column >= a.columns) column -= a.columns;
  }
}

/// Adds the addend to the accumulators of a tile in one panel, and runs the output stage.
template <class Isa>
void finish_with_addend(const int8_addend& a, std::int32_t* sums, const channel_scales* scales, const narrowing& to,
                        const int8_target& at, std::int64_t width) {
  for_each_addend(
      a, at, width,
      [&](std::int64_t row, std::int64_t v, std::int64_t column, int_vector x, std::int64_t)
          __attribute__((always_inline)) {
            std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
            store_vector(of_row, load_vector<int_vector>(of_row) + rounded_products(x, a.factors + column));
          });
  finish_tile<Isa>(sums, scales, to, at, width);
  if (!a.any_wide) return;
  for_each_addend(
      a, at, width, [&](std::int64_t row, std::int64_t v, std::int64_t column, int_vector x, std::int64_t n) {
        for (std::int64_t lane = 0; lane < n; ++lane) {
          const addend_scale& scale = a.scales[(column + lane) % a.columns];
          if (scale.is_wide == 0) continue;
          const std::int32_t sum = sums[v * vector_of_sums + row * sum_stride + lane];
          at.c[row * at.ldc + v * int_lanes + lane] = wide_result(a, scales[v], lane, sum, x[lane], scale.factor);
        }
      });
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
