// values: copies rows of int8 values in the encoding that tiles read: as stored, sign-flipped, or widened to i16.
// Flow: int8/gemm/gemm.hpp and int8/conv/conv2d.hpp copy rows with these functions; int8/gemm/tile.hpp reads the
// copies.
//
// Widening a byte takes as long as its two products in a tile. So rows that are multiplied with several tiles of
// columns are widened once, when they are copied. The broadcasts in the tiles are then plain loads.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/simd/dot4.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Whether tiles of several rows read i16 values.
inline constexpr bool tiles_read_wide =
    machine::dots == dot4_packing::widened || machine::dots == dot4_packing::widened_rows;

/// Whether i16 products take about as long as int8 products. Then int8/conv/winograd.hpp may trade int8 products for
/// fewer i16 products.
inline constexpr bool has_wide_tiles = tiles_read_wide || weights_flip;

/// Encoding of the values that a tile reads: widened to i16 or bytes, each byte xor `flip` (0 or 0x80 in each byte).
struct int8_encoding {
  bool is_wide = false;
  std::int32_t flip = 0;

  /// Bytes of one value.
  constexpr std::int64_t size() const { return tiles_read_wide && is_wide ? 2 : 1; }
  /// Whether this is the stored encoding.
  constexpr bool is_quantised() const { return size() == 1 && flip == 0; }
};
/// The encoding that differs most from the stored one, for any zero points. Scratch sizes are computed for it.
inline constexpr int8_encoding worst_case_encoding{tiles_read_wide, weights_flip ? 0 : 1};

namespace detail {

/// Copies n bytes, each xor `flip`. Rows have so few bytes that a call of memcpy would take longer. InPlace: `from`
/// equals `to`, and no byte is flipped twice.
template <bool InPlace> void copy_some_bytes(const std::byte* from, std::int64_t n, std::int32_t flip, std::byte* to) {
  typedef std::int32_t words __attribute__((vector_size(16), may_alias));
  int_vector flips = int_lanes_of(flip);
  vector_barrier(flips);  // without it, a loop with flip 0 becomes a call of memcpy
  const auto copy = [&](std::int64_t i) __attribute__((always_inline)) {
    store_vector(to + i, load_vector<int_vector>(from + i) ^ flips);
  };
  const auto copy16 = [&](std::int64_t i) __attribute__((always_inline)) {
    store_vector(to + i, load_vector<words>(from + i) ^ flip);
  };
  std::int64_t i = 0;
  for (; i + register_bytes <= n; i += register_bytes) copy(i);
  if (!InPlace && n >= register_bytes) return copy(n - register_bytes);
  for (; i + 16 <= n; i += 16) copy16(i);
  if (!InPlace && n >= 16) return copy16(n - 16);
  for (; i + 4 <= n; i += 4) {
    std::int32_t word;
    __builtin_memcpy(&word, from + i, sizeof word);
    word ^= flip;
    __builtin_memcpy(to + i, &word, sizeof word);
  }
  for (; i < n; ++i) to[i] = from[i] ^ static_cast<std::byte>(flip);
}
inline void set_some_bytes(std::int64_t n, std::byte value, std::byte* to) {
  typedef std::int8_t bytes __attribute__((vector_size(16), may_alias));
  const bytes all = static_cast<std::int8_t>(value) - bytes{};
  if (n > 256) return void(std::fill_n(to, n, value));
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) store_vector(to + i, all);
  if (n >= 16) return store_vector(to + n - 16, all);
  for (; i < n; ++i) to[i] = value;
}

/// Widens n bytes to i16. InPlace: the bytes start n bytes after `to`, and no byte is read after it has been
/// overwritten.
template <bool InPlace> void widen_bytes(const std::byte* from, std::int64_t n, std::int32_t flip, std::byte* to) {
  constexpr std::int64_t half = register_bytes / 2;
  const int16_vector flips = static_cast<std::int16_t>(flip & 0xff) - int16_vector{};
  const auto widen = [&](std::int64_t i) __attribute__((always_inline)) {
    store_vector(to + 2 * i, load_widened<false>(from + i) ^ flips);
  };
  std::int64_t i = 0;
  for (; i + half <= n; i += half) widen(i);
  if (!InPlace && i > 0 && i < n) return widen(n - half);
  for (; i < n; ++i) {
    const auto value = static_cast<std::uint16_t>(static_cast<std::uint8_t>(from[i]) ^ (flip & 0xff));
    __builtin_memcpy(to + 2 * i, &value, sizeof value);
  }
}
/// Sets n i16 values.
inline void set_some_i16(std::int64_t n, std::uint16_t value, std::byte* to) {
  constexpr std::int64_t of_register = register_bytes / 2;
  const int16_vector all = static_cast<std::int16_t>(value) - int16_vector{};
  std::int64_t i = 0;
  for (; i + of_register <= n; i += of_register) store_vector(to + 2 * i, all);
  if (i > 0 && i < n) return store_vector(to + 2 * (n - of_register), all);
  for (; i < n; ++i) __builtin_memcpy(to + 2 * i, &value, sizeof value);
}

}  // namespace detail

/// Copies n values in the encoding `encoding`; `to` has n * encoding.size() bytes.
inline void copy_values(const std::byte* from, std::int64_t n, const int8_encoding& encoding, std::byte* to) {
  if (encoding.size() == 1) return detail::copy_some_bytes<false>(from, n, encoding.flip, to);
  detail::widen_bytes<false>(from, n, encoding.flip, to);
}
/// Sets n values to the stored byte `value`, in the encoding `encoding`.
inline void set_values(std::int64_t n, std::byte value, const int8_encoding& encoding, std::byte* to) {
  if (encoding.size() == 1) return detail::set_some_bytes(n, value ^ static_cast<std::byte>(encoding.flip), to);
  const auto wide =
      static_cast<std::uint16_t>(static_cast<std::uint8_t>(value) ^ static_cast<std::uint8_t>(encoding.flip));
  detail::set_some_i16(n, wide, to);
}
/// Offset within a row at which set_encoding() expects the n stored bytes: 0, or n if the row will be widened in place.
constexpr std::int64_t place_before_encoding(std::int64_t n, const int8_encoding& encoding) {
  return encoding.size() == 1 ? 0 : n;
}
/// Converts a row of n values from the stored bytes at place_before_encoding() to the encoding `encoding`, in place.
inline void set_encoding(std::int64_t n, const int8_encoding& encoding, std::byte* row) {
  if (encoding.is_quantised()) return;
  if (encoding.size() == 1) return detail::copy_some_bytes<true>(row, n, encoding.flip, row);
  detail::widen_bytes<true>(row + n, n, encoding.flip, row);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
