// forks: detects whether a process is a child that was forked after an object was made.
// Flow: objects with threads or sockets check it before they wait for a thread or send: a forked child has neither.
#pragma once

#include <nnrt/core/config.hpp>

#include <pthread.h>
#include <new>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Number of forks since counting began. It changes only in a forked child while that has one thread.
inline int forks_so_far = 0;

/// Starts counting forks. It uses pthread_atfork, because getpid() is a system call and every run checks.
[[gnu::cold]] inline void count_forks() {
  [[maybe_unused]] static const int failed =
      pthread_atfork(nullptr, nullptr, [] { __atomic_store_n(&forks_so_far, forks_so_far + 1, __ATOMIC_RELEASE); });
}

/// The process in which an object was made.
class home_process {
 public:
  home_process() : forks_(now()) { count_forks(); }
  /// False in a child that was forked after that.
  bool is_here() const { return __atomic_load_n(&forks_, __ATOMIC_ACQUIRE) == now(); }
  /// Assigns the object to the present process.
  void move_here() { __atomic_store_n(&forks_, now(), __ATOMIC_RELEASE); }

 private:
  static int now() { return __atomic_load_n(&forks_so_far, __ATOMIC_ACQUIRE); }

  int forks_;
};

/// Makes a new object in place without destroying the old one. For members that a lost thread was using, or whose
/// destructor would wait for it.
template <class T, class... Arguments> void made_anew(T& object, Arguments&&... arguments) {
  ::new (static_cast<void*>(&object)) T(static_cast<Arguments&&>(arguments)...);
}

}}}  // namespace nnrt::NNRT_ISA::detail
