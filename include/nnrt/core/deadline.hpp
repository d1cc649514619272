// deadline: a time after which what is under way is not wanted any more, on the steady clock.
// Flow: compile(), its passes and sessions ask between one step and the next; hal/driver.hpp hands a caller's on.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>
#include <ctime>

namespace nnrt::inline NNRT_ISA {

/// For what may take as long as it takes.
inline constexpr std::int64_t no_deadline = INT64_MAX;

/// The steady clock, in nanoseconds.
inline std::int64_t steady_now() {
  ::timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

/// Whether the time has come.
inline bool is_over(std::int64_t deadline) { return deadline != no_deadline && steady_now() >= deadline; }

/// A deadline that long loops ask for in every round. The clock is read in the first round, or first_look, and in every 32nd after it: reading it takes longer than
/// most rounds. Without a deadline, as in constant evaluation, it is never read. Not for several threads: asking counts.
class deadline_watch {
 public:
  constexpr deadline_watch() = default;
  constexpr explicit deadline_watch(std::int64_t deadline, int first_look = 1) : deadline_(deadline), rounds_left_(first_look) {}

  /// Whether the time has come; from then on the answer stays.
  constexpr bool is_over() const { return deadline_ != no_deadline && look(); }

 private:
  bool look() const {
    if (is_over_ || --rounds_left_ > 0) return is_over_;
    rounds_left_ = 32;
    return is_over_ = steady_now() >= deadline_;
  }

  std::int64_t deadline_ = no_deadline;
  mutable int rounds_left_ = 1;
  mutable bool is_over_ = false;
};

}  // namespace nnrt::inline NNRT_ISA
