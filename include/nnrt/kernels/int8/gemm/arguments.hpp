// arguments: arguments that all tiles of an int8 product share, and the output stage of their accumulators.
// Flow: int8/gemm/gemm.hpp walks over the tiles of int8/gemm/tile.hpp, int8/gemm/amx_blocks.hpp over AMX blocks. Both
// end their accumulators with finish_sums().
#pragma once

#include <nnrt/kernels/int8/requantise/addend.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Destination of accumulators that are not requantised: element i of C has sums[i]. The memory of C is not touched.
struct int8_accumulators_target {
  std::int32_t* sums;
  const std::byte* c;  // address that element 0 of C would have
};

/// Arguments of every tile of a product: packed B, the quantisation of A and C, an addend (null: none), and a target
/// for unscaled accumulators (null: C is requantised).
struct int8_product {
  int8_packing packing;
  const std::byte* packed;
  int8_factors factors;
  narrowing to;
  const int8_addend* addend = nullptr;
  const int8_accumulators_target* kept = nullptr;
};

namespace detail {

/// Number of panels whose weights (384 KiB in total) are held in L2 while A passes.
constexpr std::int64_t int8_panels_in_cache(const int8_packing& packing) {
  const std::int64_t together = packing.fours > 0 ? 2 : 1;
  return together *
         std::max<std::int64_t>(1, 384 * 1024 / std::max<std::int64_t>(1, 2 * together * packing.vector_bytes()));
}
/// Adds the start values of each vector to accumulators that started from 0.
inline void add_start(std::int32_t* sums, const std::byte* start, std::int64_t rows, std::int64_t vectors) {
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
      store_vector(of_row, load_vector<int_vector>(of_row) + load_vector<int_vector>(start + v * register_bytes));
    }
}

/// Subtracts b_zero_as_seen() * (sum of the row of A) from the accumulators of each row.
inline void subtract_row_sums(const int8_product& p, std::int64_t rows, std::int64_t vectors,
                              const std::int32_t* row_sums, std::int32_t* sums) {
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
      const std::int32_t term = wrapped(std::int64_t{row_sums[row]} * p.factors.b_zero_as_seen());
      store_vector(of_row, load_vector<int_vector>(of_row) - int_lanes_of(term));
    }
}

/// Writes the accumulators of a tile in one panel to `kept`, with biases added and saturated to i32. The scales must be
/// those of one_by_one, so that the accumulators do not include biases yet.
inline void keep_sums(const int8_accumulators_target& kept, const std::int32_t* sums, const channel_scales* scales,
                      const int8_target& at, std::int64_t width) {
  for (std::int64_t row = 0; row < at.rows; ++row)
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t v = i / int_lanes, lane = i % int_lanes,
                         sum = sums[v * vector_of_sums + row * sum_stride + lane];
      kept.sums[at.c + row * at.ldc + i - kept.c] = nnrt::detail::saturated_i32(sum + scales[v].single.bias[lane]);
    }
}

/// Output stage of a tile in one panel: keeps the accumulators, adds an addend and requantises, or only requantises.
/// `of` is an int8_product or another type with the members `kept`, `addend` and `to`.
template <class Isa, class Of>
void finish_sums(const Of& of, std::int32_t* sums, const channel_scales* scales, const int8_target& at,
                 std::int64_t width) {
  if (of.kept != nullptr) return keep_sums(*of.kept, sums, scales, at, width);
  if (of.addend != nullptr) return finish_with_addend<Isa>(*of.addend, sums, scales, of.to, at, width);
  finish_tile<Isa>(sums, scales, of.to, at, width);
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
