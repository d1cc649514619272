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

/// The packed form of B: [scales of each vector of columns][bias][panel][run][step][vector of the panel].
struct byte_layout {
  byte_depth depth;
  std::int64_t n = 0;

  static constexpr std::int64_t panel_width = 2 * int_lanes;
  constexpr std::int64_t vectors() const { return (n + int_lanes - 1) / int_lanes; }
  constexpr std::int64_t panels() const { return (n + panel_width - 1) / panel_width; }
  constexpr std::int64_t width(std::int64_t panel) const { return std::min(panel_width, n - panel * panel_width); }
  constexpr std::int64_t vectors_of(std::int64_t panel) const { return width(panel) > int_lanes ? 2 : 1; }
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
    const std::int64_t step_bytes = layout.vectors_of(panel) * dot_bytes;
    std::byte* const weights = out + layout.panel_at(panel) + v % 2 * dot_bytes;
    byte_channel channels[int_lanes];
    detail::byte_column columns[int_lanes];
    for (std::int64_t lane = 0; lane < count; ++lane) {
      for (std::int64_t run = 0; run < depth.runs; ++run)
        for (std::int64_t i = 0; i < depth.length; ++i) {
          const std::int32_t weight = weight_of(first + lane, run, i);
          columns[lane].add(weight, f);
          put_weight(weights + (run * depth.steps() + i / 4) * step_bytes, lane, i % 4,
                     static_cast<std::int8_t>(weight + f.b_offset()));
        }
      channels[lane] = channel_of(first + lane);
      sum_range& reach = channels[lane].reach;
      if (reach.low == reach.high)
        reach = {columns[lane].reach.low + channels[lane].bias, columns[lane].reach.high + channels[lane].bias};
      // A zero point of B takes off sums of A, whatever the weights: then they have to stay.
      if (f.b_zero_as_seen() != 0 || !is_constant(channels[lane], range)) continue;
      channels[lane] = constant_channel(channels[lane], range), columns[lane] = {};
      for (std::int64_t step = 0; step < depth.runs * depth.steps(); ++step)
        for (std::int64_t place = 0; place < 4; ++place) put_weight(weights + step * step_bytes, lane, place, 0);
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

/// What one tile computes, as tile_args for floats; sums are left in memory for finish_tile().
struct byte_tile {
  address a = 0, a_second = 0;
  std::int64_t lda = 0;
  const std::byte* b = nullptr;
  std::int64_t steps = 0;
  std::int64_t runs = 1, run_stride = 0;
  const std::byte* start = nullptr;  // of the sums
  std::int32_t *sums = nullptr, *sums_second = nullptr;
  std::int32_t flip = 0;
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

 private:
  template <int R> [[gnu::always_inline]] void add_row(dot_values x, dot_weights b0, dot_weights b1) {
    of[0][R] = dot4(of[0][R], x, b0);
    if constexpr (Vectors == 2) of[1][R] = dot4(of[1][R], x, b1);
  }
};

using byte_tile_function = void (*)(const byte_tile&);

template <class Isa, class Sums> [[gnu::noinline]] void tile_of_bytes(const byte_tile& t) {
  constexpr int sets = sets_for(Sums::accumulators);
  Sums sum[sets];
  sum[0].start(t.start);
  if constexpr (sets > 1) each<sets - 1>([&](auto s) __attribute__((always_inline)) { sum[s + 1].start(); });
  byte_cursor<Sums::rows> a(t);
  const std::byte* b = t.b;
  int_vector flip = int_lanes_of(t.flip);
  keep_vector(flip);  // it rides on the broadcast
  for (std::int64_t run = t.runs; run > 0; --run) {
    const std::byte* const end = b + t.steps * Sums::step_bytes;
    if constexpr (sets > 1) {
      for (const std::byte* const whole = b + t.steps / sets * (sets * Sums::step_bytes); b != whole;
           b += sets * Sums::step_bytes, a.advance(4 * sets))
        each<sets>([&](auto s) __attribute__((always_inline)) {
          sum[s].template add_products<s>(a, b + s * Sums::step_bytes, flip);
        });
    }
    for (; b != end; b += Sums::step_bytes, a.advance(4)) sum[0].template add_products<0>(a, b, flip);
    a.advance(t.run_stride - 4 * t.steps);
  }
  if constexpr (sets > 1) each<sets - 1>([&](auto s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  sum[0].store(t);
}

/// The functions for 1, 2, 4, 6, … rows and 1 or 2 vectors.
struct byte_tile_table {
  byte_tile_function of[2][row_counts] = {};
  byte_tile_function for_tile(std::int64_t rows, std::int64_t vectors) const {
    return of[vectors - 1][function_rows(rows) / 2];
  }
};
template <class Isa, int... I> constexpr byte_tile_table make_byte_tiles(std::integer_sequence<int, I...>) {
  return {{{&tile_of_bytes<Isa, byte_sums<1, first_integers<I == 0 ? 1 : 2 * I>>>...},
           {&tile_of_bytes<Isa, byte_sums<2, first_integers<I == 0 ? 1 : 2 * I>>>...}}};
}
template <class Isa> inline constexpr byte_tile_table byte_tiles = make_byte_tiles<Isa>(first_integers<row_counts>{});

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
  for (; n == int_lanes && row + 4 <= at.rows; row += 4) store_quarters(four_rows(row), at.c + row * at.ldc, at.ldc);
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
    return rows_apart(narrowed<!includes_zero_point(Method)>(part(first, 0), part(first, 1), part(second, 0),
                                                             part(second, 1), to));
  };
  std::int64_t row = 0;
  for (; row + 2 <= at.rows; row += 2) store_halves(two_rows(row, row + 1), at.c + row * at.ldc, at.ldc);
  if (row < at.rows) store_halves(two_rows(row, row), at.c + row * at.ldc, 0);
}

/// Scales the sums of a tile in one panel, `width` columns of which are in use.
inline void finish_tile(const std::int32_t* sums, const channel_scales* scales, const narrowing& to,
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

/// Where the rows of a tile lie in A and C.
struct byte_rows {
  address a;
  std::int64_t lda, run_stride;
  std::byte* c;
  std::int64_t ldc, rows;
};

/// What the zero point of B takes off the sums of each row.
inline void subtract_row_sums(const byte_product& p, const byte_rows& at, std::int64_t vectors,
                              const std::int32_t (&row_sums)[tile_rows], std::int32_t* sums) {
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t row = 0; row < at.rows; ++row) {
      std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
      const std::int32_t term = wrapped(std::int64_t{row_sums[row]} * p.factors.b_zero_as_seen());
      store_vector(of_row, load_vector<int_vector>(of_row) - int_lanes_of(term));
    }
}

/// Computes `rows` rows of C in the given panels.
template <class Isa> void byte_tile_row(const byte_product& p, const byte_rows& at, interval panels) {
  alignas(64) std::int32_t sums[2 * vector_of_sums];
  std::int32_t row_sums[tile_rows];
  const std::int64_t second = at.rows == 1 ? 0 : at.rows - function_rows(at.rows) / 2;
  byte_tile t;
  t.a = at.a, t.a_second = bytes_further(at.a, second * at.lda), t.lda = at.lda;
  t.steps = p.layout.depth.steps(), t.runs = p.layout.depth.runs, t.run_stride = at.run_stride;
  t.sums = sums, t.sums_second = sums + second * sum_stride, t.flip = p.factors.a_flip();
  const bool needs_row_sums = p.factors.b_zero_as_seen() != 0;
  for (std::int64_t row = 0; needs_row_sums && row < at.rows; ++row)
    row_sums[row] = row_sum(bytes_further(at.a, row * at.lda), p.layout.depth, at.run_stride, t.flip);
  const auto* const scales = reinterpret_cast<const channel_scales*>(p.packed);
  for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
    const std::int64_t vectors = p.layout.vectors_of(panel), width = p.layout.width(panel);
    t.b = p.packed + p.layout.panel_at(panel), t.start = p.packed + p.layout.bias_at() + 2 * panel * register_bytes;
    byte_tiles<Isa>.for_tile(at.rows, vectors)(t);
    if (needs_row_sums) subtract_row_sums(p, at, vectors, row_sums, sums);
    finish_tile(sums, scales + 2 * panel, p.to, {at.c + panel * byte_layout::panel_width, at.ldc, at.rows}, width);
  }
}

/// Panels whose weights stay in L2 (384 KiB of them) while A passes by.
constexpr std::int64_t byte_panels_in_cache(const byte_layout& layout) {
  return std::max<std::int64_t>(1, 384 * 1024 / std::max<std::int64_t>(1, 2 * layout.vector_bytes()));
}

/// The part of C made of the given tiles of rows and panels of columns.
template <class Isa>
void byte_gemm_tiles(const byte_product& p, std::int64_t m, const std::byte* a, std::int64_t lda, std::byte* c,
                     std::int64_t ldc, const rectangle& work) {
  const std::int64_t block = byte_panels_in_cache(p.layout);
  for (std::int64_t panel = work.columns.begin; panel < work.columns.end; panel += block)
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; ++tile) {
      const std::int64_t row = row_tiles{m}.begin(tile), rows = row_tiles{m}.begin(tile + 1) - row;
      byte_tile_row<Isa>(p, {address_of_bytes(a + row * lda), lda, 0, c + row * ldc, ldc, rows},
                         {panel, std::min(work.columns.end, panel + block)});
    }
}

}  // namespace detail

/// C of m rows. Rows of A are read in whole dot products: unless k is a multiple of 4, up to 3 bytes behind each row
/// must be readable, too (their values do not matter). Every division into parts gives the same bits.
template <class Isa = native>
void byte_gemm(const byte_product& p, std::int64_t m, const std::byte* a, std::int64_t lda, std::byte* c,
               std::int64_t ldc, part of = {}) {
  if (m <= 0 || p.layout.n <= 0) return;
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
