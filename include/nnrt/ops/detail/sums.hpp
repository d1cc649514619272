// sums: sums, sums of squares, products and moments that overflow only if their result does.
// Flow: used by references of reductions, pools and normalisations. 16- and 32-bit floats are added in double, far from
// its limits.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/convert.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Sum of elements of type T, in f64. From 2^1022 on its unit is 2^64, so that it does not overflow; elements of up to
/// 32 bits never reach that.
template <class T> class wide_sum {
 public:
  constexpr void add(double x) {
    if constexpr (sizeof(T) == sizeof(double)) {
      if (unit_ == 1 && !(is_small(sum_) && is_small(x))) unit_ = 0x1p64, sum_ = math::product(sum_, 0x1p-64);
      if (unit_ != 1) x = math::product(x, 0x1p-64);
    }
    sum_ += x;
  }
  constexpr double value() const { return unit_ == 1 ? sum_ : grown(sum_); }
  /// value() / count; finite if all numbers are.
  constexpr double mean(std::int64_t count) const {
    const double share = sum_ / static_cast<double>(count);
    return unit_ == 1 ? share : grown(share);
  }

 private:
  static constexpr bool is_small(double x) { return math::abs(x) < 0x1p1022; }
  /// x * 2^64; constant evaluation rejects an overflow.
  static constexpr double grown(double x) {
    return math::abs(x) < 0x1p960 || math::is_nan(x) ? x * 0x1p64 : math::copysign(math::infinity<double>, x);
  }
  double sum_ = 0, unit_ = 1;
};

/// Sum of squares of elements of type T, in f64. Numbers are multiples of a unit, 2^-600, 1 or 2^600, so that squares
/// neither overflow nor underflow if all numbers are small; for numbers of up to 32 bits the unit is 1.
template <class T> class square_sum {
 public:
  constexpr void add(double x) {
    if constexpr (sizeof(T) == sizeof(double))
      while (unit_ < 0x1p600 && math::abs(x) >= 0x1p450 * unit_)
        sum_ = math::product(math::product(sum_, 0x1p-600), 0x1p-600), unit_ *= 0x1p600;
    const double multiple = in_units(x);
    sum_ += math::product(multiple, multiple);
  }
  /// The sum; 0 or infinite on underflow or overflow of double, which constant evaluation rejects.
  constexpr double value() const { return math::product(math::product(sum_, unit_), unit_); }
  constexpr double root() const { return math::product(math::sqrt(sum_), unit_); }
  /// The sum in squares of the unit.
  constexpr double in_square_units() const { return sum_; }
  constexpr double unit() const { return unit_; }
  constexpr double in_units(double x) const { return math::product(x, 1 / unit_); }

 private:
  double sum_ = 0, unit_ = sizeof(T) == sizeof(double) ? 0x1p-600 : 1.0;
};

/// Product of real numbers in f64 with a separate exponent, so that intermediate results neither overflow nor
/// underflow.
class wide_product {
 public:
  constexpr void multiply(double x) {
    if (x == 0 || mantissa_ == 0 || !math::is_finite(x) || !math::is_finite(mantissa_)) {
      mantissa_ *= x;
      return;
    }
    const math::detail::binary factor = math::detail::split(math::abs(x));
    const double product = math::product(mantissa_, math::copysign(factor.mantissa, x));
    const math::detail::binary parts = math::detail::split(math::abs(product));
    mantissa_ = math::copysign(parts.mantissa, product), exponent_ += factor.exponent + parts.exponent;
  }
  /// Multiplies by 2^exponent.
  constexpr void scale(std::int64_t exponent) { exponent_ += exponent; }
  constexpr double value() const {
    if (mantissa_ == 0 || !math::is_finite(mantissa_)) return mantissa_;
    const auto exponent = static_cast<int>(nnrt::detail::clamped(exponent_, -3000, 3000));
    return math::copysign(math::detail::scaled(math::abs(mantissa_), exponent), mantissa_);
  }

 private:
  double mantissa_ = 1;
  std::int64_t exponent_ = 0;
};

/// x - largest of elements of type T, for x <= largest: minus infinity on overflow of double, which constant evaluation
/// would reject.
template <class T> constexpr double below(double x, double largest) {
  if constexpr (sizeof(T) == sizeof(double))
    if (math::product(x, 0.5) - math::product(largest, 0.5) <= -0x1p1023) return -math::infinity<double>;
  return x - largest;
}

/// Mean and standard deviation of a row in multiples of a unit, 1 except for f64 numbers near the limits of their
/// range. The mean is a sum of two numbers: the error of one f64 may exceed the differences between f64 elements.
struct moments {
  double per_unit = 1, mean = 0, rest_of_mean = 0, deviation = 0;
  constexpr double off(double x) const { return (math::product(x, per_unit) - mean) - rest_of_mean; }
};

/// Moments of at(0) … at(count - 1): the deviation is the root of the mean squared distance from the mean plus epsilon.
template <class T, class At> constexpr moments moments_of(std::int64_t count, double epsilon, At at) {
  moments m;
  if constexpr (sizeof(T) == sizeof(double)) {
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, math::abs(at(i)));
    const bool is_huge = largest > 0x1p400 && !math::is_inf(largest), is_tiny = largest < 0x1p-400 && epsilon == 0;
    if (is_huge || is_tiny) m.per_unit = is_huge ? 0x1p-700 : 0x1p600;
    // negligible next to a variance, and makes 0 of 0 / 0
    if (is_huge && epsilon > 0) epsilon = std::numeric_limits<double>::min();
  }
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) m.mean += math::product(at(i), m.per_unit);
  m.mean /= static_cast<double>(count);
  if constexpr (sizeof(T) == sizeof(double)) {  // the sum was rounded: equal numbers have no variance
    double rest = 0;
    for (std::int64_t i = 0; i < count; ++i) rest += m.off(at(i));
    m.rest_of_mean = rest / static_cast<double>(count);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double off = m.off(at(i));
    squares += math::product(off, off);
  }
  m.deviation = math::sqrt(squares / static_cast<double>(count) + epsilon);
  return m;
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
