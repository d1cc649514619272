// ceil: the next integer above.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Ceiling, element by element.
///
///   x: any shape      y: the same shape, the smallest integer that is not below x
///
/// Numbers above -1 and below zero become -0. Infinities and NaN stay.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_CEIL.
struct ceil : detail::elementwise<types::floating> {
  static constexpr op_code code{90};
  static constexpr std::string_view name = "ceil";
  static constexpr foreign_numbers foreign{.nnrt = 90, .hdi = 29};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::ceil(x); });
  }
};

}  // namespace ops

/// ceil(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto ceil(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::ceil>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
