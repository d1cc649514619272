// pow: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/pow.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::pow, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    constexpr std::int64_t cost = 64;  // about so many additions is a power worth
    const int parts = parts_for(node.out[0].elements() * cost);
    return element_binding<ops::pow>::template select<float, float16, double, std::int32_t>(node, parts);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
