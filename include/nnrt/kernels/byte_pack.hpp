// byte_pack: matrices of stored numbers in the order in which tiles read them, with biases and scales.
// Flow: a prepare step calls byte_pack() once for each layer; byte_tile.hpp multiplies with what it made.
//
// Dot products multiply what is stored. The rest of a sum over k is known beforehand, as part of the bias, but for the
// sum of a row of A times the zero point of b, which most models set to 0. Sums wrap around on their way, which does not
// matter, since those that leave 32 bits in the end are seen when B is packed (one_by_one).
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/byte_scale.hpp>

#include <cstdint>
#include <limits>

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

/// How many pieces of this size so much falls into. Not less than none: dividing as a signed number takes three instructions more, which small
/// layers have a dozen times.
constexpr std::int64_t pieces(std::int64_t all, std::int64_t size) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(all) + static_cast<std::uint64_t>(size) - 1) / static_cast<std::uint64_t>(size));
}

/// Where B's rows lie for dot products: `runs` runs of `length` consecutive elements of a row of A; each run ends with a
/// whole dot product, the missing weights zero. A plain product has one run.
struct byte_depth {
  std::int64_t runs = 1, length = 0;

  constexpr std::int64_t steps() const { return pieces(length, 4); }  // of a run
  constexpr std::int64_t products() const { return runs * length; }
};

/// How a panel's weights lie for its tiles: one or two vectors side by side at each step; or, of a single vector, two steps
/// in pairs of lanes, so that one broadcast serves two dot products. Two panels may lie as one of four vectors.
enum class panel_form { one_vector, two_vectors, paired_steps, four_vectors };

/// The packed form of B: [scales of each vector of columns][bias][panel][run][step][vector of the panel].
struct byte_layout {
  byte_depth depth;
  std::int64_t n = 0;
  std::int64_t fours = 0;  // of the first panels, so many times two lie as one, and are read as one

  /// Of B [k, n] that m rows of A are multiplied with. A single row reads of A half as much for four vectors side by side, and has as many sums as
  /// the latency of dot products needs.
  static constexpr byte_layout of(std::int64_t m, std::int64_t k, std::int64_t n) { return {{1, k}, n, m == 1 ? n / (2 * panel_width) : 0}; }

  static constexpr std::int64_t panel_width = 2 * int_lanes;
  constexpr std::int64_t vectors() const { return pieces(n, int_lanes); }
  constexpr std::int64_t panels() const { return pieces(n, panel_width); }
  constexpr std::int64_t whole_panels() const { return pieces(n + 1, panel_width) - 1; }
  constexpr std::int64_t width(std::int64_t panel) const { return std::min(panel_width, n - panel * panel_width); }
  constexpr std::int64_t vectors_of(std::int64_t panel) const { return width(panel) > int_lanes ? 2 : 1; }
  constexpr bool is_of_four(std::int64_t panel) const { return panel < 2 * fours; }
  /// Whether of() makes such a one for a single row, too: behind what lies in fours there are three vectors at most.
  constexpr bool is_of_one_row() const { return depth.runs == 1 && fours == n / (2 * panel_width); }
  /// The panel, or the first of two that lie as one.
  constexpr std::int64_t undivided(std::int64_t panel) const { return is_of_four(panel) ? panel / 2 * 2 : panel; }
  constexpr panel_form form_of(std::int64_t panel) const {
    if (is_of_four(panel)) return panel_form::four_vectors;
    if (vectors_of(panel) == 2) return panel_form::two_vectors;
    return has_pairs_of_lanes && depth.length % 8 == 0 ? panel_form::paired_steps : panel_form::one_vector;
  }
  /// Where a weight lies: the lane, and the dot product from the panel's first.
  struct place {
    std::int64_t product, lane;
  };
  constexpr place place_of(std::int64_t panel, std::int64_t vector, std::int64_t lane, std::int64_t step) const {
    if (is_of_four(panel)) return {step * 4 + vector, lane};
    if (form_of(panel) != panel_form::paired_steps) return {step * vectors_of(panel) + vector, lane};
    const lane_pair at = pair_of_lane(lane);
    return {step / 2 * 2 + at.source, at.lane + step % 2};
  }
  /// Weights of one vector of columns.
  constexpr std::int64_t vector_bytes() const { return depth.runs * depth.steps() * dot_bytes; }
  constexpr std::int64_t scale_bytes() const { return vectors() * std::int64_t{sizeof(channel_scales)}; }
  constexpr std::int64_t bias_at() const { return scale_bytes(); }
  constexpr std::int64_t weights_at() const { return pieces(bias_at() + vectors() * register_bytes, 64) * 64; }
  constexpr std::int64_t bytes() const { return pieces(weights_at() + vectors() * vector_bytes(), 64) * 64; }
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
  std::fill_n(out, layout.bytes(), std::byte{});
  auto* const scales = reinterpret_cast<channel_scales*>(out);
  possible_scales possible[4];  // of a panel
  auto* const sums = reinterpret_cast<std::int32_t*>(out + layout.bias_at());
  for (std::int64_t v = 0; v < layout.vectors(); ++v) {
    const std::int64_t together = layout.is_of_four(v / 2) ? 4 : 2, of_panel = v % together, panel = (v - of_panel) / 2;
    const std::int64_t first = v * int_lanes, count = std::min(int_lanes, layout.n - first);
    std::byte* const weights = out + layout.panel_at(panel);
    byte_channel channels[int_lanes];
    detail::byte_column columns[int_lanes];
    for (std::int64_t lane = 0; lane < count; ++lane) {
      for (std::int64_t run = 0; run < depth.runs; ++run)
        for (std::int64_t i = 0; i < depth.length; ++i) {
          const std::int32_t weight = weight_of(first + lane, run, i);
          columns[lane].add(weight, f);
          const byte_layout::place at = layout.place_of(panel, of_panel, lane, run * depth.steps() + i / 4);
          put_weight(weights + at.product * dot_bytes, at.lane, i % 4, static_cast<std::int8_t>(weight + f.b_offset()));
        }
      channels[lane] = channel_of(first + lane);
      sum_range& reach = channels[lane].reach;
      const sum_range& addend = channels[lane].addend;
      if (reach.low == reach.high)
        reach = {columns[lane].reach.low + channels[lane].bias + addend.low, columns[lane].reach.high + channels[lane].bias + addend.high};
      // A zero point of B takes off sums of A, whatever the weights, and an addend comes to them: then they have to stay.
      if (f.b_zero_as_seen() != 0 || addend.low != addend.high || !is_constant(channels[lane], range)) continue;
      channels[lane] = constant_channel(channels[lane], range), columns[lane] = {};
      for (std::int64_t step = 0; step < depth.runs * depth.steps(); ++step)
        for (std::int64_t i = 0; i < 4; ++i) {
          const byte_layout::place at = layout.place_of(panel, of_panel, lane, step);
          put_weight(weights + at.product * dot_bytes, at.lane, i, 0);
        }
    }
    set_scales(possible[of_panel], channels, count, range);
    for (std::int64_t lane = 0; lane < int_lanes; ++lane)
      sums[v * int_lanes + lane] = detail::starting_sum(0, columns[lane].sum, depth.products(), f);
    if (of_panel + 1 < together && v + 1 < layout.vectors()) continue;
    // Vectors of a panel are scaled alike where that is in the tile, else each as it can be.
    const std::int64_t begin = v - of_panel;
    const scale_method of_all = method_for(possible, of_panel + 1);
    const bool is_in_tile = together == 4 || of_all == scale_method::by_rising_line || of_all == scale_method::by_line;
    scales[begin].in_tile = is_in_tile ? of_all : scale_method::one_by_one;
    for (std::int64_t i = begin; i <= v; ++i) {
      const scale_method method = scales[begin].in_tile != scale_method::one_by_one ? of_all : method_for(&possible[i - begin], 1);
      choose_scales(possible[i - begin], method, scales[i]);
      for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
        std::int32_t& sum = sums[i * int_lanes + lane];
        sum = detail::wrapped(sum + included_in_sums(possible[i - begin], lane, method));
      }
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
