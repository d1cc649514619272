// machine: prints this machine's limits as JSON - multiply-adds and dot products per second, read bandwidth of each level, for 1 and
// 2 threads. Flow: bench/run.sh writes it to build/bench/limits.json; bench/report.py puts it above the tables.
#include "support/machine.hpp"

#include <cstdio>

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

int main() {
  std::printf("[\n");
  print(1, false);
  print(2, true);
  std::printf("]\n");
}
