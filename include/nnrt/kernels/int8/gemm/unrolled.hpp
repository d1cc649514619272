// unrolled: int8 dense layers of micro networks, with extents known at compile time and inlined into the caller.
// Flow: bind/full_connection.hpp packs the weights as for any plan. exec/unrolled.hpp calls int8_dense() with the
// extents of the step.
#pragma once

#include <nnrt/kernels/int8/elementwise/table.hpp>
#include <nnrt/kernels/int8/gemm/gemm.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Largest number of products of a layer that is unrolled; larger layers call the general functions.
inline constexpr std::int64_t max_unrolled_byte_products = 4096;

namespace detail {

/// Accumulators of one row in a panel of Vectors vectors. IsNarrow: weights are packed for one row. IsPaired: the
/// weights of two steps are paired.
template <int In, int Vectors, bool IsNarrow, bool IsPaired> struct unrolled_byte_sums {
  static constexpr bool is_paired = IsPaired, is_squared = has_squares && is_paired;  // i8mm; the row is both rows
  static constexpr std::int64_t product_bytes = IsNarrow ? narrow_dot_bytes : dot_bytes;
  static constexpr int step_bytes = is_paired ? 8 : 4, steps = (In + step_bytes - 1) / step_bytes;
  static constexpr int results = is_paired ? 2 * Vectors : Vectors, chains = steps < 2 ? 1 : 4 / results;
  /// Steps that are unrolled: whole accumulator sets.
  static constexpr int block = 8;
  int_vector of[chains][results] = {};

  [[gnu::always_inline]] void add(const std::byte* x, const std::byte* b, int_vector flip) {
    // If the row ends within a step, the last block is separate, so that all other blocks have whole steps.
    constexpr bool ends_within = In % 4 != 0;
    constexpr int last = ends_within ? (steps - 1) % block + 1 : steps % block, whole = (steps - last) / block;
    for (int i = 0; i < whole; ++i, x += block * step_bytes, b += block * results * product_bytes)
      add_steps<block, false>(x, b, flip);
    if constexpr (last > 0) add_steps<last, ends_within>(x, b, flip);
  }
  [[gnu::always_inline]] int_vector total(int result) const {
    if constexpr (chains == 1) return of[0][result];
    else if constexpr (chains == 2) return of[0][result] + of[1][result];
    else return (of[0][result] + of[1][result]) + (of[2][result] + of[3][result]);
  }
  /// Accumulators of vector V; `start` points to the start values of vector 0.
  template <int V> [[gnu::always_inline]] int_vector sums(const std::byte* start) const {
    const auto first = load_vector<int_vector>(start + V * register_bytes);
    if constexpr (is_squared) return row_of_squares<0>(total(2 * V), total(2 * V + 1)) + first;
    else if constexpr (is_paired) return paired_sums(total(0), total(1)) + first;
    else return total(V) + first;
  }

 private:
  template <int Steps, bool EndsWithin>
  [[gnu::always_inline]] void add_steps(const std::byte* x, const std::byte* b, int_vector flip) {
    each<Steps>([&](auto step) __attribute__((always_inline)) {
      constexpr int tail = EndsWithin && step == Steps - 1 ? In % 4 : 4;
      const dot_values values = value_at<tail>(x + step * step_bytes, weights_flip && !IsNarrow ? int_vector{} : flip);
      each<results>([&](auto r) __attribute__((always_inline)) {
        int_vector& sum = of[step % chains][r];
        const std::byte* const weights = b + (step * results + r) * product_bytes;
        if constexpr (is_squared) sum = add_square(sum, values, load_vector<int_vector>(weights));
        else sum = dot4(sum, values, IsNarrow ? load_narrow_weights(weights) : load_weights(weights));
      });
    });
  }
  /// Loads the values of one step. The last step must not read past the end of the row; the weights there are 0.
  template <int Bytes> [[gnu::always_inline]] static dot_values value_at(const std::byte* x, int_vector flip) {
    if constexpr (is_paired) return broadcast8(x, flip);
    std::byte four[4] = {};
    __builtin_memcpy(four, x, Bytes);
    return broadcast4(four, flip);
  }
};

/// Scales one vector of accumulators and stores its first N bytes.
template <scale_method Method, int N>
[[gnu::always_inline]] inline void store_scaled(int_vector sums, const channel_scales& scales, const narrowing& to,
                                                std::byte* y) {
  const int_vector x = scaler<Method>(scales)(sums);
  const int8_vector bytes = rows_apart(narrowed_by<Method>(x, x, x, x, to, false));
  __builtin_memcpy(y, &bytes, N);
}

}  // namespace detail

/// Computes y [rows, n] from x [rows, length] and the weights that int8_pack() packed. Dot products must see a weight
/// zero point of 0.
///
/// Returns false and writes nothing unless all channels are scaled by FMA. x and y must not overlap.
template <int8_packing Layout, class Isa = native>
[[gnu::always_inline]] inline bool int8_dense(const std::byte* x, const std::byte* packed, std::byte* y,
                                              std::int64_t rows, std::int32_t flips, const narrowing& to) {
  constexpr int in = static_cast<int>(Layout.depth.length), out = static_cast<int>(Layout.n),
                n = static_cast<int>(int_lanes);
  constexpr int vectors = static_cast<int>(Layout.vectors()), fours = static_cast<int>(Layout.fours),
                panels = static_cast<int>(Layout.panels()) - fours;
  const auto* const scales = reinterpret_cast<const channel_scales*>(packed);
  for (int v = 0; v < vectors; ++v)
    if (scales[v].method != scale_method::by_rising_line && scales[v].method != scale_method::by_line) return false;
  int_vector flip = int_lanes_of(flips);
  vector_barrier(flip);
  for (std::int64_t row = 0; row < rows; ++row, x += in, y += out)
    each<panels>([&](auto i) __attribute__((always_inline)) {
      constexpr int panel = i < fours ? 2 * i : i + fours,
                    of_panel = i < fours ? 4 : static_cast<int>(Layout.vectors_of(panel));
      detail::unrolled_byte_sums<in, of_panel, Layout.is_for_one_row, Layout.is_lane_paired(panel)> sums;
      sums.add(x, packed + Layout.panel_at(panel), flip);
      each<of_panel>([&](auto v) __attribute__((always_inline)) {
        constexpr int vector = 2 * panel + v, bytes = out - vector * n < n ? out - vector * n : n;
        const channel_scales& scale = scales[vector];
        const int_vector sum = sums.template sums<v>(packed + Layout.bias_at() + 2 * panel * register_bytes);
        if (scale.method == scale_method::by_rising_line)
          detail::store_scaled<scale_method::by_rising_line, bytes>(sum, scale, to, y + vector * n);
        else detail::store_scaled<scale_method::by_line, bytes>(sum, scale, to, y + vector * n);
      });
    });
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::kernels
