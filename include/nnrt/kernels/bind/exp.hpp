// exp: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/kernels/bind/detail/unary.hpp>
#include <nnrt/kernels/functions.hpp>
#include <nnrt/ops/exp.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::exp, Isa> : unary_binding<fast<ops::exp, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::exp, Isa>::select(node)) return table;
    // Another base, or a sum in the exponent, would cost digits.
    const auto attrs = unpack<ops::exp::attrs>(node.attrs);
    if (attrs.base != -1 || attrs.scale != 1 || attrs.shift != 0) return {};
    return unary_binding<fast>::select(node);
  }
  static constexpr std::int64_t cost = 6;
  static exp_lanes function(array_ref<const word>) { return {}; }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
