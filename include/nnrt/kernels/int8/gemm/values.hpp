// values: rows of quantised bytes as the tiles of a product read them - as they are, flipped, or widened to 16 bits
// where the machine multiplies such.
// Flow: int8/gemm/gemm.hpp and int8/conv/conv2d.hpp copy rows by these; int8/gemm/tile.hpp reads them.
//
// To widen a byte takes as long as the two products of it in a tile. So rows that meet more than their own tile's
// columns are widened when they are copied, and each tile's broadcasts are loads.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/simd/dot4.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Whether tiles of several rows read numbers of 16 bits.
#if defined(NNRT_BYTES_WIDENED)
inline constexpr bool tiles_read_wide = true;
#else
inline constexpr bool tiles_read_wide = false;
#endif

/// Whether products of numbers of 16 bits take about as long as those of bytes, so that int8/conv/winograd.hpp may have
/// fewer of them instead.
#if defined(NNRT_BYTES_WIDENED) || defined(NNRT_BYTES_TURNED)
inline constexpr bool has_wide_tiles = true;
#else
inline constexpr bool has_wide_tiles = false;
#endif

/// How numbers lie where a tile reads them: wide, or as bytes, exclusive-ored with a flip.
struct int8_form {
  bool is_wide = false;
  std::int32_t flip = 0;

  /// Bytes that a number takes.
  constexpr std::int64_t size() const { return tiles_read_wide && is_wide ? 2 : 1; }
  /// Whether numbers are stored as they lie here.
  constexpr bool is_quantised() const { return size() == 1 && flip == 0; }
};
/// The form that differs most from what is stored of all that rows of tiles may have, whatever their zero points.
inline constexpr int8_form form_that_differs{tiles_read_wide, weights_flip ? 0 : 1};

namespace detail {

/// Copies n bytes, all exclusive-ored: calls of memcpy take longer for the few that a row has. In place no byte is read
/// twice.
template <bool InPlace> void copy_some_bytes(const std::byte* from, std::int64_t n, std::int32_t flip, std::byte* to) {
  typedef std::int32_t words __attribute__((vector_size(16), may_alias));
  int_vector flips = int_lanes_of(flip);
  vector_barrier(flips);  // else a loop that flips nothing becomes a call
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

#if defined(NNRT_BYTES_WIDENED)
/// Widens n bytes. In place the bytes stand behind the room of as many, and no register of them is read twice.
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
/// Sets n numbers of 16 bits.
inline void set_some_shorts(std::int64_t n, std::uint16_t value, std::byte* to) {
  constexpr std::int64_t of_register = register_bytes / 2;
  const int16_vector all = static_cast<std::int16_t>(value) - int16_vector{};
  std::int64_t i = 0;
  for (; i + of_register <= n; i += of_register) store_vector(to + 2 * i, all);
  if (i > 0 && i < n) return store_vector(to + 2 * (n - of_register), all);
  for (; i < n; ++i) __builtin_memcpy(to + 2 * i, &value, sizeof value);
}
#else
template <bool InPlace> void widen_bytes(const std::byte*, std::int64_t, std::int32_t, std::byte*) {}  // no row is wide
inline void set_some_shorts(std::int64_t, std::uint16_t, std::byte*) {}
#endif

}  // namespace detail

/// Copies n numbers as tiles read them; `to` has n * form.size() bytes.
inline void copy_values(const std::byte* from, std::int64_t n, const int8_form& form, std::byte* to) {
  if (form.size() == 1) return detail::copy_some_bytes<false>(from, n, form.flip, to);
  detail::widen_bytes<false>(from, n, form.flip, to);
}
/// Makes n numbers of one stored byte.
inline void set_values(std::int64_t n, std::byte value, const int8_form& form, std::byte* to) {
  if (form.size() == 1) return detail::set_some_bytes(n, value ^ static_cast<std::byte>(form.flip), to);
  const auto wide = static_cast<std::uint16_t>(static_cast<std::uint8_t>(value) ^ static_cast<std::uint8_t>(form.flip));
  detail::set_some_shorts(n, wide, to);
}
/// Where the bytes of a row stand that set_form() makes numbers of: of a wide row behind the room of as many.
constexpr std::int64_t place_before_form(std::int64_t n, const int8_form& form) { return form.size() == 1 ? 0 : n; }
/// Gives the bytes of a row their form where they lie, n of them.
inline void set_form(std::int64_t n, const int8_form& form, std::byte* row) {
  if (form.is_quantised()) return;
  if (form.size() == 1) return detail::copy_some_bytes<true>(row, n, form.flip, row);
  detail::widen_bytes<true>(row + n, n, form.flip, row);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
