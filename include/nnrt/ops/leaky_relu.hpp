// leaky_relu: rectifier with a slope below zero.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/ops/detail/unary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Rectifier that lets a part of negative numbers through, element by element.
///
///   x: any shape      y: the same shape, x where x > 0, negative_slope * x elsewhere
///
/// negative_slope is 0 unless given. A NaN stays one.
///
/// Broken rules: those of the signature. Source: NNRt OH_NN_OPS_LEAKY_RELU.
struct leaky_relu : detail::elementwise<types::floating> {
  static constexpr op_code code{74};
  static constexpr std::string_view name = "leaky_relu";
  static constexpr foreign_numbers foreign{.nnrt = 74, .hdi = 2};
  static constexpr nnrt_parameter parameters[] = {{"negative_slope", 92, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, negative_slope));
    constexpr attrs() : negative_slope(0) {}
  };

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::for_each_real<T>(in, out, [slope = double{a.negative_slope}](double x) { return x > 0 ? x : slope * x; });
  }
};

}  // namespace ops

/// leaky_relu(x, negative_slope<0.1>).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto leaky_relu(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::leaky_relu>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
