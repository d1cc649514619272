// cache_file: a prepared model in a file of the caller's - buffers behind a token and a digest, so that no other bytes are taken for them.
// Flow: hal/device.hpp writes one after a preparation and reads it in place of the next.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/io/owned_file.hpp>
#include <nnrt/io/record.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace nnrt::inline NNRT_ISA::hal {

/// By which a program knows its prepared model again.
using cache_token = std::array<std::byte, 32>;

namespace detail {

/// What stands in front of the buffers: their sizes follow it, then they themselves.
struct cache_header {
  std::uint64_t mark = 0x31656863616e6e6eU;  // "nnnache1"
  cache_token token{};
  std::uint64_t buffers = 0, digest = 0;  // of each buffer's size and digest
};

}  // namespace detail

/// Writes the buffers from the file's begin on, whatever was there before; the place where the caller stands in it stays. Error: io_failed.
inline result<void> write_cache(int fd, const cache_token& token, array_ref<const std::vector<std::byte>> buffers) {
  std::vector<std::uint64_t> sizes;
  for (const auto& buffer : buffers) sizes.push_back(buffer.size());
  const array_ref<const std::byte> size_bytes(reinterpret_cast<const std::byte*>(sizes.data()), sizes.size() * sizeof(std::uint64_t));
  detail::cache_header header;
  record_writer digests;
  for (const auto& buffer : buffers) digests.put(std::uint64_t{buffer.size()}), digests.put(digest_of(buffer));
  header.token = token, header.buffers = buffers.size(), header.digest = digest_of(digests.bytes);
  bool ok = ::ftruncate(fd, 0) == 0;
  std::uint64_t at = 0;
  const auto add = [&](array_ref<const std::byte> bytes) { ok = ok && nnrt::detail::write_at(fd, at, bytes), at += bytes.size(); };
  add({reinterpret_cast<const std::byte*>(&header), sizeof header});
  add(size_bytes);
  for (const auto& buffer : buffers) add(buffer);
  if (!ok) return fail(error_code::io_failed, "cache: cannot be written");
  return {};
}

/// The buffers that write_cache() wrote under this token. Errors: io_failed (it cannot be read, or not written); invalid_file (another token, or
/// bytes that are not all there, too many, or others).
inline result<std::vector<std::vector<std::byte>>> read_cache(int fd, const cache_token& token) {
  const auto damaged = [](const char* why) { return fail(error_code::invalid_file, {"cache: ", why}); };
  struct ::stat status {};
  const int access = ::fcntl(fd, F_GETFL);
  if (access < 0 || ::fstat(fd, &status) != 0) return fail(error_code::io_failed, "cache: cannot be read");
  if ((access & O_ACCMODE) != O_RDWR) return fail(error_code::io_failed, "cache: is not open for reading and writing");
  detail::cache_header header;
  if (status.st_size < static_cast<::off_t>(sizeof header)) return damaged("has no header");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  if (!nnrt::detail::read_at(fd, 0, bytes)) return damaged("became shorter");
  const std::uint64_t mark = header.mark;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.mark != mark) return damaged("is none");
  if (header.token != token) return damaged("belongs to another token");
  const array_ref<const std::byte> rest(bytes.data() + sizeof header, bytes.size() - sizeof header);
  if (header.buffers > rest.size() / sizeof(std::uint64_t)) return damaged("has fewer buffers than it says");
  const std::size_t size_bytes = header.buffers * sizeof(std::uint64_t);
  record_writer digests;
  std::vector<std::vector<std::byte>> buffers;
  std::size_t at = size_bytes;
  for (std::uint64_t i = 0; i < header.buffers; ++i) {
    std::uint64_t size = 0;
    std::memcpy(&size, rest.data() + i * sizeof size, sizeof size);
    if (size > rest.size() - at) return damaged("is shorter than its buffers");
    const array_ref<const std::byte> buffer = rest.subspan(at, size);
    digests.put(size), digests.put(digest_of(buffer));
    buffers.emplace_back(buffer.begin(), buffer.end());
    at += size;
  }
  if (at != rest.size()) return damaged("is longer than its buffers");
  if (digest_of(digests.bytes) != header.digest) return damaged("has other bytes than were written");
  return buffers;
}

}  // namespace nnrt::inline NNRT_ISA::hal
