// layer_sums: the sums of a convolution or a dense layer of quantised values, 32 bits each, before anything scales
// them; internal.
// Flow: passes/quantise.hpp makes nodes of it where the last layer on an accelerator keeps its sums; kernels/bind/ has
// the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// What conv2d or full_connection adds up, as it is: each sum stands for itself times scale of x times scale of
/// weight[o]. A depthwise convolution has a group for each channel here. Passes make it; it has no function for users.
///
///   x: [N, H, W, C]   weight: [O, kh, kw, C / group]   bias: [O], may be missing   y: [N, H', W', O], as conv2d's
///   x, weight [O, I], bias and y as full_connection's
///
///   y = bias[o] + sum of (x - zero of x) * (weight - zero of weight)       saturated at 32 bits
///
/// The rank of the weight says which layer it is: 4 a convolution, for which `axis` means nothing, 2 a dense layer, for
/// which `axis` alone does. x, weight and bias are stored as these take them. y is i32; it may be wanted with a scale
/// for each output channel, which says what a sum stands for, and changes none.
///
/// Broken rules: see `rule`; a broken rule of the layer is named by its number there. Source: the boards'
/// documentation: the last layer on an accelerator may keep its accumulators, which the processor scales.
struct layer_sums {
  static constexpr op_code code{1003};
  static constexpr std::string_view name = "layer_sums";
  static constexpr operand_spec inputs[] = {
      {"x", detail::layered}, {"weight", detail::bytes}, {"bias", types_of(i32, i64), presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, stride), (extent2, dilation), (pads, pad), (std::int64_t, group),
                    (std::int64_t, axis));
    constexpr attrs() : stride{1, 1}, dilation{1, 1}, group(1), axis(-1) {}
  };

  enum class rule {
    no_rule_of_the_layer_may_be_broken,
    sums_must_have_a_scale_for_each_output_channel_or_none,
    scales_of_sums_must_run_along_the_output_channels,
  };

  /// The layer that it is: of a weight of rank 4, and of others.
  static constexpr bool is_convolution(const tensor_desc& weight) { return weight.rank() == 4; }
  static constexpr conv2d::attrs convolution(const attrs& a) {
    conv2d::attrs layer;
    layer.stride = a.stride, layer.dilation = a.dilation, layer.pad = a.pad, layer.group = a.group;
    return layer;
  }
  static constexpr full_connection::attrs dense(const attrs& a) {
    full_connection::attrs layer;
    layer.axis = a.axis;
    return layer;
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    verdict made = infer_scaled(a, in);
    if (!made) return refuse(Rule::no_rule_of_the_layer_may_be_broken, made.rule, -1);
    return detail::infer_kept_sums<Rule>(made.outputs[0], wanted);
  }

  static constexpr std::int64_t macs(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    return is_convolution(in[1].desc) ? conv2d::macs(convolution(a), in, out)
                                      : full_connection::macs(dense(a), in, out);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if (!is_convolution(*in[1].desc)) return full_connection::connect<T, detail::kept_sums>(activation::none, in, out);
    detail::convolve<T, detail::kept_sums>(conv2d::windows(convolution(a), in[0].shape(), in[1].shape()), a.group,
                                           activation::none, in, out);
  }

 private:
  /// What the layer says that would scale these sums.
  static constexpr verdict infer_scaled(const attrs& a, array_ref<const operand> in) {
    tensor_desc scaled;
    scaled.quantised = quant{1};
    if (is_convolution(in[1].desc)) return conv2d::infer(convolution(a), in, {&scaled, 1});
    return full_connection::infer(dense(a), in, {&scaled, 1});
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
