// sqrt: square root.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Square root, element by element.
///
///   x: any shape      y: the same shape, the root of x, correctly rounded; NaN below zero, -0 for -0
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real root, rounded to float. Numbers below zero give the zero point.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_SQRT.
struct sqrt : detail::real_function {
  static constexpr op_code code{33};
  static constexpr std::string_view name = "sqrt";
  static constexpr foreign_numbers foreign{.nnrt = 33, .hdi = 146};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (can_be_quantised<T>) detail::for_each_quantised<T>(in, out, [](float x) { return root(x); });
    else detail::for_each_real<T>(in, out, [](double x) { return math::sqrt(x); });
  }

 private:
  static constexpr float root(float x) { return x < 0 ? math::nan<float> : static_cast<float>(math::sqrt(double{x})); }
};

}  // namespace ops

/// sqrt(x). A function, like tanh: an object with this name would hide, or clash with, `<cmath>`'s.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto sqrt(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::sqrt>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
