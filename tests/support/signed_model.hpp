// signed_model: the bytes of a saved model, with the digest of a header that somebody changed made anew.
// Flow: hostile files that a digest alone would keep from being read.
#pragma once

#include <nnrt/io/saved_model.hpp>

#include <cstring>
#include <span>
#include <string>

namespace nnrt_test {

/// Puts the header's digest where it belongs, if there is a header with a place for it.
inline void sign(std::span<std::byte> file) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length) return;
  const auto header = file.first(static_cast<std::size_t>(sizeof length + length));
  const std::size_t at = nnrt::detail::place_of_digest(nnrt::array_ref<const std::byte>(header.data(), header.size()));
  if (at == header.size()) return;
  std::memcpy(header.data() + at, nnrt::detail::no_digest.data(), nnrt::detail::no_digest.size());
  const std::string digest =
      nnrt::detail::hexadecimal(nnrt::digest_of(nnrt::array_ref<const std::byte>(header.data(), header.size())));
  std::memcpy(header.data() + at, digest.data(), digest.size());
}

}  // namespace nnrt_test
