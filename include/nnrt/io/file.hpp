// file: a file mapped read-only into memory.
// Flow: weights, saved models and compilation caches come through it; write_file.hpp writes what it maps.
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

/// A regular file's bytes, mapped read-only; unmapped on destruction. Page-aligned. Empty (no bytes) when default-made
/// or moved from. Whoever truncates the file while it is mapped ends the process with SIGBUS on the next access:
/// replace files (write_file() does), do not rewrite them.
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

  /// Maps a file of at most `max_bytes`, as open_to_read() opens it: pipes (also /dev/stdin and process
  /// substitutions), devices and folders are refused, since they cannot be mapped. Errors: those of open_to_read(),
  /// io_failed, out_of_memory; each names the file and says what the system said.
  static result<mapped_file> open(std::string_view path, std::uint64_t max_bytes = any_size);
  /// The same for a default-made one.
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
