// packing: zero points of an int8 product, panels of packed B, and the place of each weight of B.
// Flow: int8/gemm/pack.hpp packs B in this order; int8/gemm/tile.hpp reads it.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/gemm/values.hpp>
#include <nnrt/kernels/int8/requantise/output_stage.hpp>
#include <nnrt/kernels/simd/matrix_registers.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Quantisation of A and B: the zero points, and whether the bytes are u8 or i8.
struct int8_factors {
  std::int32_t a_zero = 0, b_zero = 0;
  bool is_unsigned = false;

  /// Value that dot products see for a byte of A, minus the stored value.
  constexpr std::int32_t a_offset() const { return (is_unsigned ? 0 : 128) - (dots_are_signed ? 128 : 0); }
  /// The offset for B: dot products see signed bytes of B.
  constexpr std::int32_t b_offset() const { return is_unsigned ? -128 : 0; }
  constexpr std::int32_t lowest() const { return is_unsigned ? 0 : -128; }
  constexpr std::int32_t highest() const { return is_unsigned ? 255 : 127; }
  /// Mask that turns a stored byte of A into the byte that dot products see (xor).
  std::int32_t a_flip() const { return a_offset() == 0 ? 0 : static_cast<std::int32_t>(0x80808080U); }
  /// The mask for rows of tiles: 0 if the weights do the flip.
  std::int32_t flip_of_rows() const { return weights_flip ? 0 : a_flip(); }
  std::int32_t a_zero_as_seen() const { return a_zero + a_offset(); }
  constexpr std::int32_t b_zero_as_seen() const { return b_zero + b_offset(); }
  /// Element i of a list of bytes, as an integer.
  std::int32_t at(const std::byte* p, std::int64_t i) const {
    const auto byte = static_cast<std::uint8_t>(p[i]);
    return is_unsigned ? byte : static_cast<std::int8_t>(byte);
  }
};

/// Largest number of products per element such that accumulators without a bias fit into 32 bits.
inline constexpr std::int64_t max_byte_products = std::numeric_limits<std::int32_t>::max() / (255 * 255);

using nnrt::detail::pieces_of, nnrt::detail::rounded_up;

/// Depth of a product: `runs` runs of `length` consecutive elements of a row of A. Each run is padded to whole dot
/// products with weights of 0. A plain product has one run.
struct int8_depth {
  std::int64_t runs = 1, length = 0;

  constexpr std::int64_t steps() const { return pieces_of(length, 4); }  // per run
  constexpr std::int64_t products() const { return runs * length; }
};

/// Order of the weights in a panel. At each step: one, two or four vectors of columns; four vectors are two panels
/// packed as one. In pairs: two steps in pairs of lanes, so that each load of A serves twice as many products (see
/// int8/gemm/paired_accumulators.hpp).
enum class panel_packing { one_vector, two_vectors, one_vector_in_pairs, two_vectors_in_pairs, four_vectors };
inline constexpr int panel_packings = 5;

/// Smallest number of products for which a call runs in AMX blocks. Setting up the AMX registers takes as long as the
/// tiles of half as many products.
inline constexpr std::int64_t min_block_products = 64 * 1024;
/// Whether a call with `rows` rows of `products` products for each of n columns runs in AMX blocks. Few, short or
/// narrow rows leave most of a register empty.
constexpr bool suits_blocks(std::int64_t rows, std::int64_t products, std::int64_t n) {
  return has_matrix_registers && rows >= 4 && products > 16 && n > int_lanes / 2 &&
         rows * products * n >= min_block_products;
}

/// Smallest number of products for which pairs of lanes pay, see int8/gemm/paired_accumulators.hpp. They save
/// broadcasts, but folding their accumulators costs two shuffles and an addition per row. Measured on an Intel core:
/// slower with 32 products, equal at 64, a tenth faster at 144. With i8mm they save products, too.
inline constexpr std::int64_t min_paired_products = has_squares ? 8 : 40;

/// Layout of packed B: [scales of each vector of columns][start values][start values for AMX
/// blocks][panel][run][step][vector of the panel].
struct int8_packing {
  int8_depth depth;
  std::int64_t n = 0;
  std::int64_t fours = 0;  // the first 2 * fours panels are packed and read in pairs
  bool is_for_one_row = false;
  // weights are for AMX blocks, see int8/gemm/amx_blocks.hpp; tiles read the same weights if the process has no AMX
  bool in_blocks = false;

  /// Layout of B [k, n] for a product with m rows of A.
  ///
  /// A single row uses panels of four vectors: they halve the loads of A and give enough accumulators to hide the
  /// latency of dot products. It reads each weight once, so weights and row remain bytes, see int8/gemm/values.hpp.
  static constexpr int8_packing of(std::int64_t m, std::int64_t k, std::int64_t n) {
    return {{1, k}, n, m == 1 ? n / (2 * panel_width) : 0, m == 1, m > 1 && suits_blocks(m, k, n)};
  }

  static constexpr std::int64_t panel_width = 2 * int_lanes;
  constexpr std::int64_t vectors() const { return pieces_of(n, int_lanes); }
  constexpr std::int64_t panels() const { return pieces_of(n, panel_width); }
  constexpr std::int64_t whole_panels() const { return pieces_of(n + 1, panel_width) - 1; }
  constexpr std::int64_t width(std::int64_t panel) const { return std::min(panel_width, n - panel * panel_width); }
  constexpr std::int64_t vectors_of(std::int64_t panel) const { return width(panel) > int_lanes ? 2 : 1; }
  constexpr bool is_of_four(std::int64_t panel) const { return panel < 2 * fours; }
  /// The panel, or the first of two panels that are packed as one.
  constexpr std::int64_t undivided(std::int64_t panel) const { return is_of_four(panel) ? panel / 2 * 2 : panel; }
  constexpr panel_packing panel_packing_of(std::int64_t panel) const {
    if (is_of_four(panel)) return panel_packing::four_vectors;
    const bool may_be_in_pairs = !in_blocks && depth.length % 8 == 0 &&
                                 (is_for_one_row ? !has_squares : depth.products() >= min_paired_products);
    const std::int64_t max_in_pairs = may_be_in_pairs ? max_paired_vectors : 0;
    if (vectors_of(panel) == 2)
      return max_in_pairs == 2 ? panel_packing::two_vectors_in_pairs : panel_packing::two_vectors;
    return max_in_pairs > 0 ? panel_packing::one_vector_in_pairs : panel_packing::one_vector;
  }
  constexpr bool is_lane_paired(std::int64_t panel) const {
    const panel_packing packing = panel_packing_of(panel);
    return packing == panel_packing::one_vector_in_pairs || packing == panel_packing::two_vectors_in_pairs;
  }
  /// Place of a weight: its lane, and its dot product, counted from the start of the panel.
  struct place {
    std::int64_t product, lane;
  };
  constexpr place place_of(std::int64_t panel, std::int64_t vector, std::int64_t lane, std::int64_t step) const {
    if (is_of_four(panel)) return {step * 4 + vector, lane};
    if (!is_lane_paired(panel)) return {step * vectors_of(panel) + vector, lane};
    const lane_pair at = pair_of_lane(lane);
    return {(step / 2 * vectors_of(panel) + vector) * 2 + at.source, at.lane + step % 2};
  }
  /// Bytes per value of A as tiles read it.
  constexpr std::int64_t row_value_bytes() const { return int8_encoding{!is_for_one_row}.size(); }
  /// Bytes of the weights of one dot product, for all lanes.
  constexpr std::int64_t product_bytes() const { return is_for_one_row ? narrow_dot_bytes : dot_bytes; }
  /// Sets weight `i` (0 to 3) of a dot product. `flip` is the mask for the bytes of A, see int8_factors::a_flip().
  void put_weight(std::byte* packed, std::int64_t panel, const place& at, std::int64_t i, std::int8_t value,
                  std::int32_t flip = 0) const {
    std::byte* const weights = packed + panel_at(panel) + at.product * product_bytes();
    is_for_one_row ? put_narrow_weight(weights, at.lane, i, value)
                   : kernels::put_weight(weights, at.lane, i, value, flip);
  }
  /// Bytes of the weights of one vector of columns.
  constexpr std::int64_t vector_bytes() const { return depth.runs * depth.steps() * product_bytes(); }
  constexpr std::int64_t scale_bytes() const { return vectors() * std::int64_t{sizeof(channel_scales)}; }
  constexpr std::int64_t bias_at() const { return scale_bytes(); }
  /// Offset of the start values for AMX blocks. They differ from those for tiles, because blocks see A as it is stored.
  constexpr std::int64_t block_start_at() const { return bias_at() + vectors() * register_bytes; }
  constexpr std::int64_t starts_end() const { return bias_at() + (in_blocks ? 2 : 1) * vectors() * register_bytes; }
  constexpr std::int64_t weights_at() const { return rounded_up(starts_end(), 64); }
  constexpr std::int64_t bytes() const { return rounded_up(weights_at() + vectors() * vector_bytes(), 64); }
  /// Offset of the weights of a panel; all panels before it have two vectors.
  constexpr std::int64_t panel_at(std::int64_t panel) const { return weights_at() + 2 * panel * vector_bytes(); }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
