// forged: stored bytes with something changed in them, and digests that say that nothing was.
#pragma once

#include <nnrt/io/record.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace nnrt_test {

/// Puts the digests right again, as a forger would.
inline void mend(nnrt::byte_list& bytes) {
  std::uint64_t head = 0;
  std::memcpy(&head, bytes.data() + 8, sizeof head);
  if (head < 64 || head > bytes.size() || head % 64 != 0) return;
  const nnrt::array_ref<const std::byte> all(bytes);
  const std::uint64_t data = nnrt::digest_of(all.subspan(head));
  std::memcpy(bytes.data() + 24, &data, sizeof data);
  const std::uint64_t first = nnrt::digest_of(all.first(head - 8));
  std::memcpy(bytes.data() + head - 8, &first, sizeof first);
}

/// The bytes with another text in place of the first one like `text`, which must be there, or of its beginning.
inline nnrt::byte_list with_other_text(nnrt::byte_list bytes, std::string_view text, std::string_view other) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  const auto at = std::search(bytes.begin(), bytes.end(), first, first + text.size());
  REQUIRE(at != bytes.end());
  std::memcpy(&*at, other.data(), other.size());
  mend(bytes);
  return bytes;
}

}  // namespace nnrt_test
