// tiles: from a tile_set to its functions.
// Flow: tests of gemm.hpp and convolution.hpp run every shape with the smallest set that is meant to do.
#pragma once

#include <nnrt/kernels/f32/gemm/gemm.hpp>

namespace nnrt_test {

/// Exactly these, fewer than the tables of plans have.
inline nnrt::kernels::tile_table tiles_in(nnrt::kernels::tile_set set) {
  nnrt::kernels::tile_table some = nnrt::kernels::tiles_of<nnrt::kernels::native>;
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned r = 0; r < nnrt::kernels::detail::row_counts; ++r)
      if ((set.columns >> c & 1U) == 0 || (set.rows >> r & 1U) == 0) some.of[c][r] = nullptr;
  return some;
}

/// The table that a plan has for a set.
inline const nnrt::kernels::tile_table& table_for(nnrt::kernels::tile_set set) {
  using namespace nnrt::kernels;
  return []<int... I>(int table, std::integer_sequence<int, I...>) -> const tile_table& {
    static constexpr const tile_table* all[] = {&some_tiles<native, I>...};
    return *all[table];
  }(tile_table_for(set), std::make_integer_sequence<int, tile_tables>());
}

}  // namespace nnrt_test
