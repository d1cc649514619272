// file: a file mapped read-only into memory, and writing a whole file so that readers see the old one or the new one.
// Flow: weights, saved models and compilation caches come and go through it.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/core/text.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace nnrt::inline NNRT_ISA {

/// A regular file's bytes, mapped read-only; unmapped on destruction. Page-aligned. Empty (no bytes) when default-made
/// or moved from. Whoever truncates the file while it is mapped ends the process with SIGBUS on the next access:
/// replace files (write_file does), do not rewrite them.
class mapped_file {
 public:
  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  mapped_file& operator=(mapped_file other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  /// Errors: not_found, io_failed, out_of_memory; each names the file and says what the system said.
  static result<mapped_file> open(std::string_view path);
  /// The same for a default-made one.
  result<void> map(std::string_view path);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Replaces the file at `path` (or makes it) by the pieces, one after the other. A temporary file beside it is written,
/// flushed to the device and renamed, so that a reader or a power cut meets the old content or the new one, and a
/// mapping of the old one stays valid. An existing file's permissions are kept; a symbolic link is replaced, not
/// followed. Errors: not_found, io_failed; each names the file.
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::span<const std::byte>> pieces);
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::byte> content) {
  return write_file(path, std::span<const std::span<const std::byte>>(&content, 1));
}

// --- details ---------------------------------------------------------------
namespace detail {
[[gnu::cold]] inline failure system_failure(std::string_view path, std::string_view what, int number) {
  const error_code code = number == ENOENT   ? error_code::not_found
                          : number == ENOMEM ? error_code::out_of_memory
                                             : error_code::io_failed;
  return fail(code, {path, ": ", what, ": ", system_text(number).view()});
}

[[gnu::cold]] inline failure zero_byte_in(std::string_view path) {
  return fail(error_code::invalid_argument,
              {path.substr(0, path.find('\0')), ": a zero byte follows in the path"});
}

/// A file descriptor that closes itself.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { close(); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// A new file named path.new-<process>-<n>; left-overs of a killed process with the same number are stepped over.
[[gnu::cold]] inline int create_beside(const std::string& path, std::string& temporary) {
  for (int n = 0;; ++n) {
    temporary = joined({path, ".new-", ::getpid(), "-", n});
    const int number = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0 || errno != EEXIST || n == 1000) return number;
  }
}

[[gnu::cold]] inline bool write_all(int file, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

[[gnu::cold]] inline bool write_and_flush(descriptor& file, std::span<const std::span<const std::byte>> pieces, const char* path) {
  for (const auto piece : pieces)
    if (!write_all(file.number(), piece)) return false;
  struct ::stat old {};
  if (::stat(path, &old) == 0 && ::fchmod(file.number(), old.st_mode & 07777U) != 0) return false;
  return ::fsync(file.number()) == 0 && file.close();
}

// After a rename only the directory's own flush makes the new name durable; a file system that cannot do it is no
// reason to report a failed write.
[[gnu::cold]] inline void flush_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) ::fsync(directory.number());
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
  const detail::descriptor file(::open(name.data(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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

[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::span<const std::byte>> pieces) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  const std::string name(path);
  std::string temporary;
  detail::descriptor file(detail::create_beside(name, temporary));
  if (!file.is_open()) return detail::system_failure(path, "cannot write beside it", errno);
  if (!detail::write_and_flush(file, pieces, name.c_str()) || ::rename(temporary.c_str(), name.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return detail::system_failure(path, "cannot write", number);
  }
  detail::flush_directory_of(name);
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
