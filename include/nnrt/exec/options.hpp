// options: run-time options that static executors and compiled programs share.
// Flow: executor::create and compile() take them.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>

#include <atomic>

namespace nnrt { inline namespace NNRT_ISA {

class memory_account;

/// Run-time options.
struct options {
  /// Number of threads, including the caller's. Results have the same bits for any number. Networks that take less than
  /// a millisecond run in the caller's thread if that is faster. The first runs measure this
  /// (exec/thread_autotuner.hpp).
  int threads = 1;
  /// Pins each thread except the caller's to a processor. The set is the affinity mask of the thread that makes the
  /// executor or session; assignment starts after that thread's processor. With fewer processors than threads, some
  /// share one.
  bool pin_threads = false;
  int cached_plans = 8;  // plans of a program with unknown extents: maximum number of sets of shapes
  // of compile(); for a static network its policy has this option
  nnrt::winograd winograd = nnrt::winograd::automatic;
  /// Of compile(): float weights of 128 KiB or more are stored as f16, rounded to nearest, and computed with as f32.
  /// This halves their memory; each run widens them, and Winograd's method is not used.
  bool float16_weights = false;
  /// Of compile(): nanoseconds of the steady clock, checked between the passes and before each weight is packed. It
  /// does not apply to plans that a program makes later, for further shapes.
  std::int64_t deadline = no_deadline;
  /// Of compile(): checked as often as the deadline. Once it is true, compile() returns deadline_missed; it must not
  /// become false again. Null: never.
  const std::atomic<bool>* is_unwanted = nullptr;
  /// Of compile(): the account for prepared weights and the sessions' arenas, inputs and scratch memory; null: none. It
  /// must outlive all programs and sessions. Constants are not counted.
  memory_account* account = nullptr;
};

constexpr time_limit limit_of(const options& wanted) { return {wanted.deadline, wanted.is_unwanted}; }

/// Errors: invalid_argument (fewer than 1 or more than 1024 threads, fewer than 1 cached plan).
[[gnu::cold]] inline result<void> check_options(const options& wanted) {
  if (wanted.threads < 1 || wanted.threads > 1024)
    return fail(error_code::invalid_argument, {"threads: got ", wanted.threads, ", expected 1 to 1024"});
  if (wanted.cached_plans < 1)
    return fail(error_code::invalid_argument, {"cached plans: got ", wanted.cached_plans, ", expected at least 1"});
  return {};
}

}}  // namespace nnrt::NNRT_ISA
