// of: where an operator of the list is found by its type.
// Flow: registry.hpp makes its tables of this, rewrites of stored networks name single operators; <nnrt/src.hpp> has
// those that are compiled elsewhere.
//
// All operators with all kernels take a compiler most of a minute. A program of several units lets one do it:
// NNRT_SEPARATE_COMPILATION is defined for all of them, and one includes <nnrt/src.hpp>. The others then know where
// operators are, and their code is compiled once.
#pragma once

#include <nnrt/ops/list.hpp>

#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// An operator as the one unit with <nnrt/src.hpp> compiles it. Elsewhere its address is known, and its members are not
/// constant expressions.
template <class Op> struct compiled_operator {
  static const operator_info info;
};

namespace detail {

// A class that has all operators as bases knows at once which they are; comparing each with each takes a compiler a
// second.
template <class Op> struct listed {};
template <class List> struct all_listed;
template <class... Ops> struct all_listed<type_list<Ops...>> : listed<Ops>... {};

}  // namespace detail

/// Whether the unit with <nnrt/src.hpp> has the operator: it has those of the list.
template <class Op> constexpr bool is_compiled_elsewhere() {
#ifdef NNRT_SEPARATE_COMPILATION
  return std::is_base_of_v<detail::listed<Op>, detail::all_listed<list>>;
#else
  return false;
#endif
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"  // which it is, but in one unit
#endif
/// The operator of this type, with all its dtypes.
template <class Op, bool HasKernels = is_complete<kernels::bindings<Op>>> constexpr const operator_info& of() {
  if constexpr (is_compiled_elsewhere<Op>()) return compiled_operator<Op>::info;
  else return dynamic_operator<Op, HasKernels>;  // not instantiated for those of the list: it is what takes the time
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}}}  // namespace nnrt::NNRT_ISA::ops
