// bias_add: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/ops/bias_add.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::bias_add, Isa> : binary_binding<ops::bias_add, fast<ops::bias_add, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice stored = stored_pair_binding<ops::bias_add, Isa>::select(node)) return stored;
    return binary_binding<ops::bias_add, fast>::select(node);
  }
  static add_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
