// cos: the cosine of an angle.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Cosine, element by element.
///
///   x: any shape      y: the same shape, cos(x) of x in radians, from -1 to 1
///
/// Large angles are reduced exactly. Infinity gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_COS.
struct cos : detail::real_function {
  static constexpr op_code code{79};
  static constexpr std::string_view name = "cos";
  static constexpr error_bound errors[] = {{types_of(f32), 2}, {types_of(f16), 0.51}, {types_of(f64), 1.1}};
  static constexpr foreign_numbers foreign{.nnrt = 79, .hdi = 37};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return math::cos(x); });
  }
};

}  // namespace ops

/// cos(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto cos(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::cos>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
