// forks: whether an object's process is still the one that made it, or a child that was forked since.
// Flow: what has threads, or sockets that others are served by, asks before it waits for a thread or speaks: a child
// has neither of them.
#pragma once

#include <nnrt/core/config.hpp>

#include <pthread.h>
#include <new>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Forks between the first process and this one since somebody asks. Changes only in a child that has one thread yet.
inline int forks_so_far = 0;

/// Counts forks from now on. (pthread_atfork and no getpid(): that is a system call, and runs ask.)
[[gnu::cold]] inline void count_forks() {
  [[maybe_unused]] static const int failed =
      pthread_atfork(nullptr, nullptr, [] { __atomic_store_n(&forks_so_far, forks_so_far + 1, __ATOMIC_RELEASE); });
}

/// The process in which an object was made.
class home_process {
 public:
  home_process() : forks_(now()) { count_forks(); }
  /// False in a child that was forked since.
  bool is_here() const { return __atomic_load_n(&forks_, __ATOMIC_ACQUIRE) == now(); }
  /// The object belongs to this process from now on.
  void move_here() { __atomic_store_n(&forks_, now(), __ATOMIC_RELEASE); }

 private:
  static int now() { return __atomic_load_n(&forks_so_far, __ATOMIC_ACQUIRE); }

  int forks_;
};

/// Leaves an object's contents to no one, and makes a new one in its place: for what a thread that is gone was using,
/// or would be waited for by its end.
template <class T, class... Arguments> void made_anew(T& object, Arguments&&... arguments) {
  ::new (static_cast<void*>(&object)) T(static_cast<Arguments&&>(arguments)...);
}

}}}  // namespace nnrt::NNRT_ISA::detail
