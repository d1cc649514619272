// blocks: computes registers of output bytes of an int8 depthwise convolution, along rows of an image or of its copy.
// Flow: int8/depthwise/depthwise.hpp passes rows and channels. Accumulators end in the output stage of
// simd/saturating_pack.hpp, or in finish_sums() of int8 products.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/depthwise/pack.hpp>
#include <nnrt/kernels/int8/gemm/gemm.hpp>

#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Arguments of a call. `addend` and `kept` are null unless LeavesSums.
struct int8_depthwise_buffers {
  const std::byte* x;
  const std::byte* packed;
  std::byte* y;
  std::byte* scratch;
  int8_factors factors;
  narrowing to;
  const int8_addend* addend = nullptr;
  const int8_accumulators_target* kept = nullptr;
};

namespace detail {

/// Accumulators of one register of output bytes in each of `Rows` rows.
template <int Rows> struct int8_block {
  int_vector of[Rows][4];
};

/// Number of registers of output bytes that are computed together, so that each weight is loaded once for all of them.
/// It pays even if the accumulators of two rows use all registers; for one row it pays with 32 registers only.
template <int Rows>
inline constexpr int blocks_together =
    machine::depthwise_blocks_together > 0 ? machine::depthwise_blocks_together : Rows;

/// Whether the accumulators of a register are computed vector by vector: then interleaved values are held longer, and
/// accumulators shorter. Measured on AVX2 (16 registers): 12 % faster for two rows, 10 % slower for one row.
template <int Rows> inline constexpr bool sums_by_vectors = machine::depthwise_sums_by_vectors && Rows == 2;

/// Number of registers computed together with sums_by_vectors. If weights take two registers (weights_flip), four share
/// them.
template <int Rows>
inline constexpr int blocks_by_vectors = sums_by_vectors<Rows> && weights_flip ? 4 : blocks_together<Rows>;

template <int Rows, int Count>
[[gnu::always_inline]] inline void start_blocks(int8_block<Rows> (&blocks)[Count], const std::byte* sums) {
  each<4>([&](int v) __attribute__((always_inline)) {
    auto x = load_vector<int_vector>(sums + v * register_bytes);
    if constexpr (Count > 1) vector_barrier(x);  // without it, g++ 12 loads x for each block
    each<Count>([&](int i) __attribute__((always_inline)) {
      each<Rows>([&](int row) __attribute__((always_inline)) { blocks[i].of[row][v] = x; });
    });
  });
}
/// Adds one column of the kernel to vector v of each register; the second function adds it to all four vectors.
template <int Rows, int Count>
[[gnu::always_inline]] inline void add_taps(int8_block<Rows> (&blocks)[Count], int v, const interleaved (&taps)[Count],
                                            const std::byte* w) {
  each<Rows>([&](int row) __attribute__((always_inline)) {
    dot_weights weights = load_weights(w + (row * 4 + v) * dot_bytes);
    if constexpr (Count > 1) keep_weights(weights);
    each<Count>([&](int i) __attribute__((always_inline)) {
      blocks[i].of[row][v] = dot4(blocks[i].of[row][v], values_of(taps[i].of[v]), weights);
    });
  });
}
template <int Rows, int Count>
[[gnu::always_inline]] inline void add_taps(int8_block<Rows> (&blocks)[Count], const interleaved (&taps)[Count],
                                            const std::byte* w) {
  each<4>([&](int v) __attribute__((always_inline)) { add_taps(blocks, v, taps, w); });
}

/// Rows of an image or of its copy, and one row of zero points that replaces rows outside the image.
struct tap_rows {
  address first;
  std::int64_t line, count;
  address outside;

  address of(std::int64_t y) const { return y >= 0 && y < count ? bytes_further(first, y * line) : outside; }
};

/// Arguments for one set of channels along the output rows of a stripe.
struct int8_block_rows {
  const std::int64_t* column_offsets;
  std::int64_t columns, fours;
  std::int64_t first, step, total;  // output bytes: of the first register, to the next one, per row
  std::int64_t x_step;              // `step` in the input
  std::int64_t pixel;               // bytes per input pixel
  const std::byte* set;             // packed
  std::int64_t scale_bytes;
  tap_rows x;
  std::int64_t top;  // first input row under the first output row
  // Input rows between taps, and between output rows that are not computed together.
  std::int64_t tap_step, row_step;
  // Mask for bytes read in place (xor), and the padding that it makes of the zero point.
  int8_vector flip, padding;
  std::int64_t rows;
  std::byte* y;
};

/// Loads four rows of taps below each other.
template <bool InPlace> struct four_taps;

/// From an image: pixels and rows outside are padding, and bytes are flipped.
template <> struct four_taps<true> {
  address row[4];

  [[gnu::always_inline]] four_taps(const int8_block_rows& at, std::int64_t top) {
    each<4>([&](int i) __attribute__((always_inline)) { row[i] = at.x.of(top + i * at.tap_step); });
  }
  /// A register of bytes of each row, `offset` bytes from its start.
  [[gnu::always_inline]] interleaved operator()(const int8_block_rows& at, std::int64_t offset) const {
    if (static_cast<std::uint64_t>(offset) >= static_cast<std::uint64_t>(at.x.line)) [[unlikely]] {
      const auto x = (int_vector)at.padding;
      return {{x, x, x, x}};
    }
    const auto bytes = [&](int i) __attribute__((always_inline)) {
      const auto x = load_vector<int8_vector>(reinterpret_cast<const std::byte*>(bytes_further(row[i], offset)));
      if constexpr (weights_flip) return x;
      else return x ^ at.flip;
    };
    return interleave(bytes(0), bytes(1), bytes(2), bytes(3));
  }
};

/// From the copy, which has all pixels.
template <> struct four_taps<false> {
  address first;
  std::int64_t line;

  [[gnu::always_inline]] four_taps(const int8_block_rows& at, std::int64_t top)
      : first(bytes_further(at.x.first, top * at.x.line)), line(at.tap_step * at.x.line) {}
  [[gnu::always_inline]] interleaved operator()(const int8_block_rows&, std::int64_t offset) const {
    const address x = bytes_further(first, offset);
    const auto bytes = [&](int i) __attribute__((always_inline)) {
      auto row = load_vector<int_vector>(reinterpret_cast<const std::byte*>(bytes_further(x, i * line)));
      // Without it, g++ 12 loads it for each half of the interleaved result, across two cache lines.
      vector_barrier(row);
      return (int8_vector)row;
    };
    return interleave(bytes(0), bytes(1), bytes(2), bytes(3));
  }
};

/// Stores the first n bytes. Not inlined, so that callers that store whole registers do not save registers for it.
[[gnu::noinline]] inline void store_first_bytes(int8_vector x, std::byte* p, std::int64_t n) {
  __builtin_memcpy(p, &x, static_cast<std::size_t>(n));
}

/// Scales of the four vectors of accumulators of a register: held in registers (IsKept), or loaded at each use if the
/// accumulators need the registers.
template <scale_method Method, bool IsKept> struct block_scales {
  const channel_scales* scales;
  explicit block_scales(const channel_scales* given) : scales(given) {}
  [[gnu::always_inline]] scaler<Method> operator()(int v) const { return scaler<Method>(scales[v]); }
};
template <scale_method Method> struct block_scales<Method, true> {
  scaler<Method> scale[4];
  [[gnu::always_inline]] explicit block_scales(const channel_scales* s)
      : scale{scaler<Method>(s[0]), scaler<Method>(s[1]), scaler<Method>(s[2]), scaler<Method>(s[3])} {}
  [[gnu::always_inline]] const scaler<Method>& operator()(int v) const { return scale[v]; }
};

/// The i16 results of one register of output bytes in each of `Rows` rows.
template <int Rows> struct int16_block {
  int16_vector of[Rows][2];
};

/// Scales and stores the accumulators of registers in each row. OfPixels: rows end with a whole register, and 16 bits
/// hold the results (for pixel_columns).
template <int Rows, scale_method Method, bool OfPixels = false> struct int8_block_end {
  /// Whether there are 32 registers. Then g++ 12 may delay the second row until it is known to exist. Results are also
  /// made with all their bits, which measured 1 to 2 % faster than shuffling halves.
  static constexpr bool has_room = !OfPixels && int_lanes == 16;
  block_scales<Method, Rows == 1> scales;
  narrowing to;
  std::byte *upper = nullptr, *lower = nullptr;
  std::int64_t total, step;

  [[gnu::always_inline]] int8_block_end(const int8_block_rows& at, const narrowing& stored)
      : scales(reinterpret_cast<const channel_scales*>(at.set)), to(stored), total(at.total), step(at.step) {}

  template <int Count> [[gnu::always_inline]] void store(int8_block<Rows> (&blocks)[Count], std::int64_t j) const {
    int16_block<Rows> results[Count];
    each<4>([&](int v) __attribute__((always_inline)) { scale(blocks, v, results); });
    store(results, j);
  }
  /// Scales vector v of each register; after the second and the fourth vector, packs two vectors to i16.
  template <int Count>
  [[gnu::always_inline]] void scale(int8_block<Rows> (&blocks)[Count], int v,
                                    int16_block<Rows> (&results)[Count]) const {
    const scaler<Method> scale = scales(v);
    each<Count>([&](int i) __attribute__((always_inline)) {
      each<Rows>([&](int row) __attribute__((always_inline)) { blocks[i].of[row][v] = scale(blocks[i].of[row][v]); });
    });
    if (v % 2 == 0) return;
    each<Count>([&](int i) __attribute__((always_inline)) {
      each<Rows>([&](int row) __attribute__((always_inline)) {
        auto made = (int_vector)i16_by<Method, OfPixels>(blocks[i].of[row][v - 1], blocks[i].of[row][v], to);
        if constexpr (Rows == 2 && !has_room) vector_barrier(made);
        results[i].of[row][v / 2] = (int16_vector)made;
      });
    });
  }
  template <int Count>
  [[gnu::always_inline]] void store(const int16_block<Rows> (&results)[Count], std::int64_t j) const {
    each<Count>([&](int i) __attribute__((always_inline)) { store_row(results[i].of[0], upper, j + i * step); });
    if constexpr (Rows == 2)
      if (lower != nullptr)
        each<Count>([&](int i) __attribute__((always_inline)) { store_row(results[i].of[1], lower, j + i * step); });
  }

 private:
  [[gnu::always_inline]] void store_row(const int16_vector (&results)[2], std::byte* y, std::int64_t j) const {
    const int8_vector bytes = narrowed_to_bytes(results[0], results[1], to);
    if (OfPixels || total - j >= register_bytes) [[likely]]
      store_vector(y + j, bytes);
    else store_first_bytes(bytes, y + j, total - j);
  }
};

/// Passes the accumulators of a register in each row to finish_sums(), in the order of the bytes.
template <class Isa, int Rows> struct int8_accumulators_end {
  const int8_depthwise_buffers& of;
  const channel_scales* scales;
  std::byte *upper = nullptr, *lower = nullptr;
  std::int64_t total, step;

  int8_accumulators_end(const int8_block_rows& at, const int8_depthwise_buffers& buffers)
      : of(buffers), scales(reinterpret_cast<const channel_scales*>(at.set)), total(at.total), step(at.step) {}

  template <int Count> void store(const int8_block<Rows> (&blocks)[Count], std::int64_t j) const {
    for (int i = 0; i < Count; ++i) store(blocks[i], j + i * step);
  }

 private:
  void store(const int8_block<Rows>& block, std::int64_t j) const {
    alignas(64) std::int32_t sums[4 * vector_of_sums];
    for (int row = 0; row < Rows; ++row) {
      alignas(64) std::int32_t f32_lanes[4][int_lanes];
      for (int v = 0; v < 4; ++v) store_vector(f32_lanes[v], block.of[row][v]);
      for (std::int64_t byte = 0; byte < register_bytes; byte += 4) {
        const lane_place at(byte);
        __builtin_memcpy(sums + byte / int_lanes * vector_of_sums + row * sum_stride + byte % int_lanes,
                         f32_lanes[at.vector] + at.lane, 4 * sizeof(std::int32_t));
      }
    }
    constexpr std::int64_t width = int8_packing::panel_width;
    for (std::int64_t first = 0; first < std::min(register_bytes, total - j); first += width)
      finish_sums<Isa>(of, sums + first / int_lanes * vector_of_sums, scales + first / int_lanes,
                       {upper + j + first, total, Rows == 2 && lower != nullptr ? 2 : 1},
                       std::min(width, total - j - first));
  }
};

/// Calls row(first input row, end) for each output row, or for each two of them. `end` stores the results.
template <int Rows, class End, class To, class Row>
[[gnu::always_inline]] inline void for_each_block_row(const int8_block_rows& at, const To& to, Row row) {
  End end(at, to);
  std::int64_t top = at.top;
  for (std::int64_t i = 0; i < at.rows; i += Rows, top += at.row_step) {
    end.upper = at.y + i * at.total, end.lower = i + 1 < at.rows ? end.upper + at.total : nullptr;
    row(top, end);
  }
}

/// Calls make(count, j, x) for the registers along a row, `count` at a time. `j` is the first output byte, and `x` the
/// offset of its input.
template <int Together, class Make>
[[gnu::always_inline]] inline void for_each_block(const int8_block_rows& at, Make make) {
  static_assert(Together == 1 || Together == 2 || Together == 4);
  std::int64_t j = at.first, x = at.first;
  const auto make_all = [&](auto count) __attribute__((always_inline)) {
    for (; j + (count - 1) * at.step < at.total; j += count * at.step, x += count * at.x_step) make(count, j, x);
  };
  if constexpr (Together > 2) make_all(std::integral_constant<int, 4>{});
  if constexpr (Together > 1) make_all(std::integral_constant<int, 2>{});
  make_all(std::integral_constant<int, 1>{});
}

/// Computes the rows of a set for any kernel.
template <int Rows, bool InPlace, class End, class To>
void depthwise_blocks(const int8_block_rows& given, const To& to) {
  const int8_block_rows at = given;
  const std::byte* const sums = at.set + at.scale_bytes;
  for_each_block_row<Rows, End>(
      at, to, [&](std::int64_t top, const End& end) __attribute__((always_inline)) {
        for_each_block<blocks_together<Rows>>(
            at, [&](auto count, std::int64_t j, std::int64_t x) __attribute__((always_inline)) {
              int8_block<Rows> blocks[count];
              start_blocks(blocks, sums);
              const std::byte* w = sums + 4 * register_bytes;
              for (std::int64_t four = 0; four < at.fours; ++four) {
                const four_taps<InPlace> taps(at, top + four * 4 * at.tap_step);
                for (std::int64_t column = 0; column < at.columns; ++column, w += Rows * 4 * dot_bytes) {
                  interleaved of[count];
                  each<count>([&](int i) __attribute__((always_inline)) {
                    of[i] = taps(at, x + i * at.x_step + at.column_offsets[column]);
                  });
                  add_taps(blocks, of, w);
                }
              }
              end.store(blocks, j);
            });
      });
}

/// Which of the three columns of a register were already interleaved for the previous register.
enum class columns_reused { none, first, first_two };

/// Columns of a kernel with three columns, whose taps fit into four rows.
template <int Rows, bool InPlace, columns_reused Reused> struct three_columns {
  static constexpr int kept = static_cast<int>(Reused);
  const int8_block_rows& at;
  const four_taps<InPlace>& taps;
  const std::int64_t (&offsets)[3];
  interleaved window[kept + blocks_by_vectors<Rows>];  // columns of these registers, and kept ones

  [[gnu::always_inline]] interleaved column(int i, std::int64_t x) const { return taps(at, x + offsets[i]); }
  [[gnu::always_inline]] void begin(std::int64_t x) {
    each<kept>([&](int i) __attribute__((always_inline)) { window[i] = column(i, x); });
  }
  /// Computes the i16 results of Count registers, the first of which starts at x.
  template <class End, int Count>
  [[gnu::always_inline]] void make(int16_block<Rows> (&results)[Count], std::int64_t x, const std::byte* sums,
                                   const End& end) {
    const std::byte* const w = sums + 4 * register_bytes;
    int8_block<Rows> blocks[Count];
    start_blocks(blocks, sums);
    interleaved column_of[3][Count];
    each<3>([&](auto tap) __attribute__((always_inline)) {
      find(tap, x, column_of[tap]);
      if constexpr (!sums_by_vectors<Rows>) add_taps(blocks, column_of[tap], w + tap * Rows * 4 * dot_bytes);
    });
    each<4>([&](int v) __attribute__((always_inline)) {
      if constexpr (sums_by_vectors<Rows>)
        each<3>([&](int tap) __attribute__((always_inline)) {
          add_taps(blocks, v, column_of[tap], w + tap * Rows * 4 * dot_bytes);
        });
      end.scale(blocks, v, results);
    });
    each<kept>([&](int i) __attribute__((always_inline)) { window[i] = window[i + Count]; });
  }

 private:
  /// Returns a column under Count registers.
  template <class Tap, int Count>
  [[gnu::always_inline]] void find(Tap tap, std::int64_t x, interleaved (&column_of)[Count]) {
    each<Count>([&](auto i) __attribute__((always_inline)) {
      constexpr bool is_in_window = kept == 2 || (kept == 1 && tap != 1);
      constexpr int place = kept == 2 ? tap + i : tap / 2 + i;
      if constexpr (!is_in_window) column_of[i] = column(tap, x + i * at.x_step);
      else {
        if constexpr (place >= kept && (tap == 0 || i == Count - 1)) window[place] = column(tap, x + i * at.x_step);
        column_of[i] = window[place];
      }
    });
  }
};

template <int Rows, bool InPlace, scale_method Method, columns_reused Reused>
void depthwise_three(const int8_block_rows& given, const narrowing& to) {
  const int8_block_rows at = given;
  const std::byte* const sums = at.set + at.scale_bytes;
  const std::int64_t offsets[] = {at.column_offsets[0], at.column_offsets[1], at.column_offsets[2]};
  using block_end = int8_block_end<Rows, Method>;
  for_each_block_row<Rows, block_end>(
      at, to, [&](std::int64_t top, const block_end& end) __attribute__((always_inline)) {
        const four_taps<InPlace> taps(at, top);
        three_columns<Rows, InPlace, Reused> columns{at, taps, offsets, {}};
        columns.begin(at.first);
        for_each_block<blocks_by_vectors<Rows>>(
            at, [&](auto count, std::int64_t j, std::int64_t x) __attribute__((always_inline)) {
              int16_block<Rows> results[count];
              columns.make(results, x, sums, end);
              end.store(results, j);
            });
      });
}

/// Columns of a 3x3 kernel for pixels of which a register holds several, read in place. The middle column is whole
/// registers of the image, which are interleaved once. The outer columns are combined from neighbouring registers.
template <int Pixel> struct pixel_columns {
  static constexpr int before = static_cast<int>(register_bytes) - Pixel;
  const int8_block_rows& at;
  const four_taps<true>& taps;
  interleaved here, left;  // the middle and left columns of the next register

  [[gnu::always_inline]] pixel_columns(const int8_block_rows& rows, const four_taps<true>& of)
      : at(rows), taps(of), here(of(rows, 0)) {
    const interleaved outside = taps(at, -register_bytes);
    each<4>([&](auto v) __attribute__((always_inline)) { left.of[v] = further<before, v>(outside, here); });
  }
  /// Computes the i16 results of Count registers, the first of which starts at x. Works vector by vector: there are not
  /// enough registers for all accumulators.
  template <class End, int Count>
  [[gnu::always_inline]] void make(int16_block<2> (&results)[Count], std::int64_t x, const std::byte* sums,
                                   const End& end) {
    const std::byte* const w = sums + 4 * register_bytes;
    interleaved middle[Count + 1], column_of[3][Count];
    middle[0] = here;
    each<Count>([&](int i) __attribute__((always_inline)) { middle[i + 1] = taps(at, x + (i + 1) * register_bytes); });
    here = middle[Count];
    int8_block<2> blocks[Count];
    start_blocks(blocks, sums);
    each<4>([&](auto v) __attribute__((always_inline)) {
      each<Count>([&](auto i) __attribute__((always_inline)) {
        column_of[0][i].of[v] = left.of[v], column_of[1][i].of[v] = middle[i].of[v],
        column_of[2][i].of[v] = further<Pixel, v>(middle[i], middle[i + 1]);
        left.of[v] = further<before, v>(middle[i], middle[i + 1]);
      });
      each<3>([&](int tap)
                  __attribute__((always_inline)) { add_taps(blocks, v, column_of[tap], w + tap * 2 * 4 * dot_bytes); });
      end.scale(blocks, v, results);
    });
  }
};

template <int Pixel, scale_method Method> void depthwise_pixels(const int8_block_rows& given, const narrowing& to) {
  const int8_block_rows at = given;
  const std::byte* const sums = at.set + at.scale_bytes;
  using block_end = int8_block_end<2, Method, true>;
  for_each_block_row<2, block_end>(
      at, to, [&](std::int64_t top, const block_end& end) __attribute__((always_inline)) {
        const four_taps<true> taps(at, top);
        pixel_columns<Pixel> columns(at, taps);
        for_each_block<blocks_by_vectors<2>>(
            at, [&](auto count, std::int64_t j, std::int64_t x) __attribute__((always_inline)) {
              int16_block<2> results[count];
              columns.make(results, x, sums, end);
              end.store(results, j);
            });
      });
}

/// Whether depthwise_set() has depthwise_pixels() for a method. Other methods take so long that a copy does not matter.
constexpr bool has_function_for_pixels(scale_method method) {
  return method == scale_method::by_rising_line || method == scale_method::by_line;
}
inline bool has_function_for_pixels(const channel_scales& scales) {
  return has_function_for_pixels(scales.method) && (!makes_halves(scales.method) || scales.in_halves != 0);
}

template <int Rows, bool InPlace, scale_method Method>
void depthwise_set(const int8_block_rows& at, const narrowing& to) {
  // Scaling one by one dominates the time, so the general function is enough.
  if constexpr (Method != scale_method::one_by_one)
    if (at.columns == 3 && at.fours == 1) {
      if constexpr (InPlace && Rows == 2 && has_function_for_pixels(Method)) {
        if constexpr (register_bytes > 32)
          if (at.pixel == 32) return depthwise_pixels<32, Method>(at, to);
        if constexpr (register_bytes > 16)
          if (at.pixel == 16) return depthwise_pixels<16, Method>(at, to);
        if (at.pixel == 8) return depthwise_pixels<8, Method>(at, to);
      }
      const std::int64_t second = at.column_offsets[1] - at.column_offsets[0],
                         third = at.column_offsets[2] - at.column_offsets[0];
      // Combinations without a function are rare: a multiplier with many channels, and strides of 1 and 2 together.
      constexpr bool reuses_two = InPlace && Rows == 2, reuses_one = InPlace != (Rows == 2);
      if constexpr (reuses_two)
        if (second == at.x_step && third == 2 * at.x_step)
          return depthwise_three<Rows, InPlace, Method, columns_reused::first_two>(at, to);
      if constexpr (reuses_one)
        if (third == at.x_step) return depthwise_three<Rows, InPlace, Method, columns_reused::first>(at, to);
      if constexpr (!InPlace) return depthwise_three<Rows, InPlace, Method, columns_reused::none>(at, to);
    }
  depthwise_blocks<Rows, InPlace, int8_block_end<Rows, Method>>(at, to);
}

template <class Isa, bool LeavesSums, int Rows, bool InPlace>
void depthwise_sets(const int8_depthwise_plan& plan, const int8_depthwise_buffers& of, int8_block_rows at,
                    interval sets) {
  for (std::int64_t set = sets.begin; set < sets.end; ++set) {
    at.set = of.packed + set * plan.set_bytes(), at.first = plan.first_byte(set);
    if (at.first >= at.total) return;  // a row of few pixels has fewer registers than there are sets
    const auto* const scales = reinterpret_cast<const channel_scales*>(at.set);
    if constexpr (LeavesSums) depthwise_blocks<Rows, InPlace, int8_accumulators_end<Isa, Rows>>(at, of);
    else with_method(scales->method, [&](auto method) { depthwise_set<Rows, InPlace, method>(at, of.to); });
  }
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
