// uses: which node makes each value of a graph, and how often it is used; every pass starts from this.
// Flow: each pass that rewrites nodes computes it anew; compact() drops the nodes that a pass removed.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Producers and uses of all values of a graph.
struct use_table {
  pool<std::int32_t> producer;  // index of the node that makes a value; none for inputs, weights, constants, states
  pool<std::int32_t> uses;      // number of reads by nodes, outputs and states (as next or initial value)

  constexpr explicit use_table(const ir::graph& g) {
    producer.assign(g.values.size(), ir::none);
    uses.assign(g.values.size(), 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      for (const std::int32_t id : g.outputs_of(g.nodes[i]))
        producer[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
      for (const std::int32_t id : g.inputs_of(g.nodes[i]))
        if (id != ir::none) ++uses[static_cast<std::size_t>(id)];
    }
    for (const ir::output& out : g.outputs) ++uses[static_cast<std::size_t>(out.value)];
    for (const ir::state& s : g.states) {
      if (s.next != ir::none) ++uses[static_cast<std::size_t>(s.next)];  // none while the graph is being built
      if (s.initial != ir::none) ++uses[static_cast<std::size_t>(s.initial)];
    }
  }
  constexpr std::int32_t producer_of(std::int32_t id) const { return producer[static_cast<std::size_t>(id)]; }
  constexpr std::int32_t uses_of(std::int32_t id) const { return uses[static_cast<std::size_t>(id)]; }
};

/// Drops the nodes that a pass has marked as removed. It is a mark, not a null operator, because g++ 12 with
/// -fsanitize=undefined cannot compare pointers to variable templates in constant evaluation.
constexpr void compact(ir::graph& g) {
  g.nodes.erase_if([](const ir::node& n) { return n.removed; });
}

/// Replaces each value id by to_of[id] in operands of nodes, outputs and next values of states.
constexpr void redirect(ir::graph& g, array_ref<const std::int32_t> to_of) {
  for (const ir::node& n : g.nodes)
    for (std::int32_t& id : g.inputs_of(n))
      if (id != ir::none) id = to_of[static_cast<std::size_t>(id)];
  for (ir::output& out : g.outputs) out.value = to_of[static_cast<std::size_t>(out.value)];
  for (ir::state& s : g.states)
    if (s.next != ir::none) s.next = to_of[static_cast<std::size_t>(s.next)];
}

/// 0, 1, 2, …: the table with which redirect() changes nothing.
constexpr pool<std::int32_t> identity_of(const ir::graph& g) {
  pool<std::int32_t> to;
  to.reserve(g.values.size());
  for (std::size_t i = 0; i < g.values.size(); ++i) to.push_back(static_cast<std::int32_t>(i));
  return to;
}

namespace detail {

/// The word of a node's fused activation; nullptr if its operator has none.
constexpr word* activation_word(ir::graph& g, const ir::node& n) {
  return n.op->fused_word < 0 ? nullptr : &g.attrs_of(n)[static_cast<std::size_t>(n.op->fused_word)];
}
/// As above, if no activation is fused yet; nullptr if the node can take none.
constexpr word* free_activation(ir::graph& g, const ir::node& n) {
  word* const fused = n.removed ? nullptr : activation_word(g, n);
  return fused != nullptr && *fused == static_cast<word>(activation::none) ? fused : nullptr;
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::passes
