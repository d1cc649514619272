// round: the nearest integer.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Rounding to integers, element by element.
///
///   x: any shape      y: the same shape, the integer nearest to x, of two the even one
///
/// A zero keeps its sign, and what is rounded to zero has that of x. Infinities and NaN stay.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_ROUND.
struct round : detail::elementwise<types::floating> {
  static constexpr op_code code{102};
  static constexpr std::string_view name = "round";
  static constexpr foreign_numbers foreign{.nnrt = 102, .hdi = 125};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::round_half_even(x); });
  }
};

}  // namespace ops

/// round(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto round(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::round>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
