// eltwise: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/eltwise.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::eltwise, Isa> : binary_binding<ops::eltwise, fast<ops::eltwise, Isa>> {
  static eltwise_lanes function(array_ref<const word> attrs) { return {unpack<ops::eltwise::attrs>(attrs).mode}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
