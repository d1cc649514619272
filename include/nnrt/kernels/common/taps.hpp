// taps: the taps of a window that are inside the image.
// Flow: f32/conv/conv2d.hpp and f32/depthwise/depthwise.hpp skip the others.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Taps of one axis that are inside the image if the first tap is at `start`.
constexpr interval taps_inside(std::int64_t start, std::int64_t extent, std::int64_t kernel, std::int64_t dilation) {
  const auto taps_before = [&](std::int64_t i) {
    return nnrt::detail::clamped((i + dilation - 1) / dilation, 0, kernel);
  };
  const std::int64_t first = start < 0 ? taps_before(-start) : 0;
  return {first, std::max(first, start < extent ? taps_before(extent - start) : 0)};
}

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
