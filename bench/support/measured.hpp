// measured: workloads as Google Benchmarks - checked against the references first, timed together with the machine's
// peak.
// Flow: bench/run/workloads.cpp adds them and calls run_benchmarks(); bench/report.py makes tables of their JSON.
#pragma once

#include "support/machine.hpp"
#include "support/prepared.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// What is known of a workload apart from its time.
struct work {
  double macs = 0;        // multiply-accumulates of one run; 0: not what it is about
  std::size_t bytes = 0;  // what one run must read and write at least
  bool of_bytes = false;  // multiplies bytes, not floats
};

/// The machine's limits for one number of threads, and the threads themselves.
class limits {
 public:
  static limits& of(int threads) {
    static limits all[2] = {limits(1), limits(2)};
    return all[threads - 1];
  }
  /// Right now.
  double gflops(bool of_bytes) {
    const double now = of_bytes ? peak_byte_gops(pool()) : peak_gflops(pool());
    double& best = best_[of_bytes];
    best = std::max(best, now);
    return now;
  }
  /// The best so far.
  double max_gflops(bool of_bytes) { return best_[of_bytes] > 0 ? best_[of_bytes] : gflops(of_bytes); }
  double read_gigabytes(std::size_t level) {
    double& known = gigabytes_[level];
    if (known == 0) known = bench::read_gigabytes(level, pool());
    return known;
  }
  nnrt::thread_pool* pool() { return threads_ == 1 ? nullptr : &pool_; }

 private:
  explicit limits(int threads) : threads_(threads) {
    if (threads > 1 && !pool_.start(threads)) std::abort();
  }
  int threads_;
  nnrt::thread_pool pool_;
  std::array<double, 4> gigabytes_{};
  std::array<double, 2> best_{};
};

/// Fills caches; on several threads runs for 20 ms, in which an executor finds out what they are worth to a small
/// network.
template <class Run> void warm_up(int threads, Run run) {
  const stopwatch watch(threads);
  do run(3);
  while (threads > 1 && watch.seconds() < 0.02);
}

/// Times what run(times) does and says what it reached of the machine's limits; the peak is measured just before and
/// just after, and the higher counts.
template <class Run> void time_beside_peak(benchmark::State& state, int threads, const work& one, Run run) {
  limits& machine = limits::of(threads);
  const std::size_t level = level_of(one.bytes);
  const double gigabytes = machine.read_gigabytes(level);
  warm_up(threads, run);
  const double before = machine.gflops(one.of_bytes), additions_before = threads == 1 ? additions_per_nanosecond() : 0;
  const stopwatch watch(threads);
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(state.max_iterations)))
    run(static_cast<std::int64_t>(state.max_iterations));
  const double seconds = watch.seconds() / static_cast<double>(state.iterations());
  const double additions_after = threads == 1 ? additions_per_nanosecond() : 0, after = machine.gflops(one.of_bytes);
  // Several threads seldom have all cores of a shared machine: their peak is the best so far.
  const double peak = threads == 1 ? std::max(before, after) : machine.max_gflops(one.of_bytes);
  state.counters["gflops"] = 2e-9 * one.macs / seconds;
  state.counters["peak_gflops"] = peak;
  state.counters["share_of_peak"] = 2e-9 * one.macs / seconds / peak;
  state.counters["gigabytes"] = 1e-9 * static_cast<double>(one.bytes) / seconds;
  state.counters["level"] = static_cast<double>(level);
  state.counters["share_of_bandwidth"] = 1e-9 * static_cast<double>(one.bytes) / seconds / gigabytes;
  state.counters["seconds"] = seconds;
  // What the host let them have: two virtual cores may be the two threads of one, and one may be a thread of a core
  // whose other one works.
  if (threads == 1) {
    state.counters["additions"] = std::min(additions_before, additions_after);
  } else {
    state.counters["cores"] = std::min(before, after) / limits::of(1).max_gflops(one.of_bytes);
  }
}

/// Says on stderr how far the repetitions are, now and then.
class progress {
 public:
  static progress& get() {
    static progress only;
    return only;
  }
  void expect(std::size_t rows) { rows_ += rows; }
  void say(const std::string& what) {
    ++calls_;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(5)) return;
    last_ = now;
    std::fprintf(stderr, "  %zu timings done, %zu rows to repeat; now %s\n", calls_, rows_, what.c_str());
  }

 private:
  std::size_t rows_ = 0, calls_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Registers a workload: "<group>/<name>/<who runs it>/<dtype>/threads:<n>". Tables are joined on group, name and
/// dtype, so another library that runs the same workload has a column in our row.
template <class Function>
void add(const std::string& group, const std::string& name, const std::string& who, nnrt::dtype type, int threads,
         Function function) {
  const std::string what = group + "/" + name + "/" + who + "/" + std::string(nnrt::name_of(type));
  auto* const made =
      benchmark::RegisterBenchmark((what + "/threads:" + std::to_string(threads)).c_str(),
                                   [function, threads](benchmark::State& state) { function(state, threads); });
  if (threads > 1) made->UseRealTime();
}

/// Largest error of a checked result of floats, relative to its largest number.
inline constexpr double allowed_error = 1e-4;

/// How many steps quantised values of a result may be off. nnrt has its references' bits. Libraries round a layer's
/// sums in different ways, so a layer may be one step off, and a network one for some layers in a row.
inline double allowed_steps(const description& network, bool is_ours) {
  if (is_ours) return 0;
  return network.layers.size() == 1 ? 1 : std::max(2.0, 0.25 * static_cast<double>(network.layers.size()));
}

/// Times a runner once its result is right.
inline void time_checked(benchmark::State& state, const prepared& with, runner& made, int threads, bool is_ours) {
  const bool stored = with.network().has_quantised_values();
  const double error = with.error_of(made);
  const double allowed = stored ? allowed_steps(with.network(), is_ours) : allowed_error;
  if (!(error <= allowed)) {
    state.SkipWithError(
        ("wrong: differs from the reference by " + std::to_string(error) + (stored ? " steps" : "")).c_str());
    return;
  }
  time_beside_peak(state, threads, {with.macs(), with.bytes(), stored},
                   [&](std::int64_t times) { made.run_many(times); });
  state.counters["error"] = error;
}

/// What one of several runners has done.
struct alignas(64) pace {
  std::int64_t runs = 0;
  double seconds = 0;
};

/// Inferences per second of runners of one thread, each on a separate thread, at the same time: the most that the cores
/// can do, since no thread waits for another and no data moves between them. All end when the first has run `times`
/// times: if one core is faster, only work that both do counts.
inline double inferences_side_by_side(const std::vector<std::unique_ptr<runner>>& all, std::int64_t times) {
  std::vector<pace> paces(all.size());
  std::barrier ready(static_cast<std::ptrdiff_t>(all.size()));
  std::atomic<bool> is_over = false;
  const auto work = [&](std::size_t mine) {
    all[mine]->run_many(times);  // a core that did nothing before is slow at first
    ready.arrive_and_wait();
    const stopwatch watch(static_cast<int>(all.size()));
    std::int64_t runs = 0;
    for (; runs < times && (runs == 0 || !is_over.load(std::memory_order_relaxed)); ++runs) all[mine]->run_many(1);
    paces[mine] = {runs, watch.seconds()};
    is_over.store(true, std::memory_order_relaxed);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < all.size(); ++i) others.emplace_back(work, i);
    work(0);
  }
  double rate = 0;
  for (const pace& one : paces) rate += static_cast<double>(one.runs) / one.seconds;
  return rate;
}

/// Seconds of `times` inferences, once caches and cores are warm.
inline double seconds_of(runner& one, std::int64_t times, int threads) {
  warm_up(threads, [&](std::int64_t some) { one.run_many(some); });
  const stopwatch watch(threads);
  one.run_many(times);
  return watch.seconds();
}

/// Says how many times as many inferences nnrt makes on several threads as on one, and how many times as many at most,
/// measured by turns: from one minute to the next the host gives cores more or less.
inline void compare_with_one_thread(benchmark::State& state, const prepared& with, runner& made, int threads) {
  std::vector<std::unique_ptr<runner>> all;
  for (int i = 0; i < threads; ++i) {
    all.push_back(with.ours(1));
    with.error_of(*all.back());  // gives it inputs
  }
  const auto times = std::max<std::int64_t>(1, static_cast<std::int64_t>(0.01 / state.counters["seconds"]));
  double alone = 0, together = 0, side_by_side = 0;
  for (int run = 0; run < 3; ++run) {
    alone += seconds_of(*all[0], times, threads), together += seconds_of(made, times, threads);
    side_by_side += static_cast<double>(times) / inferences_side_by_side(all, times);
  }
  state.counters["speedup"] = alone / together;
  state.counters["speedup_at_most"] = alone / side_by_side;
}

/// Adds a workload of one dtype, run by nnrt (peer is nullptr) or by a peer.
inline void add_row(const workload& w, nnrt::dtype type, int threads, const peer* by) {
  const std::string who = by == nullptr ? "nnrt" : by->name;
  progress::get().expect(1);
  add(w.group, w.name, who, type, threads, [&w, type, by, who](benchmark::State& state, int of_threads) {
    progress::get().say(w.name + ", " + std::string(nnrt::name_of(type)) + ", " + who);
    try {
      const prepared& with = prepared::of(w, type);
      const auto made = by == nullptr ? with.ours(of_threads) : by->make(with.network(), of_threads);
      time_checked(state, with, *made, of_threads, by == nullptr);
      if (by == nullptr && of_threads > 1 && w.group == "network" && !state.error_occurred())
        compare_with_one_thread(state, with, *made, of_threads);
    } catch (const std::exception& reason) {
      state.SkipWithError(reason.what());
    }
  });
}

/// Runs what was added; arguments are Google Benchmark's.
inline int run_benchmarks(int argc, char** argv) {
  benchmark::AddCustomContext("nnrt_isa", nnrt::isa);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace bench
