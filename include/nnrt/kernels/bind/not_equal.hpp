// not_equal: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/functions.hpp>
#include <nnrt/ops/not_equal.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa>
struct fast<ops::not_equal, Isa> : binary_binding<ops::not_equal, fast<ops::not_equal, Isa>, bool> {
  static not_equal_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
