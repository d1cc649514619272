// tile: register tiles of an int8 product - dot products, and the output stage of their accumulators.
// Flow: int8/gemm/gemm.hpp walks over the tiles; int8/gemm/pack.hpp packs the weights that they read.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/gemm/paired_accumulators.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels { namespace detail {

using int8_tile_function = void (*)(const int8_tile&);

/// Prefetches weights: those of large layers exceed L2.
template <std::int64_t Bytes> [[gnu::always_inline]] inline void fetch_weights(const std::byte* b) {
  constexpr std::int64_t ahead = 3072;
  for (std::int64_t line = 0; line < Bytes; line += 64) __builtin_prefetch(b + ahead + line, 0, 3);
}

/// Whether a tile prefetches its weights; smaller tiles have no free load slots.
template <class Sums> inline constexpr bool asks_for_weights = Sums::accumulators >= (vector_registers == 32 ? 16 : 12);

/// Steps of a tile per iteration of its loop, see k_of_a_turn().
constexpr int steps_of_a_turn(int accumulators) {
  return vector_registers == 16 && int_lanes == 8 && sets_for(accumulators) == 1 ? 2 : 1;
}

/// Two rows of A, and the first of two columns of packed B.
struct int8_square {
  address upper, lower, column;
};
/// Products of two rows with two columns, which are lanes next to each other, on machines without vectors: the
/// accumulators stay in registers. `sums` has the start values and then the results, of the upper row and of the lower
/// row.
template <class Sums>
void add_square_of_products(const int8_tile& t, int8_square at, std::int32_t flip, std::uint32_t (&sums)[4]) {
  std::uint32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
  const auto value_of = [&](std::byte x) __attribute__((always_inline)) {
    const auto byte = static_cast<std::uint8_t>(Sums::flips ? x ^ static_cast<std::byte>(flip) : x);
    return dots_are_signed ? static_cast<std::int8_t>(byte) : int{byte};
  };
  for (std::int64_t run = t.runs; run > 0; --run) {
    for (std::int64_t step = t.steps; step > 0; --step) {
      const auto* const first = reinterpret_cast<const std::byte*>(at.upper);
      const auto* const second = reinterpret_cast<const std::byte*>(at.lower);
      const auto* const weights = reinterpret_cast<const std::byte*>(at.column);
      each<4>([&](int i) __attribute__((always_inline)) {
        const int upper = value_of(first[i]), lower = value_of(second[i]), left = static_cast<std::int8_t>(weights[i]),
                  right = static_cast<std::int8_t>(weights[4 + i]);
        a += static_cast<std::uint32_t>(upper * left), b += static_cast<std::uint32_t>(upper * right);
        c += static_cast<std::uint32_t>(lower * left), d += static_cast<std::uint32_t>(lower * right);
      });
      at.upper += 4, at.lower += 4, at.column += Sums::step_bytes;
    }
    at.upper = bytes_further(at.upper, t.run_stride - 4 * t.steps);
    at.lower = bytes_further(at.lower, t.run_stride - 4 * t.steps);
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}
/// sum_tile() without vectors.
template <class Sums>
void sum_tile_by_scalars(const int8_tile& t, const typename Sums::cursor& a, const std::byte* b, const std::byte* start,
                         std::int32_t flip, Sums& result) {
  for (std::int64_t v = 0; v * Sums::weight_bytes < Sums::step_bytes; ++v)
    for (std::int64_t lane = 0; lane < int_lanes; lane += 2)
      each<(Sums::rows + 1) / 2>([&](auto pair) {
        constexpr int upper = 2 * pair,
                      lower = upper + 1 < Sums::rows ? upper + 1 : upper;  // the last row may be alone
        std::uint32_t sums[4];
        std::memcpy(sums, start + v * register_bytes + 4 * lane, 8), std::memcpy(sums + 2, sums, 8);
        const std::byte* const column = b + v * Sums::weight_bytes + 4 * lane;
        add_square_of_products<Sums>(t,
                                     {address_of_bytes(a.template at<upper>(0)),
                                      address_of_bytes(a.template at<lower>(0)), address_of_bytes(column)},
                                     flip, sums);
        const auto store_row = [&](int row, const std::uint32_t* two) {
          std::memcpy(reinterpret_cast<std::byte*>(&result.of[v][row]) + 4 * lane, two, 8);
        };
        store_row(lower, sums + 2), store_row(upper, sums);
      });
}

/// Computes the accumulators of one tile, with rows from `a` on and weights at `b`.
// One function, as the f32 tile is.
template <class Sums>
[[gnu::always_inline]] inline void sum_tile(const int8_tile& t, typename Sums::cursor a, const std::byte* b,
                                            const std::byte* start, int_vector flip, Sums& result) {
  if constexpr (!machine::has_integer_vectors) return sum_tile_by_scalars(t, a, b, start, flip[0], result);
  constexpr int sets = sets_for(Sums::accumulators);
  constexpr bool may_end_in_half = Sums::cursor::is_wide && !has_lane_dots;
  Sums sum[sets];
  sum[0].start(start);
  if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[s + 1].start(); });
  for (std::int64_t run = t.runs; run > 0; --run) {
    const std::int64_t steps = t.steps - (may_end_in_half ? t.ends_in_half_vector : 0);  // whole ones
    const std::byte* const end = b + steps * Sums::step_bytes;
    constexpr int at_once = Sums::steps_of_register;
    if constexpr (at_once > 0 && at_once % sets == 0) {
      for (const std::byte* const whole = b + steps / at_once * (at_once * Sums::step_bytes); b != whole;
           b += at_once * Sums::step_bytes, a.advance_steps(at_once)) {
        if constexpr (asks_for_weights<Sums>) fetch_weights<at_once * Sums::step_bytes>(b);
        Sums::add_register(sum, a, b, flip);
      }
    } else if constexpr (sets > 1) {
      for (const std::byte* const whole = b + steps / sets * (sets * Sums::step_bytes); b != whole;
           b += sets * Sums::step_bytes, a.advance_steps(sets))
        each<sets>([&](int s)
                       __attribute__((always_inline)) { sum[s].add_products(a, b + s * Sums::step_bytes, flip, s); });
    }
    constexpr int turn = steps_of_a_turn(Sums::accumulators);
    if constexpr (turn > 1) {
      for (const std::byte* const whole = b + steps / turn * (turn * Sums::step_bytes); b != whole;
           b += turn * Sums::step_bytes, a.advance_steps(turn)) {
        if constexpr (asks_for_weights<Sums>) fetch_weights<turn * Sums::step_bytes>(b);
        each<turn>([&](int i)
                       __attribute__((always_inline)) { sum[0].add_products(a, b + i * Sums::step_bytes, flip, i); });
      }
    }
    for (; b != end; b += Sums::step_bytes, a.advance_steps(1)) {
      if constexpr (asks_for_weights<Sums>) fetch_weights<Sums::step_bytes>(b);
      sum[0].add_products(a, b, flip, 0);
    }
    if constexpr (may_end_in_half)
      if (t.ends_in_half_vector) sum[0].add_half(a, b), b += Sums::step_bytes, a.advance_steps(1);
    a.to_next_run(t.run_stride, t.steps);
  }
  if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  result = sum[0];
}

/// sum_tile() for paired steps.
template <class Sums>
[[gnu::always_inline]] inline void sum_paired_tile(const int8_tile& t, typename Sums::cursor a, const std::byte* b,
                                                   const std::byte* start, int_vector flip, Sums& result) {
  constexpr int vectors = static_cast<int>(Sums::step_bytes / Sums::weight_bytes);
  using pairs = paired_int8_accumulators<vectors, first_integers<Sums::rows>>;
  constexpr int sets = sets_for(pairs::accumulators);
  pairs sum[sets];
  for (std::int64_t run = t.runs; run > 0; --run) {
    const std::byte* const end = b + t.steps * (vectors * dot_bytes);
    if constexpr (sets > 1) {
      for (const std::byte* const whole = b + t.steps / (2 * sets) * (sets * pairs::step_bytes); b != whole;
           b += sets * pairs::step_bytes, a.advance_steps(2 * sets))
        each<sets>([&](int s)
                       __attribute__((always_inline)) { sum[s].add_products(a, b + s * pairs::step_bytes, flip, s); });
    }
    for (; b != end; b += pairs::step_bytes, a.advance_steps(2)) {
      if constexpr (vectors == 2 && pairs::accumulators >= 16) fetch_weights<pairs::step_bytes>(b);
      sum[0].add_products(a, b, flip, 0);
    }
    a.to_next_run(t.run_stride, t.steps);
  }
  if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  result = sum[0].folded(start);
}

/// Computes the tiles of `t`. Method one_by_one stores the accumulators; any method may scale them later.
template <class Isa, class Sums, scale_method Method, bool IsPaired = false>
[[gnu::noinline]] void int8_tile_of(const int8_tile& t) {
  typename Sums::cursor a(t);
  int_vector flip = int_lanes_of(t.flip);
  if constexpr (Sums::flips) vector_barrier(flip);  // the broadcast applies it without an instruction
  const std::byte *b = t.b, *start = t.start;
  if constexpr (Method == scale_method::one_by_one) {
    std::int32_t *first = t.sums, *second = t.sums_second;
    for (std::int64_t left = t.count; left > 0; --left) {
      Sums sum;
      if constexpr (IsPaired) sum_paired_tile(t, a, b, start, flip, sum);
      else sum_tile(t, a, b, start, flip, sum);
      sum.store(first, second);
      a.advance(t.a_step);
      first += 2 * vector_of_sums, second += 2 * vector_of_sums;
    }
  } else {
    const bool is_dense = t.ldc == Sums::step_bytes / Sums::weight_bytes * int_lanes &&
                          t.c_second == bytes_further(t.c, Sums::rows / 2 * t.ldc);
    int8_rows_of_c<Sums::rows> c{t.c, t.c_second, strides::of_bytes(t.ldc), is_dense};
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

/// Number of functions: for 1, 2, 4, 6, … rows.
inline constexpr int int8_row_counts = int8_tile_height / 2 + 1;

/// Functions for 1, 2, 4, 6, … rows and each panel_packing: scaled by each kind of FMA, or unscaled. A panel of four
/// vectors has one row, and int8/gemm/row.hpp has its scaled functions.
struct int8_tile_table {
  int8_tile_function of[scaled_tiles + 1][panel_packings][int8_row_counts] = {};
  int8_tile_function for_tile(scale_method method, std::int64_t rows, panel_packing packing) const {
    const int kind = static_cast<int>(method) < scaled_tiles ? static_cast<int>(method) : scaled_tiles;
    return of[kind][static_cast<int>(packing)][function_rows(rows) / 2];
  }
};
template <class Isa, scale_method Method, int... I>
constexpr void add_byte_tiles(int8_tile_function (&of)[panel_packings][int8_row_counts],
                              std::integer_sequence<int, I...>) {
  const auto functions = [&](panel_packing packing) -> int8_tile_function(&)[int8_row_counts] {
    return of[static_cast<int>(packing)];
  };
  ((functions(panel_packing::one_vector)[I] =
        &int8_tile_of<Isa, int8_accumulators<1, first_integers<I == 0 ? 1 : 2 * I>>, Method>),
   ...);
  ((functions(panel_packing::two_vectors)[I] =
        &int8_tile_of<Isa, int8_accumulators<2, first_integers<I == 0 ? 1 : 2 * I>>, Method>),
   ...);
  if constexpr (max_paired_vectors > 0)
    ((functions(panel_packing::one_vector_in_pairs)[I] =
          &int8_tile_of<Isa, int8_accumulators<1, first_integers<I == 0 ? 1 : 2 * I>>, Method, true>),
     ...);
  if constexpr (max_paired_vectors > 1)
    ((functions(panel_packing::two_vectors_in_pairs)[I] =
          &int8_tile_of<Isa, int8_accumulators<2, first_integers<I == 0 ? 1 : 2 * I>>, Method, true>),
     ...);
  if constexpr (Method == scale_method::one_by_one)
    functions(panel_packing::four_vectors)[0] = &int8_tile_of<Isa, int8_accumulators<4, first_integers<1>>, Method>;
}
template <class Isa, class RowCounts> constexpr int8_tile_table make_byte_tiles(RowCounts counts) {
  int8_tile_table table;
  if constexpr (has_lines) {
    add_byte_tiles<Isa, scale_method::by_rising_line>(table.of[0], counts);
    add_byte_tiles<Isa, scale_method::by_line>(table.of[1], counts);
  }
  add_byte_tiles<Isa, scale_method::one_by_one>(table.of[scaled_tiles], counts);
  return table;
}
template <class Isa>
inline constexpr int8_tile_table int8_tiles = make_byte_tiles<Isa>(first_integers<int8_row_counts>{});
/// Functions for one row only, for programs without products of several rows.
template <class Isa> inline constexpr int8_tile_table one_row_byte_tiles = make_byte_tiles<Isa>(first_integers<1>{});

/// Functions for 2, 4, 6, … widened rows and one or two vectors, unscaled. int8/conv/winograd.hpp uses them for its i16
/// products, even on machines whose int8 tiles read bytes.
struct wide_tile_table {
  int8_tile_function of[2][row_counts] = {};
  int8_tile_function for_tile(std::int64_t rows, std::int64_t vectors) const {
    return of[vectors - 1][function_rows(std::max<std::int64_t>(2, rows)) / 2];
  }
};
template <class Isa, int... I> constexpr wide_tile_table make_wide_tiles(std::integer_sequence<int, I...>) {
  wide_tile_table table;
  ((table.of[0][I + 1] =
        &int8_tile_of<Isa, int8_accumulators<1, first_integers<2 * I + 2>, true>, scale_method::one_by_one>),
   ...);
  ((table.of[1][I + 1] =
        &int8_tile_of<Isa, int8_accumulators<2, first_integers<2 * I + 2>, true>, scale_method::one_by_one>),
   ...);
  return table;
}
template <class Isa>
inline constexpr wide_tile_table wide_tiles = make_wide_tiles<Isa>(first_integers<row_counts - 1>{});

// --- output stage ---------------------------------------------------------------

/// Copies 1 to int_lanes bytes.
inline void copy_lanes(const std::byte* from, std::int64_t n, std::byte* to) {
  if (n >= 8) return __builtin_memcpy(to, from, 8), void(__builtin_memcpy(to + n - 8, from + n - 8, 8));
  if (n >= 4) return __builtin_memcpy(to, from, 4), void(__builtin_memcpy(to + n - 4, from + n - 4, 4));
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

/// Copies `rows` rows of `width` bytes, at most two vectors; rows start `line` bytes apart in `from` and `ldc` in `to`.
inline void copy_narrow_rows(const std::byte* from, std::int64_t line, std::int64_t rows, std::int64_t width,
                             std::byte* to, std::int64_t ldc) {
  for (; rows > 0; --rows, from += line, to += ldc) {
    const std::int64_t first = std::min(width, int_lanes);
    copy_lanes(from, first, to);
    if (width > first) copy_lanes(from + first, width - first, to + first);
  }
}

/// Destination of the bytes of a tile: address, bytes from row to row, and number of rows.
struct int8_target {
  std::byte* c;
  std::int64_t ldc, rows;
};

/// Scales the accumulators of one vector of columns and stores `n` bytes of each row. With AddsStart, adds the start
/// values at `start` first: the accumulators started from 0.
template <scale_method Method, bool AddsStart>
void finish_vector(const std::int32_t* sums, const channel_scales& scales, const narrowing& stored,
                   const int8_target& target, std::int64_t n, [[maybe_unused]] const std::byte* start) {
  const narrowing to = stored;  // copies are held in registers; stores cannot change them
  const int8_target at = target;
  const scaler<Method> scale(scales);
  const bool in_halves = scales.in_halves != 0;
  const auto row_at = [&](std::int64_t i) __attribute__((always_inline)) {
    const auto sum = load_vector<int_vector>(sums + i * sum_stride);
    if constexpr (AddsStart) return scale(sum + load_vector<int_vector>(start));
    else return scale(sum);
  };
  const auto four_rows = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d)
      __attribute__((always_inline)) {
    return rows_apart(narrowed_by<Method>(row_at(a), row_at(b), row_at(c), row_at(d), to, in_halves));
  };
  if (at.rows == 1) {
    std::byte bytes[register_bytes];
    const int_vector x = row_at(0);
    store_vector(bytes, rows_apart(narrowed_by<Method>(x, x, x, x, to, false)));
    return copy_lanes(bytes, n, at.c);
  }
  std::int64_t row = 0;
  for (; n == int_lanes && row + 4 <= at.rows; row += 4) {
    const int8_vector bytes = four_rows(row, row + 1, row + 2, row + 3);
    each<4>([&](auto i) __attribute__((always_inline)) { store_quarter<i>(bytes, at.c + (row + i) * at.ldc); });
  }
  for (; row < at.rows; row += 4) {
    std::byte bytes[register_bytes];
    const std::int64_t last = at.rows - 1;  // stands for the missing rows after it
    store_vector(bytes, four_rows(row, std::min(row + 1, last), std::min(row + 2, last), std::min(row + 3, last)));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(4, at.rows - row); ++i)
      copy_lanes(bytes + i * int_lanes, n, at.c + (row + i) * at.ldc);
  }
}

/// Output stage of whole panels of two vectors with one method, two rows at a time.
template <scale_method Method, bool AddsStart> class panel_end {
 public:
  [[gnu::always_inline]] panel_end(const channel_scales* scales, const narrowing& to,
                                   [[maybe_unused]] const std::byte* start)
      : left_(scales[0]), right_(scales[1]), to_(to), in_halves_(scales->in_halves != 0) {
    if constexpr (AddsStart)
      left_start_ = load_vector<int_vector>(start), right_start_ = load_vector<int_vector>(start + register_bytes);
  }
  [[gnu::always_inline]] void operator()(const std::int32_t* first, const std::int32_t* second, std::byte* to_first,
                                         std::byte* to_second) const {
    const int8_vector bytes =
        rows_apart(narrowed_by<Method>(left(first), right(first), left(second), right(second), to_, in_halves_));
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

  // No arrays: g++ 12 keeps arrays in memory if inline assembly may change memory.
  scaler<Method> left_, right_;
  narrowing to_;
  bool in_halves_;
  int_vector left_start_{}, right_start_{};  // start values, if accumulators started from 0
};
template <scale_method Method, bool AddsStart>
void finish_panel(const std::int32_t* sums, const channel_scales* scales, const narrowing& to,
                  const int8_target& target, const std::byte* start) {
  const panel_end<Method, AddsStart> end(scales, to, start);
  const int8_target at = target;
  const auto two_rows = [&](std::int64_t first, std::int64_t second) __attribute__((always_inline)) {
    end(sums + first * sum_stride, sums + second * sum_stride, at.c + first * at.ldc, at.c + second * at.ldc);
  };
  std::int64_t row = 0;
  for (; row + 2 <= at.rows; row += 2) two_rows(row, row + 1);
  if (row < at.rows) two_rows(row, row);
}

/// Output stage of a tile in one panel, `width` columns of which are in use.
template <class Isa, bool AddsStart = false>
void finish_tile(const std::int32_t* sums, const channel_scales* scales, const narrowing& to, const int8_target& at,
                 std::int64_t width, const std::byte* start = nullptr) {
  if (width == 2 * int_lanes && scales[0].method == scales[1].method)
    return with_method(scales[0].method,
                       [&](auto method) { finish_panel<method, AddsStart>(sums, scales, to, at, start); });
  for (std::int64_t v = 0; v * int_lanes < width; ++v)
    with_method(scales[v].method, [&](auto method) {
      finish_vector<method, AddsStart>(
          sums + v * vector_of_sums, scales[v], to, {at.c + v * int_lanes, at.ldc, at.rows},
          std::min(int_lanes, width - v * int_lanes), AddsStart ? start + v * register_bytes : nullptr);
    });
}

/// Sum of the values of a row of A, as dot products see them.
inline std::int32_t row_sum(address a, const int8_depth& depth, std::int64_t run_stride,
                            const int8_encoding& encoding) {
  std::int32_t sum = 0;
  for (std::int64_t run = 0; run < depth.runs; ++run, a = bytes_further(a, run_stride)) {
    const auto* const row = reinterpret_cast<const std::byte*>(a);
    for (std::int64_t i = 0; i < depth.length; ++i) {
      if (encoding.size() == 2) {
        std::uint16_t wide;
        std::memcpy(&wide, row + 2 * i, sizeof wide);
        sum += wide;
        continue;
      }
      const auto byte = static_cast<std::uint8_t>(static_cast<std::uint8_t>(row[i]) ^ (encoding.flip & 0x80));
      sum += dots_are_signed ? static_cast<std::int8_t>(byte) : byte;
    }
  }
  return sum;
}

}}}}  // namespace nnrt::NNRT_ISA::kernels::detail
