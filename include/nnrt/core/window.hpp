// window: positions of windows of convolutions and pools - output extents and padding.
// Flow: infer functions, references and kernels of window operators call these functions, so that they agree.
#pragma once

#include <nnrt/core/attributes.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Largest kernel, stride, dilation or pad, so that computations on windows fit into 64 bits.
inline constexpr std::int64_t max_window_length = (std::int64_t{1} << 31) - 1;

/// A window operator along one axis. Lengths are in pixels, at most max_window_length except for the input. -1: input
/// or kernel unknown.
struct window {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t before = 0;  // explicit pads only
  std::int64_t after = 0;
  bool ceil_mode = false;

  /// Pixels from the first tap of a window to the last, inclusive.
  constexpr std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  // Functions below are not inlined: kernels need four of these numbers for each image, and inlining would copy the
  // code four times into each.

  /// Number of windows, at least 0; -1 if unknown. SAME: ceil(input / stride); else the windows that fit into the
  /// padded input.
  /// ceil_mode, for explicit pads only, adds a last window that exceeds the padded input by less than a stride
  /// (possibly the only window). It is not added if it would start after the input, in the padding (rule of ONNX and
  /// PyTorch).
  [[gnu::noinline]] constexpr std::int64_t outputs() const {
    if (input < 0) return -1;
    if (mode == pad_mode::same) return (input + stride - 1) / stride;
    if (kernel < 0) return -1;
    const std::int64_t free = padded() - span();
    const std::int64_t whole = free < 0 ? 0 : free / stride + 1, next = whole * stride;
    const bool one_more = ceil_mode && mode == pad_mode::explicit_pads && next < free + stride && next < input + before;
    return one_more ? whole + 1 : whole;
  }
  /// Input with explicit padding.
  constexpr std::int64_t padded() const { return mode == pad_mode::explicit_pads ? input + before + after : input; }
  /// Padding before the input in pixels. SAME: half of the padding needed, rounded down.
  [[gnu::noinline]] constexpr std::int64_t pad_before() const {
    if (mode == pad_mode::explicit_pads) return before;
    if (mode == pad_mode::valid) return 0;
    const std::int64_t needed = (outputs() - 1) * stride + span() - input;
    return needed > 0 ? needed / 2 : 0;
  }
  /// Padding after the input in pixels. SAME: the rest of the padding needed.
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
