// processors: assigns threads to processors.
// Flow: thread_pool pins its workers on request of the options.
#pragma once

#include <nnrt/core/config.hpp>

#include <errno.h>
#include <pthread.h>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The processors that a thread may use, starting with the one on which it runs.
class processors {
 public:
  /// The processors of the calling thread.
  [[gnu::cold]] processors() {
#if defined(__linux__)
    failed_ = pthread_getaffinity_np(pthread_self(), sizeof allowed_, &allowed_);
    first_ = sched_getcpu();
#endif
  }
  /// Pins another thread to the processor `number` places further on, cyclically. Returns an errno value; 0: success.
  [[gnu::cold]] int keep_on(pthread_t thread, int number) const {
#if defined(__linux__)
    if (failed_ != 0) return failed_;
    int processor = first_;
    for (int left = number % CPU_COUNT(&allowed_); left > 0; --left) {
      do processor = (processor + 1) % CPU_SETSIZE;
      while (!CPU_ISSET(processor, &allowed_));
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return pthread_setaffinity_np(thread, sizeof one, &one);
#else
    return static_cast<void>(thread), static_cast<void>(number), ENOTSUP;
#endif
  }

#if defined(__linux__)
 private:
  cpu_set_t allowed_;
  int failed_, first_;
#endif
};

}}}  // namespace nnrt::NNRT_ISA::detail
