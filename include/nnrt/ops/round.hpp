// round: the nearest integer.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Rounding to integers, element by element.
///
///   x: any shape      y: the same shape, the integer nearest to x, half to even
///
/// Zeros and results that are zero have the sign of x. Infinities and NaN are unchanged.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_ROUND.
struct round : detail::real_function {
  static constexpr op_code code{102};
  static constexpr std::string_view name = "round";
  static constexpr foreign_numbers foreign{.nnrt = 102, .hdi = 125};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return math::round_half_even(x); });
  }
};

}  // namespace ops

/// round(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto round(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::round>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
