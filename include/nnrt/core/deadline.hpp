// deadline: until when what is under way is wanted - a time of the steady clock, and a flag.
// Flow: compile(), its passes and sessions ask between one step and the next; hal/driver.hpp hands a caller's on.
#pragma once

#include <nnrt/core/config.hpp>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace nnrt { inline namespace NNRT_ISA {

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

/// A deadline, and a flag of the one who waits for the result: once *is_unwanted is true, and it stays so, nobody
/// waits. Null: somebody always does.
struct time_limit {
  std::int64_t deadline = no_deadline;
  const std::atomic<bool>* is_unwanted = nullptr;

  constexpr bool is_none() const { return deadline == no_deadline && is_unwanted == nullptr; }
  bool is_over() const {
    return (is_unwanted != nullptr && is_unwanted->load(std::memory_order_relaxed)) || nnrt::is_over(deadline);
  }
};

/// A limit that long loops ask for in every round. Clock and flag are read in the first round, or first_look, and in
/// every 32nd after it: reading the clock takes longer than most rounds. Without a limit, as in constant evaluation,
/// they are never read. Not for several threads: asking counts.
class deadline_watch {
 public:
  constexpr deadline_watch() = default;
  constexpr explicit deadline_watch(time_limit limit, int first_look = 1) : limit_(limit), rounds_left_(first_look) {}
  constexpr explicit deadline_watch(std::int64_t deadline, int first_look = 1)
      : deadline_watch(time_limit{deadline}, first_look) {}

  /// Whether the time has come; from then on the answer stays.
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
