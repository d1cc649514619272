// instance_norm: normalises each channel of each image by its mean and variance.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Instance normalisation: the axes after the first two get mean 0 and variance 1, then scale and bias are applied.
///
///   x: [N, C, …], in any format      scale, bias: [C]
///   y: like x = (x - mean) / sqrt(variance + epsilon) * scale + bias; variance is over all elements (divided by n)
///
/// epsilon is 0 by default; if it and the variance are 0, the result is NaN.
///
/// Broken rules: see `rule`; values: extents. Source: NNRt OH_NN_OPS_INSTANCE_NORM, whose channels come second.
struct instance_norm {
  static constexpr op_code code{67};
  static constexpr std::string_view name = "instance_norm";
  static constexpr operand_spec inputs[] = {
      {"x", types::floating}, {"scale", types::floating}, {"bias", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr unlike_default to_be_said[] = {{"epsilon", "1e-5"}};
  static constexpr operator_traits traits{.in_files = file_order::unchanged, .to_be_said = to_be_said};
  static constexpr error_bound errors[] = {{types_of(f32), 40, error_unit::largest, 0.008},
                                           {types_of(f16), 0.51, error_unit::largest},
                                           {types_of(f64), 6, error_unit::largest, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 67, .hdi = 74};
  static constexpr nnrt_parameter parameters[] = {{"epsilon", 88, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, epsilon));
    constexpr attrs() : epsilon(0) {}
  };
  enum class rule {
    input_rank_must_be_at_least_2,
    parameter_types_must_equal_input_type,
    parameters_must_be_lists,
    parameters_must_have_a_number_for_each_channel,
    epsilon_must_not_be_negative_or_infinite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    constexpr rule for_each_channel = Rule::parameters_must_have_a_number_for_each_channel;
    constexpr rule in_bounds = Rule::epsilon_must_not_be_negative_or_infinite;
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_least(Rule::input_rank_must_be_at_least_2, x.rank(), 2); !v) return v;
    for (const operand& parameter : in.subspan(1)) {
      const tensor_desc& p = parameter.desc;
      if (auto v = require(Rule::parameter_types_must_equal_input_type, p.type, x.type); !v) return v;
      if (auto v = require(Rule::parameters_must_be_lists, p.rank(), 1); !v) return v;
      if (auto v = require_same_extent(for_each_channel, p.shape[0], x.shape[1]); !v) return v;
    }
    if (auto v = require_real_between(in_bounds, a.epsilon, 0, std::numeric_limits<float>::max()); !v) return v;
    return ok(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>(), scale = in[1].as<const T>(), bias = in[2].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const auto real = [](T element) { return math::convert<double>(element); };
    const std::int64_t n = y.shape.elements(2), channels = y.extent(1);
    for (std::int64_t image = 0; image < y.extent(0) * channels; ++image) {
      const std::int64_t first = image * n, channel = image % channels;
      const detail::moments m =
          detail::moments_of<T>(n, double{a.epsilon}, [&](std::int64_t i) { return real(x[first + i]); });
      for (std::int64_t i = first; i < first + n; ++i) {
        // Constant evaluation rejects division by zero.
        const double normal = m.deviation > 0 ? m.off(real(x[i])) / m.deviation : math::nan<double>;
        y[i] = math::convert<T>(math::product(normal, real(scale[channel])) + real(bias[channel]));
      }
    }
  }
};

}  // namespace ops

/// instance_norm(x, scale, bias), with `epsilon<…>`.
template <tensor_desc X, tensor_desc S, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto instance_norm(tensor<X> x, tensor<S> scale, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::instance_norm>(x, scale, bias, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
