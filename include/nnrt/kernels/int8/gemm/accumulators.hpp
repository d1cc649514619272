// accumulators: arguments of one tile of an int8 product, and its accumulators.
// Flow: int8/gemm/paired_accumulators.hpp has the variant for two k steps at a time, and int8/gemm/tile.hpp builds
// functions of both. int8/gemm/pack.hpp packs the weights.
#pragma once

#include <nnrt/kernels/f32/gemm/tile.hpp>
#include <nnrt/kernels/int8/gemm/pack.hpp>

#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels { namespace detail {

inline address address_of_bytes(const std::byte* p) { return reinterpret_cast<address>(p); }
[[gnu::always_inline]] inline address bytes_further(address from, std::int64_t bytes) {
  return from + static_cast<address>(bytes);
}

/// Arguments of `count` tiles below or next to each other, as tile_args has them for f32. Tiles store bytes if they
/// scale their accumulators by FMA. Other tiles store accumulators for finish_tile(), with 2 * vector_of_sums
/// accumulators from one tile to the next below.
struct int8_tile {
  address a = 0, a_second = 0;
  std::int64_t lda = 0;
  const std::byte* b = nullptr;
  std::int64_t steps = 0;
  bool ends_in_half_vector = false;  // the last step of a run has at most two values; used for widened rows only
  std::int64_t runs = 1, run_stride = 0;
  const std::byte* start = nullptr;  // values from which accumulators start
  std::int32_t flip = 0;
  address c = 0, c_second = 0;
  std::int64_t ldc = 0;
  const channel_scales* scales = nullptr;
  const narrowing* to = nullptr;
  std::int64_t count = 1, a_step = 0, c_step = 0;  // bytes to the next tile
  std::int64_t panels = 0, b_step = 0;             // panels and bytes of B to the next tile
  std::int32_t *sums = nullptr, *sums_second = nullptr;
};
/// Largest number of rows of an int8 tile, an even number. It is the f32 number unless weights take two registers and
/// there are 16 registers; then there is room for 4 rows.
inline constexpr int int8_tile_height = weights_flip ? 4 : mr;
/// Accumulators from one row to the next, and from one vector of columns to the next.
inline constexpr std::int64_t sum_stride = int_lanes, vector_of_sums = (mr + 3) / 4 * 4 * int_lanes;

/// Reads the rows of A, four values at a time; each value is an i16 (IsWide) or a byte.
template <int Rows, bool IsWide> struct int8_cursor {
  static constexpr bool is_wide = IsWide;
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;
  explicit int8_cursor(const int8_tile& t) : first(t.a), second(t.a_second), step(strides::of_bytes(t.lda)) {}
  [[gnu::always_inline]] void advance(std::int64_t bytes) {
    first = bytes_further(first, bytes), second = bytes_further(second, bytes);
  }
  [[gnu::always_inline]] void advance_steps(std::int64_t steps) { advance(steps * step_bytes); }
  /// Moves from the end of a run of `steps` steps to the next run.
  [[gnu::always_inline]] void to_next_run(std::int64_t run_stride, std::int64_t steps) {
    advance(run_stride - steps * step_bytes);
  }
  /// Address of row Row, `ahead` steps after the current one.
  template <int Row> [[gnu::always_inline]] const std::byte* at(int ahead) const {
    return reinterpret_cast<const std::byte*>(step.template from<Row % half>(Row < half ? first : second)) +
           ahead * step_bytes;
  }

 private:
  static constexpr std::int64_t step_bytes = is_wide ? 8 : 4;
};

/// Addresses of the rows of C that a tile writes.
template <int Rows> struct int8_rows_of_c {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;
  bool is_dense;  // the rows have no gaps, so one register may span several rows
  template <int Row> [[gnu::always_inline]] std::byte* at() const {
    return reinterpret_cast<std::byte*>(step.template from<Row % half>(Row < half ? first : second));
  }
};

/// Accumulators of a tile with 1, 2 or 4 vectors per row. Tiles of several rows read widened values if tiles_read_wide;
/// a tile of one row reads bytes.
template <int Vectors, class Rows, bool IsWide = tiles_read_wide && (Rows::size() > 1)> struct int8_accumulators;
template <int Vectors, int... Row, bool IsWide>
struct int8_accumulators<Vectors, std::integer_sequence<int, Row...>, IsWide> {
  static constexpr int rows = sizeof...(Row), accumulators = rows * Vectors;
  using cursor = int8_cursor<rows, IsWide>;
  static constexpr std::int64_t weight_bytes = rows == 1 ? narrow_dot_bytes : dot_bytes,
                                step_bytes = Vectors * weight_bytes;
  /// Number of steps that add_register() takes; 0 if the machine has no indexed dot products for such rows.
  static constexpr int steps_of_register =
      has_lane_dots && IsWide == tiles_read_wide ? static_cast<int>(register_bytes / (tiles_read_wide ? 8 : 4)) : 0;
  /// Whether the bytes of A must be flipped here. A single row may be read in place; other rows were flipped when they
  /// were copied, see encoding_of_rows().
  static constexpr bool flips = !IsWide && rows == 1;
  int_vector of[Vectors][rows];

  [[gnu::always_inline]] void start(const std::byte* sums) {
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      const auto x = load_vector<int_vector>(sums + v * register_bytes);
      ((of[v][Row] = x), ...);
    });
  }
  [[gnu::always_inline]] void start() {
    each<Vectors>([&](int v) __attribute__((always_inline)) { ((of[v][Row] = int_vector{}), ...); });
  }
  [[gnu::always_inline]] void add_products(const cursor& a, const std::byte* b, int_vector flip, int ahead) {
    if constexpr (IsWide) return add_wide_products<0>(a, b, ahead), add_wide_products<1>(a, b, ahead);
    if constexpr (rows == 1) {
      const dot_values x = broadcast4(a.template at<0>(ahead), flip);
      return each<Vectors>([&](int v) __attribute__((always_inline)) {
        of[v][0] = dot4(of[v][0], x, load_narrow_weights(b + v * weight_bytes));
      });
    }
    kept_weights weights[Vectors];
    each<Vectors>([&](int v) __attribute__((always_inline)) { weights[v] = keep_weights_at(b + v * weight_bytes); });
    (add_row<Row>(broadcast4(a.template at<Row>(ahead), int_vector{}), weights, b), ...);
  }
  /// Adds the first two of the four products of a step, of widened values.
  [[gnu::always_inline]] void add_half(const cursor& a, const std::byte* b) { add_wide_products<0>(a, b, 0); }
  /// Adds the steps of one register of each row; the steps alternate between the accumulator sets.
  template <int Sets>
  [[gnu::always_inline]] static void add_register(int8_accumulators (&to)[Sets], const cursor& a, const std::byte* b,
                                                  int_vector flip) {
    const int_vector x[] = {(flips ? load_vector<int_vector>(a.template at<Row>(0)) ^ flip
                                   : load_vector<int_vector>(a.template at<Row>(0)))...};
    each<steps_of_register>([&](auto i) __attribute__((always_inline)) {
      int8_accumulators& sum = to[i % Sets];
      each<Vectors>([&](int v) __attribute__((always_inline)) {
        const dot_weights weights = load_weights(b + i * step_bytes + v * weight_bytes);
        ((sum.of[v][Row] = dot4_lane<i>(sum.of[v][Row], x[Row], weights)), ...);
      });
    });
  }
  [[gnu::always_inline]] void add(const int8_accumulators& other) {
    each<Vectors>([&](int v) __attribute__((always_inline)) { ((of[v][Row] += other.of[v][Row]), ...); });
  }
  [[gnu::always_inline]] void store(std::int32_t* first, std::int32_t* second) const {
    constexpr int half = (rows + 1) / 2;
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      (store_vector((Row < half ? first + Row * sum_stride : second + (Row - half) * sum_stride) + v * vector_of_sums,
                    of[v][Row]),
       ...);
    });
  }
  /// Scales the accumulators and stores whole rows of bytes.
  template <scale_method Method>
  [[gnu::always_inline]] void store_scaled(const channel_scales* scales, const narrowing& stored,
                                           const int8_rows_of_c<rows>& c) const {
    constexpr int at_once = 4 / Vectors;
    const scaler<Method> scale[] = {scaler<Method>(scales[0]), scaler<Method>(scales[Vectors > 1 ? 1 : 0]),
                                    scaler<Method>(scales[Vectors > 2 ? 2 : 0]),
                                    scaler<Method>(scales[Vectors > 2 ? 3 : 0])};
    const narrowing to = stored;
    // for one row, the check takes longer than it saves
    const bool in_halves = rows > 1 && scales->in_halves != 0;
    each<(rows + at_once - 1) / at_once>([&](auto group) __attribute__((always_inline)) {
      constexpr int first = group * at_once;
      const auto part = [&](auto i) __attribute__((always_inline)) {
        constexpr int row = first + i / Vectors < rows ? first + i / Vectors : rows - 1;
        return scale[i % Vectors](of[i % Vectors][row]);
      };
      const int8_vector bytes = rows_apart(narrowed_by<Method>(
          part(std::integral_constant<int, 0>{}), part(std::integral_constant<int, 1>{}),
          part(std::integral_constant<int, 2>{}), part(std::integral_constant<int, 3>{}), to, in_halves));
      if constexpr (first + at_once <= rows)
        if (c.is_dense) return store_vector(c.template at<first>(), bytes);
      each<at_once>([&](auto i) __attribute__((always_inline)) {
        if constexpr (first + i < rows) {
          if constexpr (Vectors == 2) store_half<i>(bytes, c.template at<first + i>());
          else store_quarter<i>(bytes, c.template at<first + i>());
        }
      });
    });
  }

 private:
  template <int R>
  [[gnu::always_inline]] void add_row(dot_values x, const kept_weights (&weights)[Vectors], const std::byte* b) {
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      of[v][R] = dot4_at(of[v][R], x, weights[v], b + v * weight_bytes);
    });
  }
  /// Adds two of the four products of a step. Both halves of the weights at once would leave too few registers.
  template <int Half> [[gnu::always_inline]] void add_wide_products(const cursor& a, const std::byte* b, int ahead) {
    int_vector weights[Vectors];
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      weights[v] = load_vector<int_vector>(b + v * dot_bytes + Half * register_bytes);
    });
    (add_wide_row<Row>(broadcast_i16(a.template at<Row>(ahead) + Half * 4), weights), ...);
  }
  template <int R> [[gnu::always_inline]] void add_wide_row(int_vector x, const int_vector (&weights)[Vectors]) {
    each<Vectors>([&](int v) __attribute__((always_inline)) { of[v][R] = half_of_dot4(of[v][R], x, weights[v]); });
  }
};

}}}}  // namespace nnrt::NNRT_ISA::kernels::detail
