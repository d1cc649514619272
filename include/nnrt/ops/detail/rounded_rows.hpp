// rounded_rows: rounds rows of real numbers to 8-bit integers with a scale for each row, and back.
// Flow: used by the references of dynamic_range and of recurrent operators.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/math.hpp>

#include <cstdint>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Values of a rounded row: scale * (q - zero), q from `least` to 127; see dynamic_range.
template <class Real> struct row_steps {
  Real scale = 0, inverse = 0, zero = 0, least = 0;

  constexpr Real nearest(Real x) const {
    const Real q = math::round_half_away(zero + math::product(x, inverse));
    const Real bounded = q < least ? least : q > 127 ? Real{127} : q;
    return (bounded - zero) * scale;
  }
};

/// Symmetric steps for numbers from `least` to `most`, which include 0.
template <class Real> constexpr row_steps<Real> even_steps(Real least, Real most) {
  const Real magnitude = -least > most ? -least : most;
  if (magnitude < 127 / std::numeric_limits<Real>::max()) return {};
  return {magnitude / 127, 127 / magnitude, 0, -127};
}
/// Asymmetric steps, with a zero point in the range.
template <class Real> constexpr row_steps<Real> shifted_steps(Real least, Real most) {
  const double exact = (double{most} - double{least}) / 255;
  const Real scale = static_cast<Real>(exact);
  if (scale <= 1 / std::numeric_limits<Real>::max()) return {};
  const double low = double{least} / exact, high = double{most} / exact;
  const double zero = math::round_half_away(128 + math::abs(low) < 127 + math::abs(high) ? -128 - low : 127 - high);
  return {scale, 1 / scale, static_cast<Real>(zero < -128 ? -128 : zero > 127 ? 127 : zero), -128};
}

/// Steps of a row of `count` numbers element(i).
template <class Real, class Element>
constexpr row_steps<Real> row_steps_of(std::int64_t count, bool symmetric, Element element) {
  Real least = 0, most = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Real x = element(i);
    least = x < least ? x : least;
    most = x > most ? x : most;
  }
  return symmetric ? even_steps(least, most) : shifted_steps(least, most);
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
