// add: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/ops/add.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::add, Isa> : binary_binding<ops::add, fast<ops::add, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice stored = stored_pair_binding<ops::add, Isa>::select(node)) return stored;
    return binary_binding<ops::add, fast>::select(node);
  }
  static clamped<add_lanes> function(array_ref<const word> attrs) {
    return {{}, range_of(unpack<ops::add::attrs>(attrs).fused)};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
