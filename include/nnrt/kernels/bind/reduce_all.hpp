// reduce_all: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/truths.hpp>
#include <nnrt/ops/reduce_all.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct fast<ops::reduce_all, Isa> : truth_reduction<ops::reduce_all, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
