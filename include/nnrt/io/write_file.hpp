// write_file: writing a whole file so that readers see the old one or the new one.
// Flow: whoever writes weights, saved models, caches or profiles calls it; programs that only read do without it.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace nnrt::inline NNRT_ISA {

/// Replaces the file at `path` (or makes it) by the pieces, one after the other. A temporary file beside it is written,
/// flushed to the device and renamed, so that a reader or a power cut meets the old content or the new one, and a
/// mapping of the old one stays valid. An existing file's permissions are kept; a symbolic link is replaced, not
/// followed. What is no regular file (a device, a pipe) is written to and stays what it is. Errors: not_found, io_failed
/// (a folder, a socket, and a link to what a process has open, too); each names the file.
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::span<const std::byte>> contents);
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::byte> content) {
  return write_file(path, std::span<const std::span<const std::byte>>(&content, 1));
}

// --- details ---------------------------------------------------------------
namespace detail {
inline constexpr std::string_view mark_of_new_files = ".new-";

/// A new file named path.new-<process>-<n>; left-overs of a killed process with the same number are stepped over.
[[gnu::cold]] inline int create_beside(const std::string& path, std::string& temporary) {
  for (int n = 0;; ++n) {
    temporary = joined({path, mark_of_new_files, ::getpid(), "-", n});
    const int number = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0 || errno != EEXIST || n == 1000) return number;
  }
}

[[gnu::cold]] inline bool write_and_flush(owned_file& file, std::span<const std::span<const std::byte>> contents, const char* path) {
  for (const auto piece : contents)
    if (!write_all(file.number(), piece)) return false;
  struct ::stat old {};
  if (::stat(path, &old) == 0 && ::fchmod(file.number(), old.st_mode & 07777U) != 0) return false;
  return ::fsync(file.number()) == 0 && file.close();
}

/// Whether the path leads to something that no file may take the place of: a device, a pipe, a folder, what a process has open (/dev/stdout).
[[gnu::cold]] inline bool stays(const char* path) {
  struct ::stat there {};
  if (::stat(path, &there) != 0) return false;
  char link[6];
  return !S_ISREG(there.st_mode) || (::readlink(path, link, sizeof link) == 6 && std::string_view(link, 6) == "/proc/");
}

/// Writes to a device or a pipe.
[[gnu::cold]] inline result<void> write_through(const std::string& path, std::span<const std::span<const std::byte>> contents) {
  struct ::stat there {};
  if (::stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode))
    return fail(error_code::io_failed, {path, ": cannot replace it: it is a link to what a process has open"});
  owned_file file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  bool is_written = file.is_open();
  for (std::size_t i = 0; is_written && i < contents.size(); ++i) is_written = write_all(file.number(), contents[i]);
  if (is_written && file.close()) return {};
  return system_failure(path, "cannot write", errno);
}

// After a rename only the directory's own flush makes the new name durable; a file system that cannot do it is no
// reason to report a failed write.
[[gnu::cold]] inline void flush_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const owned_file directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) ::fsync(directory.number());
}
}  // namespace detail

[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::span<const std::byte>> contents) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  const std::string name(path);
  if (detail::stays(name.c_str())) return detail::write_through(name, contents);
  std::string temporary;
  owned_file file(detail::create_beside(name, temporary));
  if (!file.is_open()) return detail::system_failure(path, "cannot write beside it", errno);
  if (!detail::write_and_flush(file, contents, name.c_str()) || ::rename(temporary.c_str(), name.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return detail::system_failure(path, "cannot write", number);
  }
  detail::flush_directory_of(name);
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
