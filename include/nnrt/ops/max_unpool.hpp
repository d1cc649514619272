// max_unpool: places values at the pixels given by indices; other pixels are zero.
// Flow: front ends call infer(); max_pool_indices makes the indices; kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/pooling.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// A larger image with each value of x at the pixel of its channel given by its index, and zeros elsewhere.
///
///   x, indices (i32): [N, H, W, C]      y: [N, H', W', C]
///   h' = index / W', w' = index % W'
///   in_window: h' = h * stride_h - pad_top + index / kernel_w, w' = w * stride_w - pad_left + index % kernel_w,
///     with quotients rounded toward 0
///   H' = (H - 1) * stride + kernel - pads, or the declared extent (`into<shape<…>>`, or a model's); likewise W'
///
/// Of several values for one pixel the last one counts, row by row. Values with an index outside of the image are
/// dropped. Lengths are in pixels. A quantised x keeps its scale; zeros are its zero point.
///
/// Broken rules: see `rule`. Source: PyTorch's max_unpool2d; ONNX MaxUnpool, whose indices include batch and channel;
/// in_window: MediaPipe's MaxUnpooling2D.
struct max_unpool {
  static constexpr op_code code{1041};
  static constexpr std::string_view name = "max_unpool";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"indices", types_of(i32)}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::image};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, kernel), (extent2, stride), (pads, pad), (bool, in_window));
    constexpr attrs() : kernel{1, 1}, stride{1, 1}, in_window(false) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    indices_must_have_the_shape_of_the_input,
    kernel_must_be_positive,
    stride_must_be_positive,
    pads_must_not_be_negative,
    pads_must_be_explicit,
    window_lengths_must_not_exceed_the_size_limit,
    pads_must_leave_an_output,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &indices = in[1].desc;
    if (auto v = detail::check_image<Rule>(x); !v) return v;
    constexpr rule alike = Rule::indices_must_have_the_shape_of_the_input;
    if (auto v = require(alike, indices.rank(), 4); !v) return v;
    for (int axis = 0; axis < 4; ++axis)
      if (auto v = require_same_extent(alike, indices.shape[axis], x.shape[axis]); !v) return v;
    if (auto v = require(Rule::pads_must_be_explicit, static_cast<std::int64_t>(a.pad.mode), 0); !v) return v;
    const detail::window_pair at = detail::windows_over(x.shape, a.kernel, a.stride, {1, 1}, a.pad);
    const tensor_desc wish = wanted.empty() ? tensor_desc{} : wanted[0];
    std::int64_t extents[2] = {};
    for (const int i : {0, 1}) {
      const window& axis = i == 0 ? at.h : at.w;
      if (auto v = require_at_least(Rule::kernel_must_be_positive, axis.kernel, 1); !v) return v;
      if (auto v = detail::check_lengths<Rule>(axis); !v) return v;
      extents[i] = wish.rank() == 4 && wish.shape[i + 1] >= 0 ? wish.shape[i + 1] : usual_extent(axis);
      if (axis.input > 0)
        if (auto v = require_at_least(Rule::pads_must_leave_an_output, extents[i], 1); !v) return v;
    }
    return ok(tensor_desc{x.type, format::nhwc, {x.shape[0], extents[0], extents[1], x.shape[3]}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto indices = in[1].as<const std::int32_t>();
    const auto y = out[0].as<T>();
    const T zero = zero_of<T>(*out[0].desc);
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = zero;
    if (x.elements() == 0) return;
    for (std::int64_t n = 0; n < x.extent(0); ++n)
      for (std::int64_t h = 0; h < x.extent(1); ++h)
        for (std::int64_t w = 0; w < x.extent(2); ++w)
          for (std::int64_t c = 0; c < x.extent(3); ++c) {
            const extent2 pixel = pixel_of(a, indices(n, h, w, c), {h, w}, y.extent(2));
            const bool is_inside = pixel.h >= 0 && pixel.h < y.extent(1) && pixel.w >= 0 && pixel.w < y.extent(2);
            if (is_inside) y(n, pixel.h, pixel.w, c) = x(n, h, w, c);
          }
  }

  /// The pixel for an index of input pixel `from` in an image of this width; possibly outside of it.
  static constexpr extent2 pixel_of(const attrs& a, std::int64_t index, extent2 from, std::int64_t width) {
    if (a.in_window)
      return {from.h * a.stride.h - a.pad.top + index / a.kernel.w,
              from.w * a.stride.w - a.pad.left + index % a.kernel.w};
    return pixel_in(index, width);
  }
  /// The pixel with this number in an image of this width; outside of it for negative numbers.
  static constexpr extent2 pixel_in(std::int64_t index, std::int64_t width) {
    if (index < 0 || width <= 0) return {-1, -1};
    return {index / width, index % width};
  }
  /// The value of 0 in y.
  template <class T> static constexpr T zero_of(const tensor_desc& y) {
    return y.quantised ? static_cast<T>(y.quantised.zero_point) : T{};
  }

 private:
  /// The input extent of a pool with this window that gives this output.
  static constexpr std::int64_t usual_extent(const window& at) {
    if (at.input <= 0) return at.input;
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::int64_t steps = at.input - 1 > most / at.stride ? most : (at.input - 1) * at.stride;
    return steps + at.kernel - at.before - at.after;
  }
};

}  // namespace ops

/// max_unpool(x, indices), with `kernel<…>`, `stride<…>` and `padding<…>` of the pool, or `into<shape<…>>`.
template <tensor_desc X, tensor_desc I, dsl::keyword_argument... Keywords>
constexpr auto max_unpool(tensor<X> x, tensor<I> indices, Keywords... keywords) {
  return dsl::apply<ops::max_unpool>(x, indices, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
