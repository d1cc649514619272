// erf: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/kernels/bind/detail/unary.hpp>
#include <nnrt/kernels/functions.hpp>
#include <nnrt/ops/erf.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::erf, Isa> : unary_binding<fast<ops::erf, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::erf, Isa>::select(node)) return table;
    return unary_binding<fast>::select(node);
  }
  static constexpr std::int64_t cost = 6;
  static erf_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
