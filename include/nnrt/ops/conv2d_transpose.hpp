// conv2d_transpose: transposed two-dimensional convolution - conv2d's gradient, used for upsampling.
// Flow: front ends call infer(); passes fold batch_norm and bias_add into its weight; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/convolution.hpp>
#include <nnrt/ops/detail/transposed_window.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Transposed convolution (deconvolution): each input pixel adds the filters, times its channels, to the output pixels
/// under its window.
///
///   x: [N, H, W, C]      weight: [O, kh, kw, C / group]      bias: [O], optional
///   y: [N, H', W', O] = fused(bias[o] + sum over i, j, a, b, c with h(i, a) = h', w(j, b) = w' of
///                             x[n, i, j, g * C / group + c] * weight[o, a, b, c])
///   h(i, a) = i * stride - pad_top + a * dilation, likewise w(j, b); g = o / (O / group), the group of channel o
///   H' = H * stride for `same`, else (H - 1) * stride + (kh - 1) * dilation + 1 - pads, + output_paddings; likewise W'
///
/// Lengths are in pixels. Pads are pixels of the result that are cropped; `same` crops to H', the odd pixel at bottom
/// and right. output_paddings are pixels added there. A declared output (`into<shape<…>>`, or a model's) may choose any
/// size whose convolution has the size of x: with `same` H' in (H - 1) * stride + 1 … H * stride, with `valid` up to
/// stride - 1 more. An image without rows gives an image without rows.
///
/// dtypes, quantisation and rounding are as in conv2d: all operands f16 (sums in f32), f32 or f64; or all i32 or i64
/// without a scale; or x and weight i8, or both u8, bias i32; or x i16, weight i8, bias i64 or i32. Without a bias,
/// sums of i16 are scaled as with i32, unlike conv2d's. y has the scale given by `into<quant{…}>`.
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_CONV2D_TRANSPOSE; quantised, and declared sizes: the reference
/// kernels of TFLite's TRANSPOSE_CONV.
struct conv2d_transpose {
  static constexpr op_code code{9};
  static constexpr std::string_view name = "conv2d_transpose";
  static constexpr operand_spec inputs[] = {{"x", detail::convolved},
                                            {"weight", detail::convolution_weight},
                                            {"bias", detail::convolution_bias, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", detail::convolved}};
  static constexpr operator_traits traits{.weights = weights_role::conv2d_transpose,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::layer};
  static constexpr auto without_bias = detail::biasless_sums::narrow;
  static constexpr error_bound errors[] = {{types_of(f32), 1, error_unit::terms, 0.5},
                                           {types_of(f16), 0.51, error_unit::terms, 0.0001},
                                           {types_of(f64), 1, error_unit::terms, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 9, .hdi = 36, .nnrt_name = "Conv2DTranspose"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::extent("kernelSize", 1, 1),
                                             hdi_field::extent("inChannel", 1, 3),
                                             hdi_field::extent("outChannel", 1, 0)};
  // Padding is a list of four or a mode, distinguished by the count; either may have either number.
  static constexpr nnrt_parameter parameters[] = {
      {"stride", 17, i64, -1}, {"pad", 18, i64, 4}, {"dilation", 19, i64, -1}, {"output_paddings", 20, i64, -1},
      {"pad", 21, i8},         {"fused", 22, i8},   {"group", 23, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, stride), (extent2, dilation), (pads, pad), (extent2, output_paddings),
                    (std::int64_t, group), (activation, fused));
    constexpr attrs() : stride{1, 1}, dilation{1, 1}, output_paddings{0, 0}, group(1), fused(activation::none) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    weight_rank_must_be_4,
    weight_must_be_nhwc,
    weight_type_must_equal_input_type,
    weight_type_of_an_i16_input_must_be_i8,
    group_must_be_positive,
    input_channels_must_equal_weight_channels_times_group,
    output_channels_must_be_divisible_by_group,
    stride_must_be_positive,
    dilation_must_be_positive,
    kernel_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    output_paddings_must_not_be_negative,
    output_paddings_must_be_smaller_than_stride,
    pads_must_leave_an_output,
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

  /// Positions of the windows: x NHWC, weight [O, kh, kw, …].
  static constexpr detail::transposed_window_pair windows(const attrs& a, const shape_t& x, const shape_t& weight) {
    return {{x[1], weight[1], a.stride.h, a.dilation.h, a.pad.mode, a.pad.top, a.pad.bottom, a.output_paddings.h},
            {x[2], weight[2], a.stride.w, a.dilation.w, a.pad.mode, a.pad.left, a.pad.right, a.output_paddings.w}};
  }

  /// NNRt reads the kernel's size from the weight when the operation is added.
  static constexpr nnrt_fault nnrt_refuses(const attrs&, array_ref<const operand> in, array_ref<const nnrt_given>) {
    if (const int rank = in[1].desc.rank(); rank != 4) return {"rank of weight", rank, 4};
    return {};
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &w = in[1].desc;
    if (auto v = detail::check_image<Rule>(x); !v) return v;
    if (auto v = detail::check_filters<Rule>(x, w); !v) return v;
    if (auto v = detail::check_groups<Rule>(a.group, x.shape[3], w.shape); !v) return v;
    const auto at = windows(a, x.shape, w.shape);
    for (const detail::transposed_window& axis : {at.h, at.w})
      if (auto v = check_window<Rule>(axis); !v) return v;
    if (auto v = detail::check_numbers<Rule>(in, wanted); !v) return v;
    if (auto v = detail::check_bias<Rule>(in); !v) return v;
    const tensor_desc wish = detail::wish_of(wanted);
    const bool is_declared = wish.rank() == 4;
    const std::int64_t height = at.h.outputs(is_declared ? wish.shape[1] : -1),
                       width = at.w.outputs(is_declared ? wish.shape[2] : -1);
    return ok(detail::layer_result({x.type, format::nhwc, {x.shape[0], height, width, w.shape[0]}}, wanted));
  }

  /// Each input pixel is multiplied by each filter.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const std::int64_t pixels = in[0].desc.shape.elements(0, 3), filters = in[1].desc.shape.elements();
    return pixels < 0 || filters < 0 ? 0 : nnrt::detail::saturated_product(pixels, filters);
  }

  template <class T, class Rounding = rounding::double_rounding>
  static constexpr void reference(const attrs& a, arguments in, results out) {
    add_up<T, detail::epilogue<T, Rounding>>(a, in, out);
  }

  /// Computes the sums; `added` may add to them before Finish, an epilogue, makes elements of y, as in
  /// detail::convolve().
  template <class T, class Finish, class Added = detail::nothing_added>
  static constexpr void add_up(const attrs& a, arguments in, results out, const Added& added = {}) {
    using sum_t = detail::layer_sum_t<T>;
    const auto x = in[0].as<const T>();
    const auto weight = in[1].as<const detail::weight_t<T>>();
    const auto y = out[0].as<typename Finish::element>();
    if (y.elements() <= 0) return;
    const auto lie = windows(a, x.shape, weight.shape);
    const std::int64_t top = lie.h.pad_before(y.extent(1)), left = lie.w.pad_before(y.extent(2));
    const detail::zero_points<sum_t> zero{static_cast<sum_t>(detail::zero_of<T>(in[0])),
                                          static_cast<sum_t>(detail::zero_of<T>(in[1]))};
    const std::int64_t filters_of_group = weight.extent(0) / a.group;
    for (std::int64_t o = 0; o < weight.extent(0); ++o) {
      const auto start = static_cast<sum_t>(detail::bias_of<T>(in, o));
      const double scale = detail::sum_scale<T>(in[0], in[1], o);
      const Finish finish(out[0], a.fused, scale, detail::has_wide_sums<T>(in, without_bias));
      const auto sum_at = [&](const detail::window_place& at, [[maybe_unused]] std::int64_t oh,
                              [[maybe_unused]] std::int64_t ow) {
        if constexpr (std::is_same_v<Added, detail::nothing_added>)
          return sum_of_taps<T>(lie, at, x, weight, start, zero);
        else return sum_of_taps<T>(lie, at, x, weight, start, zero) + added.for_sums_of(scale)(at.n, oh, ow, at.filter);
      };
      const std::int64_t channel = o / filters_of_group * weight.extent(3);
      for (std::int64_t n = 0; n < y.extent(0); ++n)
        for (std::int64_t oh = 0; oh < y.extent(1); ++oh)
          for (std::int64_t ow = 0; ow < y.extent(2); ++ow)
            y(n, oh, ow, o) =
                finish(static_cast<math::compute_t<T>>(sum_at({n, oh + top, ow + left, channel, o}, oh, ow)));
    }
  }

 private:
  template <class Rule> static constexpr verdict check_window(const detail::transposed_window& at) {
    if (auto v = detail::check_lengths<Rule>(at); !v) return v;
    if (auto v = require_at_least(rule::output_paddings_must_not_be_negative, at.added, 0); !v) return v;
    if (auto v = require_at_most(rule::output_paddings_must_be_smaller_than_stride, at.added, at.stride - 1); !v)
      return v;
    if (at.input <= 0 || at.kernel < 0) return {};
    return require_at_least(rule::pads_must_leave_an_output, at.outputs(), 1);
  }

  /// The input pixel whose window has tap k at `place` (counted from the start of the first window), or -1.
  static constexpr std::int64_t pixel_under(const detail::transposed_window& at, std::int64_t place, std::int64_t k) {
    const std::int64_t distance = place - k * at.dilation;
    return distance >= 0 && distance % at.stride == 0 && distance / at.stride < at.input ? distance / at.stride : -1;
  }

  /// start + the products of all taps at the place.
  template <class T, class Sum = detail::layer_sum_t<T>>
  static constexpr Sum sum_of_taps(const detail::transposed_window_pair& windows, const detail::window_place& at,
                                   const tensor_view<const T>& x, const tensor_view<const detail::weight_t<T>>& weight,
                                   Sum start, const detail::zero_points<Sum>& zero) {
    NNRT_UNFUSED
    const std::int64_t channels = weight.extent(3), step = x.strides[3], weight_step = weight.strides[3];
    if (channels == 0) return start;
    Sum sum = start;
    for (std::int64_t kh = 0; kh < windows.h.kernel; ++kh) {
      const std::int64_t h = pixel_under(windows.h, at.h, kh);
      if (h < 0) continue;
      for (std::int64_t kw = 0; kw < windows.w.kernel; ++kw) {
        const std::int64_t w = pixel_under(windows.w, at.w, kw);
        if (w < 0) continue;
        const T* const pixel = &x(at.n, h, w, at.channel);
        const detail::weight_t<T>* const tap = &weight(at.filter, kh, kw, 0);
        for (std::int64_t c = 0; c < channels; ++c)
          sum += NNRT_PRODUCT(static_cast<Sum>(pixel[c * step]) - zero.x,
                              static_cast<Sum>(tap[c * weight_step]) - zero.weight);
      }
    }
    return sum;
  }
};

}  // namespace ops

/// conv2d_transpose(x, weight) or (x, weight, bias), with `stride<…>`, `dilation<…>`, `padding<…>` or same or valid,
/// `output_paddings<…>`, `group<…>` and a fused activation; `into<shape<…>>` for a size that same or valid leave open,
/// `into<quant{…}>` for a quantised result.
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto conv2d_transpose(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::conv2d_transpose>(x, weight, keywords...);
}
template <tensor_desc X, tensor_desc W, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto conv2d_transpose(tensor<X> x, tensor<W> weight, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::conv2d_transpose>(x, weight, bias, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
