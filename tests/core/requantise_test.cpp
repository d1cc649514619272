// Multipliers and roundings against the definitions of quantised TFLite models, and at their edges.
#include <nnrt/core/requantise.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt;
using tflite = rounding::double_rounding;

constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(),
                       least = std::numeric_limits<std::int32_t>::min();

static_assert(fixed_point_of(0.25 * 0.5 / 13) == fixed_point{1321528399, -6});
static_assert(tflite::scale(1000, fixed_point_of(3.7)) == 3700);
static_assert(requantise<std::int8_t>(45, fixed_point_of(0.5), -3, {-128, 127}) == 20);
static_assert(requantise<std::int8_t, rounding::single_rounding>(-45, fixed_point_of(0.5), -3, {-128, 127}) == -25);
static_assert(requantise<std::int8_t, rounding::half_to_even>(45, fixed_point_of(0.5), -3, {-128, 127}) == 19);

TEST_CASE(
    "fixed_point_of: fraction and exponent as frexp gives them, rounded half away, zero where no 32 bits are left") {
  struct row {
    const char* what;
    double factor;
    fixed_point expected;
  };
  // Expected numbers: python, math.frexp(factor) and floor(fraction * 2**31 + 0.5).
  constexpr row table[] = {
      {"a typical factor", 0.25 * 0.5 / 13, {1321528399, -6}},
      {"a power of two", 1.0, {1 << 30, 1}},
      {"above one", 3.7, {1986422374, 2}},
      {"an inexact fraction", 0.3, {1288490189, -1}},
      {"a fraction that rounds up to 1", 0.999999999999, {1 << 30, 1}},
      {"huge", 1e30, {1694065895, 100}},
      {"the smallest exponent", 0x1p-32, {1 << 30, -31}},
      {"just below it", 0x1.fffffp-33, {}},
      {"zero", 0.0, {}},
      {"negative", -0.5, {}},
      {"not a number", std::numeric_limits<double>::quiet_NaN(), {}},
      {"infinite", std::numeric_limits<double>::infinity(), {}},
      {"subnormal", 5e-324, {}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(fixed_point_of(r.factor).mantissa == r.expected.mantissa);
    CHECK(fixed_point_of(r.factor).exponent == r.expected.exponent);
  }
}

TEST_CASE(
    "rounding::double_rounding: ties of the product go up, ties of the shift away from zero, and what leaves 32 bits "
    "saturates") {
  struct row {
    std::int32_t accumulator;
    double factor;
    std::int32_t expected;
  };
  // Expected numbers: python integers of any size, through the definitions of SRDHM and RDP.
  constexpr row table[] = {
      {1048577, 0.25 * 0.5 / 13, 10082},
      {-1048577, 0.25 * 0.5 / 13, -10082},
      {1000, 3.7, 3700},
      {-1000, 3.7, -3700},
      {5, 0.3, 2},
      {-5, 0.3, -2},
      {1, 0.5, 1},
      {-1, 0.5, 0},
      {3, 0.5, 2},
      {-3, 0.5, -1},
      {2, 0.25, 1},
      {-2, 0.25, -1},
      {1, 1e30, 1694065894},
      {-1, 1e30, -1694065895},
      {0, 1e30, 0},
      {most, 1.0, 1 << 30},
      {least, 1.0, -(1 << 30)},
      {most, 0x1p-31, 1},
      {least, 0x1p-31, -1},
      {least, 0x1p-32, -1},
      {least, 0x1p-33, 0},
      {most, 0.5, 1 << 30},
  };
  for (const row& r : table) {
    CAPTURE(r.accumulator);
    CAPTURE(r.factor);
    CHECK(tflite::scale(r.accumulator, fixed_point_of(r.factor)) == r.expected);
  }
}

TEST_CASE(
    "rounding::single_rounding and half_to_even: the exact product is rounded once; they differ where it lies in the "
    "middle") {
  struct row {
    std::int32_t accumulator;
    double factor;
    std::int32_t once, half_to_even;
  };
  // Expected numbers: python integers of any size: p = accumulator * mantissa, n = 31 - exponent; (p + 2**(n - 1)) >>
  // n, and round(fractions.Fraction(p, 2**n)), which takes halves to even; then saturated.
  constexpr row table[] = {
      {1048577, 0.25 * 0.5 / 13, 10082, 10082},
      {-1048577, 0.25 * 0.5 / 13, -10082, -10082},
      {5, 0.3, 2, 2},
      {-5, 0.3, -2, -2},
      {1, 0.5, 1, 0},
      {-1, 0.5, 0, 0},
      {3, 0.5, 2, 2},
      {-3, 0.5, -1, -2},
      {5, 0.5, 3, 2},
      {-5, 0.5, -2, -2},
      {2, 0.25, 1, 0},
      {-2, 0.25, 0, 0},
      {-6, 0.25, -1, -2},
      {6, 0.25, 2, 2},
      {1000, 3.7, 3700, 3700},
      {1, 1e30, most, most},
      {-1, 1e30, least, least},
      {0, 1e30, 0, 0},
      {1, 0x1p30, 1 << 30, 1 << 30},
      {-2, 0x1p31, least, least},
      {most, 1.0, most, most},
      {least, 1.0, least, least},
      {most, 1.5, most, most},
      {least, 1.5, least, least},
      {most, 0x1p-31, 1, 1},
      {least, 0x1p-32, 0, 0},
      {least, 0x1p-33, 0, 0},
  };
  for (const row& r : table) {
    CAPTURE(r.accumulator);
    CAPTURE(r.factor);
    CHECK(rounding::single_rounding::scale(r.accumulator, fixed_point_of(r.factor)) == r.once);
    CHECK(rounding::half_to_even::scale(r.accumulator, fixed_point_of(r.factor)) == r.half_to_even);
  }
}

TEST_CASE("stored_range_of: an activation cuts at the stored 0 and 6, inside the dtype") {
  struct row {
    const char* what;
    quant q;
    activation fused;
    quantised_range expected;
  };
  constexpr row table[] = {
      {"none", {0.1F, 5}, activation::none, {-128, 127}},
      {"relu at the zero point", {0.1F, 5}, activation::relu, {5, 127}},
      {"relu6 above it", {0.1F, 5}, activation::relu6, {5, 65}},
      {"half a step rounds up: 6 / 4 = 1.5", {4.0F, -7}, activation::relu6, {-7, -5}},
      {"6 beyond the dtype", {0.01F, -128}, activation::relu6, {-128, 127}},
      {"6 beyond 64 bits", {1e-38F, 0}, activation::relu6, {0, 127}},
      {"a zero point beyond the dtype", {1.0F, 300}, activation::relu, {127, 127}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const quantised_range got = quantised_range_of<std::int8_t>(r.q, r.fused);
    CHECK(got.low == r.expected.low);
    CHECK(got.high == r.expected.high);
  }
}

TEST_CASE("requantise: adds the zero point, clamps, and saturates sums beyond 32 bits") {
  const quantised_range all{-128, 127};
  CHECK(requantise<std::int8_t>(1000, fixed_point_of(0.01), -3, all) == 7);
  CHECK(requantise<std::int8_t>(100000, fixed_point_of(0.01), -3, all) == 127);
  CHECK(requantise<std::int8_t>(-100000, fixed_point_of(0.01), -3, all) == -128);
  CHECK(requantise<std::int8_t>(-100000, fixed_point_of(0.01), -3, {-3, 127}) == -3);
  CHECK(requantise<std::int8_t>(std::int64_t{1} << 40, fixed_point_of(0x1p-31), 0, all) == 1);
}

// Expected numbers: python integers and fractions of any size, by the definitions of SRDHM and RDP, by floor(p + 1/2),
// and by round(p).
TEST_CASE("requantise_exactly: sums beyond 32 bits, and results of 32 bits, meet all bits of the factor") {
  struct row {
    std::int64_t sum;
    double factor;
    std::int32_t twice, once, half_to_even;
  };
  static constexpr row table[] = {
      {4294836225, 0x1p-18, 16384, 16384, 16384},
      {-4294836225, 0x1p-18, -16384, -16384, -16384},
      {2293690000, 1 / 70000.0, 32767, 32767, 32767},
      {std::int64_t{1} << 40, 0x1p-31, 512, 512, 512},
      {6442450944, 0x1p-32, 2, 2, 2},  // halves: 3 * 2^31 and 5 * 2^31
      {-6442450944, 0x1p-32, -2, -1, -2},
      {10737418240, 0x1p-32, 3, 3, 2},
      {-10737418240, 0x1p-32, -3, -2, -2},
      {29000, 72090.0, 2090610000, 2090610000, 2090610000},
      {-29000, 72090.0, -2090610000, -2090610000, -2090610000},
      {1395864371, 1.5, 2093796557, 2093796557, 2093796556},
      {-1395864371, 1.5, -2093796556, -2093796556, -2093796556},
      {4000000000, 0x1p-18, 15259, 15259, 15259},
      {123456789012345, 1.1e-6, 135802468, 135802468, 135802468},
      {1, 1e30, most, most, most},
      {-1, 1e30, least, least, least},
      {0, 1e30, 0, 0, 0},
      {std::int64_t{1} << 62, 0x1p-32, 1 << 30, 1 << 30, 1 << 30},
  };
  constexpr quantised_range all{least, most};
  for (const row& r : table) {
    CAPTURE(r.sum);
    CAPTURE(r.factor);
    const fixed_point factor = fixed_point_of(r.factor);
    CHECK(requantise_exactly<std::int32_t>(r.sum, factor, 0, all) == r.twice);
    CHECK(requantise_exactly<std::int32_t, rounding::single_rounding>(r.sum, factor, 0, all) == r.once);
    CHECK(requantise_exactly<std::int32_t, rounding::half_to_even>(r.sum, factor, 0, all) == r.half_to_even);
  }
  CHECK(requantise_exactly<std::int32_t>(3000000000, fixed_point_of(1.0), -2000000000, all) == 1000000000);
  CHECK(requantise_exactly<std::int16_t>(4294836225, fixed_point_of(0x1p-18), 5, {-32768, 16000}) == 16000);
}

TEST_CASE(
    "requantise_exactly: where an odd zero point is added before halves go to even numbers, so it is beyond 32 bits") {
  constexpr quant even{1.0F, 4, quantised_rounding::half_to_even}, odd{1.0F, 5, quantised_rounding::half_to_even};
  constexpr quantised_range all{-32768, 32767};
  const fixed_point factor = fixed_point_of(0x1p-32);
  for (const std::int64_t sum : {std::int64_t{5}, std::int64_t{-3}}) {  // halves: 2.5 and -1.5
    CAPTURE(sum);
    CHECK(requantise_exactly<std::int16_t>(sum << 31, factor, even, all) == (sum > 0 ? 6 : 2));
    CHECK(requantise_exactly<std::int16_t>(sum << 31, factor, odd, all) == (sum > 0 ? 8 : 4));
  }
  CHECK(requantise_exactly<std::int16_t>((std::int64_t{5} << 31) - 1, factor, odd, all) == 7);
}

TEST_CASE("requantise_exactly: numbers of 16 bits from sums of 32 have the bits of requantise") {
  for (const double factor : {1e-9, 0.000123, 0.5, 0.9999, 1.0, 3.7, 70000.0, 1e30})
    for (const std::int32_t sum : {least, -1000000007, -65535, -3, -1, 0, 1, 3, 65535, 1000000007, most})
      for (const int zero_point : {-32768, 0, 7}) {
        CAPTURE(factor);
        CAPTURE(sum);
        const fixed_point f = fixed_point_of(factor);
        const std::int64_t exact = zero_point + tflite::scale_exactly(sum, f);
        const auto expected = requantise<std::int16_t>(sum, f, zero_point, {-32768, 32767});
        CHECK(requantise_exactly<std::int16_t>(sum, f, zero_point, {-32768, 32767}) == expected);
        CHECK(detail::clamped(exact, -32768, 32767) == expected);
      }
}

// Python integers: factor = q * 2^(e - 31) by frexp; (sum * ((q + 2^15) >> 16) + 2^(14 - e)) >> (15 - e).
TEST_CASE("requantise: sums of 64 bits meet a factor of 15 bits, and are rounded once") {
  struct row {
    std::int64_t sum;
    double factor;
    std::int32_t expected, with_ties_to_even;
  };
  static constexpr row table[] = {
      {123456789012, 1e-7, 12346, 12346},
      {-123456789012, 1e-7, -12346, -12346},
      {5, 0.5, 3, 2},
      {-5, 0.5, -2, -2},
      {3, 0.5, 2, 2},
      {-3, 0.5, -1, -2},
      {std::int64_t{1} << 40, 0x1p-31, 512, 512},
      {100000, 0.29999999, 30000, 30000},
      {1234567, 0.0123456789, 15242, 15242},
      {123456789, 0.99999, 123453021, 123453021},  // 123455554 with all bits of the factor
      {7, 1000.0, 7000, 7000},
      {1, 0x1p20, 1 << 20, 1 << 20},
      {-1, 0x1p40, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min()},
      {std::numeric_limits<std::int64_t>::max(), 0x1p-17, 1 << 30, 1 << 30},  // as 2^47 - 1
      {std::numeric_limits<std::int64_t>::min(), 0x1p-17, -(1 << 30), -(1 << 30)},
      {std::numeric_limits<std::int64_t>::min(), 0.0, 0, 0},
  };
  for (const row& r : table) {
    CAPTURE(r.sum);
    CAPTURE(r.factor);
    CHECK(rounding::double_rounding::scale_wide(r.sum, fixed_point_of(r.factor)) == r.expected);
    CHECK(rounding::single_rounding::scale_wide(r.sum, fixed_point_of(r.factor)) == r.expected);
    CHECK(rounding::half_to_even::scale_wide(r.sum, fixed_point_of(r.factor)) == r.with_ties_to_even);
  }
  CHECK(requantise_wide<std::int16_t>(123456789012, fixed_point_of(1e-7), 100, {-32768, 32767}) == 12446);
  CHECK(requantise_wide<std::int16_t>(123456789012, fixed_point_of(1e-6), 100, {-32768, 32767}) == 32767);
  static_assert(requantise_wide<std::int16_t>(-5, fixed_point_of(0.5), 0, {-1, 1}) == -1);
}

}  // namespace
