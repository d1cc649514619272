// failing_disk: the system calls of io/file.hpp under their own names, before those of the C library.
#include "c_api/failing_disk.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

nnrt_test::disk_fault fault{nnrt_test::disk_fault::full, 0};
std::atomic<bool> is_armed{false}, has_failed{false};
std::atomic<long> seen{0};

/// Whether this call fails because the disk is full. Where the process ends, `last_words` are what it still does.
template <class Act> bool is_full(Act last_words) {
  if (!is_armed) return false;
  const long number = seen++;
  if (number < fault.number) return false;
  has_failed = true;
  if (fault.what == nnrt_test::disk_fault::full) return errno = ENOSPC, true;
  if (fault.what == nnrt_test::disk_fault::killed_half_way) last_words();
  ::kill(::getpid(), SIGKILL);
  return true;
}
bool is_full() {
  return is_full([] {});
}

}  // namespace

extern "C" {
int open(const char* path, int flags, ...) {
  ::va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(rest, ::mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && is_full()) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
::ssize_t write(int file, const void* bytes, std::size_t count) {
  const auto half = [&] { ::syscall(SYS_write, file, bytes, count / 2); };
  if (is_full(half)) return -1;
  return ::syscall(SYS_write, file, bytes, count);
}
int fsync(int file) {
  if (is_full()) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}
int rename(const char* from, const char* to) noexcept {
  const auto done = [&] { ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0); };
  if (is_full(done)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
}

namespace nnrt_test {

void arm_disk(const disk_fault& which) {
  fault = which;
  seen = 0;
  has_failed = false;
  is_armed = true;
}
bool disk_has_failed() { return has_failed; }

}  // namespace nnrt_test
