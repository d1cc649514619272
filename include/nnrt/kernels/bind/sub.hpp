// sub: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/sub.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::sub, Isa> : binary_binding<fast<ops::sub, Isa>> {
  static clamped<subtract_lanes> function(std::span<const word> attrs) {
    return {{}, range_of(unpack<ops::sub::attrs>(attrs).fused)};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
