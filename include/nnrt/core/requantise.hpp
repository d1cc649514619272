// requantise: scales a wide integer sum to a quantised value - fixed-point factors, named roundings, saturation.
// Flow: references of quantised operators and their kernels call these functions, so that both give the same bits.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/attributes.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/core/math.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA {

/// A positive factor mantissa * 2^(exponent - 31), with mantissa in [2^30, 2^31) and exponent >= -31; mantissa 0 is the
/// factor 0.
struct fixed_point {
  std::int32_t mantissa = 0;
  int exponent = 0;
  friend constexpr bool operator==(const fixed_point&, const fixed_point&) = default;
};

/// A factor in fixed point; the mantissa is rounded half away from zero. 0 for factors below 2^-32 and for values that
/// are not positive and finite. Source: quantised TFLite models (frexp of input scale * weight scale / output scale).
constexpr fixed_point fixed_point_of(double factor) {
  if (!(factor >= 0x1p-64) || math::is_nan(factor) || math::is_inf(factor)) return {};
  const auto bits = std::bit_cast<std::uint64_t>(factor);
  int exponent = static_cast<int>(bits >> 52U) - 1022;
  const auto fraction =
      std::bit_cast<double>((bits & ((std::uint64_t{1} << 52U) - 1)) | std::uint64_t{1022} << 52U);  // in [1/2, 1)
  auto mantissa = static_cast<std::int64_t>(math::round_half_away(fraction * 0x1p31));
  if (mantissa == std::int64_t{1} << 31U) mantissa /= 2, ++exponent;
  if (exponent < -31) return {};
  return {static_cast<std::int32_t>(mantissa), exponent};
}

namespace detail {
constexpr std::int32_t saturated_i32(std::int64_t x) {
  return static_cast<std::int32_t>(
      clamped(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

/// Upper half of the doubled product, rounded to nearest, ties toward plus infinity; 2^31 saturates to 2^31 - 1.
constexpr std::int32_t high_product(std::int32_t a, std::int32_t b) {
  const std::int64_t product = std::int64_t{a} * b;
  constexpr std::int64_t half = std::int64_t{1} << 30U;
  return saturated_i32((product + (product >= 0 ? half : 1 - half)) / (std::int64_t{1} << 31U));
}

/// x / 2^bits, rounded to nearest, ties away from zero; bits in 0 … 62.
template <class Integer> constexpr Integer shifted_right(Integer x, int bits) {
  const std::int64_t wide = x, mask = (std::int64_t{1} << bits) - 1, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<Integer>((wide >> bits) + ((wide & mask) > threshold ? 1 : 0));
}

/// x * 2^bits, saturated to 32 bits. Shifts are limited to 31: 2^31 times a number other than 0 exceeds 32 bits.
constexpr std::int32_t shifted_left(std::int64_t x, int bits) {
  constexpr std::int64_t most = std::int64_t{1} << 31U;
  return saturated_i32(clamped(x, -most, most) * (std::int64_t{1} << (bits < 31 ? bits : 31)));
}
/// x * 2^bits, saturated at ±2^62.
constexpr std::int64_t shifted_far_left(std::int64_t x, int bits) {
  const int far = bits < 62 ? bits : 62;
  const std::int64_t most = std::int64_t{1} << (62 - far);
  return clamped(x, -most, most) * (std::int64_t{1} << far);
}

/// A sum of more than 32 bits times a factor, as product / 2^right. The mantissa is rounded to 15 bits and the sum
/// saturated to 48, so that the product has 64.
struct wide_product {
  std::int64_t product;
  int right;

  constexpr wide_product(std::int64_t sum, fixed_point factor) : product(0), right(15 - factor.exponent) {
    constexpr std::int64_t most = std::int64_t{1} << 47U;
    const std::int32_t mantissa = factor.mantissa < 0x7fff0000 ? (factor.mantissa + (1 << 15)) >> 16 : 0x7fff;
    product = clamped(sum, -most, most - 1) * mantissa;
  }
  /// Rounds to nearest, ties toward plus infinity.
  constexpr std::int32_t rounded() const {
    if (right <= 0) return shifted_left(product, -right);
    return saturated_i32((product + (std::int64_t{1} << (right - 1))) >> right);
  }
};

/// A sum of any size times a factor, exact enough to round it: (whole + quarters / 4) / 2^right. An odd number of
/// quarters means "strictly between halves". Sums saturate at 2^62 when the factor shifts them left; the product is
/// then at least 2^60, outside all results.
class exact_product {
 public:
  constexpr exact_product(std::int64_t sum, fixed_point factor) : right_(factor.exponent < 0 ? -factor.exponent : 0) {
    constexpr std::int64_t below_31_bits = (std::int64_t{1} << 31U) - 1, below_half = below_31_bits >> 1;
    const std::int64_t x = shifted_far_left(sum, factor.exponent > 0 ? factor.exponent : 0);
    const std::int64_t low = (x & below_31_bits) * factor.mantissa;  // part of a product that may exceed 64 bits
    whole_ = (x >> 31) * factor.mantissa + (low >> 31);
    quarters_ = (low >> 29 & 2) | ((low & below_half) != 0 ? 1 : 0);
  }
  /// The product divided by a positive count.
  constexpr exact_product shared_out(std::int64_t count) const {
    const std::int64_t rest = whole_ % count, below = rest < 0 ? rest + count : rest, quarters = 4 * below + quarters_;
    exact_product share = *this;
    share.whole_ = (whole_ - below) / count;
    share.quarters_ = quarters / count | (quarters % count != 0 ? 1 : 0);
    return share;
  }

  /// Rounds before the right shift, ties toward plus infinity, and again after it, ties away from zero.
  constexpr std::int64_t rounded_twice() const { return shifted_right(whole_ + (quarters_ >> 1), right_); }
  /// Rounds to nearest, ties toward plus infinity.
  constexpr std::int64_t rounded() const { return below() + (rest() >= half() ? 1 : 0); }
  /// Rounds to nearest, ties so that the sum with the zero point is even.
  constexpr std::int64_t rounded_to_even(std::int32_t zero_point = 0) const {
    return below() + (rest() > half() || (rest() == half() && ((below() + zero_point) & 1) != 0) ? 1 : 0);
  }

 private:
  constexpr std::int64_t below() const { return whole_ >> right_; }
  // in units of 1 / (4 * 2^right)
  constexpr std::int64_t rest() const { return 4 * (whole_ - (below() << right_)) + quarters_; }
  constexpr std::int64_t half() const { return std::int64_t{2} << right_; }

  std::int64_t whole_ = 0, quarters_ = 0;
  int right_;
};
}  // namespace detail

/// Roundings of the product of an accumulator and a factor; a target's policy names its hardware's. scale() saturates
/// to 32 bits.
/// scale_wide() is for sums of up to 48 bits (16-bit activations): it keeps 15 bits of the factor and rounds once, like
/// TFLite, independent of the rounding of other sums.
/// scale_exactly() is scale() for sums of any size; it saturates beyond 60 bits.
namespace rounding {

/// Two roundings to nearest: of the 64-bit product to 32 bits (ties toward plus infinity), then of the right shift
/// (ties away from zero). Accumulators that exceed 32 bits after a left shift saturate; the result is then at least
/// 2^30 in magnitude, outside all 8- and 16-bit values.
/// Source: SRDHM and RDP of the reference kernels of quantised TFLite models.
struct double_rounding {
  static constexpr std::int32_t scale(std::int32_t accumulator, fixed_point factor) {
    const int left = factor.exponent > 0 ? factor.exponent : 0, right = factor.exponent < 0 ? -factor.exponent : 0;
    return detail::shifted_right(detail::high_product(detail::shifted_left(accumulator, left), factor.mantissa), right);
  }
  static constexpr std::int64_t scale_exactly(std::int64_t sum, fixed_point factor) {
    return detail::exact_product(sum, factor).rounded_twice();
  }
  static constexpr std::int32_t scale_wide(std::int64_t sum, fixed_point factor) {
    return detail::wide_product(sum, factor).rounded();
  }
};

/// One rounding of the exact product to nearest, ties toward plus infinity. Source: TFLite's kernels compiled with
/// TFLITE_SINGLE_ROUNDING.
struct single_rounding {
  static constexpr std::int32_t scale(std::int32_t accumulator, fixed_point factor) {
    const std::int64_t product = std::int64_t{accumulator} * factor.mantissa;
    const int right = 31 - factor.exponent;
    if (right <= 0) return detail::shifted_left(product, -right);
    return detail::saturated_i32((product + (std::int64_t{1} << (right - 1))) >> right);
  }
  static constexpr std::int64_t scale_exactly(std::int64_t sum, fixed_point factor) {
    return detail::exact_product(sum, factor).rounded();
  }
  static constexpr std::int32_t scale_wide(std::int64_t sum, fixed_point factor) {
    return detail::wide_product(sum, factor).rounded();
  }
};

/// One rounding of zero point + product to nearest, ties to even: with an odd zero point the tie goes the other way
/// than in half_to_even. Returns the result without the zero point. Source: hbDNN's quantisation, which adds the zero
/// point before it rounds.
struct zero_point_then_half_to_even {
  static constexpr std::int32_t scale(std::int32_t accumulator, fixed_point factor, std::int32_t zero_point) {
    return rounded(std::int64_t{accumulator} * factor.mantissa, 31 - factor.exponent, zero_point);
  }
  static constexpr std::int64_t scale_exactly(std::int64_t sum, fixed_point factor, std::int32_t zero_point) {
    return detail::exact_product(sum, factor).rounded_to_even(zero_point);
  }
  static constexpr std::int32_t scale_wide(std::int64_t sum, fixed_point factor, std::int32_t zero_point) {
    const detail::wide_product exact(sum, factor);
    return rounded(exact.product, exact.right, zero_point);
  }
  /// Rounds product / 2^right.
  static constexpr std::int32_t rounded(std::int64_t product, int right, std::int32_t zero_point) {
    if (right <= 0) return detail::shifted_left(product, -right);
    const std::int64_t below = product >> right, rest = product - (below << right),
                       half = std::int64_t{1} << (right - 1);
    return detail::saturated_i32(below + (rest > half || (rest == half && ((below + zero_point) & 1) != 0) ? 1 : 0));
  }
};

/// One rounding of the exact product to nearest, ties to even, as in IEEE 754.
struct half_to_even {
  using of = zero_point_then_half_to_even;
  static constexpr std::int32_t scale(std::int32_t accumulator, fixed_point factor) {
    return of::scale(accumulator, factor, 0);
  }
  static constexpr std::int64_t scale_exactly(std::int64_t sum, fixed_point factor) {
    return of::scale_exactly(sum, factor, 0);
  }
  static constexpr std::int32_t scale_wide(std::int64_t sum, fixed_point factor) {
    return of::scale_wide(sum, factor, 0);
  }
};

}  // namespace rounding

/// Calls f with the rounding of a quantised tensor: `rounding::double_rounding` or
/// `rounding::zero_point_then_half_to_even`.
template <class F> constexpr auto with_rounding(quantised_rounding how, F f) {
  switch (how) {
    case quantised_rounding::tflite: return f(rounding::double_rounding{});
    case quantised_rounding::half_to_even: return f(rounding::zero_point_then_half_to_even{});
  }
  __builtin_unreachable();
}

/// Range of quantised values of a result: the dtype's, narrowed by a fused activation.
struct quantised_range {
  std::int32_t low = 0;
  std::int32_t high = 0;
  friend constexpr bool operator==(const quantised_range&, const quantised_range&) = default;
};

namespace detail {
/// Quantised value of a real number before clamping: rounded half away from zero, in float like TFLite.
constexpr std::int64_t stored(float real, const quantisation& q) {
  const auto quotient = static_cast<float>(double{real} / double{q.scale});  // in double: a float division may overflow
  const double steps = math::round_half_away(double{quotient});
  return q.zero_point + (steps < 0x1p31 ? static_cast<std::int64_t>(steps) : std::int64_t{1} << 31U);
}
}  // namespace detail

/// Range of a quantised result of element type T. relu clamps at the zero point, relu6 also at the quantised 6.
template <class T> constexpr quantised_range quantised_range_of(const quantisation& q, activation fused) {
  constexpr std::int64_t lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  std::int64_t low = lowest, high = highest;
  const clamp_range range = range_of(fused);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (range.lo > -infinity)
    low = detail::clamped(range.lo == 0 ? q.zero_point : detail::stored(range.lo, q), lowest, highest);
  if (range.hi < infinity) high = detail::clamped(detail::stored(range.hi, q), low, highest);
  return {static_cast<std::int32_t>(low), static_cast<std::int32_t>(high)};
}

/// Range of an i8 or u8 result.
constexpr quantised_range int8_range_of(const tensor_desc& y, activation fused) {
  return y.type == u8 ? quantised_range_of<std::uint8_t>(y.quantised, fused)
                      : quantised_range_of<std::int8_t>(y.quantised, fused);
}

/// clamp(zero_point + factor * sum). Sums beyond 32 bits are saturated first; it takes more than 65,000 products of
/// 8-bit values to exceed them.
template <class T, class Rounding = rounding::double_rounding>
constexpr T requantise(std::int64_t sum, fixed_point factor, std::int32_t zero_point, quantised_range range) {
  std::int64_t value = zero_point;
  if constexpr (requires { Rounding::scale(0, factor, zero_point); })
    value += Rounding::scale(detail::saturated_i32(sum), factor, zero_point);
  else value += Rounding::scale(detail::saturated_i32(sum), factor);
  return static_cast<T>(detail::clamped(value, range.low, range.high));
}
/// Requantises with the zero point and rounding of a result's quantisation.
template <class T>
constexpr T requantise(std::int64_t sum, fixed_point factor, const quantisation& to, quantised_range range) {
  return with_rounding(to.rounding, [&]<class Rounding>(Rounding) {
    return requantise<T, Rounding>(sum, factor, to.zero_point, range);
  });
}

/// Like requantise(), for sums beyond 32 bits or 32-bit results: saturates only at the end.
template <class T, class Rounding = rounding::double_rounding>
constexpr T requantise_exactly(std::int64_t sum, fixed_point factor, std::int32_t zero_point, quantised_range range) {
  // Saturation at 32 bits is outside the range of 16-bit results.
  if (sizeof(T) < sizeof(std::int32_t) && sum == detail::saturated_i32(sum)) [[likely]]
    return requantise<T, Rounding>(sum, factor, zero_point, range);
  std::int64_t value = zero_point;
  if constexpr (requires { Rounding::scale_exactly(sum, factor, zero_point); })
    value += Rounding::scale_exactly(sum, factor, zero_point);
  else value += Rounding::scale_exactly(sum, factor);
  return static_cast<T>(detail::clamped(value, range.low, range.high));
}
/// Requantises exactly with the zero point and rounding of a result's quantisation.
template <class T>
constexpr T requantise_exactly(std::int64_t sum, fixed_point factor, const quantisation& to, quantised_range range) {
  return with_rounding(to.rounding, [&]<class Rounding>(Rounding) {
    return requantise_exactly<T, Rounding>(sum, factor, to.zero_point, range);
  });
}

/// Like requantise(), for 64-bit sums, by Rounding::scale_wide.
template <class T, class Rounding = rounding::double_rounding>
constexpr T requantise_wide(std::int64_t sum, fixed_point factor, std::int32_t zero_point, quantised_range range) {
  std::int64_t value = zero_point;
  if constexpr (requires { Rounding::scale_wide(sum, factor, zero_point); })
    value += Rounding::scale_wide(sum, factor, zero_point);
  else value += Rounding::scale_wide(sum, factor);
  return static_cast<T>(detail::clamped(value, range.low, range.high));
}

}}  // namespace nnrt::NNRT_ISA
