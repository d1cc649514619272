// avg_pool: the mean over windows of an image.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/pooling.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Mean over a sliding window, per channel. Padding is excluded from sum and count, or counts as zeros.
///
///   x: [N, H, W, C]      y: [N, H', W', C] = fused(sum of the window's pixels in the image / their number)
///   H' = ceil(H / stride) for `same`, else floor((H + pads - kernel) / stride) + 1, and likewise W'
///   ceil_mode, with explicit pads: ceil instead of floor, without the last window if it would start after the image
///   (in its padding), as in ONNX and PyTorch
///   count_include_pad: the divisor is the number of the window's positions in the image and its padding; positions
///   outside of both, which the last window of ceil_mode may have, do not count
///   global: one window of the image's size; kernel, stride and pads are ignored
///
/// Lengths are in pixels; the odd pixel of `same` is at bottom and right. dtypes: f16, f32, f64, with a finite mean for
/// finite pixels; i32 or i64 without a scale, with sums that wrap around in 64 bits and means truncated toward zero; or
/// quantised i8, u8 or i16.
///
/// Quantised: the mean of the quantised values (padding has the zero point), rounded half away from zero or as x's
/// quantisation says; a fused activation clamps it. y has scale and zero point of x, as in TFLite; quant_dtype_cast
/// makes other ones.
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_AVG_POOL; padding as in all known implementations;
/// count_include_pad: PyTorch's AvgPool2d, where it is the default, and ONNX's AveragePool; quantised: the reference
/// kernels of TFLite's AVERAGE_POOL_2D.
struct avg_pool {
  static constexpr op_code code{2};
  static constexpr std::string_view name = "avg_pool";
  static constexpr operand_spec inputs[] = {{"x", types::floating | detail::layered | detail::plain_layered}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::layered | detail::plain_layered}};
  static constexpr unlike_default to_be_said[] = {{"count_include_pad", "true"}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .in_files = file_order::image, .to_be_said = to_be_said};
  static constexpr error_bound errors[] = {{types_of(f32), 1, error_unit::terms, 1},
                                           {types_of(f16), 0.51, error_unit::terms},
                                           {types_of(f64), 1, error_unit::terms, 1}};
  static constexpr foreign_numbers foreign{.nnrt = 2, .hdi = 17};
  static constexpr hdi_field hdi_fields[] = {
      hdi_field::named("kernelSize", "kernel").upstream_omitting(), hdi_field::named("strides", "stride"),
      hdi_field::named("roundMode", "ceil_mode"), hdi_field::always("format", 1).upstream_writes(0),
      hdi_field::unknown("count_include_pad")};
  static constexpr const auto& parameters = detail::pooling_parameters;
  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, kernel), (extent2, stride), (pads, pad), (bool, ceil_mode), (bool, global),
                    (activation, fused), (bool, count_include_pad));
    constexpr attrs()
        : kernel{0, 0},
          stride{1, 1},
          ceil_mode(false),
          global(false),
          fused(activation::none),
          count_include_pad(false) {}
  };
  /// count_include_pad matters only if a window can reach into padding.
  static constexpr bool plays_a_part(const attrs& a, const tensor_desc& x) {
    const detail::window_pair at = detail::windows_of(a, x.shape);
    return has_padding(at.h) || has_padding(at.w);
  }

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    kernel_must_be_positive,
    stride_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    pads_must_be_smaller_than_kernel,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::refuse_scales_of_plain(Rule::quantised_type_must_be_i8_u8_or_i16, x); !v) return v;
    if (detail::layered.contains(x.type))
      if (auto v = detail::require_one_scale(Rule::quantised_input_must_have_one_scale, x); !v) return v;
    return detail::infer_pool<Rule>(a, x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::pool<T>(
        a, in, out, window_sum<T>{}, [](window_sum<T>& s, T x) { s.add(x), ++s.count; },
        [&](const window_sum<T>& s, std::int64_t places) {
          return finish(s, a.count_include_pad ? places : s.count, *out[0].desc, a.fused);
        });
  }

 private:
  template <class T> struct window_sum {
    std::conditional_t<std::is_integral_v<T>, detail::layer_sum_t<T>, detail::wide_sum<T>> sum{};
    std::int64_t count = 0;
    constexpr void add(T x) {
      if constexpr (std::is_integral_v<T>) sum += static_cast<detail::layer_sum_t<T>>(x);
      else sum.add(math::convert<double>(x));
    }
  };
  static constexpr bool has_padding(const window& at) {
    if (at.input < 0 || at.kernel < 0) return at.mode == pad_mode::same || at.before > 0 || at.after > 0;
    return at.pad_before() > 0 || at.pad_after() > 0;
  }
  /// Mean of the window's pixels and of `count - s.count` zero points, rounded as y's quantisation says. Sums fit into
  /// 64 bits.
  template <class T>
  static constexpr std::int64_t mean_with_zero_points(const window_sum<T>& s, std::int64_t count,
                                                      const quantisation& of) {
    const std::int64_t sum = static_cast<std::int64_t>(s.sum) - s.count * of.zero_point;
    const std::int64_t floor = sum / count - (sum % count < 0 ? 1 : 0), rest = sum - floor * count,
                       mean = of.zero_point + floor;
    const bool is_half_up = is_half_to_even(of.rounding) ? mean % 2 != 0 : mean >= 0;
    return mean + (2 * rest > count || (2 * rest == count && is_half_up) ? 1 : 0);
  }
  /// `count`: the divisor, at least the number of pixels.
  template <class T>
  static constexpr T finish(const window_sum<T>& s, std::int64_t count, const tensor_desc& y, activation fused) {
    if constexpr (detail::is_layered<T>) {
      const quantised_range range = quantised_range_of<T>(y.quantised, fused);
      if (count != s.count)
        return static_cast<T>(
            nnrt::detail::clamped(mean_with_zero_points(s, count, y.quantised), range.low, range.high));
      if (is_half_to_even(y.quantised.rounding) && s.count != 0)
        return static_cast<T>(nnrt::detail::clamped(math::quotient_to_even(s.sum, s.count), range.low, range.high));
      const std::int64_t half = s.sum > 0 ? s.count / 2 : -(s.count / 2);
      const std::int64_t mean = s.count == 0 ? y.quantised.zero_point : (s.sum + half) / s.count;
      return static_cast<T>(nnrt::detail::clamped(mean, range.low, range.high));
    } else if constexpr (std::is_integral_v<T>) {
      return activate(static_cast<T>(count == 0 ? 0 : static_cast<std::int64_t>(s.sum) / count), fused);
    } else {
      return math::convert<T>(activate(count == 0 ? 0.0 : s.sum.mean(count), fused));
    }
  }
};

}  // namespace ops

/// avg_pool(x) with `kernel<…>` or global, `stride<…>`, `padding<…>` or same or valid, ceil_mode,
/// `count_include_pad<…>` and a fused activation.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto avg_pool(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::avg_pool>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
