// hash: a hash of words, and the slot of a hash table.
// Flow: passes find equal nodes with it, the planner equal descs, builders and readers names.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// FNV-1a (Fowler, Noll, Vo), one word at a time.
inline constexpr std::uint64_t no_hash = 0xcbf29ce484222325U;
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3U; }

/// Slot in a table of 2^bits slots: upper bits of a product (Knuth's multiplicative hashing). FNV's lower bits depend
/// only on the lower bits of words, which are often 0 in floats.
constexpr std::size_t slot_of(std::uint64_t hash, int bits) {
  return static_cast<std::size_t>((hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15U >> (64 - bits));
}

constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = no_hash;
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

}}}  // namespace nnrt::NNRT_ISA::detail
