// relu6: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/kernels/bind/detail/unary.hpp>
#include <nnrt/ops/relu6.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::relu6, Isa> : unary_binding<fast<ops::relu6, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::relu6, Isa>::select(node)) return table;
    return unary_binding<fast>::select(node);
  }
  static constexpr std::int64_t cost = 1;
  static clamp_lanes function(array_ref<const word>) { return {range_of(activation::relu6)}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
