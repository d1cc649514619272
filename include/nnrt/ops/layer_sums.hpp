// layer_sums: 32-bit accumulators of a quantised convolution or dense layer, not requantised; internal.
// Flow: passes/quantise.hpp makes it where the last layer on an accelerator keeps its accumulators; kernels/bind/ has
// the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Accumulators of conv2d or full_connection; the real value of one is itself times the scales of x and weight[o]. A
/// depthwise convolution has a group for each channel here. Passes make it; it has no public function.
///
///   x: [N, H, W, C]   weight: [O, kh, kw, C / group]   bias: [O], optional   y: [N, H', W', O], as in conv2d
///   or x, weight [O, I], bias and y as in full_connection
///
///   y = bias[o] + sum of (x - zero of x) * (weight - zero of weight)       saturated at 32 bits
///
/// The weight's rank determines the layer: 4 is a convolution, which ignores `axis`; 2 is a dense layer, which uses
/// only `axis`. x, weight and bias are as in these. y is i32. It may be declared with a scale for each output channel,
/// which defines the real value of an accumulator and changes none.
///
/// Broken rules: see `rule`; a broken rule of the layer is given by its number there. Source: the boards'
/// documentation: the last layer on an accelerator may keep its accumulators, which the processor requantises.
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

  /// Whether the weight is a convolution's: rank 4.
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
  /// Result of the layer that would requantise these accumulators.
  static constexpr verdict infer_scaled(const attrs& a, array_ref<const operand> in) {
    tensor_desc scaled;
    scaled.quantised = quant{1};
    if (is_convolution(in[1].desc)) return conv2d::infer(convolution(a), in, {&scaled, 1});
    return full_connection::infer(dense(a), in, {&scaled, 1});
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
