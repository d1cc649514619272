// columns: bundles of adjacent columns of floats, processed row by row in vectors.
// Flow: softmax/softmax.hpp, softmax/log_softmax.hpp and reduce/l2.hpp process groups across rows with them.
#pragma once

#include <nnrt/kernels/common/axis_block.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/simd/lanes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels::detail {

/// Columns per bundle: row segments long enough for the hardware prefetcher, few enough for buffers on the stack.
inline constexpr std::int64_t columns_at_once = 16 * f32_lanes;

/// `width` (1 to columns_at_once) adjacent columns of floats, over `extent` rows that are `step` floats apart.
struct column_bundle {
  std::int64_t extent, step, width;

  /// Calls f(first column, number of columns) for each vector of a row.
  template <class F> [[gnu::always_inline]] void each_vector(F f) const {
    for (std::int64_t c = 0; c < width; c += f32_lanes) f(c, width - c < f32_lanes ? width - c : f32_lanes);
  }
  /// each_place() below, and after() each time numbers_of_a_sum rows are done, and at the end.
  template <class F, class G> [[gnu::always_inline]] void each_place(std::int64_t first, F f, G after) const {
    for (std::int64_t i = first; i < extent; after())
      for (const std::int64_t end = extent - i < numbers_of_a_sum ? extent : i + numbers_of_a_sum; i < end; ++i)
        each_vector([&, at = i * step ](std::int64_t c, std::int64_t n)
                        __attribute__((always_inline)) { f(at + c, c, n); });
  }
  /// Calls f(offset in the bundle, first column, number of columns) for the vectors of each row from row `first`.
  template <class F> [[gnu::always_inline]] void each_place(std::int64_t first, F f) const {
    for (std::int64_t i = first; i < extent; ++i)
      each_vector([&, at = i * step ](std::int64_t c, std::int64_t n)
                      __attribute__((always_inline)) { f(at + c, c, n); });
  }
};

/// Sums of columns in `totals`; add() adds to the vector of `sums` at each offset. Initialises both.
template <class V, class Add>
[[gnu::always_inline]] inline void add_columns(const column_bundle& columns, float* sums, float* totals, Add add) {
  columns.each_vector([&](std::int64_t c, std::int64_t) __attribute__((always_inline)) {
    store(sums + c, V(0.0F));
    store(totals + c, V(0.0F));
  });
  columns.each_place(
      0, add, [&]() __attribute__((always_inline)) {
        columns.each_vector([&](std::int64_t c, std::int64_t) __attribute__((always_inline)) {
          store(totals + c, load(totals + c) + load(sums + c));
          store(sums + c, V(0.0F));
        });
      });
}

/// Calls f(bundle, offset of its first element, index of its first group) for each bundle in a part's share of the
/// columns.
template <class F> inline void for_each_bundle(const axis_block& block, part p, F f) {
  const rectangle work = share(block.outer, (block.inner + f32_lanes - 1) / f32_lanes, p);
  const std::int64_t end = work.columns.end * f32_lanes < block.inner ? work.columns.end * f32_lanes : block.inner;
  for (std::int64_t row = work.rows.begin; row < work.rows.end; ++row)
    for (std::int64_t c = work.columns.begin * f32_lanes; c < end; c += columns_at_once) {
      const std::int64_t left = end - c;
      f(column_bundle{block.extent, block.inner, left < columns_at_once ? left : columns_at_once},
        row * block.extent * block.inner + c, row * block.inner + c);
    }
}

}}}  // namespace nnrt::NNRT_ISA::kernels::detail
