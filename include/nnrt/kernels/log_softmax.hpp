// log_softmax: x less the logarithm of the sum of e^x, along the last axis or across the rows before it.
// Flow: bind/log_softmax.hpp calls log_softmax() for a part of the groups; maxima and exponentials are softmax's.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/functions.hpp>
#include <nnrt/kernels/softmax.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

namespace detail {

/// y is not x: it holds the exponentials until their sum is known.
template <class V> [[gnu::noinline]] void log_softmax_row(const float* x, std::int64_t n, float* y) {
  const float largest = row_maximum<V>(x, n);
  const V from(largest), less(math::log(row_exponentials<V, true>(x, n, largest, y).sum));
  map(x, n, y, [=](V v) __attribute__((always_inline)) { return (v - from) - less; });
}

template <class V> inline void log_softmax_columns(const column_bundle& columns, const float* x, float* y) {
  alignas(64) float most[columns_at_once], sums[columns_at_once];
  column_totals<V>(columns, x, most, sums, [](std::int64_t, V, std::int64_t) __attribute__((always_inline)) {});
  columns.each_vector([&](std::int64_t c, std::int64_t) __attribute__((always_inline)) { store(sums + c, log_of(load(sums + c))); });
  columns.each_place(0, [&](std::int64_t at, std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
    store_first(y + at, (load_first(x + at, n) - load(most + c)) - load(sums + c), n);
  });
}

}  // namespace detail

/// The logarithm of softmax along the middle of a block; y is not x. A NaN anywhere in a group makes the whole group NaN. The parts share the groups.
template <class Isa = native> void log_softmax(const axis_block& block, const float* x, float* y, part p = {}) {
  if (block.inner != 1)
    return detail::for_each_bundle(block, p, [=](const detail::column_bundle& columns, std::int64_t at, std::int64_t) {
      detail::log_softmax_columns<vf>(columns, x + at, y + at);
    });
  const interval rows = share(block.outer, p);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    detail::log_softmax_row<vf>(x + row * block.extent, block.extent, y + row * block.extent);
}

}  // namespace nnrt::inline NNRT_ISA::kernels
