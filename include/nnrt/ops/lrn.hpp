// lrn: local response normalisation - each channel divided by a power of the sum of its neighbours' squares.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// y[…, c] = x[…, c] / (bias + alpha * sum of x[…, k]^2 for |k - c| <= depth_radius)^beta.
///
///   x: [..., C] of rank >= 1, NHWC      y: the same shape
///
/// Channels before the first and after the last one count as 0. By default bias and alpha are 1 and beta is 0.5, as in
/// NNRt's reference; the radius is 0. A negative sum with a non-integer beta gives NaN. A sum of 0 with a positive beta
/// gives infinity, or NaN for x = 0.
///
/// Broken rules: see `rule`; values: ranks, channels. Source: NNRt OH_NN_OPS_LRN, with its one region, ACROSS_CHANNELS;
/// TensorFlow Lite's LOCAL_RESPONSE_NORMALIZATION is the same.
struct lrn {
  static constexpr op_code code{96};
  static constexpr std::string_view name = "lrn";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr unlike_default to_be_said[] = {{"alpha", "1e-4 over the size"}, {"beta", "0.75"}};
  static constexpr operator_traits traits{.in_files = file_order::image, .to_be_said = to_be_said};
  // Let u be half of a dtype's epsilon. Each of n squares and each partial sum has a relative error of u, and so have
  // the product with alpha and the sum with bias; nothing cancels. So the base has a relative error of (n + 2) u and
  // its power one of |beta| times that, as (1 + d)^beta - 1 is below 1.01 |beta| d up to 2^-8, and u y is at most 1 ULP
  // of y. Two powers and three products add up to 7 ULP; f32 kernels, which multiply a logarithm's error by beta, to 6.
  // f16 is computed in f64, where u is 2^-42 ULP.
  static constexpr std::string_view steepness = "|beta| * (the squares of a sum + 2)";
  static constexpr std::string_view cancels = "bias or alpha is negative, or n is above 2^45";
  static constexpr std::string_view too_steep = "bias or alpha is negative, or |beta| is above 2000";
  static constexpr error_bound errors[] = {
      {types_of(f32), 6, error_unit::result, 1.01, false, steepness, cancels},
      {types_of(f16), 0.51, error_unit::result, 2.4e-13, false, steepness, cancels},
      {types_of(f64), 7, error_unit::result, 1.01, false, steepness, too_steep}};
  static constexpr foreign_numbers foreign{.nnrt = 96, .hdi = 85, .nnrt_name = "LRN"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("normRegion", "ACROSS_CHANNELS")};
  static constexpr nnrt_parameter parameters[] = {{"depth_radius", 145, i64},
                                                  {"bias", 146, f32},
                                                  {"alpha", 147, f32},
                                                  {"beta", 148, f32},
                                                  nnrt_parameter{"", 149, i32}.up_to(0)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, depth_radius), (float, bias), (float, alpha), (float, beta));
    constexpr attrs() : depth_radius(0), bias(1), alpha(1), beta(0.5F) {}
  };
  enum class rule { input_rank_must_be_at_least_1, input_must_be_nhwc, radius_must_not_be_negative };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_least(Rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
    if (auto v = require_at_least(Rule::radius_must_not_be_negative, a.depth_radius, 0); !v) return v;
    return ok(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const auto real = [&](std::int64_t i) { return math::convert<double>(x[i]); };
    const std::int64_t channels = y.extent(y.rank() - 1),
                       radius = a.depth_radius < channels ? a.depth_radius : channels;
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      const std::int64_t c = i % channels, first = i - c;
      detail::square_sum<T> sum;
      for (std::int64_t k = c < radius ? 0 : c - radius; k < channels && k <= c + radius; ++k) sum.add(real(first + k));
      const double alpha{a.alpha}, beta{a.beta};
      if (sum.unit() == 1 || alpha == 0 || (sum.unit() < 1 && a.bias != 0)) {
        const double base = double{a.bias} + math::product(alpha, sum.unit() > 1 ? sum.in_square_units() : sum.value());
        y[i] = math::convert<T>(over_power<T>(real(i), base, beta, 1));
      } else {  // x / (alpha * sum)^beta: bias is negligible or 0, as the sum itself is outside of f64's range
        y[i] = math::convert<T>(
            over_power<T>(sum.in_units(real(i)), math::product(alpha, sum.in_square_units()), beta, sum.unit()));
      }
    }
  }

 private:
  /// unit * x / (base * unit^2)^beta; a unit is a power of 2. In f64 the power alone may be subnormal or overflow.
  template <class T> static constexpr double over_power(double x, double base, double beta, double unit) {
    constexpr double least = 0x1p-1022;
    const double power = math::pow(base, -beta);
    const bool is_normal = unit == 1 && power >= least && math::is_finite(power);
    if (sizeof(T) < sizeof(double) || is_normal || !(base > 0) || !math::is_finite(base))
      return math::product(x, power);
    // base * unit^2 = 2^e m: the power is 2^(-beta e) m^-beta, split into a whole exponent and 2 to a fraction.
    const math::detail::binary parts = math::detail::split(base), of_unit = math::detail::split(unit);
    const double product = math::product(static_cast<double>(parts.exponent + 2 * of_unit.exponent), beta),
                 exponent = product < -1e8  ? -1e8
                            : product > 1e8 ? 1e8
                                            : product,
                 whole = math::round_half_even(exponent);
    detail::wide_product all;
    all.multiply(x);
    all.multiply(math::pow(parts.mantissa, -beta));
    all.multiply(math::pow(2.0, whole - exponent));
    all.scale(of_unit.exponent - static_cast<std::int64_t>(whole));
    return all.value();
  }
};

}  // namespace ops

/// `lrn(x, depth_radius<2>, with_bias<1>, with_alpha<1e-4>, beta<0.75>)`.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto lrn(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::lrn>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
