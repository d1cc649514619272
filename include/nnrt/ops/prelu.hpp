// prelu: a rectifier whose slope below zero is learned, one for all or one for each channel.
// Flow: front ends call infer(); kernels/bind/ has the fast form.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/channels.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Parametric rectified linear unit; channels are the last axis.
///
///   x: [..., C]      weight: [C] or [1]      y: [..., C] = x where x > 0, else weight * x; a NaN stays one
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_PRELU.
struct prelu {
  static constexpr op_code code{46};
  static constexpr std::string_view name = "prelu";
  static constexpr operand_spec inputs[] = {{"x", types::floating}, {"weight", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 46, .hdi = 112};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc &x = in[0].desc, &weight = in[1].desc;
    if (auto v = detail::check_channels_last<rule>(x); !v) return v;
    const std::int64_t channels = weight.elements() == 1 ? 1 : x.shape[-1];
    if (auto v = detail::check_parameter<rule>(weight, x.type, channels); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>(), weight = in[1].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const real slope = real(weight[weight.elements() == 1 ? 0 : i % x.shape[-1]]);
      y[i] = real(x[i]) > 0 ? x[i] : static_cast<T>(slope * real(x[i]));
    }
  }
};

}  // namespace ops

/// prelu(x, weight).
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto prelu(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::prelu>(x, weight, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
