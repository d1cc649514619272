// measured: workloads as Google Benchmarks - checked against the references first, timed beside the machine's own peak.
// Flow: each program of bench/run adds its workloads and calls run_benchmarks(); bench/report.py makes tables of their
// JSON.
#pragma once

#include "support/machine.hpp"
#include "support/network.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace bench {

/// What is known of a workload beside its time.
struct work {
  double macs = 0;        // multiply-accumulates of one run; 0: not what it is about
  std::size_t bytes = 0;  // what one run must read and write at least
  double arena_bytes = 0;
  bool of_bytes = false;  // multiplies bytes, not floats
};

/// A quantile of repetitions, 0 to 1.
inline double quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

/// The machine's limits for one number of threads, and the threads themselves.
class limits {
 public:
  static limits& of(int threads) {
    static limits all[2] = {limits(1), limits(2)};
    return all[threads - 1];
  }
  /// Right now; for several threads the best so far, since they seldom have all cores of a shared machine.
  double gflops(bool of_bytes) {
    const double now = of_bytes ? peak_byte_gops(pool()) : peak_gflops(pool());
    double& best = best_[of_bytes];
    best = std::max(best, now);
    return threads_ == 1 ? now : best;
  }
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

/// Times run() and says what it reached of the machine's limits; the peak is measured just before and just after, and
/// the higher counts.
template <class Run> void time_beside_peak(benchmark::State& state, int threads, const work& one, Run run) {
  limits& machine = limits::of(threads);
  const std::size_t level = level_of(one.bytes);
  const double gigabytes = machine.read_gigabytes(level);
  for (int warm = 0; warm < 3; ++warm) run();
  const double peak_before = machine.gflops(one.of_bytes);
  const stopwatch watch(threads);
  for ([[maybe_unused]] auto _ : state) run();
  const double seconds = watch.seconds() / static_cast<double>(state.iterations());
  const double peak = std::max(peak_before, machine.gflops(one.of_bytes));
  state.counters["gflops"] = 2e-9 * one.macs / seconds;
  state.counters["peak_gflops"] = peak;
  state.counters["share_of_peak"] = 2e-9 * one.macs / seconds / peak;
  state.counters["gigabytes"] = 1e-9 * static_cast<double>(one.bytes) / seconds;
  state.counters["level"] = static_cast<double>(level);
  state.counters["share_of_bandwidth"] = 1e-9 * static_cast<double>(one.bytes) / seconds / gigabytes;
  state.counters["seconds"] = seconds;
  state.counters["arena_bytes"] = one.arena_bytes;
}

/// Registers a workload: "<group>/<name>/<who runs it>/<dtype>/threads:<n>". Tables are joined on group, name and
/// dtype, so whoever else runs the same workload gets a row beside ours.
template <class Function>
void add(const std::string& group, const std::string& name, const std::string& who, nnrt::dtype type, int threads,
         Function function) {
  const std::string what = group + "/" + name + "/" + who + "/" + std::string(nnrt::name_of(type));
  auto* const made =
      benchmark::RegisterBenchmark((what + "/threads:" + std::to_string(threads)).c_str(),
                                   [function, threads](benchmark::State& state) { function(state, threads); });
  if (threads > 1) made->UseRealTime();
  made->ComputeStatistics("lower_quartile", [](const std::vector<double>& v) { return quantile(v, 0.25); });
  made->ComputeStatistics("upper_quartile", [](const std::vector<double>& v) { return quantile(v, 0.75); });
}

/// Largest error of a checked result, relative to its largest number.
inline constexpr double allowed_error = 1e-4;

/// Adds a network, run by nnrt's executor with 1 thread and, unless it is too small to use them, with 2.
template <auto Network> void add_network(const std::string& group, const std::string& name) {
  using graph = nnrt::graph<Network>;
  for (const int threads : {1, 2}) {
    if (threads > 1 && graph::is_micro) continue;
    add(group, name, "nnrt", network<graph>::type, threads, [](benchmark::State& state, int of_threads) {
      const network<graph>& with = network<graph>::get();
      auto executor = value_of(nnrt::executor<graph>::create(with.weights(), {.threads = of_threads}));
      if (const double error = with.error_of(with.run(executor)); !(error <= allowed_error)) {
        state.SkipWithError(("differs from the reference by " + std::to_string(error)).c_str());
        return;
      }
      const work one{static_cast<double>(graph::macs), network<graph>::bytes(),
                     static_cast<double>(graph::arena_bytes), network<graph>::type != nnrt::f32};
      time_beside_peak(state, of_threads, one, [&] { benchmark::DoNotOptimize(with.run(executor).data()); });
    });
  }
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
