// max_pool_indices: the maximum over windows of an image, and its pixel's index.
// Flow: front ends call infer(); max_unpool takes these indices; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/pooling.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// max_pool with the index of each maximum.
///
///   x: [N, H, W, C]      y: [N, H', W', C], as max_pool's      indices (i32): [N, H', W', C]
///   indices = h * W + w of the pixel with the maximum, in its image and channel
///   in_window: (h - first row of the window) * kernel_w + (w - its first column); these may be in the padding
///
/// Of equal pixels the first one counts, row by row; a NaN is the maximum, the first of several. Lengths are in pixels.
/// Broken rules: see `rule`. Source: the indices of PyTorch's max_pool2d; ONNX MaxPool's Indices without batch and
/// channel; in_window: MediaPipe's MaxPoolingWithArgmax2D.
struct max_pool_indices {
  static constexpr op_code code{1040};
  static constexpr std::string_view name = "max_pool_indices";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}, {"indices", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::image};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, kernel), (extent2, stride), (pads, pad), (bool, ceil_mode), (bool, global),
                    (activation, fused), (bool, in_window));
    constexpr attrs()
        : kernel{0, 0}, stride{1, 1}, ceil_mode(false), global(false), fused(activation::none), in_window(false) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    kernel_must_be_positive,
    stride_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    pads_must_be_smaller_than_kernel,
    pixels_must_be_countable_in_31_bits,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    verdict v = detail::infer_pool<Rule>(a, x);
    if (!v) return v;
    const bool is_counted_in_window = a.in_window && !a.global;
    const std::int64_t rows = is_counted_in_window ? a.kernel.h : x.shape[1],
                       columns = is_counted_in_window ? a.kernel.w : x.shape[2];
    if (rows > 0 && columns > 0)
      if (auto w = require_at_most(Rule::pixels_must_be_countable_in_31_bits, extent_product(rows, columns),
                                   max_window_length);
          !w)
        return w;
    return ok(v.output(0), tensor_desc{i32, format::nhwc, v.output(0).shape});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    const auto indices = out[1].as<std::int32_t>();
    struct found {
      T largest{};
      std::int64_t h = -1, w = -1;
    };
    const auto keep_larger = [](found& best, T pixel, std::int64_t h, std::int64_t w) {
      const bool is_larger = pixel > best.largest || (detail::is_nan_of(pixel) && !detail::is_nan_of(best.largest));
      if (best.h < 0 || is_larger) best = {pixel, h, w};
    };
    const detail::window_pair at = detail::windows_of(a, x.shape);
    detail::fold_windows<T>(
        a, x, y.shape, found{}, keep_larger,
        [&](std::int64_t n, std::int64_t oh, std::int64_t ow, std::int64_t c, found best) {
          y(n, oh, ow, c) = detail::activated_maximum(best.largest, *out[0].desc, a.fused);
          indices(n, oh, ow, c) = static_cast<std::int32_t>(index_of(a, at, {oh, ow}, {best.h, best.w}));
        });
  }

  /// Index of a pixel in the window of an output pixel.
  static constexpr std::int64_t index_of(const attrs& a, const detail::window_pair& at, extent2 window, extent2 pixel) {
    if (!a.in_window) return pixel.h * at.w.input + pixel.w;
    const std::int64_t top = window.h * at.h.stride - at.h.pad_before(),
                       left = window.w * at.w.stride - at.w.pad_before();
    return (pixel.h - top) * at.w.kernel + (pixel.w - left);
  }
};

}  // namespace ops

/// auto [y, indices] = max_pool_indices(x) with `kernel<…>` or global, `stride<…>`, `padding<…>` or same or valid,
/// ceil_mode and a fused activation.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto max_pool_indices(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::max_pool_indices>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
