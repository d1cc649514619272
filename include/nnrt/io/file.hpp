// file: a file mapped read-only into memory.
// Flow: weights, saved models and compilation caches come through it; write_file.hpp writes what it maps.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/config.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/owned_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace nnrt::inline NNRT_ISA {

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

  /// Errors: not_found, io_failed, out_of_memory; each names the file and says what the system said.
  static result<mapped_file> open(std::string_view path);
  /// The same for a default-made one.
  result<void> map(std::string_view path);

  array_ref<const std::byte> bytes() const { return bytes_; }

 private:
  array_ref<const std::byte> bytes_;
};

// --- details ---------------------------------------------------------------
namespace detail {
[[gnu::cold]] inline failure system_failure(std::string_view path, std::string_view what, int number) {
  const error_code code = number == ENOENT   ? error_code::not_found
                          : number == ENOMEM ? error_code::out_of_memory
                                             : error_code::io_failed;
  return fail(code, {path.empty() ? "\"\"" : path, ": ", what, ": ", system_text(number).view()});
}

[[gnu::cold]] inline failure zero_byte_in(std::string_view path) {
  return fail(error_code::invalid_argument,
              {path.substr(0, path.find('\0')), ": a zero byte follows in the path"});
}
}  // namespace detail

[[gnu::cold]] inline result<mapped_file> mapped_file::open(std::string_view path) {
  mapped_file mapped;
  if (auto ok = mapped.map(path); !ok) return fail(std::move(ok.error()));
  return mapped;
}

[[gnu::cold]] inline result<void> mapped_file::map(std::string_view path) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  pool<char> name;  // with the zero behind it that the system wants
  name.insert(path.begin(), path.end());
  name.push_back('\0');
  // O_NONBLOCK: a pipe must be refused below, not waited for.
  const owned_file file(::open(name.data(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return detail::system_failure(path, "cannot open", errno);
  struct ::stat status {};
  if (::fstat(file.number(), &status) != 0) return detail::system_failure(path, "cannot ask for its size", errno);
  if (!S_ISREG(status.st_mode)) return fail(error_code::io_failed, {path, ": cannot map: not a regular file"});
  if (status.st_size == 0) return {};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) return detail::system_failure(path, "cannot map", errno);
  bytes_ = {static_cast<const std::byte*>(address), bytes};
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
