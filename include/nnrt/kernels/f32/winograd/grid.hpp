// grid: positions of Winograd tiles in the images of a convolution.
// Flow: f32/winograd/winograd.hpp and int8/conv/winograd.hpp number tiles by image, then row by row.
#pragma once

#include <nnrt/kernels/f32/conv/conv2d.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Number of tiles of all images; a tile has `tile` x `tile` output pixels.
struct winograd_grid {
  std::int64_t tile, batch, across, down;

  constexpr winograd_grid(const conv_shape& s, int side_of_tile)
      : tile(side_of_tile),
        batch(s.batch),
        across((s.out_width + tile - 1) / tile),
        down((s.out_height + tile - 1) / tile) {}
  constexpr std::int64_t tiles() const { return batch * across * down; }
};

/// Position of a tile in the images.
struct tile_place {
  std::int64_t image, y, x;  // of its first output pixel

  tile_place(const winograd_grid& of, std::int64_t index)
      : image(index / (of.across * of.down)),
        y(index / of.across % of.down * of.tile),
        x(index % of.across * of.tile) {}
  /// Advances by `tiles` tiles, at most to the start of the next row of tiles.
  void advance(const winograd_grid& of, std::int64_t tiles) {
    if (x += of.tile * tiles; x < of.tile * of.across) return;
    if (x = 0, y += of.tile; y == of.tile * of.down) y = 0, ++image;
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
