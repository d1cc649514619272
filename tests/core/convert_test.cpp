// convert_test: elements become others by the rule of CAST, in the compiler and at run time.
#include <nnrt/core/convert.hpp>

#include <doctest/doctest.h>

namespace {

namespace math = nnrt::math;

constexpr double inf = math::infinity<double>, nan = math::nan<double>;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr float float_inf = math::infinity<float>, float_nan = math::nan<float>;
static_assert(math::convert<std::int8_t>(127.9F) == 127 && math::convert<std::int8_t>(128.0F) == 127);
static_assert(math::convert<std::int8_t>(-128.9F) == -128 && math::convert<std::int8_t>(-1e30F) == -128);
static_assert(math::convert<std::uint8_t>(-0.9F) == 0 && math::convert<std::uint8_t>(-5.0F) == 0 &&
              math::convert<std::uint8_t>(255.5F) == 255);
static_assert(math::convert<std::int32_t>(float_nan) == 0 && math::convert<std::int32_t>(float_inf) == 2147483647);
static_assert(math::convert<std::int32_t>(-2.9) == -2 && math::convert<std::int32_t>(2147483647.5) == 2147483647);
static_assert(math::convert<std::int64_t>(0x1p63F) == std::numeric_limits<std::int64_t>::max());
static_assert(math::convert<std::int64_t>(-0x1p63) == lowest && math::convert<std::int64_t>(-inf) == lowest);
static_assert(math::convert<std::int64_t>(0x1.fffffffffffffp62) == 0x7ffffffffffffc00);
static_assert(math::convert<std::uint64_t>(0x1.fffffep63F) == 0xffffff0000000000U);
static_assert(math::convert<std::uint64_t>(0x1p64) == std::numeric_limits<std::uint64_t>::max());
static_assert(math::convert<bool>(0.25F) && math::convert<bool>(float_nan) && !math::convert<bool>(-0.0) &&
              math::convert<bool>(-1));
static_assert(math::convert<std::int8_t>(std::int32_t{300}) == 44 &&
              math::convert<std::uint8_t>(std::int64_t{-1}) == 255);
static_assert(math::convert<std::int32_t>(true) == 1 && math::convert<float>(false) == 0.0F);
static_assert(math::convert<float>(1e300) == float_inf && math::convert<float>(std::int32_t{16777217}) == 16777216.0F);
static_assert(static_cast<float>(math::convert<nnrt::float16>(1e30)) == float_inf);
static_assert(static_cast<float>(math::convert<nnrt::float16>(2049)) == 2048.0F);
// Closer to a tie than a float can say: rounded once, not to the tie and then to its even neighbour.
static_assert(static_cast<float>(math::convert<nnrt::float16>(2049.00001)) == 2050.0F &&
              static_cast<float>(math::convert<nnrt::float16>(-2050.99999999)) == -2050.0F);
static_assert(static_cast<float>(math::convert<nnrt::float16>(2051.0)) == 2052.0F &&
              static_cast<float>(math::convert<nnrt::float16>(65519.9999999)) == 65504.0F);
static_assert(static_cast<float>(math::convert<nnrt::float16>(0x1.8p-25)) == 0x1p-24F &&
              static_cast<float>(math::convert<nnrt::float16>(1e300)) == float_inf);
static_assert(static_cast<float>(math::convert<nnrt::float16>(1e-300)) == 0.0F &&
              math::is_nan(static_cast<float>(math::convert<nnrt::float16>(nan))));
static_assert(math::convert<std::int8_t>(math::convert<nnrt::float16>(-1000.5F)) == -128);
static_assert(math::convert<double>(math::convert<nnrt::float16>(0.5)) == 0.5 &&
              math::convert<bool>(nnrt::float16(1.0F)));

static_assert(std::is_same_v<math::compute_t<nnrt::float16>, float> && std::is_same_v<math::compute_t<float>, float>);
static_assert(std::is_same_v<math::compute_t<double>, double> && std::is_same_v<math::compute_t<bool>, std::int64_t>);
static_assert(std::is_same_v<math::compute_t<std::uint8_t>, std::int64_t> &&
              std::is_same_v<math::compute_t<std::int64_t>, std::int64_t>);

template <class To> void check_saturation(const char* what) {
  CAPTURE(what);
  using bounds = std::numeric_limits<To>;
  volatile double beyond = 1e30, below = -1e30, undefined = nan, inside = 100.99;
  CHECK(math::convert<To>(beyond) == bounds::max());
  CHECK(math::convert<To>(below) == bounds::min());
  CHECK(math::convert<To>(undefined) == To{0});
  CHECK(math::convert<To>(inside) == To{100});
  CHECK(math::convert<To>(static_cast<float>(beyond)) == bounds::max());
}

TEST_CASE("conversion to every integer type saturates at run time") {
  check_saturation<std::int8_t>("i8");
  check_saturation<std::int16_t>("i16");
  check_saturation<std::int32_t>("i32");
  check_saturation<std::int64_t>("i64");
  check_saturation<std::uint8_t>("u8");
  check_saturation<std::uint16_t>("u16");
  check_saturation<std::uint32_t>("u32");
  check_saturation<std::uint64_t>("u64");
}

}  // namespace
