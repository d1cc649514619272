// pools: f32 and int8 kernels of max_pool and avg_pool.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/pooling.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/max_pool.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::avg_pool::code> {
  using type = ops::avg_pool;
};
template <> struct operator_of<ops::max_pool::code> {
  using type = ops::max_pool;
};

template <class Isa> struct binding<ops::avg_pool, family::f32, Isa> : pooling_binding<ops::avg_pool, mean_fold> {};
template <class Isa> struct binding<ops::max_pool, family::f32, Isa> : pooling_binding<ops::max_pool, maximum_fold> {};

template <class Isa>
struct binding<ops::avg_pool, family::int8, Isa> : int8_pooling_binding<ops::avg_pool, int8_mean> {};
template <class Isa>
struct binding<ops::max_pool, family::int8, Isa> : int8_pooling_binding<ops::max_pool, int8_maximum> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
