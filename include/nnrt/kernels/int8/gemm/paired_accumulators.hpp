// paired_accumulators: accumulators of a tile that takes two k steps at a time, so each load of A serves twice as many
// products.
// Flow: int8/gemm/tile.hpp builds the tile functions of paired panels from these. int8/gemm/packing.hpp says which
// panels are paired.
#pragma once

#include <nnrt/kernels/int8/gemm/accumulators.hpp>

#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

template <int Vectors, class Rows, bool InSquares> struct paired_int8_sums;
template <int Vectors, class Rows> using paired_int8_accumulators = paired_int8_sums<Vectors, Rows, has_squares>;

/// Accumulators in 2x2 blocks of two rows and two columns (i8mm): one instruction adds eight products to each
/// accumulator. If the number of rows is odd, the last row is its own partner.
template <int Vectors, int... Row> struct paired_int8_sums<Vectors, std::integer_sequence<int, Row...>, true> {
  using whole = int8_accumulators<Vectors, std::integer_sequence<int, Row...>>;
  using cursor = typename whole::cursor;
  static constexpr int rows = sizeof...(Row), pairs = (rows + 1) / 2, columns = 2 * Vectors,
                       accumulators = pairs * columns;
  static constexpr std::int64_t step_bytes = columns * dot_bytes;  // of two steps
  int_vector of[columns][pairs] = {};

  [[gnu::always_inline]] void add_products(const cursor& a, const std::byte* b, int_vector, int ahead) {
    int_vector weights[columns];
    each<columns>([&](int c)
                      __attribute__((always_inline)) { weights[c] = load_vector<int_vector>(b + c * dot_bytes); });
    each<pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int second = 2 * pair + 1 < rows ? 2 * pair + 1 : rows - 1;
      const dot_values x{eight_of_two(a.template at<2 * pair>(2 * ahead), a.template at<second>(2 * ahead))};
      each<columns>([&](int c)
                        __attribute__((always_inline)) { of[c][pair] = add_square(of[c][pair], x, weights[c]); });
      asm volatile("" ::: "memory");  // otherwise compilers load all rows first, and spill accumulators
    });
  }
  [[gnu::always_inline]] void add(const paired_int8_sums& other) {
    each<columns>([&](int c) __attribute__((always_inline)) {
      each<pairs>([&](int pair) __attribute__((always_inline)) { of[c][pair] += other.of[c][pair]; });
    });
  }
  [[gnu::always_inline]] whole folded(const std::byte* start) const {
    whole sums;
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      const auto first = load_vector<int_vector>(start + v * register_bytes);
      ((sums.of[v][Row] = row_of_squares<Row % 2>(of[2 * v][Row / 2], of[2 * v + 1][Row / 2]) + first), ...);
    });
    return sums;
  }
};

/// Accumulators in pairs of lanes, one vector per row: one broadcast serves two dot products.
template <int... Row> struct paired_int8_sums<1, std::integer_sequence<int, Row...>, false> {
  using whole = int8_accumulators<1, std::integer_sequence<int, Row...>>;
  using cursor = typename whole::cursor;
  static constexpr int rows = sizeof...(Row), accumulators = 2 * rows;
  // of two steps; narrow weights are the same on machines with pairs of lanes
  static constexpr std::int64_t step_bytes = 2 * dot_bytes;
  int_vector of[2][rows] = {};

  [[gnu::always_inline]] void add_products(const cursor& a, const std::byte* b, int_vector flip, int ahead) {
    const dot_weights b0 = load_weights(b), b1 = load_weights(b + dot_bytes);
    (add_row<Row>(broadcast8(a.template at<Row>(2 * ahead), whole::flips ? flip : int_vector{}), b0, b1), ...);
  }
  [[gnu::always_inline]] void add(const paired_int8_sums& other) {
    ((of[0][Row] += other.of[0][Row], of[1][Row] += other.of[1][Row]), ...);
  }
  [[gnu::always_inline]] whole folded(const std::byte* start) const {
    whole sums;
    const auto first = load_vector<int_vector>(start);
    ((sums.of[0][Row] = paired_sums(of[0][Row], of[1][Row]) + first), ...);
    return sums;
  }

 private:
  template <int R> [[gnu::always_inline]] void add_row(dot_values x, dot_weights b0, dot_weights b1) {
    of[0][R] = dot4(of[0][R], x, b0), of[1][R] = dot4(of[1][R], x, b1);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
