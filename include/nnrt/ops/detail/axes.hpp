// axes: lists of axes of operators - each axis must exist and be listed once.
// Flow: used by infer of squeeze, unsqueeze, transpose and slice; reductions, which allow repeated axes, add them one
// by one.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/verdict.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Axes of a tensor in the given order, counted from the front.
struct chosen_axes {
  int items[max_rank] = {};
  int count = 0;

  constexpr bool contains(int axis) const {
    for (int i = 0; i < count; ++i)
      if (items[i] == axis) return true;
    return false;
  }
  /// Adds an axis; false if it is listed already.
  constexpr bool add(int axis) {
    if (contains(axis)) return false;
    items[count++] = axis;  // at most max_rank are distinct
    return true;
  }
};

/// Reads `list`, whose numbers count from the end when negative, as axes of a tensor of this rank. A number out of
/// range breaks `exist` (the number, the last axis); a repeated axis breaks `differ` (2, 1).
constexpr verdict choose_axes(chosen_axes& chosen, array_ref<const std::int64_t> list, int rank, rule_id exist,
                              rule_id differ) {
  for (const std::int64_t number : list) {
    const int axis = normalise_axis(number, rank);
    if (axis < 0) return refuse(exist, number, rank - 1);
    if (!chosen.add(axis)) return refuse(differ, 2, 1);
  }
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::ops
