// tiles: from a tile_set to its functions.
// Flow: tests of gemm.hpp and convolution.hpp run every shape with the smallest set that is meant to do.
#pragma once

#include <nnrt/kernels/gemm.hpp>

namespace nnrt_test {

/// Exactly these, fewer than the tables of plans have.
inline nnrt::kernels::tile_table tiles_in(nnrt::kernels::tile_set set) {
  return nnrt::kernels::detail::restricted(nnrt::kernels::tiles_of<nnrt::kernels::native>, set);
}

}  // namespace nnrt_test
