// said: what a process of bench/process prints when it has a result - the class that won, and its own private memory.
// Flow: bench/process/measure.py reads the line, and compares the classes.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace bench {

/// KiB of memory that this process shares with no other.
inline long private_kib() {
  std::FILE* const file = std::fopen("/proc/self/smaps_rollup", "r");
  if (file == nullptr) return 0;
  char line[256];
  long all = 0, one = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::sscanf(line, "Private_Clean: %ld", &one) == 1 || std::sscanf(line, "Private_Dirty: %ld", &one) == 1)
      all += one;
  std::fclose(file);
  return all;
}

inline void say_result(const float* scores, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < count; ++i)
    if (scores[i] > scores[best]) best = i;
  // Measuring the memory takes time: only on demand, in runs that are not timed.
  std::printf("%zu %ld\n", best, std::getenv("NNRT_BENCH_MEMORY") != nullptr ? private_kib() : 0);
}

}  // namespace bench
