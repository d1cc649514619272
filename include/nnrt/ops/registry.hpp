// registry: finds operators by number and by name, with all their dtypes and texts of rules.
// Flow: for dynamic front ends (models, readers, C API): it instantiates every operator, unless another unit has them
// (ops/of.hpp). Static graphs name their operators.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/of.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

namespace detail {

template <class List> struct operator_table;
template <class... Ops> struct operator_table<type_list<Ops...>> {
  static constexpr std::array<const operator_info*, sizeof...(Ops)> entries{&of<Ops>()...};
};

}  // namespace detail

/// Every operator, in the order of the list. The objects have static lifetime.
constexpr array_ref<const operator_info* const> registered() { return detail::operator_table<list>::entries; }

/// The operator with this number (NNRt's, or ours from 1000 on); nullptr if there is none.
constexpr const operator_info* find(op_code code) {
  for (const operator_info* op : registered())
    if (op->code == code) return op;
  return nullptr;
}

/// The operator with this name, that of its DSL function: "conv2d"; nullptr if there is none.
constexpr const operator_info* find(std::string_view name) {
  for (const operator_info* op : registered())
    if (op->name == name) return op;
  return nullptr;
}

}}}  // namespace nnrt::NNRT_ISA::ops
