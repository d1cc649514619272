// step_times: runs a plan's steps with a clock around each, and stores their times.
// Flow: executors whose policy is profiled, and session::run(times), call run_plan() through it.
#pragma once

#include <nnrt/core/pool.hpp>
#include <nnrt/exec/run_stripes.hpp>

#include <cstdint>
#include <ctime>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// Times of one step, in nanoseconds.
struct step_time {
  std::int64_t runs = 0;
  std::int64_t total = 0;
  std::int64_t fastest = 0;
  std::int64_t begin = 0;  // of the last run, by the system's monotonic clock
  std::int64_t last = 0;
};

/// The times of a plan's steps over all runs since it was made or cleared. They include reading the clock: about 20 ns.
class step_times {
 public:
  /// As run_plan(), on all of the context's threads. Steps that run in stripes are counted as if each had run all of
  /// its stripes before the next step.
  const step* run(const plan_view& plan, const run_context& context) {
    if (times_.size() != plan.steps.size()) times_.assign(plan.steps.size(), {}), spent_.assign(plan.steps.size(), 0);
    std::int64_t begin = now(), last = begin;
    const auto take = [&](std::size_t i) {
      const std::int64_t end = now();
      spent_[i] += end - std::exchange(last, end);
    };
    const step* const failed = run_plan(plan, context, take);
    std::size_t count = plan.steps.size();
    if (failed != nullptr) {
      count = static_cast<std::size_t>(failed - plan.steps.data()) + 1;
      take(count - 1);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t end = begin + std::exchange(spent_[i], 0);
      add(times_[i], begin, end);
      begin = end;
    }
    return failed;
  }
  /// By number of the step; empty before the first run.
  array_ref<const step_time> all() const { return {times_.data(), times_.size()}; }
  /// Forgets all runs.
  void clear() { times_.assign(0, {}); }

 private:
  static std::int64_t now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
  static void add(step_time& to, std::int64_t begin, std::int64_t end) {
    to.begin = begin;
    to.last = end - begin;
    to.total += to.last;
    if (to.runs == 0 || to.last < to.fastest) to.fastest = to.last;
    ++to.runs;
  }

  pool<step_time> times_;
  pool<std::int64_t> spent_;  // by each step in this run
};

}}  // namespace nnrt::NNRT_ISA
