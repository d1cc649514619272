// fast: the place where an operator's fast kernels are chosen; specialised in kernels/bind/<operator>.hpp.
// Flow: select_kernel<Op> asks fast<Op>::select; an empty choice leaves the node to its reference.
#pragma once

#include <nnrt/core/kernel.hpp>

namespace nnrt::inline NNRT_ISA {
namespace kernels {

/// Fast kernels of an operator. Partial specialisations over Op have a static constexpr select() with this signature; Isa stays a
/// parameter so that the kernels of operators that a program does not name are never instantiated.
template <class Op, class Isa = void> struct fast {
  static constexpr kernel_choice select(const kernel_request&) { return {}; }
};

}  // namespace kernels

template <class Op> constexpr kernel_choice select_kernel(const kernel_request& node) { return kernels::fast<Op>::select(node); }

}  // namespace nnrt::inline NNRT_ISA
