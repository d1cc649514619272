// deadline: a time after which what is under way is not wanted any more, on the steady clock.
// Flow: compile() and sessions ask between one step and the next; hal/driver.hpp hands a caller's on.
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

}  // namespace nnrt::inline NNRT_ISA
