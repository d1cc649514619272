// hard_sigmoid: a piecewise linear sigmoid.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Hard sigmoid, element by element.
///
///   x: any shape      y: the same shape, min(max(x + 3, 0), 6) / 6
///
/// NaN gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_HARD_SIGMOID.
struct hard_sigmoid : detail::real_function {
  static constexpr op_code code{107};
  static constexpr std::string_view name = "hard_sigmoid";
  static constexpr error_bound errors[] = {{types_of(f32), 1.5}, {types_of(f16), 0.51}, {types_of(f64), 1.5}};
  static constexpr foreign_numbers foreign{.nnrt = 107, .hdi = 2, .tells_quantisation = 1};
  static constexpr auto hdi_fields = hdi_activation(13);
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return activate(x + 3, activation::relu6) / 6; });
  }
};

}  // namespace ops

/// hard_sigmoid(x).
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto hard_sigmoid(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::hard_sigmoid>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
