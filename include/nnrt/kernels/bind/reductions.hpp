// reductions: bindings of operators that fold elements along axes, one row per operator.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
// bind/reduce_mean.hpp and bind/reduce_l2.hpp have the others.
#pragma once

#include <nnrt/kernels/bind/detail/booleans.hpp>
#include <nnrt/kernels/bind/detail/reduction.hpp>
#include <nnrt/ops/all.hpp>
#include <nnrt/ops/reduce_all.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/reduce_min.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/reduce_sum.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <class Isa> struct binding<ops::all, family::f32, Isa> : boolean_reduction<ops::all, Isa> {};
template <class Isa> struct binding<ops::reduce_all, family::f32, Isa> : boolean_reduction<ops::reduce_all, Isa> {};
template <class Isa> struct binding<ops::reduce_max, family::f32, Isa> : reduction_binding<maximum_fold, Isa> {};
template <class Isa> struct binding<ops::reduce_min, family::f32, Isa> : reduction_binding<minimum_fold, Isa> {};
template <class Isa> struct binding<ops::reduce_prod, family::f32, Isa> : reduction_binding<product_fold, Isa> {};
template <class Isa> struct binding<ops::reduce_sum, family::f32, Isa> : reduction_binding<sum_fold, Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
