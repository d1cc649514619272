// reduce_max: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/reduction.hpp>
#include <nnrt/ops/reduce_max.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::reduce_max, Isa> : reduction_binding<maximum_fold, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
