#include <nnrt/kernels/int8/requantise/output_stage.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <random>

using namespace nnrt;
using namespace nnrt::kernels;

namespace {

/// Channels in all lanes: what may scale them, and what was chosen.
struct scaled_lanes {
  possible_scales possible;
  channel_scales chosen{};
  scale_method method;

  scaled_lanes(const int8_channel (&channels)[int_lanes], scaled_range range) {
    set_scales(possible, channels, int_lanes, range);
    method = method_for(&possible, 1);
    choose_scales(possible, method, chosen);
  }
};

/// What the sums in all lanes become: where a method leaves it in the lower halves of lanes, as those are read if 16
/// bits hold it.
template <scale_method Method> void scale(const channel_scales& s, std::int32_t (&sums)[int_lanes]) {
  const int_vector scaled = kernels::detail::scaler<Method>(s)(load_vector<int_vector>(sums));
  store_vector(sums, makes_halves(Method) && s.in_halves == 0 ? whole_result(scaled) : scaled);
  if (s.in_halves != 0)
    for (std::int32_t& sum : sums) sum = static_cast<std::int16_t>(sum);
}

/// The first sum around `sum` that is not scaled as the reference does, or none.
struct mismatch {
  bool found = false;
  std::int64_t sum = 0;
  std::int32_t got = 0, expected = 0;
};

/// Scales 40 sums around one by the method that was chosen.
mismatch scale_around(const scaled_lanes& s, const int8_channel& channel, scaled_range range, std::int64_t sum) {
  for (std::int64_t first = sum - 20; first < sum + 20; first += int_lanes) {
    std::int32_t sums[int_lanes];
    std::int64_t true_sums[int_lanes];
    for (std::int64_t i = 0; i < int_lanes; ++i) {
      true_sums[i] = std::clamp(first + i, channel.reach.low, channel.reach.high);
      sums[i] = static_cast<std::int32_t>(true_sums[i] - channel.bias + included_in_sums(s.possible, i, s.method));
    }
    kernels::detail::with_method(s.method, [&](auto method) { scale<method>(s.chosen, sums); });
    const std::int32_t zero = kernels::detail::includes_zero_point(s.method) ? range.zero : 0;
    for (std::int64_t i = 0; i < int_lanes; ++i) {
      const std::int32_t expected = std::clamp(kernels::detail::scaled(true_sums[i], channel), range.low, range.high),
                         got = static_cast<std::int32_t>(
                             std::clamp<std::int64_t>(std::int64_t{sums[i]} - zero, range.low, range.high));
      if (got != expected) return {true, true_sums[i], got, expected};
    }
  }
  return {};
}

int8_channel channel_of(double factor, sum_range reach) { return {fixed_point_of(factor), 0, reach}; }

void check(const int8_channel& channel, scaled_range range) {
  int8_channel all[int_lanes];
  std::fill_n(all, int_lanes, channel);
  const scaled_lanes s(all, range);
  const auto is_right_around = [&](std::int64_t sum) {
    const mismatch found = scale_around(s, channel, range, sum);
    CAPTURE(static_cast<int>(s.method));
    CAPTURE(channel.factor.mantissa);
    CAPTURE(channel.factor.exponent);
    CAPTURE(found.sum);
    CAPTURE(found.got);
    CHECK(found.expected == found.got);
    return !found.found;
  };
  // Around each step, and at the ends.
  if (!is_right_around(channel.reach.low) || !is_right_around(channel.reach.high) || !is_right_around(0)) return;
  if (channel.factor.mantissa == 0) return;
  const double slope = static_cast<double>(channel.factor.mantissa) * std::pow(2.0, channel.factor.exponent - 31);
  for (std::int32_t k = range.low - 1; k <= range.high + 1; ++k) {
    const double at = (k - 0.5) / slope;
    if (std::fabs(at) < 4e9 && !is_right_around(static_cast<std::int64_t>(at))) return;
  }
}

constexpr sum_range narrow{-20000, 30000}, wide{-(1 << 29), (1 << 29)}, all{INT32_MIN, INT32_MAX},
    beyond{-4'000'000'000, 5'000'000'000};

}  // namespace

TEST_CASE("output_stage: every step of the step function has the reference's place, whichever method was chosen") {
  std::mt19937 random(7);
  for (const scaled_range range : {scaled_range{-128, 127, 0}, scaled_range{0, 255, -128}, scaled_range{0, 100, 27},
                                   scaled_range{-255, 0, 127}, scaled_range{0, 0, 5}, scaled_range{-7, 60, -121}})
    for (const sum_range reach : {narrow, wide, all}) {
      for (const double factor : {0.0, 1e-9, 1e-6, 1e-4, 0.5, 0.25, 1.0 / 3, 0.999999999, 1.0, 1.5, 2.0, 300.0, 1e9})
        check(channel_of(factor, reach), range);
      for (int i = 0; i < 60; ++i)
        check(channel_of(std::pow(10.0, -static_cast<double>(random() % 6000) / 1000), reach), range);
    }
}

TEST_CASE("output_stage: halves that go to even numbers do so by every method, from even and odd zero points") {
  std::mt19937 random(11);
  for (const scaled_range range :
       {scaled_range{-128, 127, 0}, scaled_range{0, 127, 0}, scaled_range{-127, 128, -1}, scaled_range{0, 100, 27}})
    for (const sum_range reach : {narrow, wide, all}) {
      int8_channel channel{{}, 0, reach, quantised_rounding::half_to_even, range.zero & 1};
      // Powers of two have a half at every second step; the others have few.
      for (const double factor :
           {0.0, 1e-9, 0x1p-20, 0x1p-9, 0x1p-6, 0.25, 0.5, 0.75, 1.0, 1.5, 3.0, 0x1.8p-7, 300.0, 1e9})
        channel.factor = fixed_point_of(factor), check(channel, range);
      for (int i = 0; i < 40; ++i)
        channel.factor = fixed_point_of(std::pow(10.0, -static_cast<double>(random() % 6000) / 1000)),
        check(channel, range);
    }
}

TEST_CASE("output_stage: usual factors get a line where halves go to even numbers, too") {
  if (!has_lines) return;
  for (const double factor : {0.0123, 0x1p-7}) {
    int8_channel channels[int_lanes];
    std::fill_n(channels, int_lanes,
                int8_channel{fixed_point_of(factor), 0, narrow, quantised_rounding::half_to_even, 0});
    const scaled_lanes s(channels, {-128, 127, 0});
    CAPTURE(factor);
    CHECK(s.method == scale_method::by_line);
    CHECK(scaled_lanes(channels, {0, 127, 0}).method == scale_method::by_rising_line);
  }
}

TEST_CASE("output_stage: sums beyond 32 bits saturate before they are scaled") {
  for (const double factor : {1e-9, 3e-8, 0.7})
    for (const std::int32_t bias : {INT32_MAX, INT32_MIN}) {
      const std::int64_t start = bias;
      const int8_channel channel{fixed_point_of(factor), bias, {start - 3'000'000, start + 3'000'000}};
      int8_channel lanes_of[int_lanes];
      std::fill_n(lanes_of, int_lanes, channel);
      const scaled_lanes s(lanes_of, {-128, 127, 0});
      CHECK(s.method == scale_method::one_by_one);
      for (const std::int64_t sum : {start - 2'999'900, start, start + 2'999'900})
        CHECK_FALSE(scale_around(s, channel, {-128, 127, 0}, sum).found);
    }
}

TEST_CASE("output_stage: usual factors get a line, small ones the exact way, and one channel decides for its vector") {
  if (!has_lines) return;
  const auto method_of = [](const int8_channel& first, const int8_channel& rest, scaled_range range) {
    int8_channel channels[int_lanes];
    std::fill_n(channels, int_lanes, rest);
    channels[0] = first;
    const scaled_lanes s(channels, range);
    return s.method;
  };
  const int8_channel usual = channel_of(0.0123, narrow), large = channel_of(2.5, narrow);
  constexpr scaled_range whole{-128, 127, 0}, from_zero{0, 255, -128};
  CHECK(method_of(usual, usual, whole) == scale_method::by_line);
  CHECK(method_of(usual, usual, from_zero) == scale_method::by_rising_line);
  constexpr scale_method exact = has_exact_scale ? scale_method::exactly : scale_method::one_by_one;
  CHECK(method_of(large, usual, whole) == exact);
  CHECK(method_of(large, channel_of(0.0123, beyond), whole) == scale_method::one_by_one);
}

TEST_CASE("output_stage: small factors get a line, too, where a product and a sum round once") {
  if (!lines_round_once) return;
  std::mt19937 random(3);
  int rising = 0, lines = 0;
  for (int i = 0; i < 100; ++i) {
    int8_channel channels[int_lanes];
    std::fill_n(channels, int_lanes,
                channel_of(0.0015 + 1e-8 * static_cast<double>(random() % 100'000), {-500'000, 500'000}));
    rising += scaled_lanes(channels, {0, 255, -128}).method == scale_method::by_rising_line;
    lines += scaled_lanes(channels, {-128, 127, 0}).method == scale_method::by_line;
  }
  CHECK(rising >= 99);
  CHECK(lines >= 99);
}

TEST_CASE("output_stage: a vector is told when 16 bits do not hold all results of its lines") {
  if (!lines_make_halves) return;
  for (const double factor : {0.0123, 0.25})
    for (const scaled_range range :
         {scaled_range{0, 255, -128}, scaled_range{-128, 127, 0}, scaled_range{-90, 165, -38}}) {
      const auto is_in_halves = [&](double low, double high, double high_of_last) {
        int8_channel channels[int_lanes];
        const auto reach = [&](double end) {
          return sum_range{static_cast<std::int64_t>(low / factor), static_cast<std::int64_t>(end / factor)};
        };
        std::fill_n(channels, int_lanes, channel_of(factor, reach(high)));
        channels[int_lanes - 1].reach = reach(high_of_last);
        const scaled_lanes s(channels, range);
        REQUIRE(s.method == (range.low == 0 ? scale_method::by_rising_line : scale_method::by_line));
        for (const std::int64_t sum : {channels[0].reach.low, std::int64_t{0}, channels[0].reach.high})
          CHECK_FALSE(scale_around(s, channels[0], range, sum).found);
        return s.chosen.in_halves != 0;
      };
      CAPTURE(factor);
      CAPTURE(range.low);
      CHECK(is_in_halves(-32'000, 32'000, 32'000));
      CHECK_FALSE(is_in_halves(-32'000, 33'000, 32'000));
      CHECK_FALSE(is_in_halves(-32'000, 32'000, 33'000));
      CHECK_FALSE(is_in_halves(-150'000, 32'000, 32'000));  // floats that count no integers fall more slowly
    }
  channel_scales two[2] = {};
  two[0].in_halves = 1;
  agree_on_halves(two, 2);
  CHECK(two[0].in_halves == 0);
}

TEST_CASE("output_stage: what is packed in addition to weights is what one method needs, and no more") {
  CHECK(sizeof(channel_scales) <= 5 * register_bytes + 64);
  int8_channel channels[int_lanes];
  for (std::int64_t i = 0; i < int_lanes; ++i)
    channels[i] = channel_of(0.0123 + 0.001 * static_cast<double>(i), narrow);
  possible_scales possible;
  set_scales(possible, channels, int_lanes, {0, 255, -128});
  const auto all_of = [](const std::int32_t(&f32_lanes)[int_lanes]) {
    return std::all_of(f32_lanes, f32_lanes + int_lanes, [](std::int32_t lane) { return lane != 0; });
  };
  const struct {
    scale_method method;
    bool is_possible;
  } methods[] = {{scale_method::by_rising_line, all_of(possible.has_rising_line)},
                 {scale_method::by_line, all_of(possible.has_line)},
                 {scale_method::rising_exactly, all_of(possible.rises_exactly)},
                 {scale_method::exactly, all_of(possible.is_exact)},
                 {scale_method::one_by_one, true}};
  CHECK(methods[0].is_possible == has_lines);
  CHECK(methods[2].is_possible == has_exact_scale);
  CHECK(methods[3].is_possible == has_exact_scale);
  for (const auto& one : methods) {
    const scale_method method = one.method;
    if (!one.is_possible) continue;
    channel_scales chosen{};
    choose_scales(possible, method, chosen);
    CHECK(chosen.method == method);
    const std::int32_t zero = kernels::detail::includes_zero_point(method) ? -128 : 0;
    for (const std::int32_t sum : {0, 1, 77, 5'000, 15'000}) {
      std::int32_t sums[int_lanes];
      for (std::int64_t i = 0; i < int_lanes; ++i)
        sums[i] = static_cast<std::int32_t>(sum + included_in_sums(possible, i, method));
      kernels::detail::with_method(method, [&](auto by) { scale<by>(chosen, sums); });
      for (std::int64_t i = 0; i < int_lanes; ++i) {
        const int by = static_cast<int>(chosen.method);
        CAPTURE(by);
        CAPTURE(i);
        CHECK(std::clamp(sums[i] - zero, 0, 255) == std::clamp(kernels::detail::scaled(sum, channels[i]), 0, 255));
      }
    }
  }
}

TEST_CASE("output_stage: each step of a step function is the first sum that is scaled to its result") {
  std::uint32_t seed = 7;
  const auto random = [&] { return seed = seed * 1664525 + 1013904223; };
  for (int exponent = 0; exponent >= -20; --exponent)
    for (int i = 0; i < 20; ++i) {
      const std::int32_t odd = static_cast<std::int32_t>(random() >> 2) | 1;
      const std::int32_t mantissa = i == 0   ? 1 << 30
                                    : i == 1 ? INT32_MAX
                                    : i == 2 ? 3 << 29
                                             : (odd | 1 << 30) & INT32_MAX;
      const std::int64_t reach = std::min((std::int64_t{300} << (1 - exponent)), std::int64_t{1} << 30);
      const int8_channel channel{{mantissa, exponent}, 0, {-reach, reach}};
      const kernels::detail::step_function stepped(channel, {-128, 127, 0});
      CAPTURE(exponent);
      CAPTURE(mantissa);
      REQUIRE(stepped.steps == stepped.last - stepped.first);
      int wrong = 0;
      for (int step = 0; step < stepped.steps; ++step)
        wrong += stepped.result[step] != stepped.first + 1 + step ||
                 kernels::detail::scaled(stepped.at[step], channel) < stepped.result[step] ||
                 kernels::detail::scaled(stepped.at[step] - 1, channel) >= stepped.result[step];
      CHECK(wrong == 0);
    }
}

TEST_CASE("output_stage: the first multiple within bounds is the first one that a search finds") {
  for (const std::int64_t modulus : {7, 64, 100})
    for (std::int64_t factor = 0; factor < modulus; ++factor)
      for (std::int64_t low = 0; low < modulus; low += 3)
        for (std::int64_t high = low; high < modulus; high += 2) {
          std::int64_t expected = 0;
          while (expected < modulus && (factor * expected % modulus < low || factor * expected % modulus > high))
            ++expected;
          const std::int64_t got = kernels::detail::first_multiple_within(factor, modulus, low, high);
          if (got == (expected == modulus ? -1 : expected)) continue;
          CAPTURE(modulus);
          CAPTURE(factor);
          CAPTURE(low);
          CAPTURE(high);
          FAIL_CHECK("is not the first multiple");
        }
}

TEST_CASE("output_stage: a channel that gives one number whatever its input is scaled like any other") {
  for (const scaled_range range : {scaled_range{-128, 127, 0}, scaled_range{0, 255, -128}, scaled_range{-9, 40, 3}})
    for (const std::int64_t bias : {std::int64_t{-1} << 30, std::int64_t{5}, std::int64_t{1} << 30})
      for (const double factor : {1e-9, 3e-8, 0.25}) {
        CAPTURE(bias);
        CAPTURE(factor);
        const int8_channel dead{fixed_point_of(factor), static_cast<std::int32_t>(bias), {bias, bias}};
        REQUIRE(is_constant(dead, range));
        const int8_channel instead = constant_channel(dead, range);
        const std::int32_t expected = std::clamp(kernels::detail::scaled(bias, dead.factor), range.low, range.high);
        CHECK(kernels::detail::scaled(instead.bias, instead.factor) == expected);
        int8_channel lanes_of[int_lanes];
        std::fill_n(lanes_of, int_lanes, instead);
        const scaled_lanes s(lanes_of, range);
        CHECK((!has_lines || s.method < scale_method::exactly));
        CHECK_FALSE(scale_around(s, instead, range, instead.bias).found);
      }
  CHECK_FALSE(is_constant(channel_of(0.1, narrow), {-128, 127, 0}));
}
