// boolean_bytes: checks and converts bytes from outside to booleans.
// Flow: readers of files and models, and the check of run-time graphs, check constants' bytes before kernels read them.
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

/// Index of the first byte that is neither 0 nor 1, or the number of bytes. Other bytes are invalid as a C++ bool:
/// reading one would be undefined behaviour in every kernel.
[[gnu::cold]] constexpr std::size_t first_no_boolean(array_ref<const std::byte> bytes) {
  return detail::first_no_boolean(bytes);
}
/// For a file in constant evaluation, where bytes are characters.
template <std::same_as<std::string_view> Text> [[gnu::cold]] constexpr std::size_t first_no_boolean(Text bytes) {
  return detail::first_no_boolean(bytes);
}

/// Converts bytes of C programs to booleans: 0 is false, other values are true.
constexpr void make_booleans(std::span<std::byte> bytes) {
  for (std::byte& one : bytes) one = std::byte{one != std::byte{}};
}

}}  // namespace nnrt::NNRT_ISA
