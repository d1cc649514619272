// idiom_operators: the operators that replace idioms - of a static graph those that it needs, else all of them.
// Flow: optimised_graph.hpp and program.hpp give them to the passes.
#pragma once

#include <nnrt/exec/frozen.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/passes/optimise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Every result of idiom_table.
using idiom_results =
    ops::type_list<ops::softmax, ops::sigmoid, ops::hswish, ops::layer_norm, ops::gelu, ops::depth_to_space,
                   ops::gather, ops::l2_normalize, ops::space_to_depth, ops::swish, ops::hard_sigmoid>;

template <class List> struct operators_of_list;
template <class... Ops> struct operators_of_list<ops::type_list<Ops...>> {
  static constexpr bool has(op_code code) { return ((Ops::code == code) || ...); }
  /// For graphs that come at run time.
  static array_ref<const operator_info* const> at_run_time() {
    static constexpr const operator_info* all[] = {&ops::of<Ops>()...};
    return all;
  }
  /// For a static graph: the one with this code, for one dtype.
  template <op_code Code, dtype Type> static constexpr const operator_info* for_static_graph() {
    const operator_info* found = nullptr;
    const auto look_at = [&]<class Op>(const Op*) {
      if constexpr (Op::code == Code) found = &static_operator<Op, Type>;
    };
    (look_at(static_cast<const Ops*>(nullptr)), ...);
    return found;
  }
};

static_assert(
    [] {
      for (const passes::detail::idiom& row : passes::detail::idiom_table)
        if (!operators_of_list<idiom_results>::has(row.result)) return false;
      return true;
    }(),
    "nnrt: idiom_results must have every result of idiom_table");

}}}  // namespace nnrt::NNRT_ISA::detail
