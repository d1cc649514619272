// conv2d_transpose_sums: 32-bit accumulators of a quantised transposed convolution, not requantised; internal.
// Flow: passes/quantise.hpp makes it where the last layer on an accelerator keeps its accumulators; kernels/bind/ has
// the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Accumulators of conv2d_transpose, as layer_sums has conv2d's. Passes make it; it has no public function.
///
///   x: [N, H, W, C]   weight: [O, kh, kw, C / group]   bias: [O], optional
///   y: [N, H', W', O], the shape of conv2d_transpose's result
///
///   y = bias[o] + the sum of (x - zero of x) * (weight - zero of weight)       saturated at 32 bits
///
/// x, weight and bias are as in conv2d_transpose. y is i32. It may be declared with a scale for each output channel,
/// which defines the real value of an accumulator and changes none, and with any size that conv2d_transpose allows.
///
/// Broken rules: see `rule`; a broken rule of the layer is given by its number there. Source: as layer_sums.
struct conv2d_transpose_sums {
  static constexpr op_code code{1005};
  static constexpr std::string_view name = "conv2d_transpose_sums";
  static constexpr operand_spec inputs[] = {
      {"x", detail::layered}, {"weight", detail::bytes}, {"bias", types_of(i32, i64), presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::layer};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, stride), (extent2, dilation), (pads, pad), (extent2, output_paddings),
                    (std::int64_t, group));
    constexpr attrs() : stride{1, 1}, dilation{1, 1}, output_paddings{0, 0}, group(1) {}
  };

  enum class rule {
    no_rule_of_the_layer_may_be_broken,
    sums_must_have_a_scale_for_each_output_channel_or_none,
    scales_of_sums_must_run_along_the_output_channels,
  };

  /// The layer that would requantise these accumulators.
  static constexpr conv2d_transpose::attrs layer(const attrs& a) {
    conv2d_transpose::attrs made;
    made.stride = a.stride, made.dilation = a.dilation, made.pad = a.pad, made.output_paddings = a.output_paddings,
    made.group = a.group;
    return made;
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    tensor_desc scaled = detail::wish_of(wanted);
    scaled.quantised = quant{1};
    verdict made = conv2d_transpose::infer(layer(a), in, {&scaled, 1});
    if (!made) return refuse(Rule::no_rule_of_the_layer_may_be_broken, made.rule, -1);
    return detail::infer_kept_sums<Rule>(made.outputs[0], wanted);
  }

  static constexpr std::int64_t macs(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    return conv2d_transpose::macs(layer(a), in, out);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    conv2d_transpose::add_up<T, detail::kept_sums>(layer(a), in, out);
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
