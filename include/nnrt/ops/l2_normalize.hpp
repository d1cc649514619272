// l2_normalize: a tensor divided by its Euclidean norm along some axes.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/requantise.hpp>
#include <nnrt/ops/detail/fixed_root.hpp>
#include <nnrt/ops/detail/groups.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// x divided by the root of the sum of its squares along the listed axes.
///
///   x: any shape      y: the same shape, x / sqrt(max(sum of x^2, epsilon)), then the fused activation
///
/// One sum runs over all axes in `axis`; an empty list means all axes of x (in NNRt without a list: the first one).
/// Negative axes count from the end. epsilon is 1e-6 by default.
///
/// Quantised: x i8 or u8 with one scale, y with the scale given by `into<quant{…}>`, usually 1/128 with the zero point
/// in the middle. Computed in fixed point from (x - zero point); epsilon is ignored, and zeros remain zeros.
///
/// Broken rules: see `rule`; values: axes, numbers of scales. Source: NNRt OH_NN_OPS_L2_NORMALIZE; quantised with the
/// usual scale: the reference kernels of TFLite's L2_NORMALIZATION.
struct l2_normalize {
  static constexpr op_code code{94};
  static constexpr std::string_view name = "l2_normalize";
  static constexpr operand_spec inputs[] = {{"x", types::floating | detail::bytes}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::bytes}};
  static constexpr unlike_default to_be_said[] = {{"epsilon", "1e-24, which is the square of 1e-12"}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .to_be_said = to_be_said};
  static constexpr error_bound errors[] = {{types_of(f32), 38, error_unit::result, 0.008},
                                           {types_of(f16), 0.51},
                                           {types_of(f64), 3, error_unit::result, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 94, .hdi = 88};
  static constexpr nnrt_parameter parameters[] = {
      nnrt_parameter{"axis", 141, i64, -1}.otherwise(0), {"epsilon", 142, f32}, {"fused", 143, i8}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, epsilon), (activation, fused), (axis_list, axis));
    constexpr attrs() : epsilon(1e-6F), fused(activation::none) {}
  };
  enum class rule {
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
    epsilon_must_be_positive_and_finite,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
    constexpr rule must_exist = Rule::axis_must_be_an_axis_of_the_input;
    chosen_axes axes;
    if (auto v = choose_axes(axes, a.axis, in[0].desc.rank(), must_exist, Rule::axes_must_differ); !v) return v;
    if (auto v = require_real_between(Rule::epsilon_must_be_positive_and_finite, a.epsilon, least, most); !v) return v;
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
    detail::for_each_group(x.shape, axes_of_one_sum(a, x.rank()), [&](auto each) {
      detail::square_sum<T> sum;
      each([&](const shape_t& at) { sum.add(value(at)); });
      // In a unit of 2^-600 any epsilon is larger than the sum, in a unit of 2^600 none is.
      const bool is_short =
          sum.unit() < 1 ? a.epsilon > 0 : sum.unit() == 1 && sum.in_square_units() < double{a.epsilon};
      const double length = math::sqrt(is_short ? double{a.epsilon} : sum.in_square_units());
      // An infinite element makes the norm infinite: constant evaluation rejects infinity / infinity and 0 / 0.
      const auto normal = [&](double number) {
        return math::is_inf(number) || length == 0 ? math::nan<double>
                                                   : (is_short ? number : sum.in_units(number)) / length;
      };
      each([&](const shape_t& at) { y.at(at) = math::convert<T>(activate(normal(value(at)), a.fused)); });
    });
  }
  static constexpr chosen_axes axes_of_one_sum(const attrs& a, int rank) {
    chosen_axes along;
    for (const std::int64_t axis : a.axis) along.add(normalise_axis(axis, rank));
    for (int axis = 0; a.axis.empty() && axis < rank; ++axis) along.add(axis);
    return along;
  }
  template <class T> static constexpr void of_quantised(const attrs& a, const view& operand, const view& result) {
    const auto x = operand.as<const T>();
    const auto y = result.as<T>();
    const quantisation& to = result.desc->quantised;
    const quantised_range range = quantised_range_of<T>(to, a.fused);
    const std::int64_t zero = operand.desc->quantised.zero_point;
    detail::for_each_group(x.shape, axes_of_one_sum(a, x.rank()), [&](auto each) {
      std::int64_t sum = 0;
      each([&](const shape_t& at) { sum += (x.at(at) - zero) * (x.at(at) - zero); });
      const quantised_share share = share_of<T>(sum, to);
      each([&](const shape_t& at) {
        y.at(at) = requantise<T>((x.at(at) - zero) * share.steps, share.factor, to.zero_point, range);
      });
    });
  }
  /// Factor from one step of x to y, to be multiplied by `steps`.
  struct quantised_share {
    fixed_point factor;
    int steps = 1;
  };
  template <class T> static constexpr quantised_share share_of(std::int64_t sum, const quantisation& to) {
    int halvings = 0;  // right shifts of the root
    for (; sum > std::numeric_limits<std::int32_t>::max(); ++halvings) sum /= 4;
    fixed_point root = detail::fixed::inverse_root(static_cast<std::int32_t>(sum));
    root.exponent -= halvings;
    if (to.scale != 0x1p-7F)
      return {fixed_point_of(static_cast<double>(root.mantissa) * math::detail::power_of_two(root.exponent - 31) /
                             double{to.scale})};
    if (!std::is_signed_v<T>) return {root, 128};  // TFLite rounds u8 at other places than i8
    root.exponent += 7;
    return {root};
  }
};

}  // namespace ops

/// `l2_normalize(x, axis<-1>)`, `axes<1, 2>` for one sum over several axes; with `epsilon<…>` and relu or relu6.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto l2_normalize(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::l2_normalize>(x, keyword::as_axis(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
