// file_group: several files that are replaced together - readers find all the old ones or all the new ones, whatever
// became of the writer.
// Flow: caches in directories are such groups; a single file needs io/file.hpp alone.
//
// A group has members, and a head that says what its members are. New members are written beside the old ones; then the
// head, in one moment: with it the group is the new one. Last, members take their names. A writer that is killed leaves
// some members there twice, and readers take those that the head means.
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

/// Keeps writers of a directory's groups apart from each other and from readers, of this process and others, until its
/// end. Nobody is waited for longer than five seconds: who stands still holds up nobody. Where the file system has no
/// locks, there is none.
class directory_lock {
 public:
  enum class use { reading = LOCK_SH, writing = LOCK_EX };

  directory_lock(const std::string& directory, use how) : directory_(detail::open_directory(directory.c_str())) {
    for (int wait = 0; wait < 5000 && !take(how); ++wait) {
      const ::timespec millisecond{0, 1'000'000};
      ::nanosleep(&millisecond, nullptr);
    }
  }
  /// False where waiting was given up, or there are no locks.
  bool is_held() const { return is_held_; }
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;
  /// Said, and not left to closing: a child that was forked in between has the same lock.
  ~directory_lock() {
    if (directory_.is_open()) ::flock(directory_.number(), LOCK_UN);
  }

 private:
  /// False while others have it.
  bool take(use how) {
    is_held_ = directory_.is_open() && ::flock(directory_.number(), static_cast<int>(how) | LOCK_NB) == 0;
    return is_held_ || !directory_.is_open() || (errno != EWOULDBLOCK && errno != EINTR);
  }

  owned_fd directory_;
  bool is_held_ = false;
};

namespace detail {
/// Where a member is before it has its name.
[[gnu::cold]] inline std::string before_it_has_its_name(const std::string& member) { return member + ".next"; }
}  // namespace detail

namespace detail {
/// A file of exactly this size that `is_meant(bytes)` knows; larger ones are not mapped.
template <class IsMeant>
[[gnu::cold]] result<mapped_file> open_meant(const std::string& path, std::uint64_t size, IsMeant is_meant) {
  auto file = mapped_file::open(path, size);
  if (file && (file->bytes().size() != size || !is_meant(array_ref<const std::byte>(file->bytes()))))
    return fail(error_code::invalid_file, {path, ": is another file"});
  return file;
}
}  // namespace detail

/// The member that the head means, of `size` bytes: `is_meant(bytes)` knows it. Error: not_found, naming the file.
template <class IsMeant>
[[gnu::cold]] result<mapped_file> open_member(const std::string& name, std::uint64_t size, IsMeant is_meant) {
  for (const std::string& path : {name, detail::before_it_has_its_name(name)})
    if (auto file = detail::open_meant(path, size, is_meant)) return file;
  return fail(error_code::not_found, {name, ": is missing, incomplete or changed"});
}

/// Ends what a writer that was killed had still to do for this member. Who replaces the group does so first, and does
/// not replace it where this fails: the new member would be written over the one that the head means. Error: io_failed,
/// naming the file.
template <class IsMeant>
[[gnu::cold]] result<void> settle_member(const std::string& name, std::uint64_t size, IsMeant is_meant) {
  const std::string before = detail::before_it_has_its_name(name);
  if (::access(before.c_str(), F_OK) != 0) return {};
  const auto is = [&](const std::string& path) { return detail::open_meant(path, size, is_meant).has_value(); };
  if (is(name) || !is(before) || ::rename(before.c_str(), name.c_str()) == 0) return {};
  return fail(error_code::io_failed, {before, ": cannot take its name: ", system_text(errno).view()});
}

/// Removes what writers that were killed left of files that they had begun to write (see write_file()) for these names.
/// Of whoever lives nothing is taken away, and without the lock for writing nothing of anybody: processes of other
/// containers have numbers that mean nothing here.
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

/// Replaces a group whose members are settled: members[i] becomes the file names[i]. Whatever else has a member's name,
/// or the head's, is replaced, too (see replace_file()). Errors: not_found, io_failed; then the old group is as it was.
[[gnu::cold]] inline result<void> replace_group(std::span<const std::string> names,
                                                std::span<const std::span<const std::byte>> members,
                                                const std::string& head_name, std::span<const std::byte> head) {
  result<void> written;
  for (std::size_t i = 0; written && i < names.size(); ++i)
    written = replace_file(detail::before_it_has_its_name(names[i]), std::span(&members[i], 1));
  if (written) written = replace_file(head_name, std::span<const std::span<const std::byte>>(&head, 1));
  for (const std::string& name : names) {
    const std::string before = detail::before_it_has_its_name(name);
    // should it fail, readers know both names, and settle_member() tries again
    if (written) (void)::rename(before.c_str(), name.c_str());
    else (void)::unlink(before.c_str());
  }
  return written;
}

}}  // namespace nnrt::NNRT_ISA
