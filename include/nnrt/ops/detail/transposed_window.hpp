// transposed_window: positions of a transposed convolution's windows - over the output, one for each input pixel.
// Flow: used by conv2d_transpose's infer and reference, and by the binding of its kernel.
#pragma once

#include <nnrt/core/window.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Windows along one axis. Lengths are in pixels, at most max_window_length except for the input. -1: input or kernel
/// unknown.
struct transposed_window {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t before = 0;  // output pixels that are cropped, explicit pads only
  std::int64_t after = 0;
  std::int64_t added = 0;  // output pixels added at the end

  /// Pixels from the first tap of a window to the last, inclusive.
  constexpr std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  /// Output pixels under all windows; saturated above all tensor sizes.
  constexpr std::int64_t covered() const { return steps(input - 1) + span(); }
  /// Output pixels, 0 for an input without pixels; -1 when unknown. SAME: input * stride; VALID: all covered pixels;
  /// else without the pads, negative if the pads are larger.
  constexpr std::int64_t outputs() const {
    if (input <= 0) return input < 0 ? -1 : 0;
    if (mode == pad_mode::same) return steps(input) + added;
    if (kernel < 0) return -1;
    return covered() - (mode == pad_mode::explicit_pads ? before + after : 0) + added;
  }
  /// The declared output, if SAME or VALID allow it (a convolution with this stride gives one size for several) and no
  /// pixels are added; else outputs().
  constexpr std::int64_t outputs(std::int64_t declared) const {
    const std::int64_t usual = outputs();
    if (usual <= 0 || added != 0 || declared < 0) return usual;
    const std::int64_t more = declared - usual;
    const bool fits = mode == pad_mode::same    ? more > -stride && more <= 0
                      : mode == pad_mode::valid ? more >= 0 && more < stride
                                                : false;
    return fits ? declared : usual;
  }
  /// Covered pixels before the output. SAME: half of the surplus, rounded down.
  constexpr std::int64_t pad_before(std::int64_t output) const {
    if (mode == pad_mode::explicit_pads) return before;
    const std::int64_t surplus = mode == pad_mode::same ? covered() - output : 0;
    return surplus > 0 ? surplus / 2 : 0;
  }

 private:
  /// `count` strides, at most 2^62, so that further sums fit into 64 bits.
  constexpr std::int64_t steps(std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    return count > most / stride ? most : count * stride;
  }
};

/// Windows along both axes of an image.
struct transposed_window_pair {
  transposed_window h, w;
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
