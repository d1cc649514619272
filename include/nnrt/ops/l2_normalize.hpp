// l2_normalize: a tensor divided by its length along some axes.
// Flow: front ends call infer(); kernels/bind/ has the fast form.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/groups.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// x over the root of the sum of its squares along the listed axes.
///
///   x: any shape      y: the same shape, x / sqrt(max(sum of x^2, epsilon)), then the fused activation
///
/// One sum runs over all axes that `axis` lists, over all axes of x when it is empty; negative ones count from the end.
/// epsilon is 1e-6 unless given. Computed in f64 and rounded once.
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_L2_NORMALIZE.
struct l2_normalize {
  static constexpr op_code code{94};
  static constexpr std::string_view name = "l2_normalize";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 94, .hdi = 88};
  static constexpr nnrt_parameter parameters[] = {
      {"axis", 141, i64, -1}, {"epsilon", 142, f32}, {"fused", 143, i8}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, epsilon), (activation, fused), (axis_list, axis));
    constexpr attrs() : epsilon(1e-6F), fused(activation::none) {}
  };
  enum class rule { axis_must_be_an_axis_of_the_input, axes_must_differ, epsilon_must_be_positive_and_finite };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
    constexpr rule must_exist = Rule::axis_must_be_an_axis_of_the_input;
    chosen_axes axes;
    if (auto v = choose_axes(axes, a.axis, in[0].desc.rank(), must_exist, Rule::axes_must_differ); !v) return v;
    if (auto v = require_real_between(Rule::epsilon_must_be_positive_and_finite, a.epsilon, least, most); !v) return v;
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    const auto value = [&](const shape_t& at) { return math::convert<double>(x.at(at)); };
    chosen_axes along;
    for (const std::int64_t axis : a.axis) along.add(normalise_axis(axis, x.rank()));
    for (int axis = 0; a.axis.empty() && axis < x.rank(); ++axis) along.add(axis);
    detail::for_each_group(x.shape, along, [&](auto each) {
      double sum = 0;
      each([&](const shape_t& at) { sum += math::product(value(at), value(at)); });
      const double length = math::sqrt(sum < double{a.epsilon} ? double{a.epsilon} : sum);
      // What is infinite makes the length so: constant evaluation refuses to divide the one by the other.
      const auto normal = [&](double number) { return math::is_inf(number) ? math::nan<double> : number / length; };
      each([&](const shape_t& at) { y.at(at) = math::convert<T>(activate(normal(value(at)), a.fused)); });
    });
  }
};

}  // namespace ops

/// l2_normalize(x, axis<-1>), axes<1, 2> for one sum over several; with epsilon<…> and relu or relu6.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto l2_normalize(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::l2_normalize>(x, keyword::as_axis(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
