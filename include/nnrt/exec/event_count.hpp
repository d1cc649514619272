// event_count: lets a thread wait for a value that another thread writes - it spins, then sleeps.
// Flow: thread_pool's threads wait for phases and their ends, background threads of the C functions for jobs.
#pragma once

#include <nnrt/core/config.hpp>

#include <pthread.h>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Yields to the core's other hardware thread and saves power while spinning.
inline void pause() { NNRT_PAUSE(); }

/// Polls is_there() up to `looks` times; returns whether it was true.
template <class IsThere> bool look_for(IsThere is_there, int looks) {
  for (; looks > 0; --looks, pause())
    if (is_there()) return true;
  return false;
}

/// Number of polls before sleeping. Spinning this long costs less than one sleep and wake-up.
inline constexpr int looks_before_sleep = 4000;

/// Threads sleep here until another thread has written a value. It uses POSIX condition variables and compiler
/// built-ins for atomics, because `<atomic>` costs each translation unit 0.06 s of parsing.
class event_count {
 public:
  event_count() = default;
  event_count(const event_count&) = delete;
  event_count& operator=(const event_count&) = delete;
  ~event_count() {
    pthread_cond_destroy(&changed_);
    pthread_mutex_destroy(&mutex_);
  }

  /// Whether a thread sleeps or is about to. The read may be reordered before earlier writes of this thread.
  bool any() const { return __atomic_load_n(&count_, __ATOMIC_RELAXED) != 0; }
  /// Wakes all threads. They see everything that this thread wrote before, and so do threads that are about to sleep.
  void wake() {
    pthread_mutex_lock(&mutex_);
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
  }
  /// Wakes all threads if there are any. Call it after an atomic change of the value. A thread counts itself before it
  /// polls for the last time. So either this thread sees the count, or that thread sees the change.
  void wake_any() {
    if (__atomic_load_n(&count_, __ATOMIC_SEQ_CST) != 0) wake();
  }
  template <class IsThere> void sleep_until(IsThere is_there) {
    pthread_mutex_lock(&mutex_);
    __atomic_add_fetch(&count_, 1, __ATOMIC_SEQ_CST);
    while (!is_there()) pthread_cond_wait(&changed_, &mutex_);
    __atomic_sub_fetch(&count_, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  int count_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

}}}  // namespace nnrt::NNRT_ISA::detail
