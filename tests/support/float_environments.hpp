// float_environments: rounding modes and treatments of denormals that a caller's thread can have.
// Flow: tests run the same thing in each of them, on one thread and on several.
#pragma once

#include <nnrt/core/float_environment.hpp>

#include <cfenv>
#include <vector>

namespace nnrt_test {

/// An environment by its name.
struct named_environment {
  const char* name;
  nnrt::float_environment floats;
};

/// The one of a rounding mode.
inline nnrt::float_environment in_rounding_mode(int mode) {
  const int before = std::fegetround();
  std::fesetround(mode);
  const auto made = nnrt::float_environment::of_this_thread();
  std::fesetround(before);
  return made;
}
/// An environment in which denormal operands and results are zeros, where the processor can do that.
inline nnrt::float_environment with_flushed_denormals(nnrt::float_environment other) {
#if defined(__SSE__)
  return nnrt::float_environment::from_word(other.word() | 0x8040);
#elif defined(__aarch64__)
  return nnrt::float_environment::from_word(other.word() | 1U << 24);
#else
  return other;
#endif
}

inline std::vector<named_environment> float_environments() {
  return {{"usual", {}},
          {"upward", in_rounding_mode(FE_UPWARD)},
          {"downward", in_rounding_mode(FE_DOWNWARD)},
          {"toward zero", in_rounding_mode(FE_TOWARDZERO)},
          {"denormals are zeros", with_flushed_denormals({})},
          {"denormals are zeros, upward", with_flushed_denormals(in_rounding_mode(FE_UPWARD))}};
}

/// Whether this machine has what the environment says. Valgrind has not all of it.
inline bool flushes_denormals() {
  volatile float denormal = 1e-39F, one = 1;
  return denormal * one == 0;
}

}  // namespace nnrt_test
