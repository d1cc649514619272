// sanitized: whether the tests were built with a sanitizer, g++'s or clang's, or run in valgrind.
// Flow: tests that would take its own memory or descriptors away ask for NNRT_TEST_SANITIZED, or runs_in_valgrind();
// those with limits of time for slowness(), those with many random cases for cases().
#pragma once

#include <cstdlib>
#include <string_view>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNRT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define NNRT_TEST_SANITIZED 1
#endif
#endif

namespace nnrt_test {

/// Valgrind puts its libraries before the program's.
inline bool runs_in_valgrind() {
  const char* const before = std::getenv("LD_PRELOAD");
  return before != nullptr && std::string_view(before).find("vgpreload") != std::string_view::npos;
}

/// How many times as long as natively a test may take.
inline unsigned slowness() {
#if defined(NNRT_TEST_SANITIZED)
  return 20;
#else
  return runs_in_valgrind() ? 20 : 1;
#endif
}

/// How many random cases a test tries. Valgrind, which takes fifty times as long, looks at what each of them touches
/// and not at its numbers: there a few say as much.
template <class T> T cases(T natively, T in_valgrind) { return runs_in_valgrind() ? in_valgrind : natively; }

}  // namespace nnrt_test
