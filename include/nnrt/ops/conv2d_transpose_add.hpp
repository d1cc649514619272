// conv2d_transpose_add: a quantised transposed convolution and the sum with another tensor, requantised once; internal.
// Flow: passes/quantise.hpp makes it where an accelerator adds to an upsampled image; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Result of conv2d_transpose, add and an activation without requantisation in between. Passes make it; it has no
/// public function.
///
///   x: [N, H, W, C]   weight: [O, kh, kw, C / group]   bias: [O], optional
///   addend, y: [N, H', W', O], the shape of conv2d_transpose's result
///
///   sum    = bias[o] + conv2d_transpose's products                            exact
///   term and y as in conv2d_add
///
/// dtypes, scales and saturation are as in conv2d_add.
///
/// Broken rules: see `rule`; a broken rule of conv2d_transpose is given by its number there. Source: this library, as
/// conv2d_add.
struct conv2d_transpose_add {
  static constexpr op_code code{1004};
  static constexpr std::string_view name = "conv2d_transpose_add";
  static constexpr operand_spec inputs[] = {{"x", detail::layered},
                                            {"weight", detail::bytes},
                                            {"bias", types_of(i32, i64), presence::optional},
                                            {"addend", detail::layered}};
  static constexpr operand_spec outputs[] = {{"y", detail::layered}};
  static constexpr operator_traits traits{.weights = weights_role::conv2d_transpose,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::layer};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  using attrs = conv2d_transpose::attrs;

  enum class rule {
    no_rule_of_conv2d_transpose_may_be_broken,
    addend_type_must_equal_input_type,
    addend_must_have_one_scale,
    addend_must_have_the_rank_of_the_result,
    addend_must_have_the_extents_of_the_result,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    verdict made = conv2d_transpose::infer(a, in.first(3), wanted);
    if (!made) return refuse(Rule::no_rule_of_conv2d_transpose_may_be_broken, made.rule, -1);
    if (auto v = detail::check_addend<Rule>(in, made.outputs[0]); !v) return v;
    return made;
  }

  static constexpr std::int64_t macs(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    return conv2d_transpose::macs(a, in, out);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    conv2d_transpose::add_up<T, detail::epilogue<T, rounding::double_rounding>>(
        a, in, out, detail::addend_of<T>{in[3].as<const T>(), in[3].desc->quantised});
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
