// boxes: detected rectangles - decoding from anchors, overlap, and order.
// Flow: used by detection_post_process's reference and its kernel.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/core/view.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Dtypes of detectors' operands: floats, or quantised values.
inline constexpr dtype_set detected = types::floating | types_of(i8, u8);

/// The i-th element of such an operand as a real number.
constexpr double real_element(const view& x, std::int64_t i) {
  double number = 0;
  with_element<detected>(x.type(), [&]<class T>(T) {
    const T element = x.as<const T>()[i];
    if constexpr (std::is_integral_v<T>) number = double{real_of(element, x.desc->quantised)};
    else number = math::convert<double>(element);
  });
  return number;
}

/// A rectangle by its corners, in the type of computation.
template <class Real> struct box {
  Real top = 0, left = 0, bottom = 0, right = 0;
};

/// Decodes four numbers (centre and size, y before x) relative to an anchor (centre and size) to a box. `scale` are
/// divisors of the four. Centres and half sizes are computed in double and rounded, and so are the corners: results
/// have elements of type R.
template <class R> constexpr auto decoded_box(const double (&code)[4], const double (&anchor)[4], const float* scale) {
  using real = math::compute_t<R>;
  const auto centre = [&](int axis) {
    const double moved = math::product(code[axis] / double{scale[axis]}, anchor[2 + axis]);
    return static_cast<real>(moved + anchor[axis]);
  };
  const auto half = [&](int axis) {
    const double grown = math::product(0.5, math::exp(code[2 + axis] / double{scale[2 + axis]}));
    return static_cast<real>(math::product(grown, anchor[2 + axis]));
  };
  const auto corner = [](real x) { return static_cast<real>(math::convert<R>(x)); };
  const real y = centre(0), x = centre(1), h = half(0), w = half(1);
  return box<real>{corner(y - h), corner(x - w), corner(y + h), corner(x + w)};
}

/// Intersection over union of two boxes; 0 if one has no area.
template <class Real> constexpr Real overlap(const box<Real>& a, const box<Real>& b) {
  const auto length = [](Real from, Real to) { return to > from ? to - from : Real{0}; };
  const auto area = [&](const box<Real>& x) { return math::product(length(x.top, x.bottom), length(x.left, x.right)); };
  const Real area_a = area(a), area_b = area(b);
  if (!(area_a > 0 && area_b > 0)) return 0;
  const Real common = area(box<Real>{std::max(b.top, a.top), std::max(b.left, a.left), std::min(b.bottom, a.bottom),
                                     std::min(b.right, a.right)});
  return common / (area_a + area_b - common);
}

/// A box of a class, in the order of selection: higher score, then smaller class, then smaller box.
struct candidate {
  double score = 0;
  std::int64_t of_class = 0;
  std::int64_t index = 0;

  constexpr bool is_before(const candidate& other) const {
    if (score != other.score) return score > other.score;
    return of_class != other.of_class ? of_class < other.of_class : index < other.index;
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
