// registry: operators found by type, by number and by name, with all their dtypes and the texts of their rules.
// Flow: dynamic fronts only (models, readers, C API): it instantiates every operator; static graphs name theirs.
//
// All operators with all kernels take a compiler most of a minute. A program of several units lets one do it: NNRT_SEPARATE_COMPILATION is defined
// for all of them, and one includes <nnrt/src.hpp>. The others then know where operators are, and their code is compiled once.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/list.hpp>

#include <type_traits>

namespace nnrt::inline NNRT_ISA::ops {

/// An operator as the one unit with <nnrt/src.hpp> compiles it. Elsewhere its address is known, and its members are not constant expressions.
template <class Op> struct compiled_operator { static const operator_info info; };

namespace detail {

template <class Op, class... Ops> constexpr bool is_one_of(type_list<Ops...>) { return (std::is_same_v<Op, Ops> || ...); }

}  // namespace detail

#if defined(NNRT_SEPARATE_COMPILATION) && defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"  // which it is, but in one unit
#endif
/// The operator of this type.
template <class Op> constexpr const operator_info& of() {
#ifdef NNRT_SEPARATE_COMPILATION
  if constexpr (detail::is_one_of<Op>(list{})) return compiled_operator<Op>::info;
#endif
  return dynamic_operator<Op>;
}
#if defined(NNRT_SEPARATE_COMPILATION) && defined(__clang__)
#pragma clang diagnostic pop
#endif

namespace detail {

template <class List> struct operator_table;
template <class... Ops> struct operator_table<type_list<Ops...>> {
  static constexpr std::array<const operator_info*, sizeof...(Ops)> entries{&of<Ops>()...};
};

}  // namespace detail

/// Every operator, in the order of the list. The objects live as long as the program.
constexpr array_ref<const operator_info* const> all() { return detail::operator_table<list>::entries; }

/// The operator of this number (NNRt's, or one of ours from 1000 on); nullptr when there is none.
constexpr const operator_info* find(op_code code) {
  for (const operator_info* op : all())
    if (op->code == code) return op;
  return nullptr;
}

/// The operator of this name, as the DSL function is called: "conv2d"; nullptr when there is none.
constexpr const operator_info* find(std::string_view name) {
  for (const operator_info* op : all())
    if (op->name == name) return op;
  return nullptr;
}

}  // namespace nnrt::inline NNRT_ISA::ops
