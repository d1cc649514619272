// sin: the sine of an angle.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Sine, element by element.
///
///   x: any shape      y: the same shape, sin(x) of x in radians, from -1 to 1
///
/// Every finite angle has its own sine, large ones too. Infinity gives NaN.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_SIN.
struct sin : detail::elementwise<types::floating> {
  static constexpr op_code code{86};
  static constexpr std::string_view name = "sin";
  static constexpr foreign_numbers foreign{.nnrt = 86, .hdi = 133};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::sin(x); });
  }
};

}  // namespace ops

/// sin(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto sin(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::sin>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
