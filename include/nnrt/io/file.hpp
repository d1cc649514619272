// file: maps a file read-only into memory.
// Flow: weights, saved models and compilation caches are read through it; write_file.hpp writes these files.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/config.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/io/open_file.hpp>

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// The bytes of a regular file, mapped read-only at a page boundary. The destructor unmaps them. A default-constructed
/// or moved-from object has no bytes. If a process truncates the mapped file, the next access ends this process with
/// SIGBUS: replace files, as write_file() does, instead of rewriting them.
class mapped_file {
 public:
  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept : bytes_(detail::taken(other.bytes_)) {}
  mapped_file& operator=(mapped_file other) noexcept {
    detail::swap_values(bytes_, other.bytes_);
    return *this;
  }
  ~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  /// Maps a file of at most `max_bytes` bytes, opened by open_to_read(). Pipes (such as /dev/stdin), devices and
  /// folders cannot be mapped and are refused. Errors: those of open_to_read(), io_failed, out_of_memory. Each names
  /// the file and has the system's reason.
  static result<mapped_file> open(std::string_view path, std::uint64_t max_bytes = any_size);
  /// Maps a file into this object, which must be default-constructed. Errors as open().
  result<void> map(std::string_view path, std::uint64_t max_bytes = any_size);

  array_ref<const std::byte> bytes() const { return bytes_; }

 private:
  array_ref<const std::byte> bytes_;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] inline result<mapped_file> mapped_file::open(std::string_view path, std::uint64_t max_bytes) {
  mapped_file mapped;
  if (auto ok = mapped.map(path, max_bytes); !ok) return fail(std::move(ok.error()));
  return mapped;
}

[[gnu::cold]] inline result<void> mapped_file::map(std::string_view path, std::uint64_t max_bytes) {
  const auto opened = open_to_read(path, max_bytes);
  if (!opened) return fail(opened.error());
  if (opened->size == 0) return {};
  if (opened->size > std::numeric_limits<std::size_t>::max()) return detail::system_failure(path, "cannot map", ENOMEM);
  const auto bytes = static_cast<std::size_t>(opened->size);
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, opened->file.number(), 0);
  if (address == MAP_FAILED) return detail::system_failure(path, "cannot map", errno);
  bytes_ = {static_cast<const std::byte*>(address), bytes};
  return {};
}

}}  // namespace nnrt::NNRT_ISA
