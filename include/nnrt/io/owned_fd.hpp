// owned_fd: a file descriptor that closes itself, and functions that read or write all bytes of a range.
// Flow: mapped files, written files, driver caches and messages between processes hold their files in it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/config.hpp>
#include <nnrt/core/exchange.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA {

/// Owns a file descriptor; the destructor closes it. A number below 0 means none. Move only.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int number) : number_(number) {}
  owned_fd(owned_fd&& other) noexcept : number_(other.released()) {}
  owned_fd& operator=(owned_fd other) noexcept {
    detail::swap_values(number_, other.number_);
    return *this;
  }
  ~owned_fd() { close(); }

  /// Duplicates a descriptor (close-on-exec). Holds none when the system's limit is reached.
  static owned_fd copy_of(int number) { return owned_fd(::fcntl(number, F_DUPFD_CLOEXEC, 0)); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes the file. Returns false when the system could not write buffered data; errno has the reason.
  bool close() {
    const int number = released();
    return number < 0 || ::close(number) == 0;
  }

 private:
  int released() {
    const int number = number_;
    number_ = -1;
    return number;
  }
  int number_ = -1;
};

namespace detail {

/// Reads exactly to.size() bytes at file offset `place`, without moving the file position. Returns false at the end of
/// the file, or on an error (see errno).
[[gnu::cold]] inline bool read_at(int file, std::uint64_t place, array_ref<std::byte> to) {
  for (std::size_t done = 0; done < to.size();) {
    const ::ssize_t got = ::pread(file, to.data() + done, to.size() - done, static_cast<::off_t>(place + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// Writes all bytes with repeated calls of write(from, count). Returns false on an error; errno has the reason.
template <class Write> bool write_each(array_ref<const std::byte> bytes, Write write) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t written = write(done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;  // write() set no errno
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}
[[gnu::cold]] inline bool write_all(int file, array_ref<const std::byte> bytes) {
  return write_each(bytes,
                    [&](std::size_t done, std::size_t left) { return ::write(file, bytes.data() + done, left); });
}
/// Writes all bytes at file offset `place`, without moving the file position. Returns false on an error; see errno.
[[gnu::cold]] inline bool write_at(int file, std::uint64_t place, array_ref<const std::byte> bytes) {
  return write_each(bytes, [&](std::size_t done, std::size_t left) {
    return ::pwrite(file, bytes.data() + done, left, static_cast<::off_t>(place + done));
  });
}

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
