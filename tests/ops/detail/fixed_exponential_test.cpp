// fixed_exponential_test: powers and reciprocals in fixed-point numbers lie next to the exact ones.
#include <nnrt/ops/detail/fixed_exponential.hpp>

#include <doctest/doctest.h>

using namespace nnrt;
namespace fixed = ops::detail::fixed;

namespace {

constexpr double as_fraction(std::int32_t x) { return x * 0x1p-31; }
constexpr double of_5_bits(std::int32_t x) { return x * 0x1p-26; }
constexpr std::int32_t from_5_bits(double x) { return static_cast<std::int32_t>(x * 0x1p26); }

}  // namespace

// gemmlowp's constants are these powers of e, and 1 / 3, rounded to 31 bits; exp() of a power of two multiplies by one.
static_assert(fixed::exp(0) == (std::int64_t{1} << 31) - 1);
static_assert(math::round_half_away(math::exp(-0.125) * 0x1p31) == 1895147668);
static_assert(math::round_half_away(math::exp(-16.0) * 0x1p31) == 242);

TEST_CASE("fixed exponential: e^x is right to the rest of the series, 2.6e-7, and at most 1") {
  for (int i = 1; i < 31 * 64; ++i) {
    const std::int32_t x = from_5_bits(-i / 64.0 - 0.003);
    CAPTURE(of_5_bits(x));
    CHECK(math::abs(as_fraction(fixed::exp(x)) - math::exp(of_5_bits(x))) < 2.6e-7);
  }
  CHECK(fixed::exp(-1) <= fixed::exp(0));
}

TEST_CASE("fixed exponential: 1 / (1 + x) within 3e-9") {
  for (int i = 0; i < 1024; ++i) {
    const std::int32_t x = i * (1 << 21) + i % 7;
    CAPTURE(as_fraction(x));
    CHECK(math::abs(as_fraction(fixed::reciprocal_of_one_plus(x)) - 1 / (1 + as_fraction(x))) < 3e-9);
  }
}

TEST_CASE("fixed exponential: the reciprocal of a sum keeps its order of magnitude apart") {
  struct row {
    std::int64_t sum;  // 19 bits after the point
    int bits;
    double fraction;
  };
  constexpr std::int64_t one = std::int64_t{1} << 19;
  constexpr row table[] = {
      {one, 0, 1.0},         {one + one / 2, 0, 2 / 3.0}, {3 * one, 1, 2 / 3.0}, {4095 * one, 11, 2048.0 / 4095},
      {4096 * one, 12, 1.0}, {one << 39, 39, 1.0},
  };
  for (const row& r : table) {
    CAPTURE(r.sum);
    CHECK(fixed::reciprocal_of(r.sum).bits == r.bits);
    CHECK(math::abs(as_fraction(fixed::reciprocal_of(r.sum).fraction) - r.fraction) < 3e-9);
  }
}

TEST_CASE("fixed exponential: differences too large for a scale count as minus infinity") {
  const fixed::exponent_scale tenth(0.1F), one(1.0F), tiny(1e-30F), huge(1e30F);
  CHECK(tenth.exp(0) == fixed::exp(0));
  CHECK(math::abs(as_fraction(tenth.exp(-20)) - math::exp(-20 * double{0.1F})) < 2.6e-7);
  CHECK(one.exp(-15) == 657);  // e^-15; the factor 2^26 of scale 1 leaves room for -31 / 2 steps
  CHECK(one.exp(-16) == 0);
  CHECK(tiny.exp(-255) == fixed::exp(0));
  CHECK(huge.exp(-1) == 0);
  CHECK(huge.exp(0) == fixed::exp(0));
}
