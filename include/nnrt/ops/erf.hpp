// erf: the error function.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Error function, element by element.
///
///   x: any shape      y: the same shape, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_ERF.
struct erf : detail::real_function {
  static constexpr op_code code{59};
  static constexpr std::string_view name = "erf";
  static constexpr error_bound errors[] = {{types_of(f32), 3}, {types_of(f16), 0.51}, {types_of(f64), 1.6}};
  static constexpr foreign_numbers foreign{.nnrt = 59, .hdi = 178};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return math::erf(x); });
  }
};

}  // namespace ops

/// erf(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto erf(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::erf>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
