// exp: a power of e or of another base.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Exponential function, element by element.
///
///   x: any shape      y: the same shape, base ^ (scale * x + shift)
///
/// base is e by default (-1 in NNRt), scale 1, shift 0. Other values round the exponent in f64, which adds n ULP (see
/// `errors`).
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, computed in double and rounded to float.
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_EXP.
struct exp : detail::real_function {
  static constexpr op_code code{60};
  static constexpr std::string_view name = "exp";
  // With u = 2^-53: the product has an error of u |scale x| and the sum one of u |t|, where t is the exponent; products
  // with 1 and sums with 0 are exact. base^(t + d) = base^t e^(d ln base), with e^a - 1 < 1.01 a up to 2^-8, and u y is
  // at most 1 ULP of y. For f32 and f16 the product is exact, and the error of the sum is far below 1 ULP.
  static constexpr std::string_view rounded =
      "|ln base| * (|scale * x| if scale is not 1, + |scale * x + shift| if shift is not 0)";
  static constexpr std::string_view too_far = "n is above 2^45";
  static constexpr error_bound errors[] = {{types_of(f32), 1.5, error_unit::result, 0, true},
                                           {types_of(f16), 0.51},
                                           {types_of(f64), 1.1, error_unit::result, 1.01, false, rounded, too_far}};
  static constexpr foreign_numbers foreign{.nnrt = 60, .hdi = 55};
  static constexpr nnrt_parameter parameters[] = {{"base", 89, f32}, {"scale", 90, f32}, {"shift", 91, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, base), (float, scale), (float, shift));
    constexpr attrs() : base(-1), scale(1), shift(0) {}
  };
  enum class rule {
    base_must_be_positive_or_minus_1_for_e,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    if (!(a.base > 0) && a.base != -1) return require_real(Rule::base_must_be_positive_or_minus_1_for_e, a.base, -1);
    return detail::infer_real<Rule>(in, wanted);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const double scale{a.scale}, shift{a.shift}, base{a.base};
    if (a.base == -1)
      return detail::compute_real<T>(in, out, [&](double x) { return math::exp(math::product(scale, x) + shift); });
    detail::compute_real<T>(in, out, [&](double x) { return math::pow(base, math::product(scale, x) + shift); });
  }
};

}  // namespace ops

/// exp(x), or `exp(x, with_base<2>, scaled_by<0.5>, shifted_by<1>)`.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto exp(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::exp>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
