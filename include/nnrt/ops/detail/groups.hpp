// groups: the walk over all elements that differ along some axes alone, group by group.
// Flow: references of operators that normalise along axes - log_softmax, l2_normalize.
#pragma once

#include <nnrt/core/view.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Calls f(each) for every group of elements that differ along the chosen axes alone: each(g) calls g(index) for the
/// elements of one, in row-major order.
template <class F> constexpr void for_each_group(const shape_t& shape, const chosen_axes& axes, F f) {
  if (shape.elements() == 0) return;
  shape_t group = shape, groups = shape, start;
  for (int i = 0; i < shape.rank; ++i) {
    // A name first: with -fsanitize=shift g++ 12 gives (a ? b : c)[i] an index that one of both branches never set.
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
