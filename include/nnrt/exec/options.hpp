// options: the choices at run time that static executors and compiled programs share.
// Flow: executor::create and compile() take them.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>

#include <atomic>

namespace nnrt { inline namespace NNRT_ISA {

class memory_account;

/// Choices at run time.
struct options {
  /// Including the caller's. Results have the same bits for any number. Networks of less than a millisecond are run on
  /// the caller's alone where that takes less, which is measured while they run; to find out takes some of their first
  /// runs (exec/thread_autotuner.hpp).
  int threads = 1;
  /// Threads beside the caller's stay on processors of their own: those that the thread which makes the executor or
  /// session may use, the next ones after that on which it runs. Where there are fewer than threads, some share one.
  /// That thread itself is the program's to pin.
  bool pin_threads = false;
  int cached_plans = 8;  // of a program whose inputs have unknown extents: for how many shapes it keeps what it planned
  // of compile(); a static network's policy says it, since its plan is made by the compiler
  nnrt::winograd winograd = nnrt::winograd::automatic;
  /// Of compile(): weights of floats that take 128 KiB or more are kept as float16, rounded to the nearest and computed
  /// with as float32. Half the memory; each run widens them, and Winograd's method is not used.
  bool float16_weights = false;
  /// Of compile(): nanoseconds of the steady clock, looked at between the passes and before each weight is packed. What
  /// a program plans later, for further shapes, is not held to it.
  std::int64_t deadline = no_deadline;
  /// Of compile(): looked at as often as the deadline; once it is true, and stays so, the result is not wanted any
  /// more: deadline_missed. Null: it always is.
  const std::atomic<bool>* is_unwanted = nullptr;
  /// Of compile(): what prepared weights, and the sessions' arenas, inputs and scratch memory are taken from; null:
  /// nobody counts. It outlives all programs and sessions. Constants are counted by whoever has them.
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
