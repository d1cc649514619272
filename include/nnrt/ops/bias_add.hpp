// bias_add: adds one number to each channel.
// Flow: front ends call infer(); passes/fold.hpp folds it into the preceding layer; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/channels.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/fold_affine.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Sum of a tensor and one number for each channel; channels are the last axis.
///
///   x: [..., C]      bias: [C]      y: [..., C] = x + bias
///
/// dtypes: f16 (sum in f32), f32, f64; integers, which wrap around; or quantised x and bias, i8, u8 or i16 with one
/// scale each, y with the scale given by `into<quant{…}>`, with the arithmetic of add. Broken rules: see `rule`;
/// values: numbers of scales. Source: NNRt OH_NN_OPS_BIAS_ADD, for any rank from 1 on.
struct bias_add {
  static constexpr op_code code{5};
  static constexpr std::string_view name = "bias_add";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"bias", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .computes = meaning::bias_add,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::unchanged};
  using folded_as = fold_affine;
  static constexpr foreign_numbers foreign{.nnrt = 5, .hdi = 23};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
    operands_must_both_be_quantised_or_both_plain,
    quantised_types_must_be_i8_u8_or_i16,
    quantised_types_must_be_equal,
    quantised_operands_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_channels_last<Rule>(x); !v) return v;
    const tensor_desc& bias = in[1].desc;
    if (auto v = detail::check_parameter_row<Rule>(bias, x.shape[-1]); !v) return v;
    tensor_desc y = x;
    if (x.quantised || bias.quantised) {
      if (auto v = detail::check_quantised_pair<Rule>(x, bias, wanted); !v) return v;
      y.quantised = wanted[0].quantised;
    } else if (auto v = require(Rule::parameter_types_must_equal_input_type, bias.type, x.type); !v) {
      return v;
    }
    return ok(y);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T x, T bias) {
    // Unsigned: signed overflow is undefined.
    using sum_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;
    return static_cast<T>(static_cast<sum_t>(x) + static_cast<sum_t>(bias));
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const detail::quantised_pair& of) {
    return detail::quantised_sum<T>(of, 1);
  }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) return detail::for_each_pair<T>(in, out, stored<T>({in, out, activation::none}));
    const auto x = in[0].as<const T>(), bias = in[1].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i) y[i] = element(a, x[i], bias[i % x.shape[-1]]);
  }
};

}  // namespace ops

/// bias_add(x, bias).
template <tensor_desc X, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto bias_add(tensor<X> x, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::bias_add>(x, bias, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
