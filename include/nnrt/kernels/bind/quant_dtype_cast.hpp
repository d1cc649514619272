// quant_dtype_cast: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/stored.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>

namespace nnrt::inline NNRT_ISA::kernels {

/// From bytes to bytes; the reference does the rest.
template <class Isa> struct fast<ops::quant_dtype_cast, Isa> : table_binding<ops::quant_dtype_cast, Isa> {};

}  // namespace nnrt::inline NNRT_ISA::kernels
