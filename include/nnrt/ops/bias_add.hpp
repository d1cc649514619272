// bias_add: adds one number to each channel.
// Flow: front ends call infer(); passes/fold.hpp moves it into the layer before it; kernels/bind/ has the fast form.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/channels.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Sum of a tensor and one number for each channel; channels are the last axis.
///
///   x: [..., C]      bias: [C]      y: [..., C] = x + bias
///
/// dtypes: f16 (sum in f32), f32, f64; i32 and i64, which wrap around. Broken rules: see `rule`.
/// Source: NNRt OH_NN_OPS_BIAS_ADD, for any rank from 1 on.
struct bias_add {
  static constexpr dtype_set added = types::floating | types::index;

  static constexpr op_code code{5};
  static constexpr std::string_view name = "bias_add";
  static constexpr operand_spec inputs[] = {{"x", added}, {"bias", added}};
  static constexpr operand_spec outputs[] = {{"y", added}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::bias_add};
  static constexpr foreign_numbers foreign{.nnrt = 5, .hdi = 23};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_channels_last<rule>(x); !v) return v;
    if (auto v = detail::check_parameter<rule>(in[1].desc, x.type, x.shape[-1]); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T x, T bias) {
    // Unsigned arithmetic wraps where signed arithmetic is undefined.
    using sum_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;
    return static_cast<T>(static_cast<sum_t>(x) + static_cast<sum_t>(bias));
  }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>(), bias = in[1].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i)
      y[i] = element(a, x[i], bias[i % x.shape[-1]]);
  }
};

}  // namespace ops

/// bias_add(x, bias).
template <tensor_desc X, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto bias_add(tensor<X> x, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::bias_add>(x, bias, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
