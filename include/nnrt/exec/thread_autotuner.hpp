// thread_autotuner: measures whether a small network runs faster on several threads or on the caller's only.
// Flow: executors and sessions with threads run through it; measurements of steps bypass it and always use all threads.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/exec/plan_view.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Chooses between several threads and one by timing runs of both kinds in turns. Each step on several threads waits
/// for a message to another core and back, and for cache lines that the other core wrote. Between cores that share a
/// cache this is a part of the 100 µs of a small network. Between others it can exceed the time saved. It is not known
/// in advance, and changes.
class thread_autotuner {
 public:
  /// Runs a plan by f(), which returns the step that failed. The context has its threads, or none if the run is for the
  /// caller's thread only. Results have the same bits.
  template <class F> const step* run(run_context& context, F f) {
    const bool has_choice = context.threads != nullptr && !is_settled_;
    if (has_choice) choose(context);
    const bool is_timed = has_choice && !is_resting();
    const std::int64_t begin = is_timed ? steady_now() : 0;
    const step* const failed = f();
    if (is_timed && failed == nullptr) took(steady_now() - begin);
    if (has_choice && !is_timed) rested();
    return failed;
  }
  /// Removes the threads from the context if runs are faster without; for runs that are not timed.
  void choose(run_context& context) const {
    if (!shares_out_) context.threads = nullptr;
  }

  /// Whether the next run uses threads.
  bool shares_out() const { return shares_out_; }
  /// Whether the next run needs no clock, because threads were slower recently.
  bool is_resting() const { return resting_runs_ > 0; }
  /// Counts a run without clock; after the last one threads are tried again.
  void rested() {
    if (--resting_runs_ == 0) shares_out_ = true, defeats_ = max_defeats - 1;
  }
  /// Records the time of a run.
  void took(std::int64_t nanoseconds) {
    min_ = std::min(min_, nanoseconds);
    spent_ += nanoseconds;
    if (++runs_ < trial_runs || spent_ < (shares_out_ ? shared_time : alone_time)) return;
    if (shares_out_) after_shared();
    else after_alone();
    min_ = INT64_MAX, spent_ = 0, runs_ = 0;
  }

 private:
  /// A trial has at least this many runs, and the fastest counts. With threads it is long enough for them to wake up.
  static constexpr int trial_runs = 8;
  static constexpr std::int64_t shared_time = 2'000'000, alone_time = 500'000;
  /// Number of consecutive trials in which one thread must be faster, because other programs disturb single trials.
  /// Then only one thread is used for a rest period. The first is short, because an idle core may be slow for
  /// milliseconds; it doubles each time that threads are slower again.
  static constexpr int max_defeats = 3;
  static constexpr std::int64_t min_rest = 5'000'000, max_rest = 200'000'000;
  static constexpr std::int64_t long_run = 1'000'000;  // messages are a small part of it: no trials

  void after_shared() {
    shared_ = min_;
    is_settled_ = shared_ >= long_run;
    if (is_settled_ || pays()) share_out();
    else shares_out_ = false;
  }
  void after_alone() {
    alone_ = std::max<std::int64_t>(min_, 1);
    if (pays()) return share_out();
    shares_out_ = ++defeats_ < max_defeats;
    if (shares_out_) return;
    resting_runs_ = rest_ / alone_ + 1;
    rest_ = std::min(2 * rest_, max_rest);
  }
  void share_out() { shares_out_ = true, defeats_ = 0, rest_ = min_rest; }
  /// Threads must save a sixteenth: otherwise other programs can use the cores.
  bool pays() const { return shared_ < alone_ - alone_ / 16; }

  std::int64_t shared_ = 0, alone_ = 0;  // fastest run of the last trial; 0: not measured
  std::int64_t min_ = INT64_MAX, spent_ = 0;
  std::int64_t resting_runs_ = 0, rest_ = min_rest;
  int runs_ = 0;
  int defeats_ = 0;  // consecutive trials in which threads were slower
  bool shares_out_ = true;
  bool is_settled_ = false;
};

}}  // namespace nnrt::NNRT_ISA
