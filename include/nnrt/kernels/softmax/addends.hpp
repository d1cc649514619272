// addends: sums the terms of an int8 softmax: each value of a row adds a term that depends on its distance from the
// largest.
// Flow: softmax/quantised.hpp holds such a table per node and sums long rows with it.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/int8/elementwise/table.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Smallest and largest value of a row.
template <class T> struct byte_range {
  T least, largest;

  static byte_range of(const T* x, std::int64_t n) {
    typedef T lanes_of_bytes __attribute__((vector_size(register_bytes), may_alias));
    byte_range range{x[0], x[0]};
    if (n < register_bytes) {
      for (std::int64_t i = 1; i < n; ++i) range.add({x[i], x[i]});
      return range;
    }
    auto least = load_vector<lanes_of_bytes>(x), most = least;
    const auto take = [&](std::int64_t i) __attribute__((always_inline)) {
      const auto next = load_vector<lanes_of_bytes>(x + i);
      least = next < least ? next : least;
      most = next > most ? next : most;
    };
    std::int64_t i = register_bytes;
    for (; i + 2 * register_bytes <= n; i += 2 * register_bytes) take(i), take(i + register_bytes);
    for (; i < n; i += register_bytes) take(std::min(i, n - register_bytes));  // reads some values again
    T lanes_of_least[register_bytes], lanes_of_most[register_bytes];
    store_vector(lanes_of_least, least), store_vector(lanes_of_most, most);
    for (int lane = 0; lane < register_bytes; ++lane) range.add({lanes_of_least[lane], lanes_of_most[lane]});
    return range;
  }
  std::int64_t numbers() const { return std::int64_t{largest} - least + 1; }

 private:
  void add(byte_range other) {
    least = other.least < least ? other.least : least, largest = other.largest > largest ? other.largest : largest;
  }
};

namespace detail {

/// A term is below 2^19: registers look up its bytes separately.
inline constexpr int addend_bytes = 3;

/// Table of terms, read one value at a time. The term of distance d is at [256 - d], so that values are indices.
class addends_by_number {
  std::uint32_t of_[2 * table_entries] = {};

 public:
  template <class F> explicit addends_by_number(const F& addend_of) {
    for (std::int64_t d = 0; d < table_entries; ++d) of_[table_entries - d] = static_cast<std::uint32_t>(addend_of(d));
  }
  template <class T> std::int64_t sum(const byte_range<T>& range, const T* x, std::int64_t n) const {
    // This many terms fit into 32 bits, where an addition takes an instruction less.
    constexpr std::int64_t most = 8 * 1024, zero = std::is_signed_v<T> ? 128 : 0;
    // indexed by bytes, as offsets from the smallest value of the type
    const std::uint32_t* const table = of_ + table_entries - range.largest - zero;
    std::int64_t sum = 0;
    for (; n > 0; n -= most, x += most) {
      const std::int64_t count = n < most ? n : most;
      std::uint32_t a = 0, b = 0, c = 0, d = 0;
      std::int64_t i = 0;
      for (; i + 8 <= count; i += 8) {  // one load reads eight
        std::uint64_t eight;
        __builtin_memcpy(&eight, x + i, sizeof eight);
        if constexpr (zero != 0) eight ^= 0x8080808080808080U;
        const auto next_two = [&](std::uint32_t & first, std::uint32_t & second) __attribute__((always_inline)) {
          first += table[eight & 0xffU], second += table[eight >> 8U & 0xffU], eight >>= 16U;
          // without these, g++ 12 shifts for each byte anew, and builds vectors of single loads
          optimization_barrier(eight), optimization_barrier(first), optimization_barrier(second);
        };
        next_two(a, b), next_two(c, d), next_two(a, b), next_two(c, d);
      }
      for (; i < count; ++i) a += table[x[i] + zero];
      sum += std::int64_t{a} + b + c + d;
    }
    return sum;
  }
};

/// The sum of sums of the bytes of terms.
[[gnu::always_inline]] inline std::int64_t sum_of(const longs (&sums)[addend_bytes]) {
  return machine::sum_of_longs(sums[0] + (sums[1] << 8) + (sums[2] << 16));
}

/// Table of terms, and sums of terms, for the machine's way to look up bytes.
template <class Machine, table_look_up = Machine::tables> class addends_table : public addends_by_number {
 public:
  using addends_by_number::addends_by_number;
};

/// Table of terms. The term of distance d is at [256 - d], so that values are indices. Values above the largest, which
/// registers look up as well, have the term 0.
template <class Machine> class addends_table<Machine, table_look_up::registers> {
  std::byte of_[addend_bytes][2 * table_entries] = {};

 public:
  /// addend_of(d) returns the term of distance d, 0 to 255.
  template <class F> explicit addends_table(const F& addend_of) {
    for (std::int64_t d = 0; d < table_entries; ++d)
      for (int i = 0; i < addend_bytes; ++i)
        of_[i][table_entries - d] = static_cast<std::byte>(addend_of(d) >> (8 * i) & 0xff);
  }
  /// Sum of the terms of n values.
  template <class T> std::int64_t sum(const byte_range<T>& range, const T* x, std::int64_t n) const {
    using table = typename Machine::byte_table;
    const auto in_registers = [&](int i) __attribute__((always_inline)) {
      const std::byte* const zero = of_[i] + table_entries - range.largest;
      return table(zero, zero + (std::is_signed_v<T> ? -128 : 128));
    };
    const table tables[] = {in_registers(0), in_registers(1), in_registers(2)};
    longs sums[addend_bytes] = {};
    for (; n > 0; n -= register_bytes, x += register_bytes) {
      const typename Machine::first_bytes those(n < register_bytes ? n : register_bytes);
      const typename Machine::table_places places(Machine::load_some(reinterpret_cast<const std::byte*>(x), those));
      each<addend_bytes>([&](auto i) __attribute__((always_inline)) {
        sums[i] = Machine::add_bytes(sums[i], Machine::keep_some(tables[i].at(places), those));
      });
    }
    return sum_of(sums);
  }
};

/// Tables of terms by distance, one per byte of a term. Reads as many pieces of the tables as the range of a row needs.
/// If that is more than `max_pieces`, one value at a time is faster.
template <class Machine> class addends_table<Machine, table_look_up::shuffles> {
  static constexpr int max_pieces = 26;
  table_of_differences of_[addend_bytes];
  // Distances from used_[i] on have 0 in byte i of their terms; higher bytes end sooner.
  std::int64_t used_[addend_bytes] = {};
  addends_by_number each_;

 public:
  template <class F>
  explicit addends_table(const F& addend_of)
      : of_{table_of(addend_of, 0), table_of(addend_of, 1), table_of(addend_of, 2)}, each_(addend_of) {
    for (std::int64_t d = 0; d < table_entries; ++d)
      for (int i = 0; i < addend_bytes; ++i)
        if (addend_of(d) >> (8 * i) != 0) used_[i] = d + 1;
  }
  /// Sum of the terms of n values, at least one register.
  template <class T> std::int64_t sum(const byte_range<T>& range, const T* x, std::int64_t n) const {
    const int pieces[] = {pieces_of(0, range.numbers()), pieces_of(1, range.numbers()), pieces_of(2, range.numbers())};
    if (pieces[0] + pieces[1] + pieces[2] > max_pieces) return each_.sum(range, x, n);
    const int8_vector largest = int8_lanes_of(static_cast<std::int8_t>(range.largest));
    longs sums[addend_bytes] = {};
    const auto add = [&]<int N>(const T* numbers, const int8_vector(&those)[N]) __attribute__((always_inline)) {
      int8_vector distances[N], found[addend_bytes][N] = {};
      each<N>([&](int k) __attribute__((always_inline)) {
        distances[k] = byte_differences(largest, load_vector<int8_vector>(numbers + register_bytes * k));
      });
      find(of_, pieces, distances, found);
      each<addend_bytes>([&](int i) __attribute__((always_inline)) {
        each<N>([&](int k)
                    __attribute__((always_inline)) { sums[i] = Machine::add_bytes(sums[i], found[i][k] & those[k]); });
      });
    };
    const int8_vector all = int8_lanes_of(-1);
    std::int64_t i = 0;
    for (; i + 2 * register_bytes <= n; i += 2 * register_bytes) add(x + i, {all, all});
    if (i + register_bytes <= n) add(x + i, {all}), i += register_bytes;
    if (i < n) add(x + n - register_bytes, {last_bytes(n - i)});
    return sum_of(sums);
  }

 private:
  /// Pieces to read of table `byte`. The table may come from a file, so its fields are clamped.
  int pieces_of(int byte, std::int64_t numbers) const {
    return table_of_differences::pieces_of(nnrt::detail::clamped(used_[byte], std::int64_t{0}, table_entries), numbers);
  }
  template <class F> static table_of_differences table_of(const F& addend_of, int byte) {
    std::byte table[table_entries];
    for (std::int64_t d = 0; d < table_entries; ++d)
      table[d] = static_cast<std::byte>(addend_of(d) >> (8 * byte) & 0xff);
    return table_of_differences(table);
  }
  /// Mask with ones in the last n bytes of a register.
  static int8_vector last_bytes(std::int64_t n) {
    int8_vector place;
    for (int i = 0; i < register_bytes; ++i) place[i] = static_cast<std::int8_t>(i);
    return place > int8_lanes_of(static_cast<std::int8_t>(register_bytes - 1 - n));
  }
};

}  // namespace detail

using softmax_addends = detail::addends_table<machine>;

}}}  // namespace nnrt::NNRT_ISA::kernels
