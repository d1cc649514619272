// hard_sigmoid: a sigmoid of three straight lines.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Hard sigmoid, element by element.
///
///   x: any shape      y: the same shape, min(max(x + 3, 0), 6) / 6
///
/// A NaN stays one.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_HARD_SIGMOID.
struct hard_sigmoid : detail::elementwise<types::floating> {
  static constexpr op_code code{107};
  static constexpr std::string_view name = "hard_sigmoid";
  static constexpr foreign_numbers foreign{.nnrt = 107, .hdi = 2};

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return activate(x + 3, activation::relu6) / 6; });
  }
};

}  // namespace ops

/// hard_sigmoid(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto hard_sigmoid(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::hard_sigmoid>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
