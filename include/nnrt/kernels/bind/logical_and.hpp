// logical_and: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/logical_and.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::logical_and, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return element_binding<ops::logical_and>::template select<bool>(node, parts_for(node.out[0].elements()));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
