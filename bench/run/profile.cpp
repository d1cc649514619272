// profile: the time of each step of every network, and the machine's peak - where a network loses against its
// matrix products.
// Flow: bench/run.sh writes its JSON to build/bench/profile.json; bench/report.py makes the tables. --threads=N divides
// steps among N threads (1); with a folder as its argument it also writes a trace of each network's last run there, for
// chrome://tracing.
#include "support/machine.hpp"
#include "support/prepared.hpp"

#include <nnrt/profile.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* usage =
    "usage: bench_profile [--help] [--threads=N] [FOLDER]\n\n"
    "Prints as JSON how long each step of every network takes, and how much of the machine's peak that is. Steps are "
    "divided\n"
    "among N threads (1). With a FOLDER, a trace of each network's last run goes there, for chrome://tracing.\n";

constexpr int runs = 200;

/// Prints the steps of a network, in floats or in quantised values. The fastest of many runs of the whole network
/// counts, whose steps leave the caches to the next ones.
void print(const bench::workload& w, nnrt::dtype type, int threads, const char* folder, bool is_first) {
  const bench::prepared& with = bench::prepared::of(w, type);
  const auto timed = with.ours_profiled(threads);
  const double error = with.error_of(*timed);
  if (!(error <= 1e-4))
    std::fprintf(stderr, "%s differs from the reference by %g\n", w.name.c_str(), error), std::exit(1);
  timed->run_many(runs);
  const double peak = type == nnrt::f32 ? bench::peak_gflops() : bench::peak_byte_gops();
  const auto steps = timed->profile();
  std::printf("%s {\"network\": \"%s, %s\", \"peak_gflops\": %.1f, \"error\": %.3g, \"steps\": [\n",
              is_first ? "" : ",\n", w.name.c_str(), std::string(nnrt::name_of(type)).c_str(), peak, error);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const nnrt::profiled_step& s = steps[i];
    std::printf(
        "  {\"op\": \"%s\", \"name\": \"%s\", \"kernel\": \"%s\", \"output\": \"%s\", \"seconds\": %.9f, \"macs\": "
        "%lld, \"bytes\": %lld}%s\n",
        std::string(s.op).c_str(), std::string(s.name).c_str(), std::string(s.kernel).c_str(),
        nnrt::ir::to_string(s.output).c_str(), static_cast<double>(s.time.fastest) * 1e-9,
        static_cast<long long>(s.macs), static_cast<long long>(s.bytes), i + 1 < steps.size() ? "," : "");
  }
  std::printf(" ]}");
  if (folder == nullptr) return;
  const std::string path = std::string(folder) + "/trace-" + w.key + "-" + std::string(nnrt::name_of(type)) + ".json";
  if (auto saved = nnrt::save_chrome_trace(path, steps); !saved)
    std::fprintf(stderr, "%s\n", saved.error().message().c_str()), std::exit(1);
}

}  // namespace

int main(int argc, char** argv) try {
  constexpr std::string_view option = "--threads=";
  int threads = 1;
  const char* folder = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "-h" || argument == "--help") return std::fputs(usage, stdout), 0;
    if (argument.starts_with(option)) threads = std::atoi(argv[i] + option.size());
    else if (!argument.starts_with('-') && folder == nullptr) folder = argv[i];
    else threads = 0;
    if (threads < 1) return std::fprintf(stderr, "bench_profile takes no %s\n%s", argv[i], usage), 2;
  }
  std::printf("[\n");
  bool is_first = true;
  for (const bench::workload& w : bench::workloads())
    if (w.group == "network")
      for (const nnrt::dtype type : {nnrt::f32, nnrt::i8}) print(w, type, threads, folder, is_first), is_first = false;
  std::printf("\n]\n");
} catch (const std::exception& reason) {
  std::fprintf(stderr, "%s\n", reason.what());
  return 1;
}
