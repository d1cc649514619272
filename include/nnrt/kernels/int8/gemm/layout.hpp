// layout: how the factors of a product of quantised values lie - zero points, panels, and where each weight of B is.
// Flow: int8/gemm/pack.hpp packs B so, int8/gemm/tile.hpp reads it.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/gemm/values.hpp>
#include <nnrt/kernels/int8/requantise/output_stage.hpp>
#include <nnrt/kernels/simd/matrix_registers.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// How A and B are stored: the zero points, and whether the bytes are those of u8.
struct int8_factors {
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
  /// The same where weights do not.
  std::int32_t flip_of_rows() const { return weights_flip ? 0 : a_flip(); }
  std::int32_t a_zero_as_seen() const { return a_zero + a_offset(); }
  constexpr std::int32_t b_zero_as_seen() const { return b_zero + b_offset(); }
  /// Element i of a list of bytes, as a number.
  std::int32_t at(const std::byte* p, std::int64_t i) const {
    const auto byte = static_cast<std::uint8_t>(p[i]);
    return is_unsigned ? byte : static_cast<std::int8_t>(byte);
  }
};

/// Products per element for which no sum without its bias leaves 32 bits.
inline constexpr std::int64_t max_byte_products = std::numeric_limits<std::int32_t>::max() / (255 * 255);

using nnrt::detail::pieces_of, nnrt::detail::rounded_up;

/// Where B's rows lie for dot products: `runs` runs of `length` consecutive elements of a row of A; each run ends with
/// a whole dot product, the missing weights zero. A plain product has one run.
struct int8_depth {
  std::int64_t runs = 1, length = 0;

  constexpr std::int64_t steps() const { return pieces_of(length, 4); }  // of a run
  constexpr std::int64_t products() const { return runs * length; }
};

/// How a panel's weights lie for its tiles: one or two vectors side by side at each step; or two steps in pairs of
/// lanes, so that what is read of A serves twice as many products (see int8/gemm/paired_accumulators.hpp). Two panels
/// may lie as one of four vectors.
enum class panel_form { one_vector, two_vectors, one_vector_in_pairs, two_vectors_in_pairs, four_vectors };
inline constexpr int panel_forms = 5;

/// Products from which on a call in blocks is worth setting matrix registers up, which takes as long as the tiles of
/// half as many.
inline constexpr std::int64_t min_block_products = 64 * 1024;
/// Whether the rows of a call, each with so many products for each of n columns, are computed in blocks: few, short or
/// narrow ones leave most of a register empty.
constexpr bool suits_blocks(std::int64_t rows, std::int64_t products, std::int64_t n) {
  return has_matrix_registers && rows >= 4 && products > 16 && n > int_lanes / 2 &&
         rows * products * n >= min_block_products;
}

/// Products from which on pairs of lanes pay, see int8/gemm/paired_accumulators.hpp: they save broadcasts, but their
/// sums have to be folded, which takes two shuffles and an addition for each row. With as many as 32 it takes a tenth
/// to a third longer than the broadcasts on an Intel core, which has one port for shuffles of 512 bits; with 64 as
/// long, with 144 a tenth less. Squares of rows and columns save products, too.
inline constexpr std::int64_t min_paired_products = has_squares ? 8 : 40;

/// The packed form of B: [scales of each vector of columns][what sums start from][the same in
/// blocks][panel][run][step][vector of the panel].
struct int8_layout {
  int8_depth depth;
  std::int64_t n = 0;
  std::int64_t fours = 0;  // of the first panels, so many times two lie as one, and are read as one
  bool is_for_one_row = false;
  // see int8/gemm/amx_blocks.hpp; the same weights serve tiles where the process has no matrix registers
  bool in_blocks = false;

  /// Of B [k, n] that m rows of A are multiplied with. A single row reads of A half as much for four vectors side by
  /// side, and has as many sums as the latency of dot products needs. It reads each weight once, so these lie as bytes,
  /// and so does the row, see int8/gemm/values.hpp.
  static constexpr int8_layout of(std::int64_t m, std::int64_t k, std::int64_t n) {
    return {{1, k}, n, m == 1 ? n / (2 * panel_width) : 0, m == 1, m > 1 && suits_blocks(m, k, n)};
  }

  static constexpr std::int64_t panel_width = 2 * int_lanes;
  constexpr std::int64_t vectors() const { return pieces_of(n, int_lanes); }
  constexpr std::int64_t panels() const { return pieces_of(n, panel_width); }
  constexpr std::int64_t whole_panels() const { return pieces_of(n + 1, panel_width) - 1; }
  constexpr std::int64_t width(std::int64_t panel) const { return std::min(panel_width, n - panel * panel_width); }
  constexpr std::int64_t vectors_of(std::int64_t panel) const { return width(panel) > int_lanes ? 2 : 1; }
  constexpr bool is_of_four(std::int64_t panel) const { return panel < 2 * fours; }
  /// The panel, or the first of two that lie as one.
  constexpr std::int64_t undivided(std::int64_t panel) const { return is_of_four(panel) ? panel / 2 * 2 : panel; }
  constexpr panel_form form_of(std::int64_t panel) const {
    if (is_of_four(panel)) return panel_form::four_vectors;
    const bool may_be_in_pairs = !in_blocks && depth.length % 8 == 0 &&
                                 (is_for_one_row ? !has_squares : depth.products() >= min_paired_products);
    const std::int64_t max_in_pairs = may_be_in_pairs ? max_paired_vectors : 0;
    if (vectors_of(panel) == 2) return max_in_pairs == 2 ? panel_form::two_vectors_in_pairs : panel_form::two_vectors;
    return max_in_pairs > 0 ? panel_form::one_vector_in_pairs : panel_form::one_vector;
  }
  constexpr bool is_lane_paired(std::int64_t panel) const {
    const panel_form form = form_of(panel);
    return form == panel_form::one_vector_in_pairs || form == panel_form::two_vectors_in_pairs;
  }
  /// Where a weight lies: the lane, and the dot product from the panel's first.
  struct place {
    std::int64_t product, lane;
  };
  constexpr place place_of(std::int64_t panel, std::int64_t vector, std::int64_t lane, std::int64_t step) const {
    if (is_of_four(panel)) return {step * 4 + vector, lane};
    if (!is_lane_paired(panel)) return {step * vectors_of(panel) + vector, lane};
    const lane_pair at = pair_of_lane(lane);
    return {(step / 2 * vectors_of(panel) + vector) * 2 + at.source, at.lane + step % 2};
  }
  /// Bytes that a number of A takes where tiles read it.
  constexpr std::int64_t row_value_bytes() const { return int8_form{!is_for_one_row}.size(); }
  /// The weights of one dot product, for all lanes.
  constexpr std::int64_t product_bytes() const { return is_for_one_row ? narrow_dot_bytes : dot_bytes; }
  /// Sets the weight at `i` (0 to 3) of a dot product.
  ///
  /// \param flip of the bytes of A
  void put_weight(std::byte* packed, std::int64_t panel, const place& at, std::int64_t i, std::int8_t value,
                  std::int32_t flip = 0) const {
    std::byte* const weights = packed + panel_at(panel) + at.product * product_bytes();
    is_for_one_row ? put_narrow_weight(weights, at.lane, i, value)
                   : kernels::put_weight(weights, at.lane, i, value, flip);
  }
  /// Weights of one vector of columns.
  constexpr std::int64_t vector_bytes() const { return depth.runs * depth.steps() * product_bytes(); }
  constexpr std::int64_t scale_bytes() const { return vectors() * std::int64_t{sizeof(channel_scales)}; }
  constexpr std::int64_t bias_at() const { return scale_bytes(); }
  /// Blocks see what A stores, not what tiles see, so their sums start from something else.
  constexpr std::int64_t block_start_at() const { return bias_at() + vectors() * register_bytes; }
  constexpr std::int64_t starts_end() const { return bias_at() + (in_blocks ? 2 : 1) * vectors() * register_bytes; }
  constexpr std::int64_t weights_at() const { return rounded_up(starts_end(), 64); }
  constexpr std::int64_t bytes() const { return rounded_up(weights_at() + vectors() * vector_bytes(), 64); }
  /// The weights of a panel; all before it have two vectors.
  constexpr std::int64_t panel_at(std::int64_t panel) const { return weights_at() + 2 * panel * vector_bytes(); }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
