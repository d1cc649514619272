// quantised: softmax of quantised values with the bits of the reference, with exponentials in tables.
// Flow: a prepare step builds the table of a node; bind/softmax.hpp calls int8_softmax() and int16_softmax() for a part
// of the groups.
#pragma once

#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/softmax/addends.hpp>
#include <nnrt/ops/detail/quantised_softmax.hpp>

#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Tables for the softmax of bytes, by the distance of a value from the largest value of its group.
///
/// The table may come from a file. Another process may write to the input during a run, so that a value exceeds the
/// largest one found. Neither leads to an access outside the tables.
template <class T> struct int8_powers {
  ops::detail::fixed_softmax<T> by;
  std::int64_t count = 0;  // powers from here on are 0
  /// The power of distance d is at [256 - d], so that values are indices.
  std::int32_t power[table_entries + 1] = {};
  softmax_addends addends;

  std::int64_t used() const { return nnrt::detail::clamped(count, std::int64_t{1}, table_entries); }
  std::int32_t power_of(std::int32_t below) const { return power[table_entries - (below > 0 ? below : 0)]; }

  explicit int8_powers(const ops::detail::fixed_softmax<T>& with)
      : by(with), addends([&](std::int64_t d) { return with.addend(with.power(-d)); }) {
    for (std::int64_t d = 0; d < table_entries; ++d) {
      power[table_entries - d] = by.power(-d);
      if (power_of(static_cast<std::int32_t>(d)) != 0) count = d + 1;
    }
  }
};

namespace detail {

/// results[i] = share(power[i]) of `count` powers, for shares with TFLite's scale and zero point. No value is negative,
/// and all fit into 32 bits.
template <class T, class Share>
inline void usual_shares(const Share& share, const std::int32_t* power, std::int64_t count, T* results) {
  constexpr std::uint64_t most = 255, half = std::uint64_t{1} << 30;
  constexpr std::uint32_t flip = std::is_signed_v<T> ? 0x80 : 0;
  const int bits = static_cast<int>(nnrt::detail::clamped(share.reciprocal.bits + 23, 0, 62));
  const std::uint64_t fraction = static_cast<std::uint32_t>(share.reciprocal.fraction),
                      up = bits > 0 ? std::uint64_t{1} << (bits - 1) : 0;
  std::int64_t i = 0;
  if constexpr (machine::has_wide_products) {
    typedef std::uint32_t words __attribute__((vector_size(register_bytes)));
    typedef std::uint64_t wide __attribute__((vector_size(register_bytes)));
    // g++ 12 does not derive from `i + int_lanes <= count` that a constant multiple of lanes leaves no iteration for
    // the loop below, and warns.
    const std::int64_t in_registers = count / int_lanes * int_lanes;
    const auto of_most = (words)(most - wide{});
    const auto shares = [&](wide powers) __attribute__((always_inline)) {
      const auto products = (wide)machine::wide_products((int_vector)powers, (int_vector)(fraction - wide{})) + half;
      const auto numbers = (words)(((products >> 31) + up) >> bits);
      return (wide)(numbers < of_most ? numbers : of_most);
    };
    for (; i < in_registers; i += int_lanes) {
      const auto powers = load_vector<wide>(power + i);
      const wide numbers = shares(powers) | shares(powers >> 32) << 32;
      machine::store_as_bytes(reinterpret_cast<std::byte*>(results + i), (int_vector)((words)numbers ^ flip));
    }
  }
  for (; i < count; ++i) {
    const std::uint64_t product = (fraction * static_cast<std::uint32_t>(power[i]) + half) >> 31;
    const std::uint64_t number = (product + up) >> bits;
    results[i] =
        static_cast<T>(static_cast<std::uint8_t>(static_cast<std::uint32_t>(number < most ? number : most) ^ flip));
  }
}

/// results[i] = share(power[i]) of `count` powers.
template <class T, class Share>
inline void shares_of(const Share& share, const std::int32_t* power, std::int64_t count, T* results) {
  if (share.is_usual) return usual_shares(share, power, count, results);
  for (std::int64_t i = 0; i < count; ++i) results[i] = share(power[i]);
}

/// Shares of the values at distance 0, 1, … from the largest value of a row.
template <class T> class near_shares {
  std::byte nothing_;              // share of power 0, which most values of long rows have
  table_of_differences table_[1];  // xored with it
  int pieces_;

 public:
  /// For a row with at most `numbers` distinct values.
  template <class Share>
  near_shares(const int8_powers<T>& powers, const Share& share, std::int64_t numbers)
      : near_shares(found(powers, share, numbers), static_cast<std::byte>(share(0)), numbers) {}

  /// Looks up a row of n values, at least one register. y may be x.
  void look_up(T largest, const T* x, std::int64_t n, T* y) const {
    const auto find = [&]<int N>(const int8_vector(&numbers)[N], T* to) __attribute__((always_inline)) {
      int8_vector distances[N], found[1][N];
      each<N>([&](int k) __attribute__((always_inline)) {
        distances[k] = byte_differences(int8_lanes_of(static_cast<std::int8_t>(largest)), numbers[k]);
        found[0][k] = int8_lanes_of(static_cast<std::int8_t>(nothing_));
      });
      detail::find(table_, {pieces_}, distances, found);
      each<N>([&](int k) __attribute__((always_inline)) { store_vector(to + register_bytes * k, found[0][k]); });
    };
    const auto at = [x](std::int64_t i) __attribute__((always_inline)) { return load_vector<int8_vector>(x + i); };
    const int8_vector last[] = {at(n - register_bytes)};  // may be overwritten before they are looked up
    std::int64_t i = 0;
    for (; i + 4 * register_bytes <= n; i += 4 * register_bytes)
      find({at(i), at(i + register_bytes), at(i + 2 * register_bytes), at(i + 3 * register_bytes)}, y + i);
    for (; i + register_bytes <= n; i += register_bytes) find({at(i)}, y + i);
    if (i < n) find(last, y + n - register_bytes);
  }

 private:
  struct shares {
    std::byte by_distance[table_entries] = {};
    std::int64_t used = 0;
  };
  near_shares(const shares& all, std::byte nothing, std::int64_t numbers)
      : nothing_(nothing),
        table_{table_of_differences(all.by_distance)},
        pieces_(table_of_differences::pieces_of(all.used, numbers)) {}

  /// Computes shares by distance. Powers and shares do not increase, so it stops at the share of power 0.
  template <class Share> static shares found(const int8_powers<T>& powers, const Share& share, std::int64_t numbers) {
    constexpr int count = 16;
    const auto nothing = static_cast<std::int8_t>(share(0));
    shares made;
    do {
      T rising[count];  // in the order of the powers
      shares_of(share, powers.power + table_entries + 1 - made.used - count, count, rising);
      const auto in_order = load_vector<machine::i8x16>(rising);
      const machine::i8x16 falling =
          __builtin_shufflevector(in_order, in_order, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
      store_vector(made.by_distance + made.used, falling ^ nothing);
      made.used += count;
    } while (made.used < numbers && made.by_distance[made.used - 1] != std::byte{0});
    return made;
  }
};

/// Softmax of a contiguous row with at least half as many values as the table.
template <class Isa, class T> void softmax_of_long_row(const int8_powers<T>& powers, const T* x, std::int64_t n, T* y) {
  const auto range = byte_range<T>::of(x, n);
  const auto share = powers.by.share_of(powers.addends.sum(range, x, n));
  if constexpr (machine::tables == table_look_up::shuffles) {
    near_shares<T>(powers, share, range.numbers()).look_up(range.largest, x, n, y);
  } else {
    constexpr std::int64_t zero = std::is_signed_v<T> ? 128 : 0;  // index of value 0 among the values of T
    // Indexed by value: the result of k is at k and, for negative k, also at k + 256.
    T results[table_entries + zero] = {};
    T* const by_number = results + zero;
    const std::int64_t largest = range.largest, first = largest - powers.used() + 1,
                       least = first < -zero ? -zero : first;
    const T none = share(0);
    for (std::int64_t k = -zero; k < least; ++k) by_number[k] = none;
    shares_of(share, powers.power + table_entries - largest + least, largest + 1 - least, by_number + least);
    for (std::int64_t k = -zero; k < 0; ++k) by_number[k + table_entries] = by_number[k];
    look_up<Isa>(reinterpret_cast<const std::byte*>(by_number), reinterpret_cast<const std::byte*>(x), n,
                 reinterpret_cast<std::byte*>(y));
  }
}

}  // namespace detail

/// y = shares of x along the middle axis of the block. power_of(d) returns the power of an element at distance d from
/// the largest of its group.
template <class T, class By, class PowerOf>
void share_out(const axis_block& block, const T* x, const By& by, const PowerOf& power_of, T* y, interval groups) {
  const std::int64_t step = block.inner;
  for (std::int64_t group = groups.begin; group < groups.end; ++group) {
    const std::int64_t first = group / step * block.extent * step + group % step;
    const T* const from = x + first;
    std::int32_t largest = from[0];
    for (std::int64_t i = 1; i < block.extent; ++i) largest = from[i * step] > largest ? from[i * step] : largest;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < block.extent; ++i) sum += by.addend(power_of(largest - from[i * step]));
    const auto finish = by.share_of(sum);
    for (std::int64_t i = 0; i < block.extent; ++i) y[first + i * step] = finish(power_of(largest - from[i * step]));
  }
}

/// Softmax of bytes with the reference's bits. For long rows, a table of all results is built first.
template <class Isa, class T>
void int8_softmax(const axis_block& block, const T* x, const int8_powers<T>& powers, T* y, part p) {
  const interval groups = share(block.outer * block.inner, p);
  if (block.inner != 1 || block.extent < table_entries / 2)
    return share_out(
        block, x, powers.by, [&](std::int32_t d) { return powers.power_of(d); }, y, groups);
  for (std::int64_t row = groups.begin; row < groups.end; ++row)
    detail::softmax_of_long_row<Isa>(powers, x + row * block.extent, block.extent, y + row * block.extent);
}

/// Table of exponentials for the softmax of 16-bit values; the reference computes its entries one by one.
struct int16_powers {
  ops::detail::interpolated_softmax by;
  std::int32_t entry[ops::detail::interpolated_softmax::exponentials.steps + 1];

  explicit int16_powers(const ops::detail::interpolated_softmax& with) : by(with) {
    for (int i = 0; i <= by.exponentials.steps; ++i) entry[i] = by.exponentials.entry(i);
  }
};

/// Softmax of 16-bit values with the reference's bits; results are in units of 1/32768.
inline void int16_softmax(const axis_block& block, const std::int16_t* x, const int16_powers& powers, std::int16_t* y,
                          part p) {
  const auto power_of = [&](std::int32_t d) {
    return powers.by.exponentials.between(powers.by.place_of(-d), [&](int i) { return powers.entry[i]; });
  };
  share_out(block, x, powers.by, power_of, y, share(block.outer * block.inner, p));
}

}}}  // namespace nnrt::NNRT_ISA::kernels
