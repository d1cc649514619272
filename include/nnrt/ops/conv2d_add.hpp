// conv2d_add: a quantised convolution and the sum with another tensor, requantised once; internal.
// Flow: passes/quantise.hpp makes it where an accelerator computes a residual sum; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/conv2d.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Result of conv2d, add and an activation without requantisation in between: the other operand is rescaled to the
/// convolution's accumulators and added to them. A depthwise convolution has a group for each channel here. Passes make
/// it; it has no public function.
///
///   x: [N, H, W, C]   weight: [O, kh, kw, C / group]   bias: [O], optional   addend, y: [N, H', W', O]
///
///   sum    = bias[o] + sum over the window of (x - zero of x) * (weight - zero of weight)            exact, see conv2d
///   term   = round_half_to_even((addend - zero of addend) * m), m = scale of addend / (scale of x * scale of
///          weight[o]) as by fixed_point_of()
///   y      = clamp(zero of y + round((sum + term) * scale of x * scale of weight[o] / scale of y)), rounded as y says,
///          clamped as `fused` says
///
/// x, addend and y are i8, u8 or i16, of one dtype and with one scale each; weight and bias as in conv2d. term is
/// saturated at 32 bits; so is sum + term, if sums have 32.
///
/// Broken rules: see `rule`; a broken rule of conv2d is given by its number there. Source: this library, after the
/// boards' documentation: a convolution, a sum and an activation are one unit, with 32 bits between them and one
/// requantisation.
struct conv2d_add {
  static constexpr op_code code{1002};
  static constexpr std::string_view name = "conv2d_add";
  static constexpr operand_spec inputs[] = {{"x", detail::layered},
                                            {"weight", detail::bytes},
                                            {"bias", types_of(i32, i64), presence::optional},
                                            {"addend", detail::layered}};
  static constexpr operand_spec outputs[] = {{"y", detail::layered}};
  static constexpr operator_traits traits{.weights = weights_role::conv2d,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::layer};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  using attrs = conv2d::attrs;

  enum class rule {
    no_rule_of_conv2d_may_be_broken,
    addend_type_must_equal_input_type,
    addend_must_have_one_scale,
    addend_must_have_the_rank_of_the_result,
    addend_must_have_the_extents_of_the_result,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    verdict made = conv2d::infer(a, in.first(3), wanted);
    if (!made) return refuse(Rule::no_rule_of_conv2d_may_be_broken, made.rule, -1);
    if (auto v = detail::check_addend<Rule>(in, made.outputs[0]); !v) return v;
    return made;
  }

  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    return detail::convolution_macs(in, out);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::convolve<T, detail::epilogue<T, rounding::double_rounding>>(
        conv2d::windows(a, in[0].shape(), in[1].shape()), a.group, a.fused, in, out,
        detail::addend_of<T>{in[3].as<const T>(), in[3].desc->quantised});
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
