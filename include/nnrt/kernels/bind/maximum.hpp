// maximum: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/maximum.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::maximum, Isa> : binary_binding<fast<ops::maximum, Isa>> {
  static maximum_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
