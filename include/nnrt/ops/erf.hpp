// erf: the error function of Gauss.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Error function, element by element.
///
///   x: any shape      y: the same shape, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x
///
/// Rounded once from f64.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_ERF.
struct erf : detail::elementwise<types::floating> {
  static constexpr op_code code{59};
  static constexpr std::string_view name = "erf";
  static constexpr foreign_numbers foreign{.nnrt = 59, .hdi = 178};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::erf(x); });
  }
};

}  // namespace ops

/// erf(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto erf(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::erf>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
