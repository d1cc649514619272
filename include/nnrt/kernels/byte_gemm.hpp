// byte_gemm: products of matrices of stored numbers over packed B; serves dense layers, matrix products, 1x1 convolution.
// Flow: a prepare step packs B, its bias and scales once with byte_pack(); a plan's step calls byte_gemm().
//
// c[m][n] = clamp(zero point of c + factor[n] * (bias[n] + sum over k of (a[m][k] - zero of a) * (b[k][n] - zero of b)))
//
// Dot products multiply what is stored. The rest of the sum over k is known beforehand, as part of the bias, but for the
// sum of a row of A times the zero point of b, which most models set to 0. Sums wrap around on their way, which does not
// matter, since those that leave 32 bits in the end are seen when B is packed (one_by_one).
#pragma once

#include <nnrt/kernels/byte_scale.hpp>
#include <nnrt/kernels/gemm.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace nnrt::inline NNRT_ISA::kernels {

/// How A and B are stored: the zero points, and whether the bytes are those of u8.
struct byte_factors {
  std::int32_t a_zero = 0, b_zero = 0;
  bool is_unsigned = false;

  /// What dot products see of a byte of A is as much more than what is stored.
  constexpr std::int32_t a_offset() const { return (is_unsigned ? 0 : 128) - (dots_are_signed ? 128 : 0); }
  /// Of B they see signed bytes.
  constexpr std::int32_t b_offset() const { return is_unsigned ? -128 : 0; }
  constexpr std::int32_t lowest() const { return is_unsigned ? 0 : -128; }
  constexpr std::int32_t highest() const { return is_unsigned ? 255 : 127; }
  /// What makes a stored byte of A what dot products see.
  std::int32_t a_flip() const { return a_offset() == 0 ? 0 : static_cast<std::int32_t>(0x80808080U); }
  std::int32_t a_zero_as_seen() const { return a_zero + a_offset(); }
  constexpr std::int32_t b_zero_as_seen() const { return b_zero + b_offset(); }
  /// Element i of a list of bytes, as a number.
  std::int32_t at(const std::byte* p, std::int64_t i) const {
    const auto byte = static_cast<std::uint8_t>(p[i]);
    return is_unsigned ? byte : static_cast<std::int8_t>(byte);
  }
};

/// Products per element for which no sum without its bias leaves 32 bits.
inline constexpr std::int64_t most_byte_products = std::numeric_limits<std::int32_t>::max() / (255 * 255);

/// Where B's rows lie for dot products: `runs` runs of `length` consecutive elements of a row of A; each run ends with a
/// whole dot product, the missing weights zero. A plain product has one run.
struct byte_depth {
  std::int64_t runs = 1, length = 0;

  constexpr std::int64_t steps() const { return (length + 3) / 4; }  // of a run
  constexpr std::int64_t products() const { return runs * length; }
};

/// How a panel's weights lie for its tiles: one or two vectors side by side at each step; or, of a single vector, two steps
/// in pairs of lanes, so that one broadcast serves two dot products.
enum class panel_form { one_vector, two_vectors, paired_steps };

/// The packed form of B: [scales of each vector of columns][bias][panel][run][step][vector of the panel].
struct byte_layout {
  byte_depth depth;
  std::int64_t n = 0;

  static constexpr std::int64_t panel_width = 2 * int_lanes;
  constexpr std::int64_t vectors() const { return (n + int_lanes - 1) / int_lanes; }
  constexpr std::int64_t panels() const { return (n + panel_width - 1) / panel_width; }
  constexpr std::int64_t width(std::int64_t panel) const { return std::min(panel_width, n - panel * panel_width); }
  constexpr std::int64_t vectors_of(std::int64_t panel) const { return width(panel) > int_lanes ? 2 : 1; }
  constexpr panel_form form_of(std::int64_t panel) const {
    if (vectors_of(panel) == 2) return panel_form::two_vectors;
    return has_pairs_of_lanes && depth.length % 8 == 0 ? panel_form::paired_steps : panel_form::one_vector;
  }
  /// Where a weight lies: the lane, and the dot product from the panel's first.
  struct place {
    std::int64_t product, lane;
  };
  constexpr place place_of(std::int64_t panel, std::int64_t vector, std::int64_t lane, std::int64_t step) const {
    if (form_of(panel) != panel_form::paired_steps) return {step * vectors_of(panel) + vector, lane};
    const lane_pair at = pair_of_lane(lane);
    return {step / 2 * 2 + at.source, at.lane + step % 2};
  }
  /// Weights of one vector of columns.
  constexpr std::int64_t vector_bytes() const { return depth.runs * depth.steps() * dot_bytes; }
  constexpr std::int64_t scale_bytes() const { return vectors() * std::int64_t{sizeof(channel_scales)}; }
  constexpr std::int64_t bias_at() const { return scale_bytes(); }
  constexpr std::int64_t weights_at() const { return (bias_at() + vectors() * register_bytes + 63) / 64 * 64; }
  constexpr std::int64_t bytes() const { return (weights_at() + vectors() * vector_bytes() + 63) / 64 * 64; }
  /// The weights of a panel; all before it have two vectors.
  constexpr std::int64_t panel_at(std::int64_t panel) const { return weights_at() + 2 * panel * vector_bytes(); }
};

namespace detail {

/// One column of B on its way into the packed form.
struct byte_column {
  std::int64_t sum = 0;  // of what dot products see
  sum_range reach;

  /// Adds a weight as it is stored.
  void add(std::int32_t weight, const byte_factors& f) {
    const std::int32_t w = weight - f.b_zero, low = f.lowest() - f.a_zero, high = f.highest() - f.a_zero;
    sum += weight + f.b_offset();
    reach.low += std::min(w * low, w * high), reach.high += std::max(w * low, w * high);
  }
};

/// x modulo 2^32.
inline std::int32_t wrapped(std::int64_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
}

/// What a sum starts from when dot products see what is stored: all of it that does not depend on A.
inline std::int32_t starting_sum(std::int64_t bias, std::int64_t column_sum, std::int64_t products,
                                 const byte_factors& f) {
  const std::int64_t a_zero = f.a_zero_as_seen();
  return wrapped(bias - a_zero * column_sum + products * a_zero * f.b_zero_as_seen());
}

}  // namespace detail

/// Packs B, its bias and scales.
///
/// \param weight_of weight_of(j, run, i) is element i of a run of column j, as it is stored
///
/// \param channel_of channel_of(j) has factor and bias of column j, and bounds of its sums if those should not be taken
/// from the weights: columns that are all alike are packed faster
template <class WeightOf, class ChannelOf>
void byte_pack(const byte_layout& layout, const byte_factors& f, scaled_range range, WeightOf weight_of,
               ChannelOf channel_of, std::byte* out) {
  const byte_depth& depth = layout.depth;
  std::fill_n(out + layout.weights_at(), layout.bytes() - layout.weights_at(), std::byte{});
  for (std::int64_t v = 0; v < layout.vectors(); ++v) {
    const std::int64_t first = v * int_lanes, count = std::min(int_lanes, layout.n - first), panel = v / 2;
    std::byte* const weights = out + layout.panel_at(panel);
    byte_channel channels[int_lanes];
    detail::byte_column columns[int_lanes];
    for (std::int64_t lane = 0; lane < count; ++lane) {
      for (std::int64_t run = 0; run < depth.runs; ++run)
        for (std::int64_t i = 0; i < depth.length; ++i) {
          const std::int32_t weight = weight_of(first + lane, run, i);
          columns[lane].add(weight, f);
          const byte_layout::place at = layout.place_of(panel, v % 2, lane, run * depth.steps() + i / 4);
          put_weight(weights + at.product * dot_bytes, at.lane, i % 4, static_cast<std::int8_t>(weight + f.b_offset()));
        }
      channels[lane] = channel_of(first + lane);
      sum_range& reach = channels[lane].reach;
      if (reach.low == reach.high)
        reach = {columns[lane].reach.low + channels[lane].bias, columns[lane].reach.high + channels[lane].bias};
      // A zero point of B takes off sums of A, whatever the weights: then they have to stay.
      if (f.b_zero_as_seen() != 0 || !is_constant(channels[lane], range)) continue;
      channels[lane] = constant_channel(channels[lane], range), columns[lane] = {};
      for (std::int64_t step = 0; step < depth.runs * depth.steps(); ++step)
        for (std::int64_t i = 0; i < 4; ++i) {
          const byte_layout::place at = layout.place_of(panel, v % 2, lane, step);
          put_weight(weights + at.product * dot_bytes, at.lane, i, 0);
        }
    }
    auto& scales = *reinterpret_cast<channel_scales*>(out + v * std::int64_t{sizeof(channel_scales)});
    set_scales(scales, channels, count, range);
    const bool has_bias = scales.method != scale_method::one_by_one;
    auto* const sums = reinterpret_cast<std::int32_t*>(out + layout.bias_at() + v * register_bytes);
    for (std::int64_t lane = 0; lane < int_lanes; ++lane)
      sums[lane] =
          detail::starting_sum(has_bias ? channels[lane].bias : 0, columns[lane].sum, depth.products(), f);
  }
}

namespace detail {

// --- one tile ---------------------------------------------------------------

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

/// Reads A down its rows, four elements after the others.
template <int Rows> struct byte_cursor {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;
  explicit byte_cursor(const byte_tile& t) : first(t.a), second(t.a_second), step(strides::of_bytes(t.lda)) {}
  [[gnu::always_inline]] void advance(std::int64_t bytes) {
    first = bytes_further(first, bytes), second = bytes_further(second, bytes);
  }
  template <int Row, int Ahead> [[gnu::always_inline]] const void* at() const {
    return reinterpret_cast<const std::byte*>(step.template from<Row % half>(Row < half ? first : second)) + Ahead * 4;
  }
};

/// The rows of C below a tile.
template <int Rows> struct byte_rows_of_c {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;
  template <int Row> [[gnu::always_inline]] std::byte* at() const {
    return reinterpret_cast<std::byte*>(step.template from<Row % half>(Row < half ? first : second));
  }
};

/// The sums of a tile of 1 or 2 vectors per row.
template <int Vectors, class Rows> struct byte_sums;
template <int Vectors, int... Row> struct byte_sums<Vectors, std::integer_sequence<int, Row...>> {
  static constexpr int rows = sizeof...(Row), accumulators = rows * Vectors;
  static constexpr std::int64_t step_bytes = Vectors * dot_bytes;
  int_vector of[Vectors][rows];

  [[gnu::always_inline]] void start(const std::byte* sums) {
    each<Vectors>([&](auto v) __attribute__((always_inline)) {
      const auto x = load_vector<int_vector>(sums + v * register_bytes);
      ((of[v][Row] = x), ...);
    });
  }
  [[gnu::always_inline]] void start() {
    each<Vectors>([&](auto v) __attribute__((always_inline)) { ((of[v][Row] = int_vector{}), ...); });
  }
  template <int Ahead>
  [[gnu::always_inline]] void add_products(const byte_cursor<rows>& a, const std::byte* b, int_vector flip) {
    const dot_weights b0 = load_weights(b), b1 = load_weights(b + (Vectors - 1) * dot_bytes);
    (add_row<Row>(broadcast4(a.template at<Row, Ahead>(), flip), b0, b1), ...);
  }
  [[gnu::always_inline]] void add(const byte_sums& other) {
    each<Vectors>([&](auto v) __attribute__((always_inline)) { ((of[v][Row] += other.of[v][Row]), ...); });
  }
  [[gnu::always_inline]] void store(const byte_tile& t) const {
    constexpr int half = (rows + 1) / 2;
    std::int32_t *const first = t.sums, *const second = t.sums_second;
    each<Vectors>([&](auto v) __attribute__((always_inline)) {
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
    const scaler<Method> scale[] = {scaler<Method>(scales[0]), scaler<Method>(scales[Vectors - 1])};
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
      each<at_once>([&](auto i) __attribute__((always_inline)) {
        if constexpr (first + i < rows) {
          if constexpr (Vectors == 2) store_half<i>(bytes, c.template at<first + i>());
          else store_quarter<i>(bytes, c.template at<first + i>());
        }
      });
    });
  }

 private:
  template <int R> [[gnu::always_inline]] void add_row(dot_values x, dot_weights b0, dot_weights b1) {
    of[0][R] = dot4(of[0][R], x, b0);
    if constexpr (Vectors == 2) of[1][R] = dot4(of[1][R], x, b1);
  }
};

/// The sums of a tile of one vector per row, two steps at a time in pairs of lanes.
template <class Rows> struct paired_byte_sums;
template <int... Row> struct paired_byte_sums<std::integer_sequence<int, Row...>> {
  using whole = byte_sums<1, std::integer_sequence<int, Row...>>;
  static constexpr int rows = sizeof...(Row);
  int_vector of[2][rows] = {};

  [[gnu::always_inline]] void add_products(const byte_cursor<rows>& a, const std::byte* b, int_vector flip) {
    const dot_weights b0 = load_weights(b), b1 = load_weights(b + dot_bytes);
    (add_row<Row>(broadcast8(a.template at<Row, 0>(), flip), b0, b1), ...);
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
  if constexpr (sets > 1) each<sets - 1>([&](auto s) __attribute__((always_inline)) { sum[s + 1].start(); });
  for (std::int64_t run = t.runs; run > 0; --run) {
    const std::byte* const end = b + t.steps * Sums::step_bytes;
    if constexpr (sets > 1) {
      for (const std::byte* const whole = b + t.steps / sets * (sets * Sums::step_bytes); b != whole;
           b += sets * Sums::step_bytes, a.advance(4 * sets))
        each<sets>([&](auto s) __attribute__((always_inline)) {
          sum[s].template add_products<s>(a, b + s * Sums::step_bytes, flip);
        });
    }
    for (; b != end; b += Sums::step_bytes, a.advance(4)) {
      // Others have no load slots to spare.
      if constexpr (Sums::accumulators >= 16) fetch_weights<Sums::step_bytes>(b);
      sum[0].template add_products<0>(a, b, flip);
    }
    a.advance(t.run_stride - 4 * t.steps);
  }
  if constexpr (sets > 1) each<sets - 1>([&](auto s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  result = sum[0];
}

/// The same for steps in pairs.
template <class Sums>
[[gnu::always_inline]] inline void sum_paired_tile(const byte_tile& t, byte_cursor<Sums::rows> a, const std::byte* b,
                                                   const std::byte* start, int_vector flip, Sums& result) {
  using rows = first_integers<Sums::rows>;
  paired_byte_sums<rows> sum;
  for (std::int64_t run = t.runs; run > 0; --run) {
    for (const std::byte* const end = b + t.steps * dot_bytes; b != end; b += 2 * dot_bytes, a.advance(8))
      sum.add_products(a, b, flip);
    a.advance(t.run_stride - 4 * t.steps);
  }
  result = sum.folded(start);
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
    byte_rows_of_c<Sums::rows> c{t.c, t.c_second, strides::of_bytes(t.ldc)};
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

/// The functions for 1, 2, 4, 6, … rows and each form of a panel: scaled by each kind of line, and not scaled.
inline constexpr int scaled_tiles = has_lines ? 2 : 0;
struct byte_tile_table {
  byte_tile_function of[scaled_tiles + 1][3][row_counts] = {};
  byte_tile_function for_tile(scale_method method, std::int64_t rows, panel_form form) const {
    const int kind = static_cast<int>(method) < scaled_tiles ? static_cast<int>(method) : scaled_tiles;
    return of[kind][static_cast<int>(form)][function_rows(rows) / 2];
  }
};
template <class Isa, scale_method Method, int... I>
constexpr void add_byte_tiles(byte_tile_function (&of)[3][row_counts], std::integer_sequence<int, I...>) {
  ((of[0][I] = &tile_of_bytes<Isa, byte_sums<1, first_integers<I == 0 ? 1 : 2 * I>>, Method>), ...);
  ((of[1][I] = &tile_of_bytes<Isa, byte_sums<2, first_integers<I == 0 ? 1 : 2 * I>>, Method>), ...);
  if constexpr (has_pairs_of_lanes)
    ((of[2][I] = &tile_of_bytes<Isa, byte_sums<1, first_integers<I == 0 ? 1 : 2 * I>>, Method, true>), ...);
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

/// Where the bytes of a tile go.
struct byte_target {
  std::byte* c;
  std::int64_t ldc, rows;
};

/// Scales the sums of one vector of columns and stores `n` bytes of each row.
template <scale_method Method>
void finish_vector(const std::int32_t* sums, const channel_scales& scales, const narrowing& stored,
                   const byte_target& target, std::int64_t n) {
  const narrowing to = stored;  // copies stay in registers, stores cannot change them
  const byte_target at = target;
  const scaler<Method> scale(scales);
  const auto four_rows = [&](std::int64_t first) __attribute__((always_inline)) {
    const auto row = [&](std::int64_t i) __attribute__((always_inline)) {
      return scale(load_vector<int_vector>(sums + (first + i) * sum_stride));
    };
    return rows_apart(narrowed<!includes_zero_point(Method)>(row(0), row(1), row(2), row(3), to));
  };
  std::int64_t row = 0;
  for (; n == int_lanes && row + 4 <= at.rows; row += 4) {
    const byte_vector bytes = four_rows(row);
    each<4>([&](auto i) __attribute__((always_inline)) { store_quarter<i>(bytes, at.c + (row + i) * at.ldc); });
  }
  for (; row < at.rows; row += 4) {
    std::byte bytes[register_bytes];
    store_vector(bytes, four_rows(row));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(4, at.rows - row); ++i)
      copy_lanes(bytes + i * int_lanes, n, at.c + (row + i) * at.ldc);
  }
}

/// The same for a whole panel of two vectors that are scaled alike.
template <scale_method Method>
void finish_panel(const std::int32_t* sums, const channel_scales* scales, const narrowing& stored,
                  const byte_target& target) {
  const narrowing to = stored;
  const byte_target at = target;
  const scaler<Method> scale[] = {scaler<Method>(scales[0]), scaler<Method>(scales[1])};
  const auto two_rows = [&](std::int64_t first, std::int64_t second) __attribute__((always_inline)) {
    const auto part = [&](std::int64_t row, int v) __attribute__((always_inline)) {
      return scale[v](load_vector<int_vector>(sums + v * vector_of_sums + row * sum_stride));
    };
    const byte_vector bytes = rows_apart(narrowed<!includes_zero_point(Method)>(part(first, 0), part(first, 1),
                                                                                part(second, 0), part(second, 1), to));
    store_half<0>(bytes, at.c + first * at.ldc), store_half<1>(bytes, at.c + second * at.ldc);
  };
  std::int64_t row = 0;
  for (; row + 2 <= at.rows; row += 2) two_rows(row, row + 1);
  if (row < at.rows) two_rows(row, row);
}

/// Scales the sums of a tile in one panel, `width` columns of which are in use.
template <class Isa>
void finish_tile(const std::int32_t* sums, const channel_scales* scales, const narrowing& to,
                        const byte_target& at, std::int64_t width) {
  if (width == 2 * int_lanes && scales[0].method == scales[1].method)
    return with_method(scales[0].method, [&](auto method) { finish_panel<method>(sums, scales, to, at); });
  for (std::int64_t v = 0; v * int_lanes < width; ++v)
    with_method(scales[v].method, [&](auto method) {
      finish_vector<method>(sums + v * vector_of_sums, scales[v], to, {at.c + v * int_lanes, at.ldc, at.rows},
                            std::min(int_lanes, width - v * int_lanes));
    });
}

/// Sum of the bytes of a row of A, as dot products see them.
inline std::int32_t row_sum(address a, const byte_depth& depth, std::int64_t run_stride, std::int32_t flip) {
  std::int32_t sum = 0;
  for (std::int64_t run = 0; run < depth.runs; ++run, a = bytes_further(a, run_stride)) {
    const auto* const row = reinterpret_cast<const std::uint8_t*>(a);
    for (std::int64_t i = 0; i < depth.length; ++i) {
      const auto byte = static_cast<std::uint8_t>(row[i] ^ (flip & 0x80));
      sum += dots_are_signed ? static_cast<std::int8_t>(byte) : byte;
    }
  }
  return sum;
}

}  // namespace detail

/// What every tile of a product is told: packed B, the stored forms of A and of C.
struct byte_product {
  byte_layout layout;
  const std::byte* packed;
  byte_factors factors;
  narrowing to;
};

namespace detail {

/// Where the rows of a tile lie in A and C. The second half of the rows may lie elsewhere: so many bytes behind the first.
struct byte_rows {
  address a;
  std::int64_t lda, run_stride;
  std::byte* c;
  std::int64_t ldc, rows;
  std::int64_t second_a = 0, second_c = 0;

  bool is_torn() const { return second_c != 0; }
};

/// What the zero point of B takes off the sums of each row.
inline void subtract_row_sums(const byte_product& p, std::int64_t rows, std::int64_t vectors,
                              const std::int32_t (&row_sums)[tile_rows], std::int32_t* sums) {
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
      const std::int32_t term = wrapped(std::int64_t{row_sums[row]} * p.factors.b_zero_as_seen());
      store_vector(of_row, load_vector<int_vector>(of_row) - int_lanes_of(term));
    }
}

/// What tiles of a product have in common.
inline byte_tile tile_for(const byte_product& p, std::int64_t lda, std::int64_t run_stride, std::int64_t ldc) {
  byte_tile t;
  t.lda = lda, t.steps = p.layout.depth.steps(), t.runs = p.layout.depth.runs, t.run_stride = run_stride;
  t.flip = p.factors.a_flip(), t.ldc = ldc, t.to = &p.to;
  return t;
}

/// Points a tile to the weights of a panel.
inline void set_panel(const byte_product& p, std::int64_t panel, byte_tile& t) {
  t.b = p.packed + p.layout.panel_at(panel), t.start = p.packed + p.layout.bias_at() + 2 * panel * register_bytes;
  t.scales = reinterpret_cast<const channel_scales*>(p.packed) + 2 * panel;
}

/// How the sums of a panel are scaled where they are made; one_by_one: nowhere.
inline scale_method method_in_tile(const byte_product& p, const channel_scales* scales, std::int64_t vectors) {
  const scale_method method = scales[0].method;
  const bool is_line = has_lines && (method == scale_method::by_rising_line || method == scale_method::by_line);
  return is_line && scales[vectors - 1].method == method && p.factors.b_zero_as_seen() == 0 ? method
                                                                                            : scale_method::one_by_one;
}

/// Sets where a tile begins: its rows of A are `at`, those of C lie from `c` on.
inline void set_byte_rows(byte_tile& t, const byte_rows& at, address c, std::int64_t second_c) {
  const std::int64_t second = at.rows == 1 ? 0 : at.rows - function_rows(at.rows) / 2;
  t.a = at.a, t.a_second = bytes_further(at.a, at.is_torn() ? at.second_a : second * t.lda);
  t.c = c, t.c_second = bytes_further(c, second_c != 0 ? second_c : second * t.ldc);
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

/// A tile of at most tile_rows rows in one panel, which does not store whole rows itself.
template <class Isa>
void byte_tile_alone(const byte_product& p, byte_tile& t, std::int64_t panel, const byte_rows& at, scale_method method) {
  const std::int64_t vectors = p.layout.vectors_of(panel), width = p.layout.width(panel);
  const std::int64_t first_rows = at.is_torn() ? at.rows / 2 : at.rows;
  const byte_tile_function tile = byte_tiles<Isa>.for_tile(method, at.rows, p.layout.form_of(panel));
  std::byte* const c = at.c + panel * byte_layout::panel_width;
  t.count = 1;
  if (method != scale_method::one_by_one) {
    constexpr std::int64_t line = byte_layout::panel_width;
    alignas(64) std::byte bytes[tile_rows * line];
    t.ldc = line;
    set_byte_rows(t, at, reinterpret_cast<address>(&bytes[0]), 0);
    tile(t);
    t.ldc = at.ldc;
    copy_narrow_rows(bytes, line, first_rows, width, c, at.ldc);
    return copy_narrow_rows(bytes + first_rows * line, line, at.rows - first_rows, width, c + at.second_c, at.ldc);
  }
  alignas(64) std::int32_t sums[2 * vector_of_sums];
  set_byte_rows(t, at, 0, 0);
  t.sums = sums, t.sums_second = sums + (at.rows == 1 ? 0 : at.rows - function_rows(at.rows) / 2) * sum_stride;
  tile(t);
  if (p.factors.b_zero_as_seen() != 0) {
    std::int32_t row_sums[tile_rows];
    for (std::int64_t row = 0; row < at.rows; ++row) {
      const address a = bytes_further(at.a, row < first_rows ? row * t.lda : at.second_a + (row - first_rows) * t.lda);
      row_sums[row] = row_sum(a, p.layout.depth, t.run_stride, t.flip);
    }
    subtract_row_sums(p, at.rows, vectors, row_sums, sums);
  }
  finish_tile<Isa>(sums, t.scales, p.to, {c, at.ldc, first_rows}, width);
  if (at.is_torn())
    finish_tile<Isa>(sums + first_rows * sum_stride, t.scales, p.to,
                     {c + at.second_c, at.ldc, at.rows - first_rows}, width);
}

/// Rows of C that are narrower than a tile's and lie without gaps may be stored whole if what they spill over is written
/// later: all but the last of these tiles. 0: none.
inline std::int64_t tiles_that_spill(const byte_product& p, const byte_rows& at) {
  const row_tiles tiles{at.rows};
  const std::int64_t last = at.rows - tiles.begin(tiles.count() - 1);
  const bool can = p.layout.panels() == 1 && at.ldc == p.layout.n && !at.is_torn() && last * at.ldc >= int_lanes;
  return can ? tiles.count() : 0;
}

/// Lines of equal rows, one behind the other.
struct byte_lines {
  std::int64_t count = 1, a_step = 0, c_step = 0;
};

/// Tiles along the rows of `at` (any number) in the given panels, all lines in one panel after the other.
template <class Isa>
void byte_tile_columns(const byte_product& p, const byte_rows& at, const byte_lines& lines, interval panels) {
  const row_tiles tiles{at.is_torn() ? 1 : at.rows};
  byte_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
    set_panel(p, panel, t);
    const std::int64_t vectors = p.layout.vectors_of(panel);
    const scale_method method = method_in_tile(p, t.scales, vectors);
    const bool is_whole = p.layout.width(panel) == vectors * int_lanes;
    for (std::int64_t tile = 0; tile < tiles.count();) {
      byte_rows part = at;
      const std::int64_t begin = tiles.begin(tile);
      part.a = bytes_further(at.a, begin * at.lda), part.c = at.c + begin * at.ldc;
      if (!at.is_torn()) part.rows = tiles.begin(tile + 1) - begin;
      ++tile;
      const bool stores_rows = method != scale_method::one_by_one && (is_whole || tile < tiles_that_spill(p, at));
      for (std::int64_t line = 0; line < lines.count && !stores_rows; ++line) {
        byte_tile_alone<Isa>(p, t, panel, part, method);
        part.a = bytes_further(part.a, lines.a_step), part.c += lines.c_step;
      }
      if (!stores_rows) continue;
      t.count = lines.count, t.a_step = lines.a_step, t.c_step = lines.c_step;
      if (lines.count == 1) {  // then tiles that are alike
        const std::int64_t end = is_whole ? tiles.count() : tiles_that_spill(p, at) - 1;
        for (; tile < end && tiles.begin(tile + 1) - tiles.begin(tile) == part.rows; ++tile) ++t.count;
        t.a_step = part.rows * t.lda, t.c_step = part.rows * t.ldc;
      }
      set_byte_rows(t, part, reinterpret_cast<address>(part.c + panel * byte_layout::panel_width), at.second_c);
      byte_tiles<Isa>.for_tile(method, part.rows, p.layout.form_of(panel))(t);
    }
  }
}

/// The same for at most tile_rows rows, which stay in L1 while weights stream past them.
template <class Isa> void byte_tile_row(const byte_product& p, const byte_rows& at, interval panels) {
  byte_tile t = tile_for(p, at.lda, at.run_stride, at.ldc);
  t.panels = 1, t.b_step = 2 * p.layout.vector_bytes(), t.c_step = byte_layout::panel_width;
  const auto method_of = [&](std::int64_t panel) {
    return method_in_tile(p, reinterpret_cast<const channel_scales*>(p.packed) + 2 * panel, 2);
  };
  for (std::int64_t panel = panels.begin; panel < panels.end;) {
    set_panel(p, panel, t);
    const std::int64_t vectors = p.layout.vectors_of(panel);
    const scale_method method = method_in_tile(p, t.scales, vectors);
    if (method == scale_method::one_by_one || p.layout.width(panel) != vectors * int_lanes) {
      byte_tile_alone<Isa>(p, t, panel++, at, method);
      continue;
    }
    set_byte_rows(t, at, reinterpret_cast<address>(at.c + panel * byte_layout::panel_width), at.second_c);
    const std::int64_t first = panel++;
    while (panel < panels.end && p.layout.width(panel) == byte_layout::panel_width && method_of(panel) == method) ++panel;
    t.count = panel - first;
    byte_tiles<Isa>.for_tile(method, at.rows, p.layout.form_of(first))(t);
  }
}

/// Tiles along the rows of `at` (any number) in the given panels.
template <class Isa> void byte_tile_rows(const byte_product& p, const byte_rows& at, interval panels) {
  // Weights that fit into L1 beside a few rows stay there; others are streamed past a tile of rows each.
  const bool stays = 2 * panels.size() * p.layout.vector_bytes() <= 24 * 1024;
  if (at.is_torn()) return byte_tile_row<Isa>(p, at, panels);
  if (stays && at.rows > tile_rows) return byte_tile_columns<Isa>(p, at, {}, panels);
  const row_tiles tiles{at.rows};
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    byte_rows part = at;
    const std::int64_t begin = tiles.begin(tile);
    part.a = bytes_further(at.a, begin * at.lda), part.c = at.c + begin * at.ldc;
    part.rows = tiles.begin(tile + 1) - begin;
    byte_tile_row<Isa>(p, part, panels);
  }
}

/// Panels whose weights stay in L2 (384 KiB of them) while A passes by.
constexpr std::int64_t byte_panels_in_cache(const byte_layout& layout) {
  return std::max<std::int64_t>(1, 384 * 1024 / std::max<std::int64_t>(1, 2 * layout.vector_bytes()));
}
/// Tiles of rows of A that stay in L1 (20 KiB of them) while panels pass by.
constexpr std::int64_t byte_tiles_in_cache(std::int64_t lda) {
  return std::max<std::int64_t>(1, 20 * 1024 / std::max<std::int64_t>(1, tile_rows * lda));
}

/// The part of C made of the given tiles of rows and panels of columns.
template <class Isa>
void byte_gemm_tiles(const byte_product& p, std::int64_t m, const std::byte* a, std::int64_t lda, std::byte* c,
                     std::int64_t ldc, const rectangle& work) {
  const std::int64_t panels = byte_panels_in_cache(p.layout), tiles = byte_tiles_in_cache(lda);
  for (std::int64_t panel = work.columns.begin; panel < work.columns.end; panel += panels)
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; tile += tiles) {
      const std::int64_t row = row_tiles{m}.begin(tile), end = row_tiles{m}.begin(std::min(tile + tiles, work.rows.end));
      byte_tile_rows<Isa>(p, {address_of_bytes(a + row * lda), lda, 0, c + row * ldc, ldc, end - row},
                          {panel, std::min(work.columns.end, panel + panels)});
    }
}

}  // namespace detail

/// C of m rows. Rows of A are read in whole dot products: unless k is a multiple of 4, up to 3 bytes behind each row
/// must be readable, too (their values do not matter). Every division into parts gives the same bits.
template <class Isa = native>
void byte_gemm(const byte_product& p, std::int64_t m, const std::byte* a, std::int64_t lda, std::byte* c,
               std::int64_t ldc, part of = {}) {
  if (m <= 0 || p.layout.n <= 0) return;
  if (m <= tile_rows && of.count == 1)  // nothing to divide
    return detail::byte_tile_row<Isa>(p, {detail::address_of_bytes(a), lda, 0, c, ldc, m}, {0, p.layout.panels()});
  detail::byte_gemm_tiles<Isa>(p, m, a, lda, c, ldc, share(row_tiles{m}.count(), p.layout.panels(), of));
}

/// Rows that byte_gemm_of_copies() copies at once.
inline constexpr std::int64_t copied_rows = 4 * tile_rows;
/// Bytes of a copied row, and of scratch for byte_gemm_of_copies().
constexpr std::int64_t copied_row_bytes(std::int64_t k) { return (k + 3) / 4 * 4; }
constexpr std::int64_t copied_rows_bytes(std::int64_t m, std::int64_t k) {
  return (std::min(m, copied_rows) * copied_row_bytes(k) + 63) / 64 * 64;
}

/// The same for rows that do not lie in memory as they are needed: copy_row(i, to) brings the k bytes of row i about.
template <class Isa, class CopyRow>
void byte_gemm_of_copies(const byte_product& p, std::int64_t m, CopyRow copy_row, std::byte* scratch, std::byte* c,
                         std::int64_t ldc, part of = {}) {
  const std::int64_t blocks = (m + copied_rows - 1) / copied_rows, lda = copied_row_bytes(p.layout.depth.products());
  const rectangle work = share(blocks, p.layout.panels(), of);
  for (std::int64_t block = work.rows.begin; block < work.rows.end; ++block) {
    const std::int64_t first = block * copied_rows, rows = std::min(copied_rows, m - first);
    for (std::int64_t i = 0; i < rows; ++i) copy_row(first + i, scratch + i * lda);
    detail::byte_gemm_tiles<Isa>(p, rows, scratch, lda, c + first * ldc, ldc,
                                 {{0, row_tiles{rows}.count()}, work.columns});
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
