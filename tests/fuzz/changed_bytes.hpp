// changed_bytes: quantised bytes of this library with some of them changed, and what must hold of what is restored.
// Flow: fuzzers of stored programs, stored weights and calibrated files. What is stored depends on the instruction set
// and the library's version, so their seeds hold changes and no quantised bytes.
#pragma once

#include "oracle.hpp"

#include "support/mended.hpp"

#include <nnrt/exec/options.hpp>
#include <nnrt/io/shared_bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace nnrt_fuzz {

namespace detail {

inline void change(nnrt::byte_list& bytes, std::span<const std::uint8_t, 4> how) {
  const std::size_t place = (static_cast<std::size_t>(how[0]) << 8U | how[1]) % bytes.size();
  std::byte& at = bytes[place];
  switch (how[2] % 4) {
    case 0: at = static_cast<std::byte>(how[3]); break;
    case 1: at ^= static_cast<std::byte>(1U << (how[3] % 8U)); break;
    case 2:
      for (std::size_t i = place; i < bytes.size() && i < place + 8; ++i)
        bytes[i] = static_cast<std::byte>(how[3] < 128 ? how[3] : 255);
      break;
    default: bytes.resize(bytes.size() - std::min<std::size_t>(how[3] % 128U, bytes.size() - 1)); break;
  }
}

}  // namespace detail

/// The bytes after changes of four bytes each: the place (two bytes), how, and the number.
inline nnrt::byte_list with_changes(nnrt::byte_list bytes, std::span<const std::uint8_t> changes) {
  for (; changes.size() >= 4; changes = changes.subspan(4)) detail::change(bytes, changes.first<4>());
  return bytes;
}

/// What was stored, and what it computed before.
struct stored_original {
  nnrt::byte_list bytes;
  std::optional<tensors> results;
};

/// Restores bytes with changes in them. With unchanged digests they are refused. With digests that fit, they are
/// refused in words, or give something that runs, computes the same on one thread and two, and the same as before where
/// nothing was changed; stored and restored again it still does.
///
/// \param restore (bytes, options, whether the caller answers for the weights' numbers): a result
/// \param store, results_of take what was restored
template <class Restore, class Store, class ResultsOf>
void check_changed(const stored_original& from, std::span<const std::uint8_t> changes, Restore restore, Store store,
                   ResultsOf results_of) {
  nnrt::byte_list changed = with_changes(from.bytes, changes);
  const bool is_changed = changed != from.bytes;
  require(!is_changed || !restore(nnrt::shared_bytes::copy_of(changed), nnrt::options{}, false).has_value());
  nnrt_test::mend(changed);
  const nnrt::shared_bytes kept = nnrt::shared_bytes::copy_of(changed);
  auto restored = restore(kept, nnrt::options{}, false);
  auto trusted = restore(kept, nnrt::options{.threads = 2}, true);
  require(restored.has_value() == trusted.has_value());
  if (!restored) return require(is_changed && !restored.error().message().empty());
  const std::optional<tensors> results = results_of(*restored);
  require(results_of(*trusted) == results);
  if (changed == from.bytes) require(results == from.results);
  const auto stored = store(*restored);
  if (!stored) return require(!stored.error().message().empty());
  auto again = restore(nnrt::shared_bytes::copy_of(*stored), nnrt::options{}, false);
  require(again && results_of(*again) == results);
}

}  // namespace nnrt_fuzz
