// convolution: what conv2d and depthwise_conv2d share - rules about weights, bias, quantisation; the sum over a window.
// Flow: both operators' infer and reference; a depthwise convolution is one whose groups have a single input channel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/window_rules.hpp>

namespace nnrt::inline NNRT_ISA::ops::detail {

inline constexpr dtype_set convolved = types::floating | types_of(i8);
inline constexpr dtype_set convolution_bias = types::floating | types_of(i32);

/// a * b, or the largest 64-bit number where the product is beyond it; both at least 0.
constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

/// Products of a convolution: each output meets one filter. 0 while an extent is unknown.
constexpr std::int64_t convolution_macs(std::span<const operand> in, std::span<const tensor_desc> out) {
  const std::int64_t outputs = out[0].elements(), filter = in[1].desc.shape.elements(1);
  return outputs < 0 || filter < 0 ? 0 : saturated_product(outputs, filter);
}

template <class Rule> constexpr verdict check_filters(const tensor_desc& x, const tensor_desc& w) {
  if (auto v = require(Rule::weight_rank_must_be_4, w.rank(), 4); !v) return v;
  if (w.layout == format::nchw) return require(Rule::weight_must_be_nhwc, w.layout, format::nhwc);
  return require(Rule::weight_type_must_equal_input_type, w.type, x.type);
}

/// The bias of an integer convolution holds sums: 32 bits, scale of the input times scale of the weight, whatever its
/// desc says.
template <class Rule> constexpr verdict check_bias(std::span<const operand> in) {
  if (in.size() < 3 || !in[2]) return {};
  const tensor_desc &x = in[0].desc, &w = in[1].desc, &bias = in[2].desc;
  if (x.type == i8) {
    if (auto v = require(Rule::bias_type_of_an_i8_input_must_be_i32, bias.type, i32); !v) return v;
  } else if (auto v = require(Rule::bias_type_must_equal_input_type, bias.type, x.type); !v) return v;
  return require_same_extent(Rule::bias_must_have_one_element_for_each_output_channel, bias.elements(), w.shape[0]);
}

/// What the arithmetic of 8-bit convolutions rests on; nothing to check for floating point.
template <class Rule>
constexpr verdict check_quantisation(const tensor_desc& x, const tensor_desc& w, std::span<const tensor_desc> wanted) {
  if (x.type != i8) return {};
  if (auto v = require_one_scale(Rule::quantised_input_must_have_one_scale, x); !v) return v;
  if (auto v = require_one_scale(Rule::quantised_output_must_have_one_scale, wish_of(wanted)); !v) return v;
  if (w.quantised.mode == quantisation::kind::per_channel) {
    if (auto v = require(Rule::weight_scales_must_run_along_the_output_channels, w.quantised.axis, 0); !v) return v;
  } else if (auto v = require_one_scale(Rule::quantised_weight_must_have_a_scale, w); !v) return v;
  return require(Rule::weight_zero_point_must_be_0, w.quantised.zero_point, 0);
}

/// Rules of both convolutions, up to those about groups, which each has its own of.
template <class Rule>
constexpr verdict check_convolution(const window_pair& at, std::span<const operand> in,
                                    std::span<const tensor_desc> wanted) {
  if (auto v = check_windows<Rule>(at); !v) return v;
  if (auto v = check_bias<Rule>(in); !v) return v;
  return check_quantisation<Rule>(in[0].desc, in[1].desc, wanted);
}

/// The desc of the result: an image of the input's dtype, quantised as wanted.
constexpr tensor_desc convolution_result(const window_pair& at, const tensor_desc& x, const tensor_desc& w,
                                         std::span<const tensor_desc> wanted) {
  tensor_desc y{x.type, format::nhwc, {x.shape[0], at.h.outputs(), at.w.outputs(), w.shape[0]}};
  if (x.type == i8) y.quantised = wanted[0].quantised;
  return y;
}

/// The scale of output channel o of a weight.
constexpr float channel_scale(const view& weight, std::int64_t o) {
  return o < std::int64_t(weight.scales.size()) ? weight.scales[static_cast<std::size_t>(o)]
                                                : weight.desc->quantised.scale;
}

/// The factor from sums of output channel o to stored numbers of y.
constexpr fixed_point channel_factor(const view& x, const view& weight, const view& y, std::int64_t o) {
  return fixed_point_of(double{x.desc->quantised.scale} * double{channel_scale(weight, o)} /
                        double{y.desc->quantised.scale});
}

/// Where one window lies: image, first pixel (in the padding when negative), first input channel, filter.
struct window_place {
  std::int64_t n, h, w, channel, filter;
};

/// start + the sum of (x - zero) * weight over the pixels of one window that lie in the image; those in the padding
/// are zero.
template <class Sum, class T>
constexpr Sum window_sum(const window_pair& windows, const window_place& at, const tensor_view<const T>& x,
                         const tensor_view<const T>& weight, Sum start, Sum zero) {
  const std::int64_t channels = weight.extent(3), step = x.strides[3], weight_step = weight.strides[3];
  if (channels == 0) return start;
  Sum sum = start;
  for (std::int64_t kh = 0; kh < windows.h.kernel; ++kh)
    for (std::int64_t kw = 0; kw < windows.w.kernel; ++kw) {
      const std::int64_t h = at.h + kh * windows.h.dilation, w = at.w + kw * windows.w.dilation;
      if (h < 0 || h >= windows.h.input || w < 0 || w >= windows.w.input) continue;
      // Pointers instead of indices: this loop decides how large a network constant evaluation can run.
      const T *pixel = &x(at.n, h, w, at.channel), *tap = &weight(at.filter, kh, kw, 0);
      for (std::int64_t c = 0; c < channels; ++c)
        sum += (static_cast<Sum>(pixel[c * step]) - zero) * static_cast<Sum>(tap[c * weight_step]);
    }
  return sum;
}

/// The meaning of a convolution with `group` groups: output channel o belongs to group o / (outputs / group) and sees
/// the input channels of that group only.
template <class T>
constexpr void convolve(const window_pair& windows, std::int64_t group, activation fused, arguments in, results out) {
  using sum_t = math::compute_t<T>;
  using bias_t = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, T>;
  const auto x = in[0].as<const T>(), weight = in[1].as<const T>();
  const auto y = out[0].as<T>();
  const bool has_bias = in.size() > 2 && in[2];
  const std::int64_t filters = weight.extent(0), filters_of_group = group > 0 ? filters / group : 0;
  if (y.elements() <= 0) return;
  for (std::int64_t o = 0; o < filters; ++o) {
    const sum_t start = has_bias ? static_cast<sum_t>(in[2].as<const bias_t>()[o]) : sum_t{0};
    const auto finish = [&](sum_t sum) {
      if constexpr (std::is_same_v<T, std::int8_t>) {
        const quantisation& q = out[0].desc->quantised;
        return requantise<T>(sum, channel_factor(in[0], in[1], out[0], o), q.zero_point, stored_range_of<T>(q, fused));
      } else return static_cast<T>(activate(sum, fused));
    };
    const auto zero = static_cast<sum_t>(std::is_same_v<T, std::int8_t> ? in[0].desc->quantised.zero_point : 0);
    const std::int64_t channel = o / filters_of_group * weight.extent(3);
    for (std::int64_t n = 0; n < y.extent(0); ++n)
      for (std::int64_t oh = 0; oh < y.extent(1); ++oh)
        for (std::int64_t ow = 0; ow < y.extent(2); ++ow) {
          const window_place at{n, oh * windows.h.stride - windows.h.pad_before(),
                                ow * windows.w.stride - windows.w.pad_before(), channel, o};
          y(n, oh, ow, o) = finish(window_sum<sum_t, T>(windows, at, x, weight, start, zero));
        }
  }
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail
