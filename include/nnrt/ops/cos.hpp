// cos: the cosine of an angle.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Cosine, element by element.
///
///   x: any shape      y: the same shape, cos(x) of x in radians, from -1 to 1
///
/// Every finite angle has its own cosine, large ones too. Infinity gives NaN.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_COS.
struct cos : detail::elementwise<types::floating> {
  static constexpr op_code code{79};
  static constexpr std::string_view name = "cos";
  static constexpr foreign_numbers foreign{.nnrt = 79, .hdi = 37};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::cos(x); });
  }
};

}  // namespace ops

/// cos(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto cos(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::cos>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
