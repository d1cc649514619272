// blocks: shared parts of the bindings of depth_to_space and space_to_depth: strides of the two images.
// Flow: both copy the same box, with source and target strides exchanged.
#pragma once

#include <nnrt/kernels/movement/copy.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Strides in bytes, in the image with blocks as channels (deep) and in the image with blocks as pixels (wide).
struct block_steps {
  std::int64_t deep, wide;
};

/// Calls add(extent, strides) for each axis of the box. Image `deep` has blocks of b x b pixels as channels, with
/// `channels` channels per pixel. crd: the block is the innermost axis.
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
