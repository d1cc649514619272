// open_file: opens regular files for reading, without blocking, and returns their sizes.
// Flow: mapped_file and readers of cache files call open_to_read(); no other function of the library opens a file to
// read.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/owned_fd.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// An open regular file, and its size in bytes when it was opened.
struct opened_file {
  owned_fd file;
  std::uint64_t size = 0;
};

/// Size limit for files of any size.
inline constexpr std::uint64_t any_size = ~std::uint64_t{};

/// Opens the regular file at `path`, of at most `max_bytes` bytes. Symbolic links are followed. It never blocks: pipes,
/// devices, sockets and folders are refused without being opened. The type is checked again after opening, in case the
/// path was replaced meanwhile. Errors: not_found; io_failed (not a regular file, or the system's reason); invalid_file
/// (larger than `max_bytes`); invalid_argument (a zero byte in the path). Each names the file.
result<opened_file> open_to_read(std::string_view path, std::uint64_t max_bytes = any_size);

// --- details ---------------------------------------------------------------
namespace detail {
[[gnu::cold]] inline failure system_failure(std::string_view path, std::string_view what, int number) {
  const error_code code = number == ENOENT   ? error_code::not_found
                          : number == ENOMEM ? error_code::out_of_memory
                                             : error_code::io_failed;
  return fail(code, {path.empty() ? "\"\"" : path, ": ", what, ": ", system_text(number).view()});
}

[[gnu::cold]] inline failure zero_byte_in(std::string_view path) {
  return fail(error_code::invalid_argument, {path.substr(0, path.find('\0')), ": a zero byte follows in the path"});
}

/// Names the type of a file in messages.
[[gnu::cold]] inline std::string_view kind_of_file(::mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISLNK(mode)) return "a symbolic link";
  return "of a kind that is unknown here";
}
[[gnu::cold]] inline failure not_regular(std::string_view path, ::mode_t mode) {
  return fail(error_code::io_failed, {path, ": is ", kind_of_file(mode), ", expected a regular file"});
}

/// Calls open() so that it neither blocks nor acquires a controlling terminal. All code that opens a path calls it.
[[gnu::cold]] inline owned_fd open_path(const char* path, int flags, ::mode_t mode = 0) {
  return owned_fd(::open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode));
}

/// Calls open_path() and checks that the file is regular. Errors: not_found, io_failed.
[[gnu::cold]] inline result<opened_file> open_regular(const char* path, int flags, ::mode_t mode = 0) {
  opened_file opened{open_path(path, flags, mode), 0};
  if (!opened.file.is_open()) return system_failure(path, "cannot open", errno);
  struct ::stat status {};
  if (::fstat(opened.file.number(), &status) != 0) return system_failure(path, "cannot ask for its size", errno);
  if (!S_ISREG(status.st_mode)) return not_regular(path, status.st_mode);
  opened.size = static_cast<std::uint64_t>(status.st_size);
  return opened;
}
}  // namespace detail

[[gnu::cold]] inline result<opened_file> open_to_read(std::string_view path, std::uint64_t max_bytes) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  pool<char> name;  // with the terminating zero that the system expects
  name.insert(path.begin(), path.end());
  name.push_back('\0');
  // stat() comes first, because opening a device can have side effects. open_regular() checks the type again, because
  // the path may be replaced in between.
  struct ::stat status {};
  if (::stat(name.data(), &status) != 0) return detail::system_failure(path, "cannot open", errno);
  if (!S_ISREG(status.st_mode)) return detail::not_regular(path, status.st_mode);
  auto opened = detail::open_regular(name.data(), O_RDONLY);
  if (!opened) return opened;
  if (opened->size > max_bytes)
    return fail(error_code::invalid_file, {path, ": has ", opened->size, " bytes, expected at most ", max_bytes});
  return opened;
}

}}  // namespace nnrt::NNRT_ISA
