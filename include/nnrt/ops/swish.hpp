// swish: x times its sigmoid.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Sigmoid linear unit, element by element.
///
///   x: any shape      y: the same shape, x * sigmoid(x) = x / (1 + exp(-x))
///
/// Minus infinity gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_SWISH.
struct swish : detail::real_function {
  static constexpr op_code code{105};
  static constexpr std::string_view name = "swish";
  static constexpr error_bound errors[] = {{types_of(f32), 3}, {types_of(f16), 0.51}, {types_of(f64), 3}};
  static constexpr foreign_numbers foreign{.nnrt = 105, .hdi = 2};
  static constexpr auto hdi_fields = hdi_activation(18);
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (std::is_same_v<T, double>) {
      // The exponential overflows for numbers below -709, but the result does not.
      detail::for_each_real<T>(in, out, [](double x) {
        return x < -700 && x > -800 ? math::product(math::product(x, math::exp(0.5 * x)), math::exp(0.5 * x))
                                    : x / (1 + math::exp(-x));
      });
    } else {
      detail::compute_real<T>(in, out, [](double x) { return x / (1 + math::exp(-x)); });
    }
  }
};

}  // namespace ops

/// swish(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto swish(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::swish>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
