// of: finds an operator of the list by its type.
// Flow: ops/registry.hpp makes its tables with it; rewrites of stored networks name single operators; the unit with
// <nnrt/src.hpp> defines operators that are compiled elsewhere.
//
// All operators with all kernels take a compiler most of a minute. A program of several units can compile them once:
// define NNRT_SEPARATE_COMPILATION for all units, and include <nnrt/src.hpp> in one. The others refer to its operators.
#pragma once

#include <nnrt/ops/list.hpp>

#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// An operator compiled by the unit with `<nnrt/src.hpp>`. In other units its address is known, and its members are not
/// constant expressions.
template <class Op> struct compiled_operator {
  static const operator_info info;
};

namespace detail {

// A class with all operators as bases tests membership at once; comparing each with each takes a compiler a second.
template <class Op> struct listed {};
template <class List> struct all_listed;
template <class... Ops> struct all_listed<type_list<Ops...>> : listed<Ops>... {};

}  // namespace detail

/// Whether the unit with `<nnrt/src.hpp>` has the operator: all operators of the list.
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
  else return dynamic_operator<Op, HasKernels>;  // not instantiated for operators of the list, as that takes the time
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}}}  // namespace nnrt::NNRT_ISA::ops
