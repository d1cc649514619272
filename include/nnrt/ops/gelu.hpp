// gelu: Gaussian error linear unit.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Gaussian error linear unit, element by element.
///
///   x: any shape      y: the same shape, x times the probability that a standard normal number is below x
///
///   exact:        0.5 * x * (1 + erf(x / sqrt(2)))
///   approximate:  0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
///
/// Minus infinity, which is multiplied by 0, gives NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, y with the scale given by `into<quant{…}>`. Each quantised value is
/// nearest to the real result, rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_GELU; the approximation is from
/// Hendrycks and Gimpel (2016), as NNRt's text is garbled; quantised: the tables of TFLite's GELU for 8 bits.
struct gelu : detail::real_function {
  static constexpr op_code code{56};
  static constexpr std::string_view name = "gelu";
  static constexpr error_bound errors[] = {{types_of(f32), 8}, {types_of(f16), 0.51}, {types_of(f64), 2000}};
  static constexpr foreign_numbers foreign{.nnrt = 56, .hdi = 2, .tells_quantisation = 0};
  static constexpr hdi_field hdi_fields[] = {hdi_field::choice("activationType", 19), hdi_field::always("alpha", 0),
                                             hdi_field::always("minVal", 0), hdi_field::always("maxVal", 0)};
  static constexpr nnrt_parameter parameters[] = {{"approximate", 113, boolean}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, approximate));
    constexpr attrs() : approximate(false) {}
  };
  using rule = detail::real_function_rule;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto phi = [&](double x) { return 0.5 * (1.0 + (a.approximate ? by_tanh(x) : by_erf(x))); };
    if constexpr (can_be_quantised<T>)
      detail::for_each_quantised<T>(in, out, [&](float x) { return static_cast<float>(double{x} * phi(double{x})); });
    else
      detail::for_each_real<T>(in, out, [&](double x) {
        // Constant evaluation rejects infinity * 0.
        return x == -math::infinity<double> ? math::nan<double> : a.approximate ? times_logistic(x) : times_normal(x);
      });
  }

 private:
  // The formulas above without cancellation of 1 + erf and 1 + tanh for negative x, or of their rounded sums with 1.
  static constexpr double times_normal(double x) {
    const double below = 0.5 * math::erfc(math::product(math::abs(x), 0.70710678118654752440));  // 1 / sqrt(2)
    return x < 0 ? math::product(x, below) : math::product(x, 1.0 - below);
  }
  static constexpr double times_logistic(double x) {
    if (math::abs(x) > 1e3) return x < 0 ? math::copysign(0.0, x) : x;
    const double cubic = math::product(math::product(math::product(0.044715, x), x), x);
    const double e = math::exp(-math::abs(math::product(1.59576912160573071176, x + cubic)));  // 2 sqrt(2 / pi)
    return math::product(x, x < 0 ? e : 1.0) / (1.0 + e);
  }
  // 1 / sqrt(2)
  static constexpr double by_erf(double x) { return math::erf(math::product(x, 0.70710678118654752440)); }
  static constexpr double by_tanh(double x) {
    const double cubic = math::product(0.044715 * x * x, x);
    return math::tanh(math::product(0.79788456080286535588, x + cubic));  // sqrt(2 / pi)
  }
};

}  // namespace ops

/// gelu(x), or gelu(x, approximate).
struct gelu_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::gelu>(x, keywords...);
  }
};
inline constexpr gelu_t gelu{};

}}  // namespace nnrt::NNRT_ISA
