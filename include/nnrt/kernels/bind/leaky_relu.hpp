// leaky_relu: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/kernels/bind/detail/unary.hpp>
#include <nnrt/kernels/functions.hpp>
#include <nnrt/ops/leaky_relu.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::leaky_relu, Isa> : unary_binding<fast<ops::leaky_relu, Isa>> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::leaky_relu, Isa>::select(node)) return table;
    return unary_binding<fast>::select(node);
  }
  static constexpr std::int64_t cost = 1;
  static leaky_relu_lanes function(array_ref<const word> attrs) {
    return {unpack<ops::leaky_relu::attrs>(attrs).negative_slope};
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
