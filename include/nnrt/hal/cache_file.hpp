// cache_file: stores a prepared model's buffers in a caller's file, with a token and a digest that detect other
// contents.
// Flow: hal/device.hpp writes one after a preparation, and restores the model from it later.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/open_file.hpp>
#include <nnrt/io/owned_fd.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// 32 bytes by which a program identifies its prepared model.
using cache_token = std::array<std::byte, 32>;

namespace detail {

/// Header of a cache file. The sizes of the buffers follow it, then the buffers.
struct cache_header {
  std::uint64_t mark = 0x32656863616e6e6eU;  // "nnnache2"
  cache_token token{};
  std::uint64_t buffers = 0, digest = 0;  // digest of all sizes and of the buffers' digests
};

}  // namespace detail

/// Writes the buffers from the start of the file, over its contents. The caller's file offset does not change. Error:
/// io_failed.
inline result<void> write_cache(int fd, const cache_token& token, array_ref<const std::vector<std::byte>> buffers) {
  std::vector<std::uint64_t> sizes;
  for (const auto& buffer : buffers) sizes.push_back(buffer.size());
  const array_ref<const std::byte> size_bytes(reinterpret_cast<const std::byte*>(sizes.data()),
                                              sizes.size() * sizeof(std::uint64_t));
  detail::cache_header header;
  byte_writer digests;
  for (const auto& buffer : buffers) digests.put(std::uint64_t{buffer.size()}), digests.put(digest_of(buffer));
  header.token = token, header.buffers = buffers.size(), header.digest = digest_of(digests.bytes);
  bool ok = ::ftruncate(fd, 0) == 0;
  std::uint64_t at = 0;
  const auto add = [&](array_ref<const std::byte> bytes) {
    ok = ok && nnrt::detail::write_at(fd, at, bytes), at += bytes.size();
  };
  add({reinterpret_cast<const std::byte*>(&header), sizeof header});
  add(size_bytes);
  for (const auto& buffer : buffers) add(buffer);
  if (!ok) return fail(error_code::io_failed, "cache: cannot be written");
  return {};
}

/// Limits of read_cache(), which copies the buffers into memory: a file must not be larger than the machine's memory,
/// either. NN HAL knows 32 files of each kind; a driver here exports at most 100 buffers.
inline constexpr std::uint64_t max_cache_bytes = std::uint64_t{1} << 36, max_cache_buffers = 100;

namespace detail {

/// Physical memory of the machine in bytes; max_cache_bytes if the system does not tell.
inline std::uint64_t bytes_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes_each = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes_each > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes_each)
                                     : max_cache_bytes;
}

inline failure damaged_cache(const char* why) { return fail(error_code::invalid_file, {"cache: ", why}); }

/// Size of a regular file that is open for reading and writing.
inline result<std::uint64_t> size_of_cache(int fd) {
  struct ::stat status {};
  const int access = ::fcntl(fd, F_GETFL);
  if (access < 0 || ::fstat(fd, &status) != 0) return fail(error_code::io_failed, "cache: cannot be read");
  if (!S_ISREG(status.st_mode))
    return fail(error_code::io_failed,
                {"cache: is ", nnrt::detail::kind_of_file(status.st_mode), ", expected a regular file"});
  if ((access & O_ACCMODE) != O_RDWR) return fail(error_code::io_failed, "cache: is not open for reading and writing");
  return static_cast<std::uint64_t>(status.st_size);
}

/// Reads and checks the header and the sizes of the buffers against the file's size. Nothing larger than the sizes is
/// allocated before.
inline result<std::vector<std::uint64_t>> read_cache_sizes(int fd, std::uint64_t file_bytes, const cache_token& token,
                                                           cache_header& header) {
  const std::uint64_t mark = header.mark;
  if (file_bytes < sizeof header) return damaged_cache("has no header");
  if (!nnrt::detail::read_at(fd, 0, {reinterpret_cast<std::byte*>(&header), sizeof header}))
    return damaged_cache("became shorter");
  if (header.mark != mark) return damaged_cache("is none");
  if (header.token != token) return damaged_cache("belongs to another token");
  if (header.buffers > max_cache_buffers) return damaged_cache("has more buffers than caches may have");
  std::vector<std::uint64_t> sizes(header.buffers);
  std::uint64_t left = file_bytes - sizeof header;
  const std::uint64_t size_bytes = sizes.size() * sizeof(std::uint64_t);
  if (size_bytes > left) return damaged_cache("has fewer buffers than it says");
  if (!nnrt::detail::read_at(fd, sizeof header, {reinterpret_cast<std::byte*>(sizes.data()), size_bytes}))
    return damaged_cache("became shorter");
  left -= size_bytes;
  for (const std::uint64_t size : sizes) {
    if (size > left) return damaged_cache("is shorter than its buffers");
    left -= size;
  }
  if (left != 0) return damaged_cache("is longer than its buffers");
  if (file_bytes > max_cache_bytes || file_bytes > bytes_of_machine())
    return damaged_cache("is larger than this machine can hold");
  return sizes;
}

}  // namespace detail

/// Reads the buffers that write_cache() wrote under this token. The header, the token and the sizes are checked before
/// buffers are allocated.
/// Errors: io_failed (not readable, not writable, or not a regular file); invalid_file (another token, a wrong size or
/// digest, more than `max_cache_buffers` buffers or `max_cache_bytes` bytes).
inline result<std::vector<std::vector<std::byte>>> read_cache(int fd, const cache_token& token) {
  const auto file_bytes = detail::size_of_cache(fd);
  if (!file_bytes) return fail(file_bytes.error());
  detail::cache_header header;
  const auto sizes = detail::read_cache_sizes(fd, *file_bytes, token, header);
  if (!sizes) return fail(sizes.error());
  byte_writer digests;
  std::vector<std::vector<std::byte>> buffers;
  std::uint64_t at = sizeof header + sizes->size() * sizeof(std::uint64_t);
  for (const std::uint64_t size : *sizes) {
    buffers.emplace_back(static_cast<std::size_t>(size));
    if (!nnrt::detail::read_at(fd, at, buffers.back())) return detail::damaged_cache("became shorter");
    digests.put(size), digests.put(digest_of(buffers.back()));
    at += size;
  }
  if (digest_of(digests.bytes) != header.digest) return detail::damaged_cache("has other bytes than were written");
  return buffers;
}

}}}  // namespace nnrt::NNRT_ISA::hal
