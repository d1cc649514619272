// event_count: how a thread waits for what another one writes - it looks for a while, and then sleeps.
// Flow: thread_pool's threads wait for stages and for their ends, background threads of the C functions for jobs.
#pragma once

#include <nnrt/core/config.hpp>

#include <pthread.h>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Lets the core's other thread run, and a core that waits save power.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether it was there within so many looks.
template <class IsThere> bool look_for(IsThere is_there, int looks) {
  for (; looks > 0; --looks, pause())
    if (is_there()) return true;
  return false;
}

/// What follows within microseconds is found by looking so often: that costs less than to sleep and wake up once.
inline constexpr int looks_before_sleep = 4000;

/// Where threads sleep until what another one writes is there. POSIX conditions, and the compilers' own functions for
/// what is atomic: <atomic> costs each translation unit 0.06 s of parsing.
class event_count {
 public:
  event_count() = default;
  event_count(const event_count&) = delete;
  event_count& operator=(const event_count&) = delete;
  ~event_count() {
    pthread_cond_destroy(&changed_);
    pthread_mutex_destroy(&mutex_);
  }

  /// Whether somebody sleeps, or is about to. May be read before others see what this thread has just written.
  bool any() const { return __atomic_load_n(&count_, __ATOMIC_RELAXED) != 0; }
  /// Wakes all. What this thread wrote before is seen by whoever sleeps, and by whoever is about to.
  void wake() {
    pthread_mutex_lock(&mutex_);
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
  }
  /// The same if there are any, behind an atomic change of what they wait for: whoever is about to sleep has counted
  /// himself before he looked for the last time, so either he is seen here, or he sees the change.
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
