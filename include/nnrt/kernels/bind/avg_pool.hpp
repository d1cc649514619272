// avg_pool: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.
#pragma once

#include <nnrt/kernels/bind/detail/pooling.hpp>
#include <nnrt/ops/avg_pool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::avg_pool::code> {
  using type = ops::avg_pool;
};

template <class Isa> struct fast<ops::avg_pool, Isa> : pooling_binding<ops::avg_pool, mean_fold> {};

template <class Isa> struct fast_on_bytes<ops::avg_pool, Isa> : byte_pooling_binding<ops::avg_pool, byte_mean> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
