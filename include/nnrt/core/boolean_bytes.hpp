// boolean_bytes: whether bytes from elsewhere can be read as booleans.
// Flow: readers of files and models, and the check of a graph that arrives at run time, look at a constant's bytes
// before any kernel does.
#pragma once

#include <nnrt/core/array_ref.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {
template <class Bytes> [[gnu::cold]] constexpr std::size_t first_no_boolean(Bytes bytes) {
  std::size_t i = 0;
  while (i < bytes.size() && static_cast<unsigned char>(bytes[i]) <= 1) ++i;
  return i;
}
}  // namespace detail

/// Index of the first byte that is neither 0 nor 1, the number of bytes if there is none. Others are no value of a C++
/// bool: reading one would be undefined behaviour in every kernel.
[[gnu::cold]] constexpr std::size_t first_no_boolean(array_ref<const std::byte> bytes) {
  return detail::first_no_boolean(bytes);
}
/// The same of a file in constant evaluation, where bytes are characters.
template <std::same_as<std::string_view> Text> [[gnu::cold]] constexpr std::size_t first_no_boolean(Text bytes) {
  return detail::first_no_boolean(bytes);
}

/// Makes booleans of bytes as C programs have them, of which 0 is false and every other true.
constexpr void make_booleans(std::span<std::byte> bytes) {
  for (std::byte& one : bytes) one = std::byte{one != std::byte{}};
}

}}  // namespace nnrt::NNRT_ISA
