// sanitized: whether the tests were built with a sanitizer, g++'s or clang's.
// Flow: tests that would take its own memory, descriptors or time away ask for NNRT_TEST_SANITIZED.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNRT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define NNRT_TEST_SANITIZED 1
#endif
#endif
