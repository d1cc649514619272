// tiles: from a tile_set known at run time to its functions.
// Flow: tests of gemm.hpp and convolution.hpp run every shape with the smallest set that is meant to do.
#pragma once

#include <nnrt/kernels/gemm.hpp>

namespace nnrt_test {

inline const nnrt::kernels::tile_table& tiles_in(nnrt::kernels::tile_set set) {
  using nnrt::kernels::native, nnrt::kernels::tile_set, nnrt::kernels::tiles_of;
  if (set == tile_set::one_row) return tiles_of<native, tile_set::one_row>;
  if (set == tile_set::most_rows) return tiles_of<native, tile_set::most_rows>;
  if (set == tile_set::whole_panels) return tiles_of<native, tile_set::whole_panels>;
  return tiles_of<native, tile_set::any>;
}

}  // namespace nnrt_test
