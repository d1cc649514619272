// log: natural logarithm.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Logarithm to the base e, element by element.
///
///   x: any shape      y: the same shape, log(x); minus infinity at zero, NaN below
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_LOG.
struct log : detail::elementwise<types::floating> {
  static constexpr op_code code{80};
  static constexpr std::string_view name = "log";
  static constexpr foreign_numbers foreign{.nnrt = 80, .hdi = 79};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::log(x); });
  }
};

}  // namespace ops

/// log(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto log(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::log>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
