// convolution: common parts of conv2d and depthwise_conv2d - rules about weights, bias, quantisation; sums of windows.
// Flow: used by infer and reference of both; in a depthwise convolution each group has one input channel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/window_rules.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

inline constexpr dtype_set convolved = types::floating | layered | plain_layered;
inline constexpr dtype_set convolution_weight = types::floating | bytes | plain_layered;
inline constexpr dtype_set convolution_bias = types::floating | types_of(i32, i64);

/// Multiply-accumulates of a convolution: outputs times elements of a filter. 0 while an extent is unknown.
constexpr std::int64_t convolution_macs(array_ref<const operand> in, array_ref<const tensor_desc> out) {
  const std::int64_t outputs = out[0].elements(), filter = in[1].desc.shape.elements(1);
  return outputs < 0 || filter < 0 ? 0 : nnrt::detail::saturated_product(outputs, filter);
}

template <class Rule> constexpr verdict check_filters(const tensor_desc& x, const tensor_desc& w) {
  if (auto v = require(Rule::weight_rank_must_be_4, w.rank(), 4); !v) return v;
  if (w.layout == format::nchw) return require(Rule::weight_must_be_nhwc, w.layout, format::nhwc);
  return check_weight_type<Rule>(x, w);
}

/// Requires that groups divide the input channels and the filters evenly.
template <class Rule> constexpr verdict check_groups(std::int64_t group, std::int64_t channels, const shape_t& weight) {
  if (auto v = require_at_least(Rule::group_must_be_positive, group, 1); !v) return v;
  if (weight[3] >= 0) {
    constexpr auto equal = Rule::input_channels_must_equal_weight_channels_times_group;
    if (auto v = require_same_extent(equal, channels, nnrt::detail::saturated_product(weight[3], group)); !v) return v;
  }
  if (weight[0] >= 0 && weight[0] % group != 0)
    return refuse(Rule::output_channels_must_be_divisible_by_group, weight[0], group);
  return {};
}

template <class Rule> constexpr verdict check_bias(array_ref<const operand> in) {
  if (in.size() < 3 || !in[2]) return {};
  const tensor_desc &x = in[0].desc, &w = in[1].desc, &bias = in[2].desc;
  if (auto v = check_bias_type<Rule>(x, bias); !v) return v;
  return require_same_extent(Rule::bias_must_have_one_element_for_each_output_channel, bias.elements(), w.shape[0]);
}

/// Checks that x and weight are floating point, integers without a scale, or quantised as a quantised layer requires.
template <class Rule>
constexpr verdict check_numbers(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  for (const tensor_desc& plain : {in[0].desc, in[1].desc})
    if (auto v = refuse_scales_of_plain(Rule::quantised_type_must_be_i8_u8_or_i16, plain); !v) return v;
  return check_quantised_layer<Rule>(in[0].desc, in[1].desc, wanted);
}

/// Rules of both convolutions, except those about groups.
template <class Rule>
constexpr verdict check_convolution(const window_pair& at, array_ref<const operand> in,
                                    array_ref<const tensor_desc> wanted) {
  if (auto v = check_windows<Rule>(at); !v) return v;
  if (auto v = check_numbers<Rule>(in, wanted); !v) return v;
  return check_bias<Rule>(in);
}

/// Desc of the result: an image of the input's dtype, quantised as declared.
constexpr tensor_desc convolution_result(const window_pair& at, const tensor_desc& x, const tensor_desc& w,
                                         array_ref<const tensor_desc> wanted) {
  return layer_result({x.type, format::nhwc, {x.shape[0], at.h.outputs(), at.w.outputs(), w.shape[0]}}, wanted);
}

/// Scale of the sums of output channel o; unused for floating point. In TFLite every i8 filter has its scale.
template <class T> constexpr double sum_scale(const view& x, const view& weight, std::int64_t o) {
  if constexpr (!is_layered<T>) return 0;
  const float a = x.desc->quantised.scale, b = channel_scale(weight, o);
  return std::is_signed_v<T> ? product_of_channel_scales(a, b) : product_of_tensor_scales(a, b);
}

/// Position of a window: image, first pixel (negative in the padding), first input channel, filter.
struct window_place {
  std::int64_t n, h, w, channel, filter;
};

/// Zero points.
template <class Sum> struct zero_points {
  Sum x, weight;
};

/// start + the sum of (x - zero.x) * (weight - zero.weight) over a window's pixels inside the image; padding adds 0.
template <class Sum, class T>
constexpr Sum window_sum(const window_pair& windows, const window_place& at, const tensor_view<const T>& x,
                         const tensor_view<const weight_t<T>>& weight, Sum start, zero_points<Sum> zero) {
  NNRT_UNFUSED
  const std::int64_t channels = weight.extent(3), step = x.strides[3], weight_step = weight.strides[3];
  if (channels == 0) return start;
  Sum sum = start;
  for (std::int64_t kh = 0; kh < windows.h.kernel; ++kh)
    for (std::int64_t kw = 0; kw < windows.w.kernel; ++kw) {
      const std::int64_t h = at.h + kh * windows.h.dilation, w = at.w + kw * windows.w.dilation;
      if (h < 0 || h >= windows.h.input || w < 0 || w >= windows.w.input) continue;
      // Pointers instead of indices: this loop limits the size of networks in constant evaluation.
      const T* const pixel = &x(at.n, h, w, at.channel);
      const weight_t<T>* const tap = &weight(at.filter, kh, kw, 0);
      for (std::int64_t c = 0; c < channels; ++c)
        sum += NNRT_PRODUCT(static_cast<Sum>(pixel[c * step]) - zero.x,
                            static_cast<Sum>(tap[c * weight_step]) - zero.weight);
    }
  return sum;
}

/// Adds nothing to the sums of windows.
struct nothing_added {};

/// Factor from an addend's scale to the scale of sums.
constexpr fixed_point addend_factor(float addend_scale, double sum_scale) {
  return fixed_point_of(double{addend_scale} / sum_scale);
}

/// A tensor that is added to sums, in the scale of an output channel.
template <class T> struct addend_of {
  tensor_view<const T> x;
  quantisation q;

  constexpr auto for_sums_of(double scale) const {
    return [this, factor = addend_factor(q.scale, scale)](std::int64_t n, std::int64_t h, std::int64_t w,
                                                          std::int64_t o) -> std::int64_t {
      return rounding::half_to_even::scale(static_cast<std::int32_t>(x(n, h, w, o)) - q.zero_point, factor);
    };
  }
};
/// Rules of operand 3, which is added to the sums of a layer with result y.
template <class Rule> constexpr verdict check_addend(array_ref<const operand> in, const tensor_desc& y) {
  const tensor_desc& addend = in[3].desc;
  if (auto v = require(Rule::addend_type_must_equal_input_type, addend.type, in[0].desc.type); !v) return v;
  if (auto v = require_one_scale(Rule::addend_must_have_one_scale, addend); !v) return v;
  if (auto v = require(Rule::addend_must_have_the_rank_of_the_result, addend.rank(), y.rank()); !v) return v;
  for (int axis = 0; axis < y.rank(); ++axis)
    if (auto v =
            require_same_extent(Rule::addend_must_have_the_extents_of_the_result, addend.shape[axis], y.shape[axis]);
        !v)
      return v;
  return {};
}

/// Width of sums of conv2d and depthwise_conv2d without a bias.
inline constexpr biasless_sums sums_of_convolutions = biasless_sums::wide;

/// A convolution with `group` groups: output channel o belongs to group o / (outputs / group) and reads only that
/// group's input channels. `added` may add to the sums before Finish, an epilogue, makes elements of y.
template <class T, class Finish, class Added = nothing_added>
constexpr void convolve(const window_pair& windows, std::int64_t group, activation fused, arguments in, results out,
                        const Added& added = {}) {
  using sum_t = layer_sum_t<T>;
  const auto x = in[0].as<const T>();
  const auto weight = in[1].as<const weight_t<T>>();
  const auto y = out[0].as<typename Finish::element>();
  const std::int64_t filters = weight.extent(0), filters_of_group = group > 0 ? filters / group : 0;
  if (y.elements() <= 0) return;
  const zero_points<sum_t> zero{static_cast<sum_t>(zero_of<T>(in[0])), static_cast<sum_t>(zero_of<T>(in[1]))};
  for (std::int64_t o = 0; o < filters; ++o) {
    const auto start = static_cast<sum_t>(bias_of<T>(in, o));
    const double scale = sum_scale<T>(in[0], in[1], o);
    const Finish finish(out[0], fused, scale, has_wide_sums<T>(in, sums_of_convolutions));
    const auto sum_at = [&](const window_place& at, [[maybe_unused]] std::int64_t oh,
                            [[maybe_unused]] std::int64_t ow) {
      if constexpr (std::is_same_v<Added, nothing_added>)
        return window_sum<sum_t, T>(windows, at, x, weight, start, zero);
      else
        return window_sum<sum_t, T>(windows, at, x, weight, start, zero) +
               added.for_sums_of(scale)(at.n, oh, ow, at.filter);
    };
    const std::int64_t channel = o / filters_of_group * weight.extent(3);
    for (std::int64_t n = 0; n < y.extent(0); ++n)
      for (std::int64_t oh = 0; oh < y.extent(1); ++oh)
        for (std::int64_t ow = 0; ow < y.extent(2); ++ow) {
          const window_place at{n, oh * windows.h.stride - windows.h.pad_before(),
                                ow * windows.w.stride - windows.w.pad_before(), channel, o};
          y(n, oh, ow, o) = finish(static_cast<math::compute_t<T>>(sum_at(at, oh, ow)));
        }
  }
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
