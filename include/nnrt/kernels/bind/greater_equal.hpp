// greater_equal: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/functions.hpp>
#include <nnrt/ops/greater_equal.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa>
struct fast<ops::greater_equal, Isa> : binary_binding<ops::greater_equal, fast<ops::greater_equal, Isa>, bool> {
  static greater_equal_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
