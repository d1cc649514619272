// weights: places int8 weights from a model or an earlier step into the panels of an int8_packing.
// Flow: int8/gemm/pack.hpp calls place_weights() for a few vectors of columns at a time.
//
// Weights are placed in blocks. A source writes words of four bytes per column, one word for each dot product. Then all
// words of the block are flipped, summed and stored, 64 bytes at a time, independent of the source.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/gemm/packing.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// B in memory: element i of run r of column j is first[j * column + r * run + i * element]. Either `column` is 1 (rows
/// are contiguous) or `element` is 1 (each column is contiguous).
struct int8_matrix {
  const std::byte* first;
  std::int64_t column, run, element;
};

namespace detail {

/// Sums over the weights of one column of B.
struct int8_column {
  std::int64_t sum = 0;       // sum of the weights as dot products see them
  sum_range reach;            // range of its products with any A
  std::int64_t left_out = 0;  // what dot products leave out, see kernels::left_out()

  /// Adds a stored weight.
  void add(std::int32_t weight, const int8_factors& f) {
    const std::int32_t w = weight - f.b_zero, low = f.lowest() - f.a_zero, high = f.highest() - f.a_zero;
    sum += weight + f.b_offset(), left_out += kernels::left_out(weight + f.b_offset());
    reach.low += std::min(w * low, w * high), reach.high += std::max(w * low, w * high);
  }
};

/// Range of the sum of products with any A, for weights whose sum is `all`. `above` is the sum of the weights above 0.
/// The weights do not include their zero point.
inline sum_range reach_of(std::int64_t all, std::int64_t above, const int8_factors& f) {
  const std::int64_t below = all - above, low = f.lowest() - f.a_zero, high = f.highest() - f.a_zero;
  return {low * above + high * below, high * above + low * below};
}

/// Vectors of columns that are placed together: they share the cache lines of a matrix with contiguous rows.
inline constexpr int vectors_together = static_cast<int>(64 / int_lanes);

/// A block of dot products of some vectors of columns, all of one run.
struct word_block {
  static constexpr std::int64_t max_steps = 32;
  std::int64_t first_column, columns;  // at most vectors_together * int_lanes
  std::int64_t run, first_step, steps;
  std::int64_t elements;  // from first_step to the end of the run, which may be after the block
  std::byte* words;       // [vectors_together][max_steps][int_lanes] words of four bytes
  std::byte* word(std::int64_t step, std::int64_t column) const {
    return words + (column / int_lanes * max_steps + step) * register_bytes + column % int_lanes * 4;
  }
};
inline constexpr std::int64_t block_bytes = vectors_together * word_block::max_steps * register_bytes;

typedef std::int8_t sixteen_bytes __attribute__((vector_size(16), may_alias));
typedef std::int16_t eight_i16 __attribute__((vector_size(16), may_alias));

/// Loads the bytes of a vector of columns in one row into the first lanes.
[[gnu::always_inline]] inline sixteen_bytes load_columns(const std::byte* p) {
  sixteen_bytes x{};
  std::memcpy(&x, p, int_lanes);
  return x;
}

/// Writes the words of a vector of columns from four rows; the columns of a row are contiguous.
[[gnu::always_inline]] inline void bring_four_rows(const std::byte* first, std::int64_t row, std::byte* words) {
  const sixteen_bytes r0 = load_columns(first), r1 = load_columns(first + row), r2 = load_columns(first + 2 * row),
                      r3 = load_columns(first + 3 * row);
  const auto low_01 = (eight_i16)zip_half<0>(r0, r1), high_01 = (eight_i16)zip_half<1>(r0, r1),
             low_23 = (eight_i16)zip_half<0>(r2, r3), high_23 = (eight_i16)zip_half<1>(r2, r3);
  const eight_i16 quads[] = {zip_half<0>(low_01, low_23), zip_half<1>(low_01, low_23), zip_half<0>(high_01, high_23),
                             zip_half<1>(high_01, high_23)};
  std::memcpy(words, quads, register_bytes);
}
/// bring_four_rows() for four vectors of columns: one register per row.
[[gnu::always_inline]] inline void bring_whole_rows(const std::byte* first, std::int64_t row, const word_block& at,
                                                    std::int64_t step, std::int64_t column) {
  const interleaved x = columns_in_order(
      interleave(load_vector<int8_vector>(first), load_vector<int8_vector>(first + row),
                 load_vector<int8_vector>(first + 2 * row), load_vector<int8_vector>(first + 3 * row)));
  std::byte* const to = at.word(step, column);
  each<4>([&](auto v) __attribute__((always_inline)) {
    store_vector(to + v * (word_block::max_steps * register_bytes), x.of[v]);
  });
}

inline void bring_rows(const std::byte* first, std::int64_t row, const word_block& at) {
  const std::int64_t vectors = at.columns / int_lanes, rest = at.columns % int_lanes;
  // Whole loads may read bytes of the next row after the last column; no lane in use gets them.
  const std::int64_t whole = at.elements / 4,
                     with_rest = rest == 0 || int_lanes - rest > row ? 0 : (at.elements - 1) / 4;
  for (std::int64_t step = 0; step < at.steps; ++step) {
    const std::byte* const rows = first + 4 * step * row;
    std::int64_t done = 0;  // columns
    for (; step < whole && done + register_bytes <= at.columns; done += register_bytes)
      bring_whole_rows(rows + done, row, at, step, done);
    for (; step < whole && done < vectors * int_lanes; done += int_lanes)
      bring_four_rows(rows + done, row, at.word(step, done));
    if (step < with_rest) {
      bring_four_rows(rows + done, row, at.word(step, done));
      continue;
    }
    for (std::int64_t i = 0; i < std::min<std::int64_t>(4, at.elements - 4 * step); ++i)
      for (std::int64_t j = done; j < at.columns; ++j) at.word(step, j)[i] = rows[i * row + j];
  }
}

/// Writes the words of columns, each of which is contiguous.
inline void bring_columns(const std::byte* first, std::int64_t column, const word_block& at) {
  const std::int64_t elements = std::min(at.elements, 4 * at.steps), whole = elements / 4, squares = whole / 4 * 4,
                     quads = at.columns / 4 * 4;
  for (std::int64_t j = 0; j < quads; j += 4) {
    const std::byte* const from = first + j * column;
    std::byte* const to = at.word(0, j);
    for (std::int64_t step = 0; step < squares; step += 4)
      transpose_4x4(from + 4 * step, column, to + step * register_bytes, register_bytes);
  }
  for (std::int64_t j = 0; j < at.columns; ++j) {
    const std::byte* const from = first + j * column;
    for (std::int64_t step = j < quads ? squares : 0; step < whole; ++step)
      std::memcpy(at.word(step, j), from + 4 * step, 4);
    for (std::int64_t i = 4 * whole; i < elements; ++i) at.word(whole, j)[i % 4] = from[i];
  }
}

/// Steps of a source per block: 16 for contiguous rows, because L1 holds 64 rows at any alignment.
inline std::int64_t steps_at_once(const int8_matrix& b) { return b.element == 1 ? word_block::max_steps : 16; }
template <class WeightOf> std::int64_t steps_at_once(const WeightOf&) { return word_block::max_steps; }

/// Writes the words of a block. Bytes after the end of a run, and lanes without a column, keep their values.
inline void bring_words(const int8_matrix& b, const word_block& at) {
  const std::byte* const first = b.first + at.first_column * b.column + at.run * b.run + 4 * at.first_step * b.element;
  b.element == 1 ? bring_columns(first, b.column, at) : bring_rows(first, b.element, at);
}
/// bring_words() for any source: weight_of(j, run, i) returns a stored element.
template <class WeightOf> void bring_words(const WeightOf& weight_of, const word_block& at) {
  const std::int64_t elements = std::min(at.elements, 4 * at.steps);
  for (std::int64_t j = 0; j < at.columns; ++j)
    for (std::int64_t i = 0; i < elements; ++i)
      at.word(i / 4, j)[i % 4] = static_cast<std::byte>(weight_of(at.first_column + j, at.run, 4 * at.first_step + i));
}

/// Stores the words of one vector of columns in its panel, and sums them.
class weight_placer {
 public:
  weight_placer(const int8_packing& packing, const int8_factors& f, std::int64_t vector, std::byte* packed)
      : packing_(packing),
        f_(f),
        flip_(f.b_offset() == 0 ? int_vector{} : int_lanes_of(flip_of_bytes)),
        flip_of_a_(int_lanes_of(f.a_flip())) {
    const std::int64_t panel = packing.undivided(vector / 2), of_panel = vector - 2 * panel;
    is_paired_ = packing.is_lane_paired(panel);
    const std::int64_t together = packing.product_bytes() * (is_paired_ ? 2 : 1);  // of one vector
    step_bytes_ = (packing.is_of_four(panel) ? 4 : packing.vectors_of(panel)) * together;
    placed_.at = packed + packing.panel_at(panel) + of_panel * together;
    zero_ = static_cast<std::int8_t>(f.b_zero_as_seen()) - int8_vector{};
    for (std::int64_t lane = 0; lane < int_lanes; ++lane)
      is_used_[lane] = vector * int_lanes + lane < packing.n ? -1 : 0;
  }

  /// Stores the words of vector v of the block.
  void store(const word_block& block, std::int64_t v) {
    const std::int64_t left = block.elements - 4 * (block.steps - 1);  // for the last step
    const int_vector last = is_used_ & int_lanes_of(left >= 4 ? -1 : static_cast<std::int32_t>((1U << (8 * left)) - 1));
    const std::byte* const words = block.word(0, v * int_lanes);
    progress placed = placed_;
    const auto word = [&](std::int64_t step) {
      return (load_vector<int_vector>(words + step * register_bytes) ^ flip_) &
             (step + 1 < block.steps ? is_used_ : last);
    };
    for (std::int64_t step = 0; step < block.steps; step += is_paired_ ? 2 : 1) {
      const int_vector a = word(step);
      add(placed, a);
      if (is_paired_) {
        const int_vector b = word(step + 1);
        add(placed, b);
        store(placed.at, zip_half<0>(a, b)), store(placed.at + packing_.product_bytes(), zip_half<1>(a, b));
      } else {
        store(placed.at, a);
      }
      placed.at += step_bytes_;
    }
    placed_ = placed;
  }

  /// Returns the sums of the columns over all blocks stored so far.
  void columns(int8_column (&to)[int_lanes]) const {
    const int8_depth& depth = packing_.depth;
    const std::int64_t missing = depth.runs * depth.steps() * 4 - depth.products();
    const std::int64_t zero = f_.b_zero_as_seen();
    for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
      const std::int64_t all = placed_.seen[lane] - depth.products() * zero;
      const std::int64_t above =
          placed_.larger[lane] - missing * std::max<std::int64_t>(0, zero) - depth.products() * zero;
      to[lane] = {placed_.seen[lane], reach_of(all, above, f_),
                  weights_flip ? placed_.positive[lane] - placed_.seen[lane] : 0};
    }
  }

 private:
  static constexpr auto flip_of_bytes = static_cast<std::int32_t>(0x80808080U);

  /// State that a block updates; it is held in registers during a block.
  struct progress {
    std::byte* at;
    // sums of all bytes, and of max(byte, zero point)
    int_vector seen{}, larger{};
    int_vector positive{};  // sum of the bytes above 0, if dot products leave something out
  };

  [[gnu::always_inline]] void add(progress& to, int_vector word) const {
    to.seen = sum4(to.seen, word);
    to.larger = sum4(to.larger, (int_vector)larger_lanes((int8_vector)word, zero_));
    if constexpr (weights_flip)
      to.positive = sum4(to.positive, (int_vector)larger_lanes((int8_vector)word, int8_vector{}));
  }
  [[gnu::always_inline]] void store(std::byte* at, int_vector word) const {
    packing_.is_for_one_row ? store_narrow_weights(at, word) : store_weights(at, weights_of(word, flip_of_a_));
  }

  const int8_packing& packing_;
  const int8_factors& f_;
  bool is_paired_;
  std::int64_t step_bytes_;  // from a step, or a pair of steps, to the next
  int_vector flip_, flip_of_a_, is_used_{};
  int8_vector zero_;
  progress placed_;
};

using columns_together = int8_column[vectors_together][int_lanes];

/// Places the weights of up to vectors_together vectors of columns, and sets `columns` to their sums.
template <class Source>
void place_weights(const int8_packing& packing, const int8_factors& f, interval vectors, const Source& source,
                   std::byte* packed, columns_together& columns) {
  alignas(64) std::byte words[block_bytes] = {};
  const std::int64_t steps = packing.depth.steps(), at_once = steps_at_once(source), first = vectors.begin * int_lanes;
  [&]<int... I>(std::integer_sequence<int, I...>) {
    weight_placer placers[] = {weight_placer(packing, f, vectors.begin + I, packed)...};
    for (std::int64_t run = 0; run < packing.depth.runs; ++run)
      for (std::int64_t step = 0; step < steps; step += at_once) {
        const word_block block{.first_column = first,
                               .columns = std::min(vectors.size() * int_lanes, packing.n - first),
                               .run = run,
                               .first_step = step,
                               .steps = std::min(at_once, steps - step),
                               .elements = packing.depth.length - 4 * step,
                               .words = words};
        bring_words(source, block);
        for (std::int64_t v = 0; v < vectors.size(); ++v) placers[v].store(block, v);
      }
    for (std::int64_t v = 0; v < vectors.size(); ++v) placers[v].columns(columns[v]);
  }(std::make_integer_sequence<int, vectors_together>{});
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
