// convert: types in which operators compute, and conversion of elements between types.
// Flow: used by references of operators; by quantised ones through core/quantised_value.hpp.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/core/math.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace math {

namespace detail {

template <class T> struct compute {
  using type = std::int64_t;
};
template <> struct compute<float16> {
  using type = float;
};
template <> struct compute<float> {
  using type = float;
};
template <> struct compute<double> {
  using type = double;
};

template <class To, class From> constexpr To saturated(From x) {
  using limits = std::numeric_limits<To>;
  constexpr To half = limits::max() / 2 + 1;
  constexpr From end = static_cast<From>(half) * From{2};  // max() + 1, which every From has
  if (is_nan(x)) return 0;
  if (x >= end) return limits::max();
  if (x <= (std::is_signed_v<To> ? -end : From{0})) return limits::min();
  return static_cast<To>(x);
}

/// x as a float that rounds to float16 like x itself: truncated, and made odd if bits were cut off, so that no false
/// tie arises.
constexpr float rounded_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  if (is_nan(x) || double{nearest} == x) return nearest;
  const auto word = std::bit_cast<std::uint32_t>(nearest);
  const bool is_beyond = x < 0 ? double{nearest} < x : double{nearest} > x;
  return std::bit_cast<float>((is_beyond ? word - 1 : word) | 1U);
}

}  // namespace detail

/// Type in which operators compute on elements of T: float for float16, std::int64_t for integers and bool, else T.
template <class T> using compute_t = typename detail::compute<T>::type;

/// Converts an element by the rule of CAST. Floating point to integer truncates, saturates, and gives 0 for NaN;
/// integer to narrower integer keeps the low bits; to bool is "not zero" (NaN is true). Other conversions round once to
/// nearest, half to even, with infinity on overflow. Source: the contract of NNRt's OH_NN_OPS_CAST, with open cases
/// decided by this library.
template <class To, class From> constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (std::is_same_v<From, float16>) return convert<To>(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, float16> && std::is_same_v<From, double>)
    return static_cast<float16>(detail::rounded_to_odd(value));
  else if constexpr (std::is_same_v<To, float16>) return static_cast<float16>(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, bool>) return value != From{};
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return detail::saturated<To>(value);
  else return static_cast<To>(value);
}

}}}  // namespace nnrt::NNRT_ISA::math
