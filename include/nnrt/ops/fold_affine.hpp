// fold_affine: weights of a layer with a preceding factor or a following affine map folded in; internal.
// Flow: passes/fold.hpp makes it; as all operands are constants, the planner runs it once, in prepare.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Weight and bias of a layer (conv2d, depthwise_conv2d, conv2d_transpose, full_connection) combined with the following
/// channel-wise affine map: batch_norm, scale, bias_add, or arithmetic with known numbers. A factor before the layer is
/// folded with its input channels as `axis`; the bias is then not used. It works on weights, runs once when an executor
/// is made, and has no public function.
///
///   weight: any shape with O channels along `axis`; bias: [O]
///   scale, offset, mean, variance, addend: O elements, or one for all channels
///   out: folded_weight, like weight, = weight * s[o]; s = scale / sqrt(variance + epsilon), or scale alone, or
///        1 / scale if `divided`
///        folded_bias [O] = (bias[o] - mean[o]) * s[o] + offset[o] + addend[o]
///
/// Missing bias, offset, mean and addend count as 0, a missing s as 1. variance is given with a scale.
/// Computed in double, rounded to the dtype at the end. Broken rules: see `rule`. Source: this library.
struct fold_affine {
  static constexpr op_code code{1000};
  static constexpr std::string_view name = "fold_affine";
  static constexpr operand_spec inputs[] = {
      {"weight", types::floating},
      {"bias", types::floating, presence::optional},
      {"scale", types::floating, presence::optional},
      {"offset", types::floating, presence::optional},
      {"mean", types::floating, presence::optional},
      {"variance", types::floating, presence::optional},
      {"addend", types::floating, presence::optional},
  };
  static constexpr operand_spec outputs[] = {{"folded_weight", types::floating}, {"folded_bias", types::floating}};
  static constexpr operator_traits traits{.in_files = file_order::unchanged};
  static constexpr error_bound errors[] = {{types_of(f32), 0.51, error_unit::terms},
                                           {types_of(f16), 0.51, error_unit::terms},
                                           {types_of(f64), 4, error_unit::terms}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, epsilon), (std::int64_t, axis), (bool, divided));
    constexpr attrs() : epsilon(1e-4F), axis(0), divided(false) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_weight,
    variance_must_come_with_a_scale,
    parameter_types_must_equal_weight_type,
    parameters_must_have_one_element_for_each_channel,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& w = in[0].desc;
    const int axis = normalise_axis(a.axis, w.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_weight, a.axis, w.rank() - 1);
    const std::int64_t channels = w.shape[axis];
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (!in[i]) continue;
      const tensor_desc& given = in[i].desc;
      if (auto v = require(Rule::parameter_types_must_equal_weight_type, given.type, w.type); !v) return v;
      if (i > 1 && given.elements() == 1) continue;
      constexpr auto count = Rule::parameters_must_have_one_element_for_each_channel;
      if (auto v = require_same_extent(count, given.elements(), channels); !v) return v;
    }
    if (in.size() > 5 && in[5] && !in[2]) return refuse(Rule::variance_must_come_with_a_scale, 0, 1);
    return ok(w, tensor_desc{w.type, {channels}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto weight = in[0].as<const T>();
    const auto folded_weight = out[0].as<T>(), folded_bias = out[1].as<T>();
    const int axis = normalise_axis(a.axis, weight.rank());
    const std::int64_t channels = weight.extent(axis), inner = weight.shape.elements(axis + 1);
    const std::int64_t blocks = weight.shape.elements(0, axis) * channels;  // of values with one factor
    for (std::int64_t block = 0; block < blocks; ++block) {
      const double factor = factor_of<T>(a, in, block % channels);
      for (std::int64_t i = block * inner; i < (block + 1) * inner; ++i)
        folded_weight[i] = math::convert<T>(math::convert<double>(weight[i]) * factor);
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      const double normalised = math::product(at<T>(in, 1, c) - at<T>(in, 4, c), factor_of<T>(a, in, c));
      folded_bias[c] = math::convert<T>(normalised + at<T>(in, 3, c) + at<T>(in, 6, c));
    }
  }

 private:
  /// Element c of operand i, or the only one; 0 if it is missing.
  template <class T> static constexpr double at(arguments in, std::size_t i, std::int64_t c) {
    if (i >= in.size() || !in[i]) return 0.0;
    const auto given = in[i].as<const T>();
    return math::convert<double>(given[given.elements() == 1 ? 0 : c]);
  }
  template <class T> static constexpr double factor_of(const attrs& a, arguments in, std::int64_t c) {
    if (in.size() <= 2 || !in[2]) return 1.0;
    if (a.divided) return 1.0 / at<T>(in, 2, c);
    const bool has_variance = in.size() > 5 && in[5];
    return at<T>(in, 2, c) / (has_variance ? math::sqrt(at<T>(in, 5, c) + double{a.epsilon}) : 1.0);
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
