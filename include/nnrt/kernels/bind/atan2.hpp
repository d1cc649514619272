// atan2: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/atan2.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::atan2, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    constexpr std::int64_t cost = 32;  // an angle takes about as long as this many additions
    return element_binding<ops::atan2>::template select<float, float16, double>(
        node, parts_for(node.out[0].elements() * cost));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
