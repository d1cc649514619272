// max_pool: the maximum over windows of an image.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/pooling.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Maximum over a sliding window, per channel; padding is ignored. A NaN in the window gives NaN.
///
///   x: [N, H, W, C]      y: [N, H', W', C] = fused(largest of the window's pixels in the image)
///   H' = ceil(H / stride) for `same`, else floor((H + pads - kernel) / stride) + 1, and likewise W'
///   ceil_mode, with explicit pads: ceil instead of floor, without the last window if it would start after the image
///   (in its padding), as in ONNX and PyTorch
///   global: one window of the image's size; kernel, stride and pads are ignored
///
/// Lengths are in pixels; the odd pixel of `same` is at bottom and right. dtypes: floating point and integers. A
/// quantised image keeps scale and zero point; a fused activation clamps its quantised values.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_MAX_POOL; quantised: the reference kernels of TFLite's MAX_POOL_2D.
struct max_pool {
  static constexpr op_code code{21};
  static constexpr std::string_view name = "max_pool";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::image};
  static constexpr foreign_numbers foreign{.nnrt = 21, .hdi = 92};
  static constexpr hdi_field hdi_fields[] = {
      hdi_field::named("kernelSize", "kernel").upstream_omitting(), hdi_field::named("strides", "stride"),
      hdi_field::named("roundMode", "ceil_mode").upstream_writes(0), hdi_field::always("format", 1).upstream_writes(0)};
  static constexpr const auto& parameters = detail::pooling_parameters;
  using attrs = detail::pooling_attributes;

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    kernel_must_be_positive,
    stride_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    pads_must_be_smaller_than_kernel,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_pool<Rule>(a, in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto keep_larger = [](T& largest, T x) {
      if (x > largest || detail::is_nan_of(x)) largest = x;  // a NaN is kept: no comparison with it is true
    };
    detail::pool<T>(a, in, out, detail::min_of<T>(), keep_larger,
                    [&](T largest, std::int64_t) { return detail::activated_maximum(largest, *out[0].desc, a.fused); });
  }
};

}  // namespace ops

/// max_pool(x) with `kernel<…>` or global, `stride<…>`, `padding<…>` or same or valid, ceil_mode and a fused
/// activation.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto max_pool(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::max_pool>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
