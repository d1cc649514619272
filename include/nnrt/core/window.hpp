// window: where the windows of convolutions and pools lie - output extents and the padding in front.
// Flow: infer functions of window operators, their references and kernels ask here, so that no two can disagree.
#pragma once

#include <nnrt/core/attributes.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The largest kernel, stride, dilation or pad; with it no computation on windows leaves 64 bits.
inline constexpr std::int64_t max_window_length = (std::int64_t{1} << 31) - 1;

/// A window operator along one axis; lengths in pixels, each at most max_window_length but the input's. -1: input or
/// kernel not known.
struct window {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t before = 0;  // explicit pads only
  std::int64_t after = 0;
  bool ceil_mode = false;

  /// Pixels from a window's first tap to its last, both included.
  constexpr std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  // Out of line: kernels ask for four of these numbers for each image, and compilers would put all that stands here
  // into each of them four times.

  /// Number of windows, at least 0; -1 when it is unknown. SAME: ceil(input / stride); else those that the padded input
  /// covers. ceil_mode, which is about explicit pads only, adds a last window that lacks less than a stride of being
  /// covered (it may be the only one), unless it would start behind the input, in the padding after it (the rule of
  /// ONNX and PyTorch).
  [[gnu::noinline]] constexpr std::int64_t outputs() const {
    if (input < 0) return -1;
    if (mode == pad_mode::same) return (input + stride - 1) / stride;
    if (kernel < 0) return -1;
    const std::int64_t free = padded() - span();
    const std::int64_t whole = free < 0 ? 0 : free / stride + 1, next = whole * stride;
    const bool one_more = ceil_mode && mode == pad_mode::explicit_pads && next < free + stride && next < input + before;
    return one_more ? whole + 1 : whole;
  }
  /// Input with its explicit padding.
  constexpr std::int64_t padded() const { return mode == pad_mode::explicit_pads ? input + before + after : input; }
  /// Padded pixels in front of the input. SAME: half of what is needed, rounded down.
  [[gnu::noinline]] constexpr std::int64_t pad_before() const {
    if (mode == pad_mode::explicit_pads) return before;
    if (mode == pad_mode::valid) return 0;
    const std::int64_t needed = (outputs() - 1) * stride + span() - input;
    return needed > 0 ? needed / 2 : 0;
  }
  /// Padded pixels after the input. SAME: the rest of what is needed.
  constexpr std::int64_t pad_after() const {
    if (mode == pad_mode::explicit_pads) return after;
    if (mode == pad_mode::valid) return 0;
    const std::int64_t needed = (outputs() - 1) * stride + span() - input;
    return needed > 0 ? needed - needed / 2 : 0;
  }
};

constexpr window window_of_height(std::int64_t input, std::int64_t kernel, extent2 stride, extent2 dilation,
                                  const pads& pad, bool rounds_up = false) {
  return {input, kernel, stride.h, dilation.h, pad.mode, pad.top, pad.bottom, rounds_up};
}
constexpr window window_of_width(std::int64_t input, std::int64_t kernel, extent2 stride, extent2 dilation,
                                 const pads& pad, bool rounds_up = false) {
  return {input, kernel, stride.w, dilation.w, pad.mode, pad.left, pad.right, rounds_up};
}

}}  // namespace nnrt::NNRT_ISA
