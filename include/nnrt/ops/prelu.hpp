// prelu: a rectifier with learned slopes for negative numbers, one for all channels or one for each.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/channels.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Parametric rectified linear unit; channels are the last axis.
///
///   x: [..., C]      weight: [C] or [1], or any shape that broadcasts to that of x
///   y: [..., C] = x where x > 0, else weight * x; NaN gives NaN
///
/// Quantised: x and weight i8, u8 or i16 with one scale each, y with the scale given by `into<quant{…}>`. Both branches
/// are rescaled in fixed point.
///
/// Broken rules: see `rule`; values: ranks, extents, numbers of scales. Source: NNRt OH_NN_OPS_PRELU; other shapes of
/// the weight as in ONNX and TFLite; quantised: the reference kernel of TFLite's PRELU.
struct prelu {
  static constexpr op_code code{46};
  static constexpr std::string_view name = "prelu";
  static constexpr operand_spec inputs[] = {{"x", detail::real_or_quantised}, {"weight", detail::real_or_quantised}};
  static constexpr operand_spec outputs[] = {{"y", detail::real_or_quantised}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr foreign_numbers foreign{.nnrt = 46, .hdi = 112, .tells_quantisation = 0, .nnrt_name = "PRelu"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("channelShared", 0)};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    weight_rank_must_not_exceed_input_rank,
    weight_extents_must_be_1_or_those_of_the_input,
    quantised_input_must_have_one_scale,
    quantised_weight_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &weight = in[1].desc;
    if (auto v = detail::check_channels_last<Rule>(x); !v) return v;
    if (auto v = check_weight(weight, x); !v) return v;
    if (types::floating.contains(x.type)) return ok(x);
    if (auto v = detail::require_one_scale(Rule::quantised_weight_must_have_one_scale, weight); !v) return v;
    return detail::infer_quantised<Rule>(x, wanted);
  }
  static constexpr auto macs = no_macs;

  /// One element of the result.
  template <class T> static constexpr T element(const attrs&, T x, T slope) {
    using real = math::compute_t<T>;
    return real(x) > 0 ? x : static_cast<T>(real(slope) * real(x));
  }
  /// The function of two quantised values.
  template <class T> static constexpr auto stored(const detail::quantised_pair& of) {
    return detail::quantised_slope<T>(of);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>) detail::for_each_pair<T>(in, out, stored<T>({in, out, activation::none}));
    else detail::for_each_pair<T>(in, out, [&](T x, T slope) { return element(a, x, slope); });
  }

 private:
  static constexpr verdict check_weight(const tensor_desc& weight, const tensor_desc& x) {
    if (auto v = require(rule::parameter_types_must_equal_input_type, weight.type, x.type); !v) return v;
    if (auto v = require_at_most(rule::weight_rank_must_not_exceed_input_rank, weight.rank(), x.rank()); !v) return v;
    for (int axis = -1; axis >= -weight.rank(); --axis) {
      if (weight.shape[axis] == 1) continue;
      constexpr rule one_or_the_same = rule::weight_extents_must_be_1_or_those_of_the_input;
      if (auto v = require_same_extent(one_or_the_same, weight.shape[axis], x.shape[axis]); !v) return v;
    }
    return {};
  }
};

}  // namespace ops

/// prelu(x, weight).
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto prelu(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::prelu>(x, weight, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
