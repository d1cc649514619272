// groups: iterates over the elements of a tensor in groups that extend along some axes.
// Flow: used by references of operators that normalise along axes - log_softmax, l2_normalize.
#pragma once

#include <nnrt/core/view.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Calls f(each) for every group of elements that differ only along the chosen axes; each(g) calls g(index) for a
/// group's elements in row-major order.
template <class F> constexpr void for_each_group(const shape_t& shape, const chosen_axes& axes, F f) {
  if (shape.elements() == 0) return;
  shape_t group = shape, groups = shape, start;
  for (int i = 0; i < shape.rank; ++i) {
    // A named reference: with -fsanitize=shift g++ 12 gives (a ? b : c)[i] an index that one branch never set.
    shape_t& without = axes.contains(i) ? groups : group;
    without[i] = 1;
  }
  start.rank = shape.rank;
  do
    f([&](auto g) {
      shape_t index;
      index.rank = shape.rank;
      do {
        shape_t at = start;
        for (int i = 0; i < at.rank; ++i) at[i] += index[i];
        g(at);
      } while (next_index(index, group));
    });
  while (next_index(start, groups));
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
