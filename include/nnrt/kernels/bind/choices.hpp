// choices: bindings of select and where, which are one operator with two codes.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/kernels/bind/detail/choice.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/where.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::select::code> {
  using type = ops::select;
};
template <> struct operator_of<ops::where::code> {
  using type = ops::where;
};

template <class Isa> struct binding<ops::select, family::f32, Isa> : choice_binding<Isa> {};
template <class Isa> struct binding<ops::where, family::f32, Isa> : choice_binding<Isa> {};

}}}  // namespace nnrt::NNRT_ISA::kernels
