// quantised_value_test: quantised values and real ones, both ways, at ties, ends and what is no number.
#include <nnrt/core/quantised_value.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt;

constexpr quant half{.scale = 0.5F, .zero_point = 3}, tenth{.scale = 0.1F, .zero_point = -7};
constexpr float largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::min();

static_assert(can_be_quantised<std::int8_t> && can_be_quantised<std::uint8_t> && can_be_quantised<std::int16_t>);
static_assert(!can_be_quantised<std::int32_t> && !can_be_quantised<float> && !can_be_quantised<bool>);

static_assert(real_of(127, half) == 62.0F && real_of(3, half) == 0.0F && real_of(-128, half) == -65.5F);
// 0.1F is 13421773 / 2^27; 124 times that, rounded to 24 bits, lies above the float nearest to 12.4.
static_assert(real_of(117, tenth) == 12.400001F && real_of(-128, tenth) == -12.1F);
static_assert(quantised_as<std::int8_t>(1.0F, half) == 5);

TEST_CASE("stored_as: the nearest quantised value, halves away from zero, ends for what lies beyond") {
  struct row {
    const char* what;
    float real;
    int expected;
  };
  static constexpr row table[] = {
      {"zero", 0.0F, 3},
      {"a step", 0.5F, 4},
      {"half a step", 0.25F, 4},
      {"half a step down", -0.25F, 2},
      {"less than half", 0.2499F, 3},
      {"the last", 62.0F, 127},
      {"beyond", 62.3F, 127},
      {"far beyond", largest, 127},
      {"the first", -65.5F, -128},
      {"below", -1e9F, -128},
      {"infinite", math::infinity<float>, 127},
      {"not a number", math::nan<float>, 3},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(quantised_as<std::int8_t>(r.real, half) == r.expected);
  }
  CHECK(quantised_as<std::uint8_t>(-1e9F, half) == 0);
  CHECK(quantised_as<std::int16_t>(1000.0F, half) == 2003);
  CHECK(quantised_as<std::int8_t>(float16(1.0F), half) == 5);
}

TEST_CASE("stored_as: floats are divided in float, doubles in double") {
  // In double 1.15 / 0.1F is 11.499999828…, in float 1.15F / 0.1F rounds to 11.5 (python: struct round trips).
  CHECK(quantised_as<std::int8_t>(1.15F, tenth) == 5);
  CHECK(quantised_as<std::int8_t>(1.15, tenth) == 4);
}

TEST_CASE("quantised values: quotients and products beyond float's range are infinite, in constant evaluation too") {
  static_assert(float_quotient(largest, smallest) == math::infinity<float>);
  static_assert(float_product(largest, 2.0F) == math::infinity<float>);
  static_assert(quantised_as<std::int8_t>(largest, quant{smallest, 0}) == 127);
  CHECK(float_product(0.1F, 0.1F) == 0.010000001F);
  CHECK(float_quotient(1.0F, 3.0F) == 0.33333334F);
}

}  // namespace
