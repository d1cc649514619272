// log_softmax: the logarithms of the probabilities that softmax gives.
// Flow: front ends call infer(); kernels/bind/ has the fast form.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/groups.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// x minus the logarithm of the sum of exp(x) along one axis, shifted by the maximum so that nothing overflows.
///
///   x: any shape of rank >= 1      y: the same shape; the sum of exp(y) along the axis is 1
///
/// `axis` is the last one unless given (for NNRt the first), and counts from the end when negative. Computed in f64 and
/// rounded once.
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_LOG_SOFTMAX.
struct log_softmax {
  static constexpr op_code code{95};
  static constexpr std::string_view name = "log_softmax";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 95, .hdi = 189};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"axis", 144, i64}.otherwise(0)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(-1) {}
  };
  enum class rule { axis_must_be_an_axis_of_the_input };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (normalise_axis(a.axis, x.rank()) < 0)
      return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    const auto value = [&](const shape_t& at) { return math::convert<double>(x.at(at)); };
    chosen_axes along;
    along.add(normalise_axis(a.axis, x.rank()));
    detail::for_each_group(x.shape, along, [&](auto each) {
      double largest = -math::infinity<double>, sum = 0;
      each([&](const shape_t& at) { largest = value(at) > largest ? value(at) : largest; });
      // Beside infinity there are no numbers; constant evaluation refuses to subtract it from itself.
      if (math::is_inf(largest)) return each([&](const shape_t& at) { y.at(at) = math::nan<T>; });
      each([&](const shape_t& at) { sum += math::exp(value(at) - largest); });
      each([&](const shape_t& at) { y.at(at) = math::convert<T>(value(at) - largest - math::log(sum)); });
    });
  }
};

}  // namespace ops

/// log_softmax(x), or log_softmax(x, axis<1>).
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto log_softmax(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::log_softmax>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
