// boolean_bytes: whether bytes from elsewhere can be read as booleans.
// Flow: readers of files and models, and the check of a graph that arrives at run time, look at a constant's bytes before any kernel does.
#pragma once

#include <nnrt/core/array_ref.hpp>

#include <cstddef>
#include <span>

namespace nnrt::inline NNRT_ISA {

/// Index of the first byte that is neither 0 nor 1, the number of bytes if there is none. Others are no value of a C++
/// bool: reading one would be undefined behaviour in every kernel.
[[gnu::cold]] constexpr std::size_t first_no_boolean(array_ref<const std::byte> bytes) {
  std::size_t i = 0;
  while (i < bytes.size() && bytes[i] <= std::byte{1}) ++i;
  return i;
}

/// Makes booleans of bytes as C programs have them, of which 0 is false and every other true.
constexpr void make_booleans(std::span<std::byte> bytes) {
  for (std::byte& one : bytes) one = std::byte{one != std::byte{}};
}

}  // namespace nnrt::inline NNRT_ISA
