// write_file: replaces a whole file atomically; readers see the old or the new content.
// Flow: code that writes weights, saved models, caches or profiles calls it; programs that only read do not need it.
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

/// Creates or replaces the file at `path` with the concatenated pieces. It writes a temporary file in the same folder,
/// flushes it to the device and renames it. So readers see the old or the new content, also after a power cut, and
/// mappings of the old file remain valid. If the caller owns the old file, its permissions are kept. If another user
/// owns it, the new file belongs to the caller and its permissions are at most the old ones. A symbolic link, pipe or
/// device with this name is replaced; a link's target is not written. Errors: not_found, io_failed (also for a folder
/// with this name); each names the file.
[[gnu::cold]] inline result<void> replace_file(std::string_view path,
                                               std::span<const std::span<const std::byte>> contents);

/// Like replace_file(), for files that a user names: a pipe or device is written to, not replaced. So are the targets
/// of the system's names: /dev/stdout, /dev/stderr, /dev/fd/ and /proc/. Errors: those of replace_file(); io_failed (a
/// pipe without a reader, a socket, a system name for a regular file that a process has open); each names the file.
[[gnu::cold]] inline result<void> write_file(std::string_view path,
                                             std::span<const std::span<const std::byte>> contents);
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::byte> content) {
  return write_file(path, std::span<const std::span<const std::byte>>(&content, 1));
}

// --- details ---------------------------------------------------------------
namespace detail {
inline constexpr std::string_view mark_of_new_files = ".new-";

/// Creates a file named `path.new-<process>-<n>`. Names left by a killed process with the same number are skipped.
[[gnu::cold]] inline owned_fd create_beside(const std::string& path, std::string& temporary) {
  for (int n = 0;; ++n) {
    temporary = joined({path, mark_of_new_files, ::getpid(), "-", n});
    owned_fd made = open_path(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (made.is_open() || errno != EEXIST || n == 1000) return made;
  }
}

/// Copies the permissions of the regular file that the new one will replace, if there is one. The set-user-ID and
/// set-group-ID bits are not copied.
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

/// True for names by which the system refers to a process's open files. These are links and are followed.
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
  // The file was opened non-blocking; the writes below block until a slow reader is ready.
  bool is_written = ::fcntl(file.number(), F_SETFL, 0) == 0;
  for (std::size_t i = 0; is_written && i < contents.size(); ++i) is_written = write_all(file.number(), contents[i]);
  if (is_written && file.close()) return {};
  return system_failure(path, "cannot write", errno);
}

/// Opens a directory, for locking and flushing it.
[[gnu::cold]] inline owned_fd open_directory(const char* path) { return open_path(path, O_RDONLY | O_DIRECTORY); }

// A rename becomes durable only when the directory is flushed. A file system that cannot do this does not make the
// write fail.
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
  if (!file.is_open()) return detail::system_failure(path, "cannot write to its folder", errno);
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
