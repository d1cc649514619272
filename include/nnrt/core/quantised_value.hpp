// quantised_value: converts between quantised values and real numbers, with the rounding of TFLite's float code.
// Flow: used by quant_dtype_cast, pad's constant, and references of quantised operators that compute in real numbers.
#pragma once

#include <nnrt/core/convert.hpp>
#include <nnrt/core/desc.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace types {
/// Dtypes that elementwise arithmetic accepts as quantised values.
inline constexpr dtype_set stored = types_of(i8, u8, i16);
}  // namespace types

/// Whether elementwise arithmetic accepts elements of type T as quantised values.
template <class T> inline constexpr bool can_be_quantised = types::stored.contains(dtype_for<T>());

/// a * b and a / b, rounded to float and never fused with an addition: a double has more than twice float's digits, so
/// that rounding again changes nothing. For scales: a / 0 (b underflowed in float) is infinite.
constexpr float float_product(float a, float b) {
  // clang does not accept a product of NaN as constant
  if (math::is_nan(a) || math::is_nan(b)) return math::nan<float>;
  return static_cast<float>(math::product(double{a}, double{b}));
}
constexpr float float_quotient(float a, float b) {
  return b == 0 ? math::infinity<float> : static_cast<float>(double{a} / double{b});
}

/// The real number of a quantised value: scale * (quantised - zero point), rounded once.
constexpr float real_of(std::int64_t stored, const quantisation& q) {
  return static_cast<float>(math::product(static_cast<double>(stored - q.zero_point), double{q.scale}));
}

/// The element at `steps` (a float) from the zero point. It is rounded half away from zero, or as the quantisation
/// says, and saturated to T. NaN gives the zero point, which means 0.
template <class T> constexpr T quantised_at(double steps, const quantisation& q) {
  if (is_half_to_even(q.rounding)) {  // the sum with the zero point is one of floats
    const auto sum = static_cast<float>((math::is_nan(steps) ? 0.0 : steps) + q.zero_point);
    return math::convert<T>(math::round_half_even(double{sum}));
  }
  return math::convert<T>((math::is_nan(steps) ? 0.0 : math::round_half_away(steps)) + q.zero_point);
}

/// Quantises a real number: real / scale, in float if `Real` is, plus the zero point. Source: TFLite's AffineQuantize.
template <class T, class Real> constexpr T quantised_as(Real real, const quantisation& q) {
  using compute = math::compute_t<Real>;
  return quantised_at<T>(double{static_cast<compute>(static_cast<double>(real) / double{q.scale})}, q);
}

}}  // namespace nnrt::NNRT_ISA
