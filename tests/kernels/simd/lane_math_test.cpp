#include <nnrt/core/math.hpp>
#include <nnrt/kernels/simd/lane_math.hpp>

#include <doctest/doctest.h>
#include <cmath>
#include <vector>

using namespace nnrt;
using kernels::f32_lanes;
using kernels::f32_vec;

namespace {

constexpr float infinity = math::infinity<float>, not_a_number = math::nan<float>;

/// What a function of vectors gives for one number, in every lane alike.
template <class F> float in_lanes(F f, float x) {
  const f32_vec y = f(f32_vec(x));
  float all[f32_lanes];
  nnrt::kernels::store(all, y);
  for (const float lane : all) CHECK(std::bit_cast<std::uint32_t>(lane) == std::bit_cast<std::uint32_t>(all[0]));
  return all[0];
}

/// The distance to the true value in units of its last place.
double ulps(float got, double expected) {
  int exponent = 0;
  std::frexp(expected, &exponent);
  return std::fabs(double{got} - expected) / std::ldexp(1.0, exponent - 24);
}

const auto exp_lanes = [](f32_vec x) { return kernels::exp(x); };

}  // namespace

TEST_CASE("exp_of: within 1.5 ulp wherever the result is a normal number") {
  double worst = 0;
  for (double x = -87.336; x < 88.722; x += 0.00317) {
    const auto at = static_cast<float>(x);
    const double error = ulps(in_lanes(exp_lanes, at), math::exp(double{at}));
    worst = error > worst ? error : worst;
  }
  CHECK(worst < 1.5);
  for (const float x : {0.0F, -0.0F, 1e-30F, -1e-45F, 0x1.62e42ep+6F, -0x1.5d589ep+6F})
    CHECK(ulps(in_lanes(exp_lanes, x), math::exp(double{x})) < 1.5);
}

TEST_CASE("exp_of: what overflows is infinite, what vanishes is zero or subnormal, a NaN stays one") {
  for (const float x : {88.73F, 89.5F, 128.0F, 1e10F, 3e38F, infinity}) CHECK(in_lanes(exp_lanes, x) == infinity);
  for (const float x : {-104.5F, -150.0F, -1e10F, -3e38F, -infinity}) CHECK(in_lanes(exp_lanes, x) == 0.0F);
  for (const float x : {-87.5F, -95.0F, -103.0F}) {
    CHECK(in_lanes(exp_lanes, x) >= 0.0F);
    CHECK(in_lanes(exp_lanes, x) < 0x1p-126F);
  }
  // Quiet and signalling, with much and with little in their payload, of either sign.
  for (const std::uint32_t bits : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0x7fffffffU, 0xff800001U, 0x7fc12345U})
    CHECK(math::is_nan(in_lanes(exp_lanes, std::bit_cast<float>(bits))));
}

TEST_CASE(
    "exponentials_of: within what is said up to 88, zero or subnormal where the result vanishes, a NaN for a NaN") {
  const auto side_by_side = [](f32_vec x) {
    f32_vec several[] = {f32_vec(1.0F), x, f32_vec(-1.0F)};
    kernels::exponentials_of(several);
    return several[1];
  };
  double near = 0, further = 0, far = 0;
  for (double x = -87.336; x <= 88.0; x += 0.00317) {
    const auto at = static_cast<float>(x);
    const double error = ulps(in_lanes(side_by_side, at), math::exp(double{at}));
    double& worst = math::abs(x) < 16 ? near : math::abs(x) < 60 ? further : far;
    worst = error > worst ? error : worst;
  }
  CHECK(near < 2.5);
  CHECK(further < 4.5);
  CHECK(far < 5.5);
  for (const float x : {-87.5F, -88.5F, -95.0F, -103.0F}) {
    CHECK(in_lanes(side_by_side, x) >= 0.0F);
    CHECK(in_lanes(side_by_side, x) < 0x1p-126F);
  }
  for (const float x : {-104.5F, -150.0F, -1e10F, -3e38F, -infinity}) CHECK(in_lanes(side_by_side, x) == 0.0F);
  for (const std::uint32_t bits : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0x7fffffffU, 0xff800001U, 0x7fc12345U})
    CHECK(math::is_nan(in_lanes(side_by_side, std::bit_cast<float>(bits))));
}

TEST_CASE("tanh_of: within 5 ulp, odd, and 1 at most") {
  const auto tanh_lanes = [](f32_vec x) { return kernels::tanh_of(x); };
  double worst = 0;
  const auto check = [&](float x) {
    const float y = in_lanes(tanh_lanes, x);
    const double error = ulps(y, math::tanh(double{x}));
    worst = error > worst ? error : worst;
    CHECK(y <= 1.0F);
    CHECK(in_lanes(tanh_lanes, -x) == -y);
  };
  for (double x = 0.0007; x < 12.0; x += 0.00073) check(static_cast<float>(x));
  for (const float x : {0x1p-126F, 1e-30F, 1e-9F, 2e-4F, 9.01F, 9.02F, 9.03F, 20.0F, 1e10F, 3e38F, infinity}) check(x);
  CHECK(worst < 5.0);
  CHECK(in_lanes(tanh_lanes, 12.0F) == 1.0F);
  CHECK(in_lanes(tanh_lanes, infinity) == 1.0F);
  for (const float zero : {0.0F, -0.0F})
    CHECK(std::bit_cast<std::uint32_t>(in_lanes(tanh_lanes, zero)) == std::bit_cast<std::uint32_t>(zero));
  CHECK(math::is_nan(in_lanes(tanh_lanes, not_a_number)));
}

TEST_CASE("sigmoid_of: within 4 ulp, the tail of large negative numbers too; 0 and 1 at the ends") {
  const auto sigmoid_lanes = [](f32_vec x) { return kernels::sigmoid_of(x); };
  double worst = 0;
  for (double x = -87.0; x < 30.0; x += 0.00317) {
    const auto at = static_cast<float>(x);
    const double error = ulps(in_lanes(sigmoid_lanes, at), 1.0 / (1.0 + math::exp(-double{at})));
    worst = error > worst ? error : worst;
  }
  CHECK(worst < 4.0);
  CHECK(in_lanes(sigmoid_lanes, 0.0F) == 0.5F);
  for (const float x : {100.0F, 3e38F, infinity}) {
    CHECK(in_lanes(sigmoid_lanes, x) == 1.0F);
    CHECK(in_lanes(sigmoid_lanes, -x) < 0x1p-126F);
  }
  CHECK(math::is_nan(in_lanes(sigmoid_lanes, not_a_number)));
}

TEST_CASE("maximum_of: a NaN in either operand comes out; max finds the larger number") {
  const float numbers[] = {-infinity, -1.0F, 0.0F, 2.5F, infinity, not_a_number};
  for (const float x : numbers)
    for (const float y : numbers) {
      CAPTURE(x);
      CAPTURE(y);
      const float most = in_lanes([&](f32_vec v) { return kernels::maximum_of(v, f32_vec(y)); }, x);
      if (math::is_nan(x) || math::is_nan(y)) CHECK(math::is_nan(most));
      else CHECK(most == (x > y ? x : y));
      if (!math::is_nan(x) && !math::is_nan(y))
        CHECK(in_lanes([&](f32_vec v) { return kernels::max(v, f32_vec(y)); }, x) == (x > y ? x : y));
    }
}

TEST_CASE("where_less, where_at_most and where_nan: comparisons with a NaN are false") {
  const auto chosen = [](auto where, float x, float y) {
    return in_lanes([&](f32_vec v) { return where(v, f32_vec(y)); }, x) == 1.0F;
  };
  const auto less = [](f32_vec x, f32_vec y) { return kernels::where_less(x, y, f32_vec(1.0F), f32_vec(0.0F)); };
  const auto at_most = [](f32_vec x, f32_vec y) { return kernels::where_at_most(x, y, f32_vec(1.0F), f32_vec(0.0F)); };
  for (const float x : {-infinity, -1.0F, 0.0F, 1.0F, infinity, not_a_number})
    for (const float y : {-infinity, -1.0F, 0.0F, 1.0F, infinity, not_a_number}) {
      CHECK(chosen(less, x, y) == (x < y));
      CHECK(chosen(at_most, x, y) == (x <= y));
    }
  CHECK(in_lanes([](f32_vec x) { return kernels::where_nan(x, f32_vec(1.0F), f32_vec(0.0F)); }, not_a_number) == 1.0F);
  CHECK(in_lanes([](f32_vec x) { return kernels::where_nan(x, f32_vec(1.0F), f32_vec(0.0F)); }, infinity) == 0.0F);
}

TEST_CASE("sums and maxima across the lanes, with lanes left out") {
  float numbers[f32_lanes];
  for (std::int64_t i = 0; i < f32_lanes; ++i) numbers[i] = static_cast<float>((i * 7) % 5 - 2);
  for (std::int64_t n = 1; n <= f32_lanes; ++n) {
    float sum = 0, most = -infinity;
    for (std::int64_t i = 0; i < n; ++i) sum += numbers[i], most = numbers[i] > most ? numbers[i] : most;
    const f32_vec all = nnrt::kernels::load(numbers);
    CHECK(kernels::reduce_add(kernels::first_or(all, n, 0.0F)) == sum);
    CHECK(kernels::reduce_max(kernels::first_or(all, n, -infinity)) == most);
  }
}

TEST_CASE("abs: no sign is left, not even that of zero") {
  for (const float x : {-0.0F, -1.5F, 2.0F, -infinity}) {
    const float size = in_lanes([](f32_vec v) { return kernels::abs(v); }, x);
    CHECK(size == math::abs(x));
    CHECK_FALSE(std::signbit(size));
  }
}

TEST_CASE("at_most: a byte of 1 for each lane where x <= y, and only the first n are written") {
  std::vector<float> x, y;
  for (std::int64_t i = 0; i < f32_lanes; ++i) {
    x.push_back(i % 5 == 4 ? not_a_number : static_cast<float>(i));
    y.push_back(static_cast<float>(i % 3 == 0 ? i - 1 : i % 3 == 1 ? i : i + 1));
  }
  const kernels::boolean_lanes truth = kernels::at_most(kernels::load(x.data()), kernels::load(y.data()));
  for (std::int64_t n = 1; n <= f32_lanes; ++n) {
    unsigned char bytes[f32_lanes + 1];
    std::memset(bytes, 0x5a, sizeof bytes);
    if (n == f32_lanes) kernels::store(reinterpret_cast<bool*>(bytes), truth);
    else kernels::store_n(reinterpret_cast<bool*>(bytes), truth, n);
    for (std::int64_t i = 0; i <= f32_lanes; ++i) {
      CAPTURE(i);
      const auto at = static_cast<std::size_t>(i);
      CHECK(int{bytes[i]} == (i >= n ? 0x5a : x[at] <= y[at] ? 1 : 0));
    }
  }
}

TEST_CASE("sqrt: correctly rounded, and NaN below zero") {
  const auto root = [](f32_vec x) { return kernels::sqrt(x); };
  for (const float x : {0.0F, -0.0F, 1.0F, 2.0F, 3.0F, 1e-45F, 1e-38F, 3.4e38F, infinity})
    CHECK(std::bit_cast<std::uint32_t>(in_lanes(root, x)) == std::bit_cast<std::uint32_t>(math::sqrt(x)));
  CHECK(std::isnan(in_lanes(root, -1.0F)));
  CHECK(std::isnan(in_lanes(root, not_a_number)));
}
