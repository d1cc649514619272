#include <nnrt/exec/calibration.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

using namespace nnrt;

TEST_CASE("scale_of_threshold: the threshold in steps; powers of two are rounded up, and nothing has the scale 1") {
  struct row {
    float threshold, steps;
    scale_kind kind;
    float scale;
  };
  constexpr row table[] = {
      {127, 127, scale_kind::real, 1},
      {2.54F, 127, scale_kind::real, 2.54F / 127},
      {127, 127, scale_kind::power_of_two, 1},
      {128, 127, scale_kind::power_of_two, 2},
      {63.5F, 127, scale_kind::power_of_two, 0.5F},
      {0.1F, 127, scale_kind::power_of_two, 0x1p-10F},
      {0, 127, scale_kind::real, 1},
      {0, 127, scale_kind::power_of_two, 1},
      {32767, 32767, scale_kind::real, 1},
      {-1, 127, scale_kind::real, 1},
      {std::numeric_limits<float>::infinity(), 127, scale_kind::real, 1},
  };
  for (const row& r : table) {
    CAPTURE(r.threshold);
    CHECK(nnrt::detail::scale_of_threshold(r.threshold, r.steps, r.kind) == r.scale);
  }
}

TEST_CASE("magnitudes: ranges leave out what is no number; percentiles are the ends of bins") {
  nnrt::detail::magnitudes m;
  const std::array<float, 5> x{-3, std::numeric_limits<float>::quiet_NaN(), 1, std::numeric_limits<float>::infinity(),
                               2};
  m.see(x);
  CHECK(m.low == -3);
  CHECK(m.high == 2);
  CHECK(m.largest() == 3);

  nnrt::detail::magnitudes even;
  std::array<float, 2048> ramp{};
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = (static_cast<float>(i) + 0.5F) / 2048;
  even.see(ramp);
  even.count(ramp);
  CHECK(even.percentile(1.0) == even.largest());
  CHECK(even.percentile(0.5) == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("magnitudes: one far number does not stretch the threshold of least divergence, and what has none is kept") {
  std::array<float, 20001> x{};
  for (std::size_t i = 0; i < 20000; ++i) x[i] = (static_cast<float>(i) + 0.5F) / 20000;
  for (std::size_t i = 0; i < 20000; ++i) x[i] *= x[i];  // most are small
  x[20000] = 50;
  nnrt::detail::magnitudes m;
  m.see(x);
  m.count(x);
  CHECK(m.min_divergence() < 10);
  CHECK(m.min_divergence() > 0.9F);

  nnrt::detail::magnitudes even;
  const array_ref<const float> without(x.data(), 20000);
  even.see(without);
  even.count(without);
  CHECK(even.min_divergence() > 0.9F);
}

TEST_CASE("agreement: cosine, signal to noise") {
  nnrt::detail::agreement same, other;
  for (const double v : {1.0, -2.0, 3.0}) same.add(v, v), other.add(v, v + 0.5);
  CHECK(same.cosine() == doctest::Approx(1));
  CHECK(same.signal_to_noise() == 200);
  // 10 times the logarithm of 14 / 0.75.
  CHECK(other.signal_to_noise() == doctest::Approx(12.7107));
  CHECK(other.cosine() == doctest::Approx(15.0 / std::sqrt(14.0 * 16.75)));
  CHECK(nnrt::detail::agreement{}.cosine() == 1);
}
