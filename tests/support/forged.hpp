// forged: quantised bytes with something changed in them, and digests that say that nothing was.
#pragma once

#include "mended.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace nnrt_test {

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
