// blocks: what the bindings of depth_to_space and space_to_depth have in common - which bytes of the two images are
// one.
// Flow: both copy a box whose steps are exchanged.
#pragma once

#include <nnrt/kernels/movement/copy.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Steps in bytes of an image that has its blocks as channels, and of one that has them as pixels.
struct block_steps {
  std::int64_t deep, wide;
};

/// Calls add(extent, steps) for each axis of images of which `deep` has the blocks of b x b pixels as channels, with
/// `channels` of them for each pixel; crd: blocks are the innermost axis there.
template <class F>
constexpr void for_each_block_axis(const shape_t& deep, std::int64_t b, bool crd, std::int64_t bytes, F add) {
  const std::int64_t height = deep[1], width = deep[2], all = deep[3], channels = all / (b * b);
  const auto axis = [&](std::int64_t extent, std::int64_t of_deep, std::int64_t of_wide) {
    add(extent, block_steps{of_deep * bytes, of_wide * bytes});
  };
  const std::int64_t row = width * b * channels;  // of the wide image
  axis(deep[0], height * width * all, height * b * row);
  axis(height, width * all, b * row);
  axis(b, crd ? b : b * channels, row);
  axis(width, all, b * channels);
  axis(b, crd ? 1 : channels, channels);
  axis(channels, crd ? b * b : 1, 1);
}

}}}  // namespace nnrt::NNRT_ISA::kernels
