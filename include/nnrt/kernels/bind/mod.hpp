// mod: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/binary.hpp>
#include <nnrt/ops/mod.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::mod, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    constexpr std::int64_t cost = 8;  // additions that one element is worth
    return element_binding<ops::mod>::template select<float, float16, double, std::int32_t, std::int64_t>(
        node, parts_for(node.out[0].elements() * cost));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
