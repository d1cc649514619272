// indices: common part of gather, gather_nd and scatter_nd - negative indices, and checks of indices.
// Flow: used by their infer(), reference() and kernels.
#pragma once

#include <nnrt/core/attributes.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/core/verdict.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Whether negative indices count from the end of their axis. Otherwise they are out of range, as in files of
/// TensorFlow Lite.
struct index_attributes {
  NNRT_ATTRIBUTES(index_attributes, (bool, negative_indices));
  constexpr index_attributes() : negative_indices(true) {}
  /// Attributes for indices that only count from the start.
  static constexpr index_attributes from_start() {
    index_attributes made;
    made.negative_indices = false;
    return made;
  }

  /// Least index of an axis.
  constexpr std::int64_t least(std::int64_t extent) const { return negative_indices ? -extent : 0; }
};

/// Element i of a list of indices as a fault, if it is out of range.
template <class Rule>
constexpr run_fault check_index(const index_attributes& a, Rule rule, std::int64_t i, std::int64_t index,
                                std::int64_t extent) {
  if (index >= a.least(extent) && index < extent) return {};
  return fault_at(i, rule, index, index < 0 ? a.least(extent) : extent - 1);
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
