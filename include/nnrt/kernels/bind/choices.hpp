// choices: the kernels of select and where, one operator under two numbers.
// Flow: included by kernels/select.hpp; plans call the chosen function.
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
