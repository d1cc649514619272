// byte_weights: weights of stored numbers, from where a model or an earlier step has them into the panels of a byte_layout.
// Flow: byte_pack.hpp calls place_weights() for each vector of columns.
//
// Weights go by blocks. A source brings the four bytes of each column that one dot product takes as a word of its lane; then all words of the block
// are flipped, summed and stored, 64 bytes at a time, wherever they came from.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/byte_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnrt::inline NNRT_ISA::kernels {

/// B in memory: element i of run r of column j is first[j * column + r * run + i * element]. Of `column` and `element` one is 1: columns lie side by
/// side in each row, or each in one piece.
struct byte_matrix {
  const std::byte* first;
  std::int64_t column, run, element;
};

namespace detail {

/// One column of B on its way into the packed form: sums over all its weights.
struct byte_column {
  std::int64_t sum = 0;  // of what dot products see
  sum_range reach;       // of its products with any A

  /// Adds a weight as it is stored.
  void add(std::int32_t weight, const byte_factors& f) {
    const std::int32_t w = weight - f.b_zero, low = f.lowest() - f.a_zero, high = f.highest() - f.a_zero;
    sum += weight + f.b_offset();
    reach.low += std::min(w * low, w * high), reach.high += std::max(w * low, w * high);
  }
};

/// Some dot products of a vector of columns, all of one run.
struct word_block {
  static constexpr std::int64_t most_steps = 32;
  std::int64_t first_column, columns;  // at most int_lanes
  std::int64_t run, first_step, steps;
  std::int64_t elements;  // of a run from the first step on; they may go on behind the block
  std::byte* words;       // [steps][int_lanes] words of four bytes
  std::byte* word(std::int64_t step, std::int64_t lane) const { return words + step * register_bytes + lane * 4; }
};

typedef std::int8_t sixteen_bytes __attribute__((vector_size(16), may_alias));
typedef std::int16_t eight_shorts __attribute__((vector_size(16), may_alias));

/// The bytes of a vector of columns in one row, in the first lanes.
[[gnu::always_inline]] inline sixteen_bytes load_columns(const std::byte* p) {
  sixteen_bytes x{};
  std::memcpy(&x, p, int_lanes);
  return x;
}

/// Words of columns that lie side by side in each of four rows.
[[gnu::always_inline]] inline void bring_four_rows(const std::byte* first, std::int64_t row, std::byte* words) {
  const sixteen_bytes r0 = load_columns(first), r1 = load_columns(first + row), r2 = load_columns(first + 2 * row), r3 = load_columns(first + 3 * row);
  const auto low_01 = (eight_shorts)by_turns<0>(r0, r1), high_01 = (eight_shorts)by_turns<1>(r0, r1), low_23 = (eight_shorts)by_turns<0>(r2, r3),
             high_23 = (eight_shorts)by_turns<1>(r2, r3);
  const eight_shorts quads[] = {by_turns<0>(low_01, low_23), by_turns<1>(low_01, low_23), by_turns<0>(high_01, high_23), by_turns<1>(high_01, high_23)};
  std::memcpy(words, quads, register_bytes);
}
inline void bring_rows(const std::byte* first, std::int64_t row, const word_block& at) {
  // What whole loads read behind the last column is the next row's, and no lane's.
  const std::int64_t beyond = at.columns == int_lanes ? 0 : 1, whole = int_lanes - at.columns <= row ? (at.elements - beyond) / 4 : 0;
  for (std::int64_t step = 0; step < at.steps; ++step) {
    const std::byte* const rows = first + 4 * step * row;
    if (step < whole) {
      bring_four_rows(rows, row, at.word(step, 0));
      continue;
    }
    for (std::int64_t i = 0; i < std::min<std::int64_t>(4, at.elements - 4 * step); ++i)
      for (std::int64_t j = 0; j < at.columns; ++j) at.word(step, j)[i] = rows[i * row + j];
  }
}

/// Words of columns each of which lies in one piece.
inline void bring_columns(const std::byte* first, std::int64_t column, const word_block& at) {
  const std::int64_t elements = std::min(at.elements, 4 * at.steps), whole = elements / 4, squares = whole / 4 * 4, quads = at.columns / 4 * 4;
  for (std::int64_t j = 0; j < quads; j += 4)
    for (std::int64_t step = 0; step < squares; step += 4) turn_square(first + j * column + 4 * step, column, at.word(step, j), register_bytes);
  for (std::int64_t j = 0; j < at.columns; ++j) {
    const std::byte* const from = first + j * column;
    for (std::int64_t step = j < quads ? squares : 0; step < whole; ++step) std::memcpy(at.word(step, j), from + 4 * step, 4);
    for (std::int64_t i = 4 * whole; i < elements; ++i) at.word(whole, j)[i % 4] = from[i];
  }
}

/// Brings the words of a block; bytes behind a run and lanes without a column stay as they are.
inline void bring_words(const byte_matrix& b, const word_block& at) {
  const std::byte* const first = b.first + at.first_column * b.column + at.run * b.run + 4 * at.first_step * b.element;
  b.element == 1 ? bring_columns(first, b.column, at) : bring_rows(first, b.element, at);
}
/// The same of any source: weight_of(j, run, i) is an element as it is stored.
template <class WeightOf> void bring_words(const WeightOf& weight_of, const word_block& at) {
  const std::int64_t elements = std::min(at.elements, 4 * at.steps);
  for (std::int64_t j = 0; j < at.columns; ++j)
    for (std::int64_t i = 0; i < elements; ++i)
      at.word(i / 4, j)[i % 4] = static_cast<std::byte>(weight_of(at.first_column + j, at.run, 4 * at.first_step + i));
}

/// Stores the words of one vector of columns as its panel has them, and sums them up.
class weight_placer {
 public:
  weight_placer(const byte_layout& layout, const byte_factors& f, std::int64_t vector, std::byte* packed)
      : layout_(layout), f_(f), flip_(f.b_offset() == 0 ? int_vector{} : int_lanes_of(flip_of_bytes)) {
    const std::int64_t panel = layout.undivided(vector / 2), of_panel = vector - 2 * panel;
    is_paired_ = layout.form_of(panel) == panel_form::paired_steps;
    step_bytes_ = (layout.is_of_four(panel) ? 4 : layout.vectors_of(panel)) * layout.product_bytes();
    at_ = packed + layout.panel_at(panel) + of_panel * layout.product_bytes();
    zero_ = static_cast<std::int8_t>(f.b_zero_as_seen()) - byte_vector{};
    for (std::int64_t lane = 0; lane < int_lanes; ++lane) is_used_[lane] = vector * int_lanes + lane < layout.n ? -1 : 0;
  }

  void store(const word_block& block) {
    const std::int64_t left = block.elements - 4 * (block.steps - 1);  // for the last step
    const int_vector last = is_used_ & int_lanes_of(left >= 4 ? -1 : static_cast<std::int32_t>((1U << (8 * left)) - 1));
    const auto word = [&](std::int64_t step) {
      return (load_vector<int_vector>(block.word(step, 0)) ^ flip_) & (step + 1 < block.steps ? is_used_ : last);
    };
    for (std::int64_t step = 0; step < block.steps; step += is_paired_ ? 2 : 1) {
      const int_vector a = word(step);
      add(a);
      if (!is_paired_) {
        store_next(a);
        continue;
      }
      const int_vector b = word(step + 1);
      add(b);
      store_next(by_turns<0>(a, b)), store_next(by_turns<1>(a, b));
    }
  }

  /// The columns of all blocks.
  void columns(byte_column (&to)[int_lanes]) const {
    const byte_depth& depth = layout_.depth;
    const std::int64_t missing = depth.runs * depth.steps() * 4 - depth.products();
    const std::int64_t zero = f_.b_zero_as_seen(), low = f_.lowest() - f_.a_zero, high = f_.highest() - f_.a_zero;
    for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
      const std::int64_t all = seen_[lane] - depth.products() * zero;  // of weights without their zero point; then of those above 0, and below
      const std::int64_t above = larger_[lane] - missing * std::max<std::int64_t>(0, zero) - depth.products() * zero, below = all - above;
      to[lane] = {seen_[lane], {low * above + high * below, high * above + low * below}};
    }
  }

 private:
  static constexpr auto flip_of_bytes = static_cast<std::int32_t>(0x80808080U);

  void add(int_vector word) {
    const dot_values ones = values_of(int_lanes_of(0x01010101));
    seen_ = dot4(seen_, ones, weights_of(word));
    larger_ = dot4(larger_, ones, weights_of((int_vector)larger_lanes((byte_vector)word, zero_)));
  }
  void store_next(int_vector word) {
    layout_.is_for_one_row ? store_narrow_weights(at_, word) : store_weights(at_, weights_of(word));
    at_ += step_bytes_;
  }

  const byte_layout& layout_;
  const byte_factors& f_;
  bool is_paired_;
  std::int64_t step_bytes_;
  std::byte* at_;
  int_vector flip_, is_used_{};
  byte_vector zero_;
  int_vector seen_{}, larger_{};  // sums of bytes, and of those that are larger than the zero point, which stands for the others
};

/// Places the weights of a vector of columns. Returns what their columns come to.
template <class Source>
void place_weights(const byte_layout& layout, const byte_factors& f, std::int64_t vector, const Source& source, std::byte* packed,
                   byte_column (&columns)[int_lanes]) {
  alignas(64) std::byte words[word_block::most_steps * register_bytes] = {};
  const std::int64_t first = vector * int_lanes, steps = layout.depth.steps();
  weight_placer placer(layout, f, vector, packed);
  for (std::int64_t run = 0; run < layout.depth.runs; ++run)
    for (std::int64_t step = 0; step < steps; step += word_block::most_steps) {
      const word_block block{.first_column = first, .columns = std::min(int_lanes, layout.n - first), .run = run, .first_step = step,
                             .steps = std::min(word_block::most_steps, steps - step), .elements = layout.depth.length - 4 * step, .words = words};
      bring_words(source, block);
      placer.store(block);
    }
  placer.columns(columns);
}

}  // namespace detail

}  // namespace nnrt::inline NNRT_ISA::kernels
