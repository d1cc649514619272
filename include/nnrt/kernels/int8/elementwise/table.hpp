// table: functions of one byte, evaluated by look-up in tables of 256 entries.
// Flow: bind/detail/quantised.hpp builds a table for an operator, bind/softmax.hpp one for each group; look_up() reads
// them.
#pragma once

#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

inline constexpr std::int64_t table_entries = 256;

namespace detail {

/// Table in pieces of 16 entries for byte shuffles; each piece is xored with the previous piece.
///
/// shuffle_bytes() reads an entry by the lower four bits of a byte, or 0 if the top bit is set. 16 is subtracted from
/// the bytes after each piece, so later pieces than the byte's piece give 0. The xor over all pieces is the entry.
/// Bytes from 128 on are looked up in a second pass.
class table_of_differences {
  std::byte of_[table_entries];

 public:
  static constexpr int entries_of_piece = 16, pieces = table_entries / entries_of_piece, pieces_of_half = pieces / 2;

  /// Number of pieces to read for bytes below `numbers` if all entries from `used` on are equal. One piece of equal
  /// entries is included; larger bytes find its last entries.
  static constexpr int pieces_of(std::int64_t used, std::int64_t numbers) {
    const std::int64_t all = (numbers + entries_of_piece - 1) / entries_of_piece,
                       those = (used + entries_of_piece - 1) / entries_of_piece;
    return static_cast<int>(all <= those || those % pieces_of_half == 0 ? (all < those ? all : those) : those + 1);
  }

  explicit table_of_differences(const std::byte* table) {
    const auto piece_of = [&](int i) { return load_vector<machine::i8x16>(table + i * entries_of_piece); };
    for (int i = 0; i < pieces; ++i) {
      const machine::i8x16 before = i % pieces_of_half == 0 ? machine::i8x16{} : piece_of(i - 1);
      store_vector(of_ + i * entries_of_piece, piece_of(i) ^ before);
    }
  }

  [[gnu::always_inline]] int8_vector piece(int i) const {
    return machine::broadcast_16_bytes(of_ + i * entries_of_piece);
  }
};

/// Looks up registers of bytes in several tables, and xors the entries into `found`. Reads the first pieces[i] pieces
/// of table i; `pieces` must not increase.
template <int Tables, int Registers>
[[gnu::always_inline]] inline void find(const table_of_differences (&tables)[Tables], const int (&pieces)[Tables],
                                        const int8_vector (&bytes)[Registers],
                                        int8_vector (&found)[Tables][Registers]) {
  const auto find_half = [&](int first, int end, int8_vector flip) __attribute__((always_inline)) {
    int8_vector left[Registers];
    each<Registers>([&](int i) __attribute__((always_inline)) { left[i] = bytes[i] ^ flip; });
    int piece = first;
    each<Tables>([&](auto without) __attribute__((always_inline)) {  // the last tables end first
      for (const int last = end < pieces[Tables - 1 - without] ? end : pieces[Tables - 1 - without]; piece < last;
           ++piece) {
        each<Tables - without>([&](int table) __attribute__((always_inline)) {
          const int8_vector entries = tables[table].piece(piece);
          each<Registers>([&](int i) __attribute__((always_inline)) {
            found[table][i] ^= machine::shuffle_bytes(entries, left[i]);
          });
        });
        each<Registers>([&](int i) __attribute__((always_inline)) {
          left[i] = machine::subtract_saturated(left[i], int8_lanes_of(table_of_differences::entries_of_piece));
        });
      }
    });
  };
  constexpr int half = table_of_differences::pieces_of_half;
  find_half(0, half, int8_vector{});
  if (pieces[0] > half) find_half(half, table_of_differences::pieces, int8_lanes_of(-128));
}

/// The table in registers.
[[gnu::always_inline]] inline machine::byte_table table_in_registers(const std::byte* table) {
  return {table, table + table_entries / 2};
}

/// Looks up N bytes, with N known at compile time.
template <int N>
[[gnu::always_inline]] inline void look_up_few(const std::byte* table, const std::byte* x, std::byte* y) {
  if constexpr (N >= 4 && machine::tables == table_look_up::registers) {
    // Sixteen at a time, so that the next reader of y finds them in one store.
    const machine::byte_table entries = table_in_registers(table);
    for (int i = 0; i < N; i += 16) {
      const int n = N - i < 16 ? N - i : 16;
      machine::i8x16 numbers{};
      __builtin_memcpy(&numbers, x + i, static_cast<std::size_t>(n));
      const machine::i8x16 bytes = entries.at(numbers);
      __builtin_memcpy(y + i, &bytes, static_cast<std::size_t>(n));
    }
  } else {
    for (int i = 0; i < N; ++i) y[i] = table[static_cast<std::uint8_t>(x[i])];
  }
}

/// Looks up the first of n bytes, in registers of the table or by shuffles; returns how many.
inline std::int64_t look_up_registers(const std::byte* table, const std::byte* x, std::int64_t n, std::byte* y) {
  std::int64_t i = 0;
  if constexpr (machine::tables == table_look_up::registers) {
    if (n < 16) return 0;
    const machine::byte_table entries = table_in_registers(table);
    for (; i + register_bytes <= n; i += register_bytes)
      store_vector(y + i, entries.at(machine::table_places(load_vector<int8_vector>(x + i))));
    if (i < n) {
      const machine::first_bytes those(n - i);
      machine::store_some(y + i, entries.at(machine::table_places(machine::load_some(x + i, those))), those);
    }
    return n;
  } else if constexpr (machine::tables == table_look_up::shuffles) {
    if (n < 4 * register_bytes) return 0;
    const table_of_differences entries[] = {table_of_differences(table)};
    const auto look_up_some = [&]<int N>(std::integral_constant<int, N>) __attribute__((always_inline)) {
      int8_vector bytes[N], found[1][N] = {};
      each<N>([&](int k)
                  __attribute__((always_inline)) { bytes[k] = load_vector<int8_vector>(x + i + register_bytes * k); });
      find(entries, {table_of_differences::pieces}, bytes, found);
      each<N>([&](int k) __attribute__((always_inline)) { store_vector(y + i + register_bytes * k, found[0][k]); });
    };
    for (; i + 4 * register_bytes <= n; i += 4 * register_bytes) look_up_some(std::integral_constant<int, 4>{});
    for (; i + register_bytes <= n; i += register_bytes) look_up_some(std::integral_constant<int, 1>{});
  }
  return i;
}

}  // namespace detail

/// y[i] = table[x[i]], with bytes as integers from 0 to 255; y may be x.
template <class Isa = native> void look_up(const std::byte* table, const std::byte* x, std::int64_t n, std::byte* y) {
  std::int64_t i = detail::look_up_registers(table, x, n, y);
  for (; i + 4 <= n; i += 4) {
    const std::byte a = table[static_cast<std::uint8_t>(x[i])], b = table[static_cast<std::uint8_t>(x[i + 1])],
                    c = table[static_cast<std::uint8_t>(x[i + 2])], d = table[static_cast<std::uint8_t>(x[i + 3])];
    y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
  }
  for (; i < n; ++i) y[i] = table[static_cast<std::uint8_t>(x[i])];
}

/// look_up() of N bytes, with N known at compile time.
template <std::int64_t N>
[[gnu::always_inline]] inline void look_up_all(const std::byte* table, const std::byte* x, std::byte* y) {
  if constexpr (N <= 64) detail::look_up_few<static_cast<int>(N)>(table, x, y);
  else look_up(table, x, N, y);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
