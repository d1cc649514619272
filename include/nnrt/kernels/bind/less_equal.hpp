// less_equal: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/less_equal.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa>
struct fast<ops::less_equal, Isa> : binary_binding<ops::less_equal, fast<ops::less_equal, Isa>, bool> {
  static less_equal_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
