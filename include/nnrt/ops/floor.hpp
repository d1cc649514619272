// floor: the largest integer that is at most x.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Floor, element by element.
///
///   x: any shape      y: the same shape, the largest integer <= x
///
/// A zero keeps its sign. Infinities and NaN are unchanged.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_FLOOR.
struct floor : detail::real_function {
  static constexpr op_code code{93};
  static constexpr std::string_view name = "floor";
  static constexpr foreign_numbers foreign{.nnrt = 93, .hdi = 63};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) { return math::floor(x); });
  }
};

}  // namespace ops

/// floor(x).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto floor(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::floor>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
