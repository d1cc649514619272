// file_group: replaces several files atomically; readers see either all old or all new files, even after a crash.
// Flow: caches in directories are such groups; a single file needs io/file.hpp alone.
//
// A group has members, and a head file that identifies its members. replace_group() first writes the new members under
// temporary names. It then replaces the head by an atomic rename, which makes the group the new one. Last, it renames
// the members. If the writer is killed, a member may exist under both names; readers take the one that the head
// identifies.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/system_text.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/write_file.hpp>

#include <dirent.h>
#include <signal.h>
#include <sys/file.h>
#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace nnrt { inline namespace NNRT_ISA {

/// An advisory lock on a directory, between threads and processes: shared for readers, exclusive for writers. The
/// destructor releases it. The constructor waits at most five seconds. If the file system has no locks, or the time
/// runs out, is_held() is false.
class directory_lock {
 public:
  enum class use { reading = LOCK_SH, writing = LOCK_EX };

  directory_lock(const std::string& directory, use how) : directory_(detail::open_directory(directory.c_str())) {
    for (int wait = 0; wait < 5000 && !take(how); ++wait) {
      const ::timespec millisecond{0, 1'000'000};
      ::nanosleep(&millisecond, nullptr);
    }
  }
  /// False when the wait timed out or the file system has no locks.
  bool is_held() const { return is_held_; }
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;
  /// Unlocks explicitly: a child forked meanwhile shares the lock, so closing the file alone would not release it.
  ~directory_lock() {
    if (directory_.is_open()) ::flock(directory_.number(), LOCK_UN);
  }

 private:
  /// Tries to lock. Returns false while others hold the lock, true when it is held or cannot be had.
  bool take(use how) {
    is_held_ = directory_.is_open() && ::flock(directory_.number(), static_cast<int>(how) | LOCK_NB) == 0;
    return is_held_ || !directory_.is_open() || (errno != EWOULDBLOCK && errno != EINTR);
  }

  owned_fd directory_;
  bool is_held_ = false;
};

namespace detail {
/// The temporary name of a member.
[[gnu::cold]] inline std::string before_it_has_its_name(const std::string& member) { return member + ".next"; }
}  // namespace detail

namespace detail {
/// Maps the file if it has exactly `size` bytes and `is_meant(bytes)` is true. Larger files are not mapped.
template <class IsMeant>
[[gnu::cold]] result<mapped_file> open_meant(const std::string& path, std::uint64_t size, IsMeant is_meant) {
  auto file = mapped_file::open(path, size);
  if (file && (file->bytes().size() != size || !is_meant(array_ref<const std::byte>(file->bytes()))))
    return fail(error_code::invalid_file, {path, ": is another file"});
  return file;
}
}  // namespace detail

/// Maps the member that the head identifies: the file of `size` bytes for which `is_meant(bytes)` is true. Error:
/// not_found, naming the file.
template <class IsMeant>
[[gnu::cold]] result<mapped_file> open_member(const std::string& name, std::uint64_t size, IsMeant is_meant) {
  for (const std::string& path : {name, detail::before_it_has_its_name(name)})
    if (auto file = detail::open_meant(path, size, is_meant)) return file;
  return fail(error_code::not_found, {name, ": is missing, incomplete or changed"});
}

/// Finishes the rename of this member if a killed writer did not. Call it before replace_group(), and do not replace
/// the group if it fails: the new member would overwrite the one that the head identifies. Error: io_failed, naming the
/// file.
template <class IsMeant>
[[gnu::cold]] result<void> finish_rename(const std::string& name, std::uint64_t size, IsMeant is_meant) {
  const std::string before = detail::before_it_has_its_name(name);
  if (::access(before.c_str(), F_OK) != 0) return {};
  const auto is = [&](const std::string& path) { return detail::open_meant(path, size, is_meant).has_value(); };
  if (is(name) || !is(before) || ::rename(before.c_str(), name.c_str()) == 0) return {};
  return fail(error_code::io_failed, {before, ": cannot take its name: ", system_text(errno).view()});
}

/// Removes temporary files that killed writers left for these names (see write_file()). Files of running processes are
/// kept. Without the lock nothing is removed, because process numbers of other containers have no meaning here.
[[gnu::cold]] inline void remove_left_overs(const directory_lock& lock, const std::string& directory,
                                            std::span<const std::string> names) {
  if (!lock.is_held()) return;
  ::DIR* const listed = ::opendir(directory.c_str());
  if (listed == nullptr) return;
  while (const ::dirent* const entry = ::readdir(listed)) {
    const std::string_view file = entry->d_name;
    const std::size_t mark = file.rfind(detail::mark_of_new_files);
    if (mark == file.npos) continue;
    const long process = std::strtol(entry->d_name + mark + detail::mark_of_new_files.size(), nullptr, 10);
    if (process <= 0 || ::kill(static_cast<::pid_t>(process), 0) == 0 || errno != ESRCH) continue;
    const std::string whole = joined({directory, "/", file.substr(0, mark)});
    for (const std::string& name : names)
      if (whole == name || whole == detail::before_it_has_its_name(name))
        (void)::unlinkat(::dirfd(listed), entry->d_name, 0);
  }
  ::closedir(listed);
}

/// Replaces a group whose renames are finished: members[i] becomes the file names[i]. Other files with a member's or
/// the head's name are replaced, too (see replace_file()). Errors: not_found, io_failed. The old group is then
/// unchanged.
[[gnu::cold]] inline result<void> replace_group(std::span<const std::string> names,
                                                std::span<const std::span<const std::byte>> members,
                                                const std::string& head_name, std::span<const std::byte> head) {
  result<void> written;
  for (std::size_t i = 0; written && i < names.size(); ++i)
    written = replace_file(detail::before_it_has_its_name(names[i]), std::span(&members[i], 1));
  if (written) written = replace_file(head_name, std::span<const std::span<const std::byte>>(&head, 1));
  for (const std::string& name : names) {
    const std::string before = detail::before_it_has_its_name(name);
    // if the rename fails, readers still find the temporary name, and finish_rename() retries
    if (written) (void)::rename(before.c_str(), name.c_str());
    else (void)::unlink(before.c_str());
  }
  return written;
}

}}  // namespace nnrt::NNRT_ISA
