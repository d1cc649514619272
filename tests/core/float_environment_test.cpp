// float_environment_test: a thread's rounding, denormals and traps are read, entered and left again, and its flags stay
// what they are.
#include <nnrt/core/float_environment.hpp>

#include "support/float_environments.hpp"

#include <doctest/doctest.h>

namespace {

using namespace nnrt;
using namespace nnrt_test;

float third_of(float x) {
  volatile float number = x, three = 3;
  const volatile float quotient = number / three;
  return quotient;
}

TEST_CASE("float_environment: a scope computes in its own environment, and the thread in its former one afterwards") {
  struct row {
    const char* what;
    int mode;
    float third, of_minus_one;
  };
  static constexpr row table[] = {
      {"to nearest", FE_TONEAREST, 0x1.555556p-2F, -0x1.555556p-2F},
      {"upward", FE_UPWARD, 0x1.555556p-2F, -0x1.555554p-2F},
      {"downward", FE_DOWNWARD, 0x1.555554p-2F, -0x1.555556p-2F},
      {"toward zero", FE_TOWARDZERO, 0x1.555554p-2F, -0x1.555554p-2F},
  };
  const float_environment before = float_environment::of_this_thread();
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(computed_in(in_rounding_mode(r.mode), [] { return third_of(1); }) == r.third);
    CHECK(computed_in(in_rounding_mode(r.mode), [] { return third_of(-1); }) == r.of_minus_one);
    CHECK(float_environment::of_this_thread() == before);
    CHECK(third_of(-1) == table[0].of_minus_one);
  }
}

TEST_CASE("float_environment: the usual one is that of a thread which has set nothing") {
  CHECK(float_environment() == float_environment::of_this_thread());
  CHECK(float_environment() != in_rounding_mode(FE_UPWARD));
}

TEST_CASE("float_environment: to enter one neither raises nor clears flags") {
  std::feclearexcept(FE_ALL_EXCEPT);
  with_flushed_denormals(in_rounding_mode(FE_DOWNWARD)).enter();
  CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
  (void)third_of(1);
  CHECK(std::fetestexcept(FE_INEXACT) != 0);
  float_environment().enter();
  CHECK(std::fetestexcept(FE_INEXACT) != 0);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_CASE("float_environment: a word of another process gives rounding and denormals, and never a trap") {
  const float_environment own = with_flushed_denormals(in_rounding_mode(FE_UPWARD));
  CHECK(float_environment::from_word(own.word()) == own);
  // Whatever stands in a word: it is entered without a fault, and a division by zero is none.
  std::uint64_t word = 0;
  for (int i = 0; i < 2000; ++i, word = word * 6364136223846793005U + 1442695040888963407U) {
    const float_scope scope(float_environment::from_word(word));
    volatile float one = 1, zero = 0;
    const volatile float infinite = one / zero;
    REQUIRE(infinite > 0);
  }
  CHECK(float_environment::of_this_thread() == float_environment());
}

}  // namespace
