// transposed_window: where the windows of a transposed convolution lie - over the output, one for each input pixel.
// Flow: conv2d_transpose's infer and reference ask here, and so does the binding of its kernel.
#pragma once

#include <nnrt/core/window.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// The windows along one axis; lengths in pixels, each at most max_window_length but the input's. -1: input or kernel
/// not known.
struct transposed_window {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t before = 0;  // output pixels that are left out, explicit pads only
  std::int64_t after = 0;
  std::int64_t added = 0;  // output pixels that are added at the end

  /// Pixels from a window's first tap to its last, both included.
  constexpr std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  /// Output pixels under all windows, or more than any tensor has.
  constexpr std::int64_t covered() const { return steps(input - 1) + span(); }
  /// Output pixels, none for an input without pixels; -1 when unknown. SAME: input * stride; VALID: all that are
  /// covered; else those without the pads, less than none where the pads are more.
  constexpr std::int64_t outputs() const {
    if (input <= 0) return input < 0 ? -1 : 0;
    if (mode == pad_mode::same) return steps(input) + added;
    if (kernel < 0) return -1;
    return covered() - (mode == pad_mode::explicit_pads ? before + after : 0) + added;
  }
  /// The output as declared, where SAME and VALID leave a choice (a convolution with this stride gives one size for
  /// several) and no pixels are added; else outputs().
  constexpr std::int64_t outputs(std::int64_t declared) const {
    const std::int64_t usual = outputs();
    if (usual <= 0 || added != 0 || declared < 0) return usual;
    const std::int64_t more = declared - usual;
    const bool fits = mode == pad_mode::same    ? more > -stride && more <= 0
                      : mode == pad_mode::valid ? more >= 0 && more < stride
                                                : false;
    return fits ? declared : usual;
  }
  /// Covered pixels in front of the output. SAME: half of those that are too many, rounded down.
  constexpr std::int64_t pad_before(std::int64_t output) const {
    if (mode == pad_mode::explicit_pads) return before;
    const std::int64_t surplus = mode == pad_mode::same ? covered() - output : 0;
    return surplus > 0 ? surplus / 2 : 0;
  }

 private:
  /// So many strides, at most 2^62: with what is added to it no number leaves 64 bits.
  constexpr std::int64_t steps(std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    return count > most / stride ? most : count * stride;
  }
};

/// The same along both axes of an image.
struct transposed_window_pair {
  transposed_window h, w;
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
