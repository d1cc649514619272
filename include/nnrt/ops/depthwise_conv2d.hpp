// depthwise_conv2d: a convolution whose output channels read one input channel each; floating point or quantised.
// Flow: front ends call infer(); passes fold batch_norm and bias_add into its weight; kernels/bind/ has the kernels.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/convolution.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Convolution of each channel of an image with O / C filters for this channel.
///
///   x: [N, H, W, C]      weight: [O, kh, kw, 1], O a multiple of C      bias: [O], optional
///   y: [N, H', W', O] = fused(bias[o] + sum over i, j of x[n, h(i), w(j), o / (O / C)] * weight[o, i, j, 0])
///   h(i) = h' * stride - pad_top + i * dilation, likewise w(j)
///   H' = ceil(H / stride) for `same`, else floor((H + pads - ((kh - 1) * dilation + 1)) / stride) + 1, likewise W'
///
/// Units, dtypes and quantisation are as in conv2d, which gives the same result with `group<C>`.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE; quantised: TFLite's DEPTHWISE_CONV_2D.
struct depthwise_conv2d {
  static constexpr op_code code{10};
  static constexpr std::string_view name = "depthwise_conv2d";
  static constexpr operand_spec inputs[] = {{"x", detail::convolved},
                                            {"weight", detail::convolution_weight},
                                            {"bias", detail::convolution_bias, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", detail::convolved}};
  static constexpr operator_traits traits{.weights = weights_role::depthwise_conv2d,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::layer};
  static constexpr error_bound errors[] = {{types_of(f32), 1, error_unit::terms, 0.5},
                                           {types_of(f16), 0.51, error_unit::terms, 0.0001},
                                           {types_of(f64), 1, error_unit::terms, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 10, .hdi = 35, .nnrt_name = "DepthwiseConv2DNative"};
  static constexpr hdi_field hdi_fields[] = {
      hdi_field::extent("kernelSize", 1, 1), hdi_field::extent("group", 0, 3).telling_apart(),
      hdi_field::extent("inChannel", 0, 3).telling_apart(), hdi_field::extent("outChannel", 1, 0)};
  // Padding is a list of four or a mode, distinguished by the count; either may have either number.
  static constexpr nnrt_parameter parameters[] = {
      {"stride", 24, i64, -1}, {"pad", 25, i64, 4}, {"dilation", 26, i64, -1}, {"pad", 27, i8}, {"fused", 28, i8}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, stride), (extent2, dilation), (pads, pad), (activation, fused));
    constexpr attrs() : stride{1, 1}, dilation{1, 1}, fused(activation::none) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    weight_rank_must_be_4,
    weight_must_be_nhwc,
    weight_type_must_equal_input_type,
    weight_type_of_an_i16_input_must_be_i8,
    weight_must_have_one_input_channel,
    output_channels_must_be_a_multiple_of_input_channels,
    stride_must_be_positive,
    dilation_must_be_positive,
    kernel_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    bias_type_must_equal_input_type,
    bias_type_of_a_quantised_input_must_be_i32,
    bias_type_of_an_i16_input_must_be_i64_or_i32,
    bias_must_have_one_element_for_each_output_channel,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    quantised_weight_must_have_a_scale,
    weight_scales_must_run_along_the_output_channels,
  };

  /// Positions of the windows: x NHWC, weight [O, kh, kw, 1].
  static constexpr detail::window_pair windows(const attrs& a, const shape_t& x, const shape_t& weight) {
    return detail::windows_over(x, {weight[1], weight[2]}, a.stride, a.dilation, a.pad);
  }

  /// NNRt reads group and kernel from input and weight when the operation is added.
  static constexpr nnrt_fault nnrt_refuses(const attrs&, array_ref<const operand> in, array_ref<const nnrt_given>) {
    if (const int rank = in[0].desc.rank(); rank != 4) return {"rank of input", rank, 4};
    if (const int rank = in[1].desc.rank(); rank != 4) return {"rank of weight", rank, 4};
    return {};
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &w = in[1].desc;
    if (auto v = detail::check_image<Rule>(x); !v) return v;
    if (auto v = detail::check_filters<Rule>(x, w); !v) return v;
    if (auto v = check_channels(x.shape[3], w.shape); !v) return v;
    const auto at = windows(a, x.shape, w.shape);
    if (auto v = detail::check_convolution<Rule>(at, in, wanted); !v) return v;
    return ok(detail::convolution_result(at, x, w, wanted));
  }

  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    return detail::convolution_macs(in, out);
  }

  template <class T, class Rounding = rounding::double_rounding>
  static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::convolve<T, detail::epilogue<T, Rounding>>(windows(a, in[0].shape(), in[1].shape()), in[0].shape()[3],
                                                       a.fused, in, out);
  }

 private:
  static constexpr verdict check_channels(std::int64_t channels, const shape_t& weight) {
    if (auto v = require_same_extent(rule::weight_must_have_one_input_channel, weight[3], 1); !v) return v;
    const std::int64_t filters = weight[0];
    if (channels < 0 || filters < 0) return {};
    // Without channels there must be no filters, and filters need a channel.
    const bool fits = channels == 0 ? filters == 0 : filters % channels == 0;
    return fits ? verdict{} : refuse(rule::output_channels_must_be_a_multiple_of_input_channels, filters, channels);
  }
};

}  // namespace ops

/// depthwise_conv2d(x, weight) or (x, weight, bias), with `stride<…>`, `dilation<…>`, `padding<…>` or same or valid and
/// a fused activation; for a quantised result `into<quant{…}>`.
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto depthwise_conv2d(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::depthwise_conv2d>(x, weight, keywords...);
}
template <tensor_desc X, tensor_desc W, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto depthwise_conv2d(tensor<X> x, tensor<W> weight, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::depthwise_conv2d>(x, weight, bias, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
