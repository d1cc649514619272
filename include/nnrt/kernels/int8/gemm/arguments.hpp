// arguments: what all tiles of a product of quantised values are told, and what becomes of their sums.
// Flow: int8/gemm/gemm.hpp walks over the tiles of int8/gemm/tile.hpp, int8/gemm/amx_blocks.hpp over blocks in matrix
// registers; both end their sums with finish_sums().
#pragma once

#include <nnrt/kernels/int8/requantise/addend.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Where the sums of a product go that is not scaled: element i of C is number i there. The memory of C is not touched.
struct int8_accumulators_target {
  std::int32_t* sums;
  const std::byte* c;  // where C would begin
};

/// What every tile of a product is told: packed B, the stored forms of A and of C, what is added to its sums and where
/// they stay, if that is so.
struct int8_product {
  int8_layout layout;
  const std::byte* packed;
  int8_factors factors;
  narrowing to;
  const int8_addend* addend = nullptr;
  const int8_accumulators_target* kept = nullptr;
};

namespace detail {

/// Panels whose weights stay in L2 (384 KiB of them) while A passes by.
constexpr std::int64_t int8_panels_in_cache(const int8_layout& layout) {
  const std::int64_t together = layout.fours > 0 ? 2 : 1;
  return together *
         std::max<std::int64_t>(1, 384 * 1024 / std::max<std::int64_t>(1, 2 * together * layout.vector_bytes()));
}
/// Adds what the sums of each vector start from, for sums that did not start from it.
inline void add_start(std::int32_t* sums, const std::byte* start, std::int64_t rows, std::int64_t vectors) {
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
      store_vector(of_row, load_vector<int_vector>(of_row) + load_vector<int_vector>(start + v * register_bytes));
    }
}

/// What the zero point of B takes off the sums of each row.
inline void subtract_row_sums(const int8_product& p, std::int64_t rows, std::int64_t vectors,
                              const std::int32_t* row_sums, std::int32_t* sums) {
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int32_t* const of_row = sums + v * vector_of_sums + row * sum_stride;
      const std::int32_t term = wrapped(std::int64_t{row_sums[row]} * p.factors.b_zero_as_seen());
      store_vector(of_row, load_vector<int_vector>(of_row) - int_lanes_of(term));
    }
}

/// Keeps the sums of a tile in one panel. The scales are those of sums that are scaled one by one: biases are not in
/// the sums yet, nor is anything else.
inline void keep_sums(const int8_accumulators_target& kept, const std::int32_t* sums, const channel_scales* scales,
                      const int8_target& at, std::int64_t width) {
  for (std::int64_t row = 0; row < at.rows; ++row)
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t v = i / int_lanes, lane = i % int_lanes,
                         sum = sums[v * vector_of_sums + row * sum_stride + lane];
      kept.sums[at.c + row * at.ldc + i - kept.c] = nnrt::detail::saturated_i32(sum + scales[v].single.bias[lane]);
    }
}

/// Makes of the sums of a tile in one panel what `of` says, a product or what else has an addend, or keeps its sums, or
/// neither.
template <class Isa, class Of>
void finish_sums(const Of& of, std::int32_t* sums, const channel_scales* scales, const int8_target& at,
                 std::int64_t width) {
  if (of.kept != nullptr) return keep_sums(*of.kept, sums, scales, at, width);
  if (of.addend != nullptr) return finish_with_addend<Isa>(*of.addend, sums, scales, of.to, at, width);
  finish_tile<Isa>(sums, scales, of.to, at, width);
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
