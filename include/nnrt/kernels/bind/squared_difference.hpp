// squared_difference: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/ops/squared_difference.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa>
struct fast<ops::squared_difference, Isa>
    : binary_binding<ops::squared_difference, fast<ops::squared_difference, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice stored = stored_pair_binding<ops::squared_difference, Isa>::select(node)) return stored;
    return binary_binding<ops::squared_difference, fast>::select(node);
  }
  static squared_difference_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
