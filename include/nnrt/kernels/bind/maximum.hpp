// maximum: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/ops/maximum.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::maximum, Isa> : binary_binding<ops::maximum, fast<ops::maximum, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice stored = stored_pair_binding<ops::maximum, Isa>::select(node)) return stored;
    return binary_binding<ops::maximum, fast>::select(node);
  }
  static maximum_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
