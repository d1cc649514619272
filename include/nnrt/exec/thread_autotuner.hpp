// thread_autotuner: whether a small network's runs take less on several threads than on the caller's alone, found out
// while they run.
// Flow: executors and sessions with threads run through it; who takes the times of steps does not, and always shares
// them out.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/exec/plan_view.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Each step that is shared out waits for a message to another core and back, and for lines that the other core wrote.
/// On cores that share a cache this is part of what a network of 100 us takes, on cores that do not it can be more than
/// the work that they save. Which it is is not known before, and it changes: so runs of both kinds are timed, by turns,
/// and the faster kind stays.
class thread_autotuner {
 public:
  /// Runs a plan by f(), which gives the step that failed, on the context's threads or, with none in the context any
  /// more, on the caller's alone. Results have the same bits.
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
  /// Leaves no threads in the context where runs are faster without: for runs whose time says nothing of the steps.
  void choose(run_context& context) const {
    if (!shares_out_) context.threads = nullptr;
  }

  /// Whether the next run is to be shared out.
  bool shares_out() const { return shares_out_; }
  /// Whether the next run needs no clock, since threads were slower a moment ago.
  bool is_resting() const { return resting_runs_ > 0; }
  /// A run without a clock is done; after the last one threads are tried again.
  void rested() {
    if (--resting_runs_ == 0) shares_out_ = true, defeats_ = max_defeats - 1;
  }
  /// A run took so many nanoseconds.
  void took(std::int64_t nanoseconds) {
    min_ = std::min(min_, nanoseconds);
    spent_ += nanoseconds;
    if (++runs_ < trial_runs || spent_ < (shares_out_ ? shared_time : alone_time)) return;
    if (shares_out_) after_shared();
    else after_alone();
    min_ = INT64_MAX, spent_ = 0, runs_ = 0;
  }

 private:
  /// A trial is so many runs at least, the fastest of which counts; with threads it is long enough for them to wake up.
  static constexpr int trial_runs = 8;
  static constexpr std::int64_t shared_time = 2'000'000, alone_time = 500'000;
  /// So often in a row runs must have taken less alone: other programs disturb single trials. Then threads rest, and
  /// are tried again: soon at first, for a core that did nothing for a while may be slow for some milliseconds, and
  /// after twice as long when they were slower again.
  static constexpr int max_defeats = 3;
  static constexpr std::int64_t min_rest = 5'000'000, max_rest = 200'000'000;
  static constexpr std::int64_t long_run = 1'000'000;  // what messages take is a small part of it: no trials

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
  /// A sixteenth less, or another core is not worth keeping from others.
  bool pays() const { return shared_ < alone_ - alone_ / 16; }

  std::int64_t shared_ = 0, alone_ = 0;  // what the fastest run of the last trial took; none alone yet
  std::int64_t min_ = INT64_MAX, spent_ = 0;
  std::int64_t resting_runs_ = 0, rest_ = min_rest;
  int runs_ = 0;
  int defeats_ = 0;  // of threads
  bool shares_out_ = true;
  bool is_settled_ = false;
};

}}  // namespace nnrt::NNRT_ISA
