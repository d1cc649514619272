// log_softmax: logarithm of softmax.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/requantise.hpp>
#include <nnrt/ops/detail/fixed_logarithm.hpp>
#include <nnrt/ops/detail/groups.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// x minus the logarithm of the sum of exp(x) along one axis, shifted by the maximum to avoid overflow.
///
///   x: any shape of rank >= 1      y: the same shape; the sum of exp(y) along the axis is 1
///
/// `axis` is the last one by default (the first in NNRt), and counts from the end when negative. The largest element's
/// summand is 1: results near 0 are log1p of the sum of the others, with full precision.
///
/// Quantised: x i8 or u8 with one scale, y with the scale given by `into<quant{…}>`, usually 1/16 with the largest
/// number as zero point. Computed in 32-bit fixed point. For other scales of y, requantise() rescales the logarithm.
///
/// Broken rules: see `rule`; values: axes, numbers of scales. Source: NNRt OH_NN_OPS_LOG_SOFTMAX; quantised with the
/// usual scale: the reference kernels of TFLite's LOG_SOFTMAX.
struct log_softmax {
  static constexpr op_code code{95};
  static constexpr std::string_view name = "log_softmax";
  static constexpr operand_spec inputs[] = {{"x", types::floating | detail::bytes}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::bytes}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .axes = axis_role::first_attribute};
  static constexpr error_bound errors[] = {{types_of(f32), 72, error_unit::result, 0.016},
                                           {types_of(f16), 0.51},
                                           {types_of(f64), 4, error_unit::result, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 95, .hdi = 189};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"axis", 144, i64}.otherwise(0)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(-1) {}
  };
  enum class rule {
    axis_must_be_an_axis_of_the_input,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    if (normalise_axis(a.axis, x.rank()) < 0)
      return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    return detail::infer_real<Rule>(in, wanted);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (detail::is_byte<T>) of_quantised<T>(a, in[0], out[0]);
    else of_real<T>(a, in[0], out[0]);
  }

 private:
  template <class T> static constexpr void of_real(const attrs& a, const view& operand, const view& result) {
    const auto x = operand.as<const T>();
    const auto y = result.as<T>();
    const auto value = [&](const shape_t& at) { return math::convert<double>(x.at(at)); };
    chosen_axes along;
    along.add(normalise_axis(a.axis, x.rank()));
    detail::for_each_group(x.shape, along, [&](auto each) {
      double largest = -math::infinity<double>, rest = 0;
      each([&](const shape_t& at) { largest = value(at) > largest ? value(at) : largest; });
      // With an infinite maximum all results are NaN; constant evaluation rejects infinity - infinity.
      if (math::is_inf(largest)) return each([&](const shape_t& at) { y.at(at) = math::nan<T>; });
      bool is_left_out = false;  // the first of the largest, whose exponential is the 1 of log1p
      each([&](const shape_t& at) {
        if (value(at) == largest && !is_left_out) is_left_out = true;
        else rest += math::exp(detail::below<T>(value(at), largest));
      });
      const double logarithm = math::log1p(rest);
      each([&](const shape_t& at) { y.at(at) = math::convert<T>(detail::below<T>(value(at), largest) - logarithm); });
    });
  }
  template <class T> static constexpr void of_quantised(const attrs& a, const view& operand, const view& result) {
    const auto x = operand.as<const T>();
    const auto y = result.as<T>();
    const detail::fixed::exponent_scale scale(double{operand.desc->quantised.scale});
    const quantised_logarithm<T> stored(result.desc->quantised);
    chosen_axes along;
    along.add(normalise_axis(a.axis, x.rank()));
    detail::for_each_group(x.shape, along, [&](auto each) {
      T largest = std::numeric_limits<T>::min();
      std::int64_t sum = 0;
      each([&](const shape_t& at) { largest = x.at(at) > largest ? x.at(at) : largest; });
      each([&](const shape_t& at) { sum += nnrt::detail::shifted_right(scale.exp(x.at(at) - largest), 12); });
      const std::int64_t logarithm = detail::fixed::logarithm_of(sum);
      each([&](const shape_t& at) { y.at(at) = stored(scale.exponent_of(x.at(at) - largest) - logarithm); });
    });
  }
  /// Converts a logarithm with 26 fraction bits to the quantised value.
  template <class T> struct quantised_logarithm {
    fixed_point factor;
    quantisation to;
    bool is_usual;
    constexpr explicit quantised_logarithm(const quantisation& y)
        : factor(fixed_point_of(0x1p-26 / double{y.scale})),
          to(y),
          is_usual(y.scale == 0x1p-4F && y.zero_point == highest) {}
    constexpr T operator()(std::int64_t logarithm) const {
      if (!is_usual) return requantise<T>(logarithm, factor, to.zero_point, {int{lowest}, int{highest}});
      return static_cast<T>(
          nnrt::detail::clamped(nnrt::detail::shifted_right(logarithm, 22) + highest, lowest, highest));
    }
    static constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  };
};

}  // namespace ops

/// log_softmax(x), or `log_softmax(x, axis<1>)`; for a quantised result
/// `into<quant{.scale = 1.0F / 16, .zero_point = 127}>`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto log_softmax(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::log_softmax>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
