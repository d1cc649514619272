// require: what must hold for every input of a fuzzer.
// Flow: all fuzzers; libFuzzer keeps the input of a program that ends.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace nnrt_fuzz {

/// Ends the program, and says where, when something does not hold.
inline void require(bool holds, std::source_location at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: does not hold\n", at.file_name(), static_cast<unsigned>(at.line()));
  std::abort();
}

}  // namespace nnrt_fuzz
