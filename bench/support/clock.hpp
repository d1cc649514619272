// clock: the time that work takes - on one thread the time that it had the core, on several the time that passed.
// Flow: everything in bench/ that measures time by itself.
#pragma once

#include <ctime>

namespace bench {

/// Seconds since it was made. For one thread it counts the time that this thread ran, which leaves out what other
/// processes took of a shared machine (not what they took of its caches and clock); threads wait for each other, so for
/// several it counts what passed.
class stopwatch {
 public:
  explicit stopwatch(int threads) : clock_(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC), begin_(now()) {}
  double seconds() const { return now() - begin_; }

 private:
  double now() const {
    timespec t{};
    clock_gettime(clock_, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  }

  clockid_t clock_;
  double begin_;
};

}  // namespace bench
