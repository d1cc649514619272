// byte_tile: one tile of a product of stored numbers - its dot products, and its sums as bytes.
// Flow: byte_gemm.hpp walks over tiles; byte_pack.hpp laid out what they read.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/byte_pack.hpp>
#include <nnrt/kernels/gemm_tile.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt::inline NNRT_ISA::kernels {

namespace detail {

inline address address_of_bytes(const std::byte* p) { return reinterpret_cast<address>(p); }
[[gnu::always_inline]] inline address bytes_further(address from, std::int64_t bytes) {
  return from + static_cast<address>(bytes);
}

/// What tiles compute, `count` of them one below the other or side by side, as tile_args for floats. A tile stores bytes
/// where its sums are scaled by lines; else it is one alone, and leaves its sums in memory for finish_tile().
struct byte_tile {
  address a = 0, a_second = 0;
  std::int64_t lda = 0;
  const std::byte* b = nullptr;
  std::int64_t steps = 0;
  std::int64_t runs = 1, run_stride = 0;
  const std::byte* start = nullptr;  // of the sums
  std::int32_t flip = 0;
  address c = 0, c_second = 0;
  std::int64_t ldc = 0;
  const channel_scales* scales = nullptr;
  const narrowing* to = nullptr;
  std::int64_t count = 1, a_step = 0, c_step = 0;  // to the next tile
  std::int64_t panels = 0, b_step = 0;             // panels to the next tile, and their bytes of B
  std::int32_t *sums = nullptr, *sums_second = nullptr;
};
/// Sums of a row of a tile, and between those of its vectors.
inline constexpr std::int64_t sum_stride = int_lanes, vector_of_sums = (tile_rows + 3) / 4 * 4 * int_lanes;

/// Reads A down its rows, four elements after the others: of several rows wide ones, where there are such, of a single one the bytes.
template <int Rows> struct byte_cursor {
  static constexpr bool is_wide = tiles_read_wide && Rows > 1;
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;
  explicit byte_cursor(const byte_tile& t) : first(t.a), second(t.a_second), step(strides::of_bytes(t.lda)) {}
  [[gnu::always_inline]] void advance(std::int64_t bytes) {
    first = bytes_further(first, bytes), second = bytes_further(second, bytes);
  }
  [[gnu::always_inline]] void advance_steps(std::int64_t steps) { advance(steps * step_bytes); }
  /// From behind a run of so many steps to the next.
  [[gnu::always_inline]] void to_next_run(std::int64_t run_stride, std::int64_t steps) { advance(run_stride - steps * step_bytes); }
  /// Row Row, `ahead` steps on.
  template <int Row> [[gnu::always_inline]] const std::byte* at(int ahead) const {
    return reinterpret_cast<const std::byte*>(step.template from<Row % half>(Row < half ? first : second)) + ahead * step_bytes;
  }

 private:
  static constexpr std::int64_t step_bytes = is_wide ? 8 : 4;
};

/// The rows of C below a tile.
template <int Rows> struct byte_rows_of_c {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;
  bool is_dense;  // nothing lies between the rows, so that several fill a register
  template <int Row> [[gnu::always_inline]] std::byte* at() const {
    return reinterpret_cast<std::byte*>(step.template from<Row % half>(Row < half ? first : second));
  }
};

/// The sums of a tile of 1, 2 or 4 vectors per row.
template <int Vectors, class Rows> struct byte_sums;
template <int Vectors, int... Row> struct byte_sums<Vectors, std::integer_sequence<int, Row...>> {
  static constexpr int rows = sizeof...(Row), accumulators = rows * Vectors;
  static constexpr std::int64_t weight_bytes = rows == 1 ? narrow_dot_bytes : dot_bytes, step_bytes = Vectors * weight_bytes;
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
  [[gnu::always_inline]] void add_products(const byte_cursor<rows>& a, const std::byte* b, int_vector flip, int ahead) {
    if constexpr (byte_cursor<rows>::is_wide) return add_wide_products<0>(a, b, ahead), add_wide_products<1>(a, b, ahead);
    dot_weights weights[Vectors];
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      weights[v] = rows == 1 ? load_narrow_weights(b + v * weight_bytes) : load_weights(b + v * weight_bytes);
    });
    (add_row<Row>(broadcast4(a.template at<Row>(ahead), flip), weights), ...);
  }
  [[gnu::always_inline]] void add(const byte_sums& other) {
    each<Vectors>([&](int v) __attribute__((always_inline)) { ((of[v][Row] += other.of[v][Row]), ...); });
  }
  [[gnu::always_inline]] void store(const byte_tile& t) const {
    constexpr int half = (rows + 1) / 2;
    std::int32_t *const first = t.sums, *const second = t.sums_second;
    each<Vectors>([&](int v) __attribute__((always_inline)) {
      (store_vector((Row < half ? first + Row * sum_stride : second + (Row - half) * sum_stride) + v * vector_of_sums,
                    of[v][Row]),
       ...);
    });
  }
  /// Scales the sums and stores whole rows of bytes.
  template <scale_method Method>
  [[gnu::always_inline]] void store_scaled(const channel_scales* scales, const narrowing& stored,
                                           const byte_rows_of_c<rows>& c) const {
    constexpr int at_once = 4 / Vectors;
    const scaler<Method> scale[] = {scaler<Method>(scales[0]), scaler<Method>(scales[Vectors > 1 ? 1 : 0]), scaler<Method>(scales[Vectors > 2 ? 2 : 0]),
                                    scaler<Method>(scales[Vectors > 2 ? 3 : 0])};
    const narrowing to = stored;
    each<(rows + at_once - 1) / at_once>([&](auto group) __attribute__((always_inline)) {
      constexpr int first = group * at_once;
      const auto part = [&](auto i) __attribute__((always_inline)) {
        constexpr int row = first + i / Vectors < rows ? first + i / Vectors : rows - 1;
        return scale[i % Vectors](of[i % Vectors][row]);
      };
      const byte_vector bytes = rows_apart(narrowed<!includes_zero_point(Method)>(
          part(std::integral_constant<int, 0>{}), part(std::integral_constant<int, 1>{}),
          part(std::integral_constant<int, 2>{}), part(std::integral_constant<int, 3>{}), to));
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
  template <int R> [[gnu::always_inline]] void add_row(dot_values x, const dot_weights (&weights)[Vectors]) {
    each<Vectors>([&](int v) __attribute__((always_inline)) { of[v][R] = dot4(of[v][R], x, weights[v]); });
  }
  /// Two of the four products: both halves of the weights at once would leave too few registers.
  template <int Half> [[gnu::always_inline]] void add_wide_products(const byte_cursor<rows>& a, const std::byte* b, int ahead) {
    short_vector weights[Vectors];
    each<Vectors>([&](int v) __attribute__((always_inline)) { weights[v] = load_vector<short_vector>(b + v * dot_bytes + Half * register_bytes); });
    (add_wide_row<Row>((short_vector)broadcast_word(a.template at<Row>(ahead) + Half * 4), weights), ...);
  }
  template <int R> [[gnu::always_inline]] void add_wide_row(short_vector x, const short_vector (&weights)[Vectors]) {
    each<Vectors>([&](int v) __attribute__((always_inline)) { of[v][R] = dot2(of[v][R], x, weights[v]); });
  }
};

/// The sums of a tile of one vector per row, two steps at a time in pairs of lanes.
template <class Rows> struct paired_byte_sums;
template <int... Row> struct paired_byte_sums<std::integer_sequence<int, Row...>> {
  using whole = byte_sums<1, std::integer_sequence<int, Row...>>;
  static constexpr int rows = sizeof...(Row), accumulators = 2 * rows;
  static constexpr std::int64_t step_bytes = 2 * dot_bytes;  // of two steps; where there are pairs of lanes, narrow weights are no others
  int_vector of[2][rows] = {};

  [[gnu::always_inline]] void add_products(const byte_cursor<rows>& a, const std::byte* b, int_vector flip, int ahead) {
    const dot_weights b0 = load_weights(b), b1 = load_weights(b + dot_bytes);
    (add_row<Row>(broadcast8(a.template at<Row>(2 * ahead), flip), b0, b1), ...);
  }
  [[gnu::always_inline]] void add(const paired_byte_sums& other) {
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

using byte_tile_function = void (*)(const byte_tile&);

/// Asks for weights that come soon: those of large layers lie in L3 or beyond.
template <std::int64_t Bytes> [[gnu::always_inline]] inline void fetch_weights(const std::byte* b) {
  constexpr std::int64_t ahead = 3072;
  for (std::int64_t line = 0; line < Bytes; line += 64) __builtin_prefetch(b + ahead + line, 0, 3);
}

/// The sums of one tile of rows from `a` on, with the weights at b.
template <class Sums>
[[gnu::always_inline]] inline void sum_tile(const byte_tile& t, byte_cursor<Sums::rows> a, const std::byte* b,
                                            const std::byte* start, int_vector flip, Sums& result) {
  constexpr int sets = sets_for(Sums::accumulators);
  Sums sum[sets];
  sum[0].start(start);
  if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[s + 1].start(); });
  for (std::int64_t run = t.runs; run > 0; --run) {
    const std::byte* const end = b + t.steps * Sums::step_bytes;
    if constexpr (sets > 1) {
      for (const std::byte* const whole = b + t.steps / sets * (sets * Sums::step_bytes); b != whole;
           b += sets * Sums::step_bytes, a.advance_steps(sets))
        each<sets>([&](int s) __attribute__((always_inline)) {
          sum[s].add_products(a, b + s * Sums::step_bytes, flip, s);
        });
    }
    for (; b != end; b += Sums::step_bytes, a.advance_steps(1)) {
      // Others have no load slots to spare.
      if constexpr (Sums::accumulators >= 16) fetch_weights<Sums::step_bytes>(b);
      sum[0].add_products(a, b, flip, 0);
    }
    a.to_next_run(t.run_stride, t.steps);
  }
  if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  result = sum[0];
}

/// The same for steps in pairs.
template <class Sums>
[[gnu::always_inline]] inline void sum_paired_tile(const byte_tile& t, byte_cursor<Sums::rows> a, const std::byte* b,
                                                   const std::byte* start, int_vector flip, Sums& result) {
  using pairs = paired_byte_sums<first_integers<Sums::rows>>;
  constexpr int sets = sets_for(pairs::accumulators);
  pairs sum[sets];
  for (std::int64_t run = t.runs; run > 0; --run) {
    const std::byte* const end = b + t.steps * dot_bytes;
    if constexpr (sets > 1) {
      for (const std::byte* const whole = b + t.steps / (2 * sets) * (sets * pairs::step_bytes); b != whole; b += sets * pairs::step_bytes, a.advance_steps(2 * sets))
        each<sets>([&](int s) __attribute__((always_inline)) { sum[s].add_products(a, b + s * pairs::step_bytes, flip, s); });
    }
    for (; b != end; b += pairs::step_bytes, a.advance_steps(2)) sum[0].add_products(a, b, flip, 0);
    a.to_next_run(t.run_stride, t.steps);
  }
  if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  result = sum[0].folded(start);
}

/// Method one_by_one stands for all that leave the sums in memory.
template <class Isa, class Sums, scale_method Method, bool IsPaired = false> [[gnu::noinline]] void tile_of_bytes(const byte_tile& t) {
  byte_cursor<Sums::rows> a(t);
  int_vector flip = int_lanes_of(t.flip);
  keep_vector(flip);  // it rides on the broadcast
  const std::byte *b = t.b, *start = t.start;
  if constexpr (Method == scale_method::one_by_one) {
    Sums sum;
    if constexpr (IsPaired) sum_paired_tile(t, a, b, start, flip, sum);
    else sum_tile(t, a, b, start, flip, sum);
    sum.store(t);
  } else {
    const bool is_dense = t.ldc == Sums::step_bytes / Sums::weight_bytes * int_lanes && t.c_second == bytes_further(t.c, Sums::rows / 2 * t.ldc);
    byte_rows_of_c<Sums::rows> c{t.c, t.c_second, strides::of_bytes(t.ldc), is_dense};
    const channel_scales* scales = t.scales;
    for (std::int64_t left = t.count; left > 0; --left) {
      Sums sum;
      if constexpr (IsPaired) sum_paired_tile(t, a, b, start, flip, sum);
      else sum_tile(t, a, b, start, flip, sum);
      sum.template store_scaled<Method>(scales, *t.to, c);
      a.advance(t.a_step);
      c.first = bytes_further(c.first, t.c_step), c.second = bytes_further(c.second, t.c_step);
      b += t.b_step, start += 2 * t.panels * register_bytes, scales += 2 * t.panels;
    }
  }
}

/// The functions for 1, 2, 4, 6, … rows and each form of a panel: scaled by each kind of line, and not scaled. Four vectors have one row, and
/// are scaled by the functions of byte_row.hpp.
inline constexpr int scaled_tiles = has_lines ? 2 : 0;
struct byte_tile_table {
  byte_tile_function of[scaled_tiles + 1][4][row_counts] = {};
  byte_tile_function for_tile(scale_method method, std::int64_t rows, panel_form form) const {
    const int kind = static_cast<int>(method) < scaled_tiles ? static_cast<int>(method) : scaled_tiles;
    return of[kind][static_cast<int>(form)][function_rows(rows) / 2];
  }
};
template <class Isa, scale_method Method, int... I>
constexpr void add_byte_tiles(byte_tile_function (&of)[4][row_counts], std::integer_sequence<int, I...>) {
  ((of[0][I] = &tile_of_bytes<Isa, byte_sums<1, first_integers<I == 0 ? 1 : 2 * I>>, Method>), ...);
  ((of[1][I] = &tile_of_bytes<Isa, byte_sums<2, first_integers<I == 0 ? 1 : 2 * I>>, Method>), ...);
  if constexpr (has_pairs_of_lanes)
    ((of[2][I] = &tile_of_bytes<Isa, byte_sums<1, first_integers<I == 0 ? 1 : 2 * I>>, Method, true>), ...);
  if constexpr (Method == scale_method::one_by_one) of[3][0] = &tile_of_bytes<Isa, byte_sums<4, first_integers<1>>, Method>;
}
template <class Isa> constexpr byte_tile_table make_byte_tiles() {
  byte_tile_table table;
  if constexpr (has_lines) {
    add_byte_tiles<Isa, scale_method::by_rising_line>(table.of[0], first_integers<row_counts>{});
    add_byte_tiles<Isa, scale_method::by_line>(table.of[1], first_integers<row_counts>{});
  }
  add_byte_tiles<Isa, scale_method::one_by_one>(table.of[scaled_tiles], first_integers<row_counts>{});
  return table;
}
template <class Isa> inline constexpr byte_tile_table byte_tiles = make_byte_tiles<Isa>();

// --- from a tile's sums to bytes ----------------------------------------------

/// Copies 1 to int_lanes bytes.
inline void copy_lanes(const std::byte* from, std::int64_t n, std::byte* to) {
  if (n >= 8) return __builtin_memcpy(to, from, 8), void(__builtin_memcpy(to + n - 8, from + n - 8, 8));
  if (n >= 4) return __builtin_memcpy(to, from, 4), void(__builtin_memcpy(to + n - 4, from + n - 4, 4));
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

/// Copies rows of `width` bytes.
inline void copy_narrow_rows(const std::byte* from, std::int64_t line, std::int64_t rows, std::int64_t width,
                             std::byte* to, std::int64_t ldc) {
  for (; rows > 0; --rows, from += line, to += ldc) {
    const std::int64_t first = std::min(width, int_lanes);
    copy_lanes(from, first, to);
    if (width > first) copy_lanes(from + first, width - first, to + first);
  }
}

/// Where the bytes of a tile go.
struct byte_target {
  std::byte* c;
  std::int64_t ldc, rows;
};

/// Scales the sums of one vector of columns and stores `n` bytes of each row.
///
/// \param start what sums start from that did not start from it
template <scale_method Method, bool AddsStart>
void finish_vector(const std::int32_t* sums, const channel_scales& scales, const narrowing& stored,
                   const byte_target& target, std::int64_t n, [[maybe_unused]] const std::byte* start) {
  const narrowing to = stored;  // copies stay in registers, stores cannot change them
  const byte_target at = target;
  const scaler<Method> scale(scales);
  const auto row_at = [&](std::int64_t i) __attribute__((always_inline)) {
    const auto sum = load_vector<int_vector>(sums + i * sum_stride);
    if constexpr (AddsStart) return scale(sum + load_vector<int_vector>(start));
    else return scale(sum);
  };
  const auto four_rows = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) __attribute__((always_inline)) {
    return rows_apart(narrowed<!includes_zero_point(Method)>(row_at(a), row_at(b), row_at(c), row_at(d), to));
  };
  if (at.rows == 1) {
    std::byte bytes[register_bytes];
    const int_vector x = row_at(0);
    store_vector(bytes, rows_apart(narrowed<!includes_zero_point(Method)>(x, x, x, x, to)));
    return copy_lanes(bytes, n, at.c);
  }
  std::int64_t row = 0;
  for (; n == int_lanes && row + 4 <= at.rows; row += 4) {
    const byte_vector bytes = four_rows(row, row + 1, row + 2, row + 3);
    each<4>([&](auto i) __attribute__((always_inline)) { store_quarter<i>(bytes, at.c + (row + i) * at.ldc); });
  }
  for (; row < at.rows; row += 4) {
    std::byte bytes[register_bytes];
    const std::int64_t last = at.rows - 1;  // for those behind it, too, which have no sums
    store_vector(bytes, four_rows(row, std::min(row + 1, last), std::min(row + 2, last), std::min(row + 3, last)));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(4, at.rows - row); ++i)
      copy_lanes(bytes + i * int_lanes, n, at.c + (row + i) * at.ldc);
  }
}

/// Makes bytes of the sums of whole panels of two vectors that are scaled alike, two rows at a time.
template <scale_method Method, bool AddsStart> class panel_end {
 public:
  [[gnu::always_inline]] panel_end(const channel_scales* scales, const narrowing& to, [[maybe_unused]] const std::byte* start)
      : left_(scales[0]), right_(scales[1]), to_(to) {
    if constexpr (AddsStart) left_start_ = load_vector<int_vector>(start), right_start_ = load_vector<int_vector>(start + register_bytes);
  }
  [[gnu::always_inline]] void operator()(const std::int32_t* first, const std::int32_t* second, std::byte* to_first, std::byte* to_second) const {
    const byte_vector bytes = rows_apart(narrowed<!includes_zero_point(Method)>(left(first), right(first), left(second), right(second), to_));
    store_half<0>(bytes, to_first), store_half<1>(bytes, to_second);
  }

 private:
  [[gnu::always_inline]] int_vector left(const std::int32_t* row) const {
    const auto sum = load_vector<int_vector>(row);
    if constexpr (AddsStart) return left_(sum + left_start_);
    else return left_(sum);
  }
  [[gnu::always_inline]] int_vector right(const std::int32_t* row) const {
    const auto sum = load_vector<int_vector>(row + vector_of_sums);
    if constexpr (AddsStart) return right_(sum + right_start_);
    else return right_(sum);
  }

  // No arrays: these g++ 12 leaves in memory where an instruction that it does not know may change it.
  scaler<Method> left_, right_;
  narrowing to_;
  int_vector left_start_{}, right_start_{};  // what sums start from that did not start from it
};
template <scale_method Method, bool AddsStart>
void finish_panel(const std::int32_t* sums, const channel_scales* scales, const narrowing& to, const byte_target& target, const std::byte* start) {
  const panel_end<Method, AddsStart> end(scales, to, start);
  const byte_target at = target;
  const auto two_rows = [&](std::int64_t first, std::int64_t second) __attribute__((always_inline)) {
    end(sums + first * sum_stride, sums + second * sum_stride, at.c + first * at.ldc, at.c + second * at.ldc);
  };
  std::int64_t row = 0;
  for (; row + 2 <= at.rows; row += 2) two_rows(row, row + 1);
  if (row < at.rows) two_rows(row, row);
}

/// Scales the sums of a tile in one panel, `width` columns of which are in use.
template <class Isa, bool AddsStart = false>
void finish_tile(const std::int32_t* sums, const channel_scales* scales, const narrowing& to,
                 const byte_target& at, std::int64_t width, const std::byte* start = nullptr) {
  if (width == 2 * int_lanes && scales[0].method == scales[1].method)
    return with_method(scales[0].method, [&](auto method) { finish_panel<method, AddsStart>(sums, scales, to, at, start); });
  for (std::int64_t v = 0; v * int_lanes < width; ++v)
    with_method(scales[v].method, [&](auto method) {
      finish_vector<method, AddsStart>(sums + v * vector_of_sums, scales[v], to, {at.c + v * int_lanes, at.ldc, at.rows},
                                       std::min(int_lanes, width - v * int_lanes), AddsStart ? start + v * register_bytes : nullptr);
    });
}

/// Sum of the numbers of a row of A, as dot products see them.
inline std::int32_t row_sum(address a, const byte_depth& depth, std::int64_t run_stride, const byte_form& form) {
  std::int32_t sum = 0;
  for (std::int64_t run = 0; run < depth.runs; ++run, a = bytes_further(a, run_stride)) {
    const auto* const row = reinterpret_cast<const std::byte*>(a);
    for (std::int64_t i = 0; i < depth.length; ++i) {
      if (form.size() == 2) {
        std::uint16_t wide;
        std::memcpy(&wide, row + 2 * i, sizeof wide);
        sum += wide;
        continue;
      }
      const auto byte = static_cast<std::uint8_t>(static_cast<std::uint8_t>(row[i]) ^ (form.flip & 0x80));
      sum += dots_are_signed ? static_cast<std::int8_t>(byte) : byte;
    }
  }
  return sum;
}

}  // namespace detail

}  // namespace nnrt::inline NNRT_ISA::kernels
