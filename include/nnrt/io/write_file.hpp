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

namespace nnrt { inline namespace NNRT_ISA {

/// Replaces the file at `path` (or makes it) by the pieces, one after the other. A temporary file next to it is
/// written, flushed to the device and renamed, so that a reader or a power cut meets the old content or the new one,
/// and a mapping of the old one stays valid. Permissions of the caller's own file are kept; of another user's file the
/// new one, which is the caller's, has no more than that. No symbolic link is followed: one that has the name is
/// replaced, its target is not written to. A pipe or device that has the name is replaced, too. Errors: not_found,
/// io_failed (a folder has the name, too); each names the file.
[[gnu::cold]] inline result<void> replace_file(std::string_view path,
                                               std::span<const std::span<const std::byte>> contents);

/// replace_file(), but a pipe or device is written to and stays what it is: for files that a user names. So are what
/// the names of the system lead to: /dev/stdout, /dev/stderr, /dev/fd/ and /proc/. Errors: those of replace_file();
/// io_failed (a pipe that nobody reads from, a socket, and a name of the system for a regular file that a process has
/// open); each names the file.
[[gnu::cold]] inline result<void> write_file(std::string_view path,
                                             std::span<const std::span<const std::byte>> contents);
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::byte> content) {
  return write_file(path, std::span<const std::span<const std::byte>>(&content, 1));
}

// --- details ---------------------------------------------------------------
namespace detail {
inline constexpr std::string_view mark_of_new_files = ".new-";

/// A new file named path.new-<process>-<n>; left-overs of a killed process with the same number are stepped over.
[[gnu::cold]] inline owned_fd create_beside(const std::string& path, std::string& temporary) {
  for (int n = 0;; ++n) {
    temporary = joined({path, mark_of_new_files, ::getpid(), "-", n});
    owned_fd made = open_path(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (made.is_open() || errno != EEXIST || n == 1000) return made;
  }
}

/// Gives a new file the permissions of the regular file that it will replace, if there is one. Bits that let programs
/// run as their owner are not taken over.
[[gnu::cold]] inline bool take_over_permissions(const owned_fd& file, const char* path) {
  struct ::stat old {
  }, made{};
  if (::lstat(path, &old) != 0 || !S_ISREG(old.st_mode) || ::fstat(file.number(), &made) != 0) return true;
  const ::mode_t allowed = old.st_uid == made.st_uid ? 0777U : made.st_mode;
  return ::fchmod(file.number(), old.st_mode & allowed & 0777U) == 0;
}

[[gnu::cold]] inline bool write_and_flush(owned_fd& file, std::span<const std::span<const std::byte>> contents,
                                          const char* path) {
  if (!take_over_permissions(file, path)) return false;
  for (const auto piece : contents)
    if (!write_all(file.number(), piece)) return false;
  return ::fsync(file.number()) == 0 && file.close();
}

/// Whether this is a name by which the system gives a process what it has open. These are links, and are followed.
[[gnu::cold]] inline bool is_name_of_the_system(std::string_view path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path == "/dev/stdin" || path.substr(0, 8) == "/dev/fd/" ||
         path.substr(0, 6) == "/proc/";
}

/// Writes to a device or a pipe.
[[gnu::cold]] inline result<void> write_through(const std::string& path, bool follows,
                                                std::span<const std::span<const std::byte>> contents) {
  owned_fd file = open_path(path.c_str(), O_WRONLY | (follows ? 0 : O_NOFOLLOW));
  struct ::stat opened {};
  if (!file.is_open() && errno == ENXIO)
    return fail(error_code::io_failed, {path, ": cannot write: nobody reads from it"});
  if (!file.is_open() || ::fstat(file.number(), &opened) != 0) return system_failure(path, "cannot write", errno);
  if (S_ISREG(opened.st_mode))
    return fail(error_code::io_failed, {path, ": cannot replace it: it is a link to what a process has open"});
  // It was opened without waiting; who reads slowly is waited for.
  bool is_written = ::fcntl(file.number(), F_SETFL, 0) == 0;
  for (std::size_t i = 0; is_written && i < contents.size(); ++i) is_written = write_all(file.number(), contents[i]);
  if (is_written && file.close()) return {};
  return system_failure(path, "cannot write", errno);
}

/// A directory, for its locks and for flushing it.
[[gnu::cold]] inline owned_fd open_directory(const char* path) { return open_path(path, O_RDONLY | O_DIRECTORY); }

// After a rename only the directory's own flush makes the new name durable; a file system that cannot do it is no
// reason to report a failed write.
[[gnu::cold]] inline void flush_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const owned_fd directory = open_directory(folder.c_str());
  if (directory.is_open()) ::fsync(directory.number());
}
}  // namespace detail

[[gnu::cold]] inline result<void> replace_file(std::string_view path,
                                               std::span<const std::span<const std::byte>> contents) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  const std::string name(path);
  std::string temporary;
  owned_fd file = detail::create_beside(name, temporary);
  if (!file.is_open()) return detail::system_failure(path, "cannot write beside it", errno);
  if (!detail::write_and_flush(file, contents, name.c_str()) || ::rename(temporary.c_str(), name.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return detail::system_failure(path, "cannot write", number);
  }
  detail::flush_directory_of(name);
  return {};
}

[[gnu::cold]] inline result<void> write_file(std::string_view path,
                                             std::span<const std::span<const std::byte>> contents) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  const std::string name(path);
  const bool follows = detail::is_name_of_the_system(path);
  struct ::stat there {};
  if ((follows ? ::stat(name.c_str(), &there) : ::lstat(name.c_str(), &there)) == 0) {
    const ::mode_t mode = there.st_mode;
    if (follows || S_ISFIFO(mode) || S_ISCHR(mode) || S_ISBLK(mode) || S_ISSOCK(mode))
      return detail::write_through(name, follows, contents);
  }
  return replace_file(path, contents);
}

}}  // namespace nnrt::NNRT_ISA
