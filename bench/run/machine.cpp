// machine: prints this machine's limits as JSON - multiply-adds and dot products per second, read bandwidth of each
// level, for 1 and 2 threads; with --round-trip, how many nanoseconds a line takes from core to core and back, which
// moves where a host moves its cores.
// Flow: bench/run.sh writes them to build/bench/limits.json and round_trips.txt; bench/report.py puts them above the
// tables.
#include "support/machine.hpp"

#include <sched.h>

#include <cstdio>
#include <string_view>

namespace {

void print(int threads, bool is_last) {
  nnrt::thread_pool pool;
  if (threads > 1 && !pool.start(threads)) std::abort();
  nnrt::thread_pool* const used = threads > 1 ? &pool : nullptr;
  std::printf(" {\"threads\": %d, \"gflops\": %.1f, \"byte_gops\": %.1f", threads, bench::peak_gflops(used),
              bench::peak_byte_gops(used));
  for (std::size_t level = 0; level < bench::memory_levels().size(); ++level)
    std::printf(", \"%s\": %.1f", bench::memory_levels()[level].name, bench::read_gigabytes(level, used));
  std::printf("}%s\n", is_last ? "" : ",");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--round-trip") {
    cpu_set_t allowed;  // two that wait for each other need a core each
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 1)
      std::printf("%.0f\n", bench::round_trip_nanoseconds());
    return 0;
  }
  if (argc > 1) {
    const bool asks = std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h";
    return std::fprintf(asks ? stdout : stderr, "usage: bench_machine [--help] [--round-trip]\n"), asks ? 0 : 2;
  }
  std::printf("[\n");
  print(1, false);
  print(2, true);
  std::printf("]\n");
}
