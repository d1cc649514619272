// fuse: lets a node apply the activation that follows it.
// Flow: after folding, when an activation directly follows its layer.
#pragma once

#include <nnrt/core/deadline.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

namespace detail {

constexpr activation activation_of(const ir::node& n) {
  if (n.op->traits.computes == meaning::relu) return activation::relu;
  return n.op->traits.computes == meaning::relu6 ? activation::relu6 : activation::none;
}

}  // namespace detail

/// Fuses relu and relu6 into the node that makes their operand, if nothing else reads that operand and the node can
/// apply them. After the deadline it returns false and leaves the graph incomplete.
constexpr bool fuse_activations(ir::graph& g, const deadline_watch& watch = {}) {
  const use_table table(g);
  bool changed = false;
  for (ir::node& n : g.nodes) {
    if (watch.is_over()) return false;
    const activation wanted = detail::activation_of(n);
    if (wanted == activation::none) continue;
    const std::int32_t x = g.inputs_of(n)[0], y = g.outputs_of(n)[0];
    if (table.producer_of(x) == ir::none || table.uses_of(x) != 1 || g.at(x).desc != g.at(y).desc) continue;
    ir::node& layer = g.nodes[static_cast<std::size_t>(table.producer_of(x))];
    word* const fused = detail::free_activation(g, layer);
    if (fused == nullptr || layer.outputs.count != 1) continue;
    *fused = static_cast<word>(wanted);
    g.operands[static_cast<std::size_t>(layer.outputs.first)] = y;
    g.log.push_back({ir::change::fused, n.label, layer.label, layer.name});
    n.removed = true;
    changed = true;
  }
  if (changed) compact(g);
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::passes
