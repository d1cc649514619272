// numbers_at: reads little-endian numbers at any address, at run time and in constant evaluation.
// Flow: readers of model files take a file as a std::string_view, of a string literal or of mapped memory.
#pragma once

#include <nnrt/core/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA {

/// Reads the little-endian number at `bytes + at`, at any alignment. The caller has checked that sizeof(T) bytes are
/// there. A bool is true for every byte except 0.
template <class T> constexpr T number_at(const char* bytes, std::size_t at) {
  if constexpr (std::is_same_v<T, bool>) {
    return bytes[at] != 0;
  } else {
    if (!__builtin_is_constant_evaluated() && std::endian::native == std::endian::little) {
      T number;
      std::memcpy(&number, bytes + at, sizeof number);
      return number;
    }
    // One expression instead of a loop: clang limits constant evaluation to a million statements and calls.
    const char* const b = bytes + at;
#define NNRT_BYTE(i) (static_cast<std::uint64_t>(static_cast<unsigned char>(b[i])) << (8 * (i)))
    if constexpr (sizeof(T) == 1) return std::bit_cast<T>(b[0]);
    else if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<std::uint16_t>(NNRT_BYTE(0) | NNRT_BYTE(1)));
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<T>(static_cast<std::uint32_t>(NNRT_BYTE(0) | NNRT_BYTE(1) | NNRT_BYTE(2) | NNRT_BYTE(3)));
    else
      return std::bit_cast<T>(NNRT_BYTE(0) | NNRT_BYTE(1) | NNRT_BYTE(2) | NNRT_BYTE(3) | NNRT_BYTE(4) | NNRT_BYTE(5) |
                              NNRT_BYTE(6) | NNRT_BYTE(7));
#undef NNRT_BYTE
  }
}

/// A view of bytes as the string_view that readers take.
inline std::string_view letters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// A view of a string_view as the bytes that weights take.
inline std::span<const std::byte> bytes_of(std::string_view letters) {
  return {reinterpret_cast<const std::byte*>(letters.data()), letters.size()};
}

}}  // namespace nnrt::NNRT_ISA
