// reciprocal: one over a number.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Reciprocal, element by element.
///
///   x: any shape      y: the same shape, 1 / x; an infinity of its sign at zero
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_RECIPROCAL.
struct reciprocal : detail::real_function {
  static constexpr op_code code{85};
  static constexpr std::string_view name = "reciprocal";
  static constexpr foreign_numbers foreign{.nnrt = 85, .hdi = 116};
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::compute_real<T>(in, out, [](double x) {
      // Constant evaluation rejects division by zero.
      return x == 0 ? math::copysign(math::infinity<double>, x) : 1 / x;
    });
  }
};

}  // namespace ops

/// reciprocal(x).
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reciprocal(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reciprocal>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
