// atan2_test: angles - special values, distance from the exact value, the same bits in constant evaluation and at run
// time.
#include <nnrt/core/atan2.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace {

namespace math = nnrt::math;
using real = long double;

constexpr double inf = math::infinity<double>, nan = math::nan<double>, pi = 0x1.921fb54442d18p+1;
constexpr double smallest = std::numeric_limits<double>::denorm_min(), largest = std::numeric_limits<double>::max();

constexpr bool same(double a, double b) {
  return (math::is_nan(a) && math::is_nan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

struct angle_row {
  double y, x, angle;
};
// ISO C, F.10.1.4; the others by mpmath, rounded once.
constexpr angle_row special_values[] = {
    {0.0, 1.0, 0.0},
    {-0.0, 1.0, -0.0},
    {0.0, 0.0, 0.0},
    {-0.0, 0.0, -0.0},
    {0.0, -0.0, pi},
    {-0.0, -0.0, -pi},
    {0.0, -2.0, pi},
    {-0.0, -inf, -pi},
    {3.0, 0.0, pi / 2},
    {-3.0, -0.0, -pi / 2},
    {2.0, inf, 0.0},
    {-2.0, inf, -0.0},
    {2.0, -inf, pi},
    {inf, 5.0, pi / 2},
    {-inf, -5.0, -pi / 2},
    {inf, inf, pi / 4},
    {-inf, inf, -pi / 4},
    {inf, -inf, 0x1.2d97c7f3321d2p+1},
    {-inf, -inf, -0x1.2d97c7f3321d2p+1},
    {nan, 1.0, nan},
    {1.0, nan, nan},
    {1.0, 1.0, pi / 4},
    {1.0, -1.0, 0x1.2d97c7f3321d2p+1},
    {smallest, 1.0, smallest},
    {smallest, largest, 0.0},
    {-smallest, -largest, -pi},
    {smallest, smallest, pi / 4},
    {largest, largest, pi / 4},
    {0x1p-1060, -0x1p-1060, 0x1.2d97c7f3321d2p+1},
    {1.0, 3.0, 0x1.4978fa3269ee1p-2},
    {-3.0, 1.0, -0x1.3fc176b7a856p+0},
    {1e-5, -1.0, 0x1.921f61616cae0p+1},
};

constexpr int first_wrong() {
  int i = 0;
  for (const angle_row& r : special_values) {
    if (!same(math::atan2(r.y, r.x), r.angle)) return i;
    ++i;
  }
  return -1;
}
static_assert(first_wrong() == -1);

TEST_CASE("atan2 keeps the special values of C at run time") {
  for (const angle_row& r : special_values) {
    CAPTURE(r.y);
    CAPTURE(r.x);
    CHECK(same(math::atan2(r.y, r.x), r.angle));
  }
}

/// By how many units in the last place of the exact angle the result is off.
double ulps(double got, real exact, int digits, int least) {
  if (exact == 0) return got == 0 ? 0 : inf;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs(real{got} - exact) / std::ldexp(real{1}, std::max(exponent - digits, least)));
}

TEST_CASE("atan2 is the exact angle, rounded once, for points near and far, and on both sides of each axis") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  double worst = 0, worst_narrow = 0, worst_y = 0, worst_x = 0;
  for (int i = 0; i < 200'000; ++i) {
    double y = unit(random), x = unit(random);
    if (i % 4 == 1) y = std::ldexp(y, static_cast<int>(random() % 100) - 50);
    if (i % 4 == 2) y = std::bit_cast<double>(random()), x = std::bit_cast<double>(random());
    if (i % 4 == 3) y = std::ldexp(y, -1040), x = std::ldexp(x, -1040);
    if (std::isnan(x) || std::isnan(y)) continue;
    const double off = ulps(math::atan2(y, x), std::atan2(real{y}, real{x}), 53, -1074);
    if (off > worst) worst = off, worst_y = y, worst_x = x;
    const auto narrow_y = static_cast<float>(unit(random)), narrow_x = static_cast<float>(x);
    worst_narrow = std::fmax(worst_narrow, ulps(double{math::atan2(narrow_y, narrow_x)},
                                                std::atan2(real{narrow_y}, real{narrow_x}), 24, -149));
  }
  CAPTURE(worst_y);
  CAPTURE(worst_x);
  if (std::numeric_limits<real>::digits > 53) CHECK(worst <= 0.51);
  CHECK(worst_narrow <= 0.501);
}

constexpr std::array<double, 60> angles_from(double first) {
  std::array<double, 60> made{};
  for (int i = 0; i < 60; ++i) made[static_cast<std::size_t>(i)] = math::atan2(first + 0.21 * i, 3.1 - 0.17 * i);
  return made;
}
constexpr std::array<double, 60> compiled = angles_from(-5.3);

TEST_CASE("atan2 has the same bits in constant evaluation and at run time") {
  volatile double first = -5.3;
  const std::array<double, 60> computed = angles_from(first);
  for (std::size_t i = 0; i < computed.size(); ++i) CHECK(same(computed[i], compiled[i]));
}

}  // namespace
