// reduce_prod: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/reduction.hpp>
#include <nnrt/ops/reduce_prod.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::reduce_prod, Isa> : reduction_binding<product_fold, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
