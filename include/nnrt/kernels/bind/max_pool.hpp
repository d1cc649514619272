// max_pool: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/pooling.hpp>
#include <nnrt/ops/max_pool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::max_pool::code> {
  using type = ops::max_pool;
};

template <class Isa> struct fast<ops::max_pool, Isa> : pooling_binding<ops::max_pool, maximum_fold> {};

template <class Isa> struct fast_on_bytes<ops::max_pool, Isa> : byte_pooling_binding<ops::max_pool, byte_maximum> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
