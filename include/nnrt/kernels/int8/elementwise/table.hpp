// table: functions of one byte, evaluated by look-up in tables of 256 entries.
// Flow: bind/detail/stored.hpp builds a table for an operator, bind/softmax.hpp one for each group; look_up() reads
// them.
#pragma once

#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

inline constexpr std::int64_t table_entries = 256;

namespace detail {

#if defined(NNRT_X86_AVX512)
/// Registers of a table, entries in order.
struct table_registers {
  __m512i of[4];

  [[gnu::always_inline]] explicit table_registers(const std::byte* table) : table_registers(table, table + 128) {}
  /// `small` has the entries of bytes below 128, `large` those of the other bytes.
  [[gnu::always_inline]] table_registers(const std::byte* small, const std::byte* large)
      : of{_mm512_loadu_si512(small), _mm512_loadu_si512(small + 64), _mm512_loadu_si512(large),
           _mm512_loadu_si512(large + 64)} {}
};

#if defined(__AVX512VBMI__)
/// Indices of 64 bytes.
struct table_places {
  __m512i bytes;  // the lower seven bits are used
  __mmask64 is_large;

  [[gnu::always_inline]] explicit table_places(__m512i x) : bytes(x), is_large(_mm512_movepi8_mask(x)) {}
};

/// A table in registers.
struct table_in_registers : table_registers {
  using table_registers::table_registers;

  [[gnu::always_inline]] __m512i at(const table_places& at) const {
    return _mm512_mask_blend_epi8(at.is_large, _mm512_permutex2var_epi8(of[0], at.bytes, of[1]),
                                  _mm512_permutex2var_epi8(of[2], at.bytes, of[3]));
  }
  /// Looks up sixteen bytes.
  [[gnu::always_inline]] __m128i at(__m128i bytes) const {
    return _mm512_castsi512_si128(at(table_places(_mm512_castsi128_si512(bytes))));
  }
};
#else
/// Indices of 64 bytes in i16 lanes, separate for the lower and the upper byte of each lane.
struct table_places {
  __m512i lower, upper;  // bits 1 to 6 of a byte in bits 0 to 5, which are used
  __mmask32 lower_is_large, upper_is_large;
  __m512i lower_shift, upper_shift;  // shifts an entry of a pair to the place of its byte

  [[gnu::always_inline]] explicit table_places(__m512i bytes)
      : lower(_mm512_srli_epi16(bytes, 1)),
        upper(_mm512_srli_epi16(bytes, 9)),
        lower_is_large(_mm512_test_epi16_mask(bytes, _mm512_set1_epi16(128))),
        upper_is_large(_mm512_movepi16_mask(bytes)),
        lower_shift(_mm512_and_si512(_mm512_slli_epi16(bytes, 3), _mm512_set1_epi16(8))),
        upper_shift(_mm512_andnot_si512(_mm512_srli_epi16(bytes, 5), _mm512_set1_epi16(8))) {}
};

/// A table in registers, two entries in each i16 lane.
struct table_in_registers : table_registers {
  using table_registers::table_registers;

  [[gnu::always_inline]] __m512i at(const table_places& at) const {
    const __m512i of_upper = _mm512_sllv_epi16(pairs(at.upper, at.upper_is_large), at.upper_shift);
    return _mm512_ternarylogic_epi32(_mm512_set1_epi16(0xff), at_lower(at), of_upper, 0xca);
  }
  /// Looks up sixteen bytes.
  [[gnu::always_inline]] __m128i at(__m128i bytes) const {
    return _mm256_cvtepi16_epi8(
        _mm512_castsi512_si256(at_lower(table_places(_mm512_castsi256_si512(_mm256_cvtepu8_epi16(bytes))))));
  }

 private:
  [[gnu::always_inline]] __m512i pairs(__m512i place, __mmask32 is_large) const {
    return _mm512_mask_blend_epi16(is_large, _mm512_permutex2var_epi16(of[0], place, of[1]),
                                   _mm512_permutex2var_epi16(of[2], place, of[3]));
  }
  /// Entries of the lower bytes, in the lower halves of lanes.
  [[gnu::always_inline]] __m512i at_lower(const table_places& at) const {
    return _mm512_srlv_epi16(pairs(at.lower, at.lower_is_large), at.lower_shift);
  }
};
#endif
#elif defined(NNRT_X86_AVX2)
/// Table in pieces of 16 entries for byte shuffles; each piece is xored with the previous piece.
///
/// A shuffle reads an entry by the lower four bits of a byte, or 0 if the top bit is set. 16 is subtracted from the
/// bytes after each piece, so later pieces than the byte's piece give 0. The xor over all pieces is the entry. Bytes
/// from 128 on are looked up in a second pass.
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
    const auto piece_of = [&](int i) { return load_vector<__m128i>(table + i * entries_of_piece); };
    for (int i = 0; i < pieces; ++i) {
      const __m128i before = i % pieces_of_half == 0 ? _mm_setzero_si128() : piece_of(i - 1);
      store_vector(of_ + i * entries_of_piece, _mm_xor_si128(piece_of(i), before));
    }
  }

  [[gnu::always_inline]] __m256i piece(int i) const {
    return _mm256_broadcastsi128_si256(load_vector<__m128i>(of_ + i * entries_of_piece));
  }
};

/// Looks up registers of bytes in several tables, and xors the entries into `found`. Reads the first pieces[i] pieces
/// of table i; `pieces` must not increase.
template <int Tables, int Registers>
[[gnu::always_inline]] inline void find(const table_of_differences (&tables)[Tables], const int (&pieces)[Tables],
                                        const __m256i (&bytes)[Registers], __m256i (&found)[Tables][Registers]) {
  const auto find_half = [&](int first, int end, __m256i flip) __attribute__((always_inline)) {
    __m256i left[Registers];
    each<Registers>([&](int i) __attribute__((always_inline)) { left[i] = _mm256_xor_si256(bytes[i], flip); });
    int piece = first;
    each<Tables>([&](auto without) __attribute__((always_inline)) {  // the last tables end first
      for (const int last = end < pieces[Tables - 1 - without] ? end : pieces[Tables - 1 - without]; piece < last;
           ++piece) {
        each<Tables - without>([&](int table) __attribute__((always_inline)) {
          const __m256i entries = tables[table].piece(piece);
          each<Registers>([&](int i) __attribute__((always_inline)) {
            found[table][i] = _mm256_xor_si256(found[table][i], _mm256_shuffle_epi8(entries, left[i]));
          });
        });
        each<Registers>([&](int i) __attribute__((always_inline)) {
          left[i] = _mm256_subs_epi8(left[i], _mm256_set1_epi8(table_of_differences::entries_of_piece));
        });
      }
    });
  };
  constexpr int half = table_of_differences::pieces_of_half;
  find_half(0, half, _mm256_setzero_si256());
  if (pieces[0] > half) find_half(half, table_of_differences::pieces, _mm256_set1_epi8(-128));
}
#endif

/// Looks up N bytes, with N known at compile time.
template <int N>
[[gnu::always_inline]] inline void look_up_few(const std::byte* table, const std::byte* x, std::byte* y) {
#if defined(NNRT_X86_AVX512)
  if constexpr (N >= 4) {
    // Sixteen at a time, so that the next reader of y finds them in one store.
    const table_in_registers entries(table);
    for (int i = 0; i < N; i += 16) {
      const int n = N - i < 16 ? N - i : 16;
      __m128i numbers = _mm_setzero_si128();
      __builtin_memcpy(&numbers, x + i, static_cast<std::size_t>(n));
      const __m128i bytes = entries.at(numbers);
      __builtin_memcpy(y + i, &bytes, static_cast<std::size_t>(n));
    }
    return;
  }
#endif
  for (int i = 0; i < N; ++i) y[i] = table[static_cast<std::uint8_t>(x[i])];
}

}  // namespace detail

/// y[i] = table[x[i]], with bytes as integers from 0 to 255; y may be x.
template <class Isa = native> void look_up(const std::byte* table, const std::byte* x, std::int64_t n, std::byte* y) {
  std::int64_t i = 0;
#if defined(NNRT_X86_AVX512)
  if (n >= 16) {
    const detail::table_in_registers entries(table);
    for (; i + 64 <= n; i += 64)
      _mm512_storeu_si512(y + i, entries.at(detail::table_places(_mm512_loadu_si512(x + i))));
    if (const __mmask64 those = (std::uint64_t{1} << (n - i)) - 1; those != 0)
      _mm512_mask_storeu_epi8(y + i, those, entries.at(detail::table_places(_mm512_maskz_loadu_epi8(those, x + i))));
    return;
  }
#elif defined(NNRT_X86_AVX2)
  if (n >= 128) {
    const detail::table_of_differences entries[] = {detail::table_of_differences(table)};
    const auto look_up_registers = [&]<int N>(std::integral_constant<int, N>) __attribute__((always_inline)) {
      __m256i bytes[N], found[1][N] = {};
      each<N>([&](int k) __attribute__((always_inline)) { bytes[k] = load_vector<__m256i>(x + i + 32 * k); });
      detail::find(entries, {detail::table_of_differences::pieces}, bytes, found);
      each<N>([&](int k) __attribute__((always_inline)) { store_vector(y + i + 32 * k, found[0][k]); });
    };
    for (; i + 128 <= n; i += 128) look_up_registers(std::integral_constant<int, 4>{});
    for (; i + 32 <= n; i += 32) look_up_registers(std::integral_constant<int, 1>{});
  }
#endif
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
