// ceil: the smallest integer that is at least x.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Ceiling, element by element.
///
///   x: any shape      y: the same shape, the smallest integer >= x
///
/// Numbers above -1 and below zero give -0. Infinities and NaN are unchanged.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_CEIL.
struct ceil : detail::real_function {
  static constexpr op_code code{90};
  static constexpr std::string_view name = "ceil";
  static constexpr foreign_numbers foreign{.nnrt = 90, .hdi = 29};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return math::ceil(x); });
  }
};

}  // namespace ops

/// ceil(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto ceil(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::ceil>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
