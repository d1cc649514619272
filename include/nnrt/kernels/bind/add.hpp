// add: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/add.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::add, Isa> : binary_binding<fast<ops::add, Isa>> {
  static clamped<add_lanes> function(std::span<const word> attrs) {
    return {{}, range_of(unpack<ops::add::attrs>(attrs).fused)};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
