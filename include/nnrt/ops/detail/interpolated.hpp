// interpolated: functions of 16-bit quantised values by TFLite's interpolated tables.
// Flow: used by the references of sigmoid, tanh and softmax on i16; entries are computed when read, kernels may store
// them.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/requantise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// 65536 * sigmoid(i / 24), plus half of the error of linear interpolation in the middle of the interval; i in 0 … 255.
/// Source: the sigmoid table of TFLite and CMSIS-NN.
constexpr std::int32_t sigmoid_entry(std::int64_t i) {
  if (i == 255) return 65535;
  const auto at = [](double x) { return 65536 / (1 + math::exp(-x / 24)); };
  const auto place = static_cast<double>(i);
  const double here = at(place), middle = at(place + 0.5), next = at(place + 1);
  return static_cast<std::int32_t>(
      math::round_half_away(here - math::product(0.5, math::product(0.5, here + next) - middle)));
}

/// Converts quantised values to arguments of that table, in steps of 1 / 12288: times a factor, ties toward plus
/// infinity. Scales near 2^-12 (with `doubled` also 2^-11) count as these; for others the factor's upper 15 bits are
/// kept. Source: TFLite's LOGISTIC and TANH on i16.
struct sigmoid_argument {
  std::int64_t multiplier;
  int shift = 0;

  constexpr sigmoid_argument(float scale, bool doubled) : multiplier(3) {
    const double steps = double{scale} * 4096;
    const auto is_about = [&](double power) { return steps > power * 0.999307093 && steps < power * 1.000693387; };
    if (is_about(1)) return;
    if (doubled && is_about(2)) {
      multiplier = 6;
      return;
    }
    double factor = steps * 3;
    for (; factor <= 32767.0 / 2 && shift <= 30; ++shift) factor *= 2;
    multiplier = static_cast<std::int64_t>(std::min(factor, 0x1p31));
  }
  constexpr std::int64_t operator()(std::int16_t x) const {
    return (x * multiplier + (shift > 0 ? std::int64_t{1} << (shift - 1) : 0)) >> shift;
  }
};

/// The interpolated table; `bits` of an argument's magnitude are between two entries; `most` after the last one.
/// entry_of(i) is sigmoid_entry(i), computed or stored.
template <class EntryOf>
constexpr std::int64_t interpolated_sigmoid(std::int64_t magnitude, int bits, std::int64_t most,
                                            const EntryOf& entry_of) {
  const std::int64_t place = magnitude >> bits, rest = magnitude & ((std::int64_t{1} << bits) - 1);
  if (place >= 255) return most;
  const std::int64_t here = entry_of(place);
  return (here << bits) + rest * (entry_of(place + 1) - here);
}

/// 32768 * sigmoid of an argument.
template <class EntryOf = std::int32_t (*)(std::int64_t)>
constexpr std::int16_t sigmoid_of(std::int64_t argument, const EntryOf& entry_of = sigmoid_entry) {
  const std::int64_t upper =
      interpolated_sigmoid(argument < 0 ? -argument : argument, 9, 0x7fff << 10, entry_of) + (1 << 9);
  return static_cast<std::int16_t>((argument < 0 ? (1 << 25) - upper + (1 << 10) - 1 : upper) >> 10);
}
/// 32768 * tanh of an argument: 2 * sigmoid of twice the argument - 1.
template <class EntryOf = std::int32_t (*)(std::int64_t)>
constexpr std::int16_t tanh_of(std::int64_t argument, const EntryOf& entry_of = sigmoid_entry) {
  const std::int64_t upper =
      interpolated_sigmoid(argument < 0 ? -argument : argument, 8, 0xffff << 8, entry_of) - (1 << 23);
  return static_cast<std::int16_t>((argument < 0 ? (1 << 7) - 1 - upper : upper + (1 << 7)) >> 8);
}

/// Whether 16-bit values have the quantisation for which TFLite uses such tables: no zero points, and a result's scale
/// of 1/32768.
constexpr bool is_interpolated(const quantisation& x, const quantisation& y) {
  return x.zero_point == 0 && y.zero_point == 0 && y.scale == 0x1p-15F;
}

/// A function over [first, last] in 512 steps of 1/32768, for all 16-bit arguments. Source: the tables of TFLite's
/// SOFTMAX on i16.
template <class F> struct table_of_steps {
  F f;
  double first, last;

  static constexpr int steps = 512;

  constexpr table_of_steps(F function, double from, double to) : f(function), first(from), last(to) {}
  constexpr std::int32_t entry(int i) const {
    const auto value = [&](double x) { return math::product(f(x), 0x1p15); };
    if (i == steps) return bounded(math::round_half_away(value(last)));
    const double step = (last - first) / steps, x = first + math::product(step, i);
    const double here = math::round_half_away(value(x)), next = value(first + math::product(step, i + 1)),
                 middle = math::round_half_away(value(x + math::product(0.5, step)));
    const double lacking = math::round_half_away(math::product(0.5, next + here)) - middle;
    return bounded(here - math::round_half_away(math::product(0.5, lacking)));
  }
  /// Value for an argument in [-32768, 32767].
  constexpr std::int32_t operator()(std::int32_t x) const {
    return between(x, [&](int i) { return entry(i); });
  }
  /// Value from stored entries.
  template <class EntryOf> static constexpr std::int32_t between(std::int32_t x, const EntryOf& entry_of) {
    const int i = 256 + (x >> 7);
    const std::int32_t here = entry_of(i);
    return here + (((entry_of(i + 1) - here) * (x & 127) + 64) >> 7);
  }

 private:
  static constexpr std::int32_t bounded(double x) {
    return static_cast<std::int32_t>(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
