// deadline: time limits of computations - a time of the steady clock, and a cancelling flag.
// Flow: compile(), its passes and sessions check it between steps; hal/driver.hpp passes callers' limits on.
#pragma once

#include <nnrt/core/config.hpp>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace nnrt { inline namespace NNRT_ISA {

/// No time limit.
inline constexpr std::int64_t no_deadline = INT64_MAX;

/// Current time of the steady clock in nanoseconds.
inline std::int64_t steady_now() {
  ::timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

/// Whether the deadline has passed.
inline bool is_over(std::int64_t deadline) { return deadline != no_deadline && steady_now() >= deadline; }

/// A deadline and a cancelling flag: when *is_unwanted is true, nobody waits for the result. It must not become false
/// again. Null: no cancelling.
struct time_limit {
  std::int64_t deadline = no_deadline;
  const std::atomic<bool>* is_unwanted = nullptr;

  constexpr bool is_none() const { return deadline == no_deadline && is_unwanted == nullptr; }
  bool is_over() const {
    return (is_unwanted != nullptr && is_unwanted->load(std::memory_order_relaxed)) || nnrt::is_over(deadline);
  }
};

/// Checks a limit in long loops. Clock and flag are read in round `first_look` and in every 32nd after it, as reading
/// the clock takes longer than most rounds. Without a limit, as in constant evaluation, they are never read. Not
/// thread-safe: each check counts.
class deadline_watch {
 public:
  constexpr deadline_watch() = default;
  constexpr explicit deadline_watch(time_limit limit, int first_look = 1) : limit_(limit), rounds_left_(first_look) {}
  constexpr explicit deadline_watch(std::int64_t deadline, int first_look = 1)
      : deadline_watch(time_limit{deadline}, first_look) {}

  /// Whether the limit has passed; once true, always true.
  constexpr bool is_over() const { return !limit_.is_none() && look(); }

 private:
  bool look() const {
    if (is_over_ || --rounds_left_ > 0) return is_over_;
    rounds_left_ = 32;
    return is_over_ = limit_.is_over();
  }

  time_limit limit_;
  mutable int rounds_left_ = 1;
  mutable bool is_over_ = false;
};

}}  // namespace nnrt::NNRT_ISA
