// gelu: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/kernels/bind/detail/unary.hpp>
#include <nnrt/ops/gelu.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::gelu, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (const kernel_choice table = table_binding<ops::gelu, Isa>::select(node)) return table;
    if (unpack<ops::gelu::attrs>(node.attrs).approximate) return unary_binding<by_tanh>::select(node);
    return unary_binding<exact>::select(node);
  }

 private:
  struct exact {
    static constexpr std::int64_t cost = 6;
    static gelu_lanes function(array_ref<const word>) { return {}; }
  };
  struct by_tanh {
    static constexpr std::int64_t cost = 5;
    static gelu_tanh_lanes function(array_ref<const word>) { return {}; }
  };
};

}}}  // namespace nnrt::NNRT_ISA::kernels
