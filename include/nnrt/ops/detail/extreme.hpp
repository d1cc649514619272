// extreme: common part of minimum and maximum - dtypes, and the choice between two elements, plain or quantised.
// Flow: used by ops/minimum.hpp and ops/maximum.hpp; each has an enum of rules, so that errors name the operator.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

struct smaller_first {
  template <class T> static constexpr bool before(T a, T b) { return a < b; }
};
struct larger_first {
  template <class T> static constexpr bool before(T a, T b) { return a > b; }
};

/// The one of a and b that is first in the order, each rescaled to y. With equal scales, as TFLite's MINIMUM and
/// MAXIMUM require, values are unchanged.
template <class T, class Order> struct quantised_extreme {
  std::int32_t zero_a, zero_b;
  fixed_point factor_a, factor_b;
  quantised_result<T> result;

  constexpr explicit quantised_extreme(const quantised_pair& of)
      : zero_a(of.a.zero_point),
        zero_b(of.b.zero_point),
        factor_a(fixed_point_of(double{of.a.scale} / double{of.y.scale})),
        factor_b(fixed_point_of(double{of.b.scale} / double{of.y.scale})),
        result(of.y, of.fused) {}
  constexpr T operator()(T a, T b) const {
    const T x = result(a - zero_a, factor_a), y = result(b - zero_b, factor_b);
    return Order::before(x, y) ? x : y;
  }
};

/// Takes the element that is first in the order; NaN precedes all.
template <class Order> struct extreme : arithmetic_function<true> {
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T a, T b) {
    if constexpr (!std::is_integral_v<T>)
      if (math::is_nan(static_cast<math::compute_t<T>>(a))) return a;
    return Order::before(a, b) ? a : b;
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const quantised_pair& of) { return quantised_extreme<T, Order>(of); }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    compute_pairs<extreme, T>(attributes, in, out);
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
