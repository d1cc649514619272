// sin: the sine of an angle.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Sine, element by element.
///
///   x: any shape      y: the same shape, sin(x) of x in radians, from -1 to 1
///
/// Large angles are reduced exactly. Infinity gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_SIN.
struct sin : detail::real_function {
  static constexpr op_code code{86};
  static constexpr std::string_view name = "sin";
  static constexpr error_bound errors[] = {{types_of(f32), 2}, {types_of(f16), 0.51}, {types_of(f64), 1.1}};
  static constexpr foreign_numbers foreign{.nnrt = 86, .hdi = 133};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return math::sin(x); });
  }
};

}  // namespace ops

/// sin(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto sin(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::sin>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
