// counted_steps: how much a program has done, as a number that is the same in every run.
// Flow: tests/growth compiles what it measures with -fsanitize-coverage=trace-pc, so that each basic block adds 1; the
// heap adds 1 for 64 bytes.
#pragma once

#include <cstdint>

namespace nnrt_test {

/// Basic blocks that instrumented code of this program has run, and cache lines that it was given by operator new.
std::uint64_t counted_steps();

/// Those that one call of f takes.
template <class F> std::uint64_t steps_of(F f) {
  const std::uint64_t before = counted_steps();
  f();
  return counted_steps() - before;
}

}  // namespace nnrt_test
