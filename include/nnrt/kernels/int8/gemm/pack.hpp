// pack: packs an int8 matrix B in the order in which tiles read it, with start values and scales.
// Flow: a prepare step calls int8_pack() once per layer, or before each run for a product of two computed tensors.
// int8/gemm/tile.hpp reads the packed matrix.
//
// Dot products multiply stored values. The terms that do not depend on A are added to the bias. The remaining term is
// b_zero times the sum of a row of A; most models have b_zero = 0. Accumulators may wrap around on the way: columns
// whose final sum may leave 32 bits are found when B is packed, and are scaled one by one (one_by_one).
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/int8/gemm/packing.hpp>
#include <nnrt/kernels/int8/gemm/weights.hpp>
#include <nnrt/kernels/int8/requantise/output_stage.hpp>

#include <cstdint>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

namespace detail {

/// x modulo 2^32.
inline std::int32_t wrapped(std::int64_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
}

/// Start value of a column for dot products of stored values: all terms that do not depend on A.
inline std::int32_t starting_sum(std::int64_t bias, const int8_column& column, std::int64_t products,
                                 const int8_factors& f) {
  const std::int64_t a_zero = f.a_zero_as_seen();
  return wrapped(bias + column.left_out - a_zero * column.sum + products * a_zero * f.b_zero_as_seen());
}

/// Stores the start value of a column. `column_sum` is the sum of the weights as dot products see them. AMX blocks see
/// A as it is stored, so they have a start value for themselves.
inline void put_start(const int8_packing& packing, const int8_factors& f, std::int64_t column, std::int64_t start,
                      std::int64_t column_sum, std::byte* out) {
  const std::int32_t in_tiles = wrapped(start), in_blocks = wrapped(start + f.a_offset() * column_sum);
  std::memcpy(out + packing.bias_at() + 4 * column, &in_tiles, sizeof in_tiles);
  if (packing.in_blocks) std::memcpy(out + packing.block_start_at() + 4 * column, &in_blocks, sizeof in_blocks);
}

/// Method by which tiles scale the vectors of a panel for which `of_all` can scale every vector. one_by_one: the tile
/// stores accumulators instead.
constexpr scale_method method_in_tiles(scale_method of_all, bool is_of_four) {
  return is_of_four || of_all == scale_method::by_rising_line || of_all == scale_method::by_line
             ? of_all
             : scale_method::one_by_one;
}

/// Number of methods for which tiles of one or two vectors have functions: the first ones of scale_method.
inline constexpr int scaled_tiles = has_lines ? 2 : 0;

/// Method that the packed scales name for the tiles of a panel. It selects a function, and packed bytes may come from a
/// file. So values that int8_pack() never writes for such a panel are read as one_by_one.
inline scale_method method_in_tile(const int8_packing& packing, const std::byte* packed, std::int64_t panel) {
  const scale_method method = (reinterpret_cast<const channel_scales*>(packed) + 2 * panel)->in_tile;
  const int methods = packing.is_of_four(panel) ? static_cast<int>(scale_method::one_by_one) : scaled_tiles;
  return static_cast<std::uint32_t>(method) < static_cast<std::uint32_t>(methods) ? method : scale_method::one_by_one;
}

/// Packs the start values and scales of the columns, vector by vector.
class column_packer {
 public:
  column_packer(const int8_packing& packing, const int8_factors& f, scaled_range range, std::byte* out)
      : packing_(packing), f_(f), range_(range), out_(out), scales_(reinterpret_cast<channel_scales*>(out)) {}

  /// Adds the next vector, whose weights have been placed. A channel without a range of accumulators gets the range of
  /// its column.
  void add(std::int64_t v, int8_channel (&channels)[int_lanes], int8_column (&columns)[int_lanes]) {
    const std::int64_t together = packing_.is_of_four(v / 2) ? 4 : 2, of_panel = v % together;
    const std::int64_t count = std::min(int_lanes, packing_.n - v * int_lanes);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      int8_channel& channel = channels[lane];
      if (channel.reach.low == channel.reach.high)
        channel.reach = {columns[lane].reach.low + channel.bias + channel.addend.low,
                         columns[lane].reach.high + channel.bias + channel.addend.high};
      // Channels with a constant result lose their weights. That is not possible if B has a zero point or an addend
      // follows: then the result depends on more than the weights.
      if (f_.b_zero_as_seen() != 0 || channel.addend.low != channel.addend.high || !is_constant(channel, range_))
        continue;
      channel = constant_channel(channel, range_), columns[lane] = {};
      remove_weights(v - of_panel, of_panel, lane);
    }
    set_scales(possible_[of_panel], channels, count, range_);
    std::copy(columns, columns + int_lanes, columns_[of_panel]);
    if (of_panel + 1 == together || v + 1 == packing_.vectors()) scale_panel(v - of_panel, of_panel + 1);
  }

 private:
  void remove_weights(std::int64_t first_vector, std::int64_t vector, std::int64_t lane) {
    const std::int64_t panel = first_vector / 2;
    for (std::int64_t step = 0; step < packing_.depth.runs * packing_.depth.steps(); ++step)
      for (std::int64_t i = 0; i < 4; ++i) {
        const int8_packing::place at = packing_.place_of(panel, vector, lane, step);
        packing_.put_weight(out_, panel, at, i, 0);
      }
  }
  /// Sets the scales of a panel: one method for all vectors if tiles scale by it, otherwise the fastest for each
  /// vector.
  void scale_panel(std::int64_t begin, std::int64_t count) {
    const scale_method of_all = method_for(possible_, count);
    std::fill_n(reinterpret_cast<std::byte*>(scales_ + begin), count * std::int64_t{sizeof(channel_scales)},
                std::byte{});
    scales_[begin].in_tile = method_in_tiles(of_all, count == 4);
    for (std::int64_t i = 0; i < count; ++i) {
      const scale_method method =
          scales_[begin].in_tile != scale_method::one_by_one ? of_all : method_for(&possible_[i], 1);
      choose_scales(possible_[i], method, scales_[begin + i]);
      for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
        const int8_column& column = columns_[i][lane];
        const std::int64_t start =
            starting_sum(0, column, packing_.depth.products(), f_) + included_in_sums(possible_[i], lane, method);
        put_start(packing_, f_, (begin + i) * int_lanes + lane, start, column.sum, out_);
      }
    }
    agree_on_halves(scales_ + begin, count);
  }

  const int8_packing& packing_;
  const int8_factors& f_;
  scaled_range range_;
  std::byte* out_;
  channel_scales* scales_;
  possible_scales possible_[4];  // of a panel
  int8_column columns_[4][int_lanes];
};

/// Clears the gaps after the start values and after the weights, so that packed bytes are reproducible.
inline void clear_gaps(const int8_packing& packing, std::byte* out) {
  std::fill(out + packing.starts_end(), out + packing.weights_at(), std::byte{});
  std::fill(out + packing.weights_at() + packing.vectors() * packing.vector_bytes(), out + packing.bytes(),
            std::byte{});
}

}  // namespace detail

/// Packs B with its bias and scales.
///
/// `weights` is an int8_matrix, or a function: weights(j, run, i) returns the stored element i of run `run` of column
/// j. channel_of(j) returns factor and bias of column j, and its range of accumulators unless that follows from the
/// weights.
template <class Weights, class ChannelOf>
void int8_pack(const int8_packing& packing, const int8_factors& f, scaled_range range, const Weights& weights,
               ChannelOf channel_of, std::byte* out) {
  detail::clear_gaps(packing, out);
  detail::column_packer packer(packing, f, range, out);
  detail::columns_together columns;
  for (std::int64_t v = 0; v < packing.vectors(); ++v) {
    const std::int64_t of_some = v % detail::vectors_together;
    if (of_some == 0)
      detail::place_weights(packing, f, {v, std::min(v + detail::vectors_together, packing.vectors())}, weights, out,
                            columns);
    int8_channel channels[int_lanes];
    for (std::int64_t first = v * int_lanes, lane = 0; lane < std::min(int_lanes, packing.n - first); ++lane)
      channels[lane] = channel_of(first + lane);
    packer.add(v, channels, columns[of_some]);
  }
}

/// Scales of columns that differ in their weights alone. They are found once for all columns, and for all matrices of a
/// batch.
class alike_columns {
 public:
  /// `channel` has a range of accumulators that holds for any weights. `range` bounds the results.
  alike_columns(const int8_channel& channel, scaled_range range) {
    int8_channel channels[int_lanes];
    for (int8_channel& each : channels) each = channel;
    possible_scales possible;
    set_scales(possible, channels, int_lanes, range);
    choose_scales(possible, method_for(&possible, 1), scales_);
    included_ = included_in_sums(possible, 0, scales_.method);
  }

  /// Packs some panels of B. Neither bound may fall between two panels that are packed as one.
  void pack(const int8_packing& packing, const int8_factors& f, const int8_matrix& weights, interval panels,
            std::byte* out) const {
    if (panels.begin == 0 && panels.size() > 0) detail::clear_gaps(packing, out);
    auto* const scales = reinterpret_cast<channel_scales*>(out);
    const interval vectors{2 * panels.begin, std::min(2 * panels.end, packing.vectors())};
    detail::columns_together all_columns;
    for (std::int64_t v = vectors.begin; v < vectors.end; ++v) {
      const std::int64_t of_some = (v - vectors.begin) % detail::vectors_together;
      if (of_some == 0)
        detail::place_weights(packing, f, {v, std::min(v + detail::vectors_together, vectors.end)}, weights, out,
                              all_columns);
      const detail::int8_column(&columns)[int_lanes] = all_columns[of_some];
      scales[v] = scales_;
      scales[v].in_tile = v == 2 * packing.undivided(v / 2)
                              ? detail::method_in_tiles(scales_.method, packing.is_of_four(v / 2))
                              : scale_method{};
      for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
        const std::int64_t start = detail::starting_sum(0, columns[lane], packing.depth.products(), f) + included_;
        detail::put_start(packing, f, v * int_lanes + lane, start, columns[lane].sum, out);
      }
    }
  }

 private:
  channel_scales scales_{};
  std::int64_t included_ = 0;
};

}}}  // namespace nnrt::NNRT_ISA::kernels
