// node_table: a planned network node by node, as data - result, costs, kernel, and where the result is in memory.
// Flow: graph<f>::table() and program::table() return it; dump_plan.hpp writes a table for people.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/exec/plan_view.hpp>
#include <nnrt/passes/fold.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// One node of an optimised network that takes part in every inference.
struct node_info {
  std::string_view op;    // "conv2d"
  std::string_view name;  // the layer's name in its weights' names: "conv1" for "conv1.weight"; empty without weights
  // "reference" without a fast kernel; empty: nothing runs, because the result needs no work
  std::string_view kernel;
  tensor_desc output;              // of its first output
  std::int64_t parameters = 0;     // elements of the weights and float constants that it reads
  std::int64_t macs = 0;           // multiply-accumulates of one inference
  std::int64_t arena_offset = -1;  // of its first output, in bytes; -1: not in the arena, or only some of its rows
  // index of its group of stripes; -1: none
  std::int32_t stripe = -1;
  std::int64_t stripe_rows = 0;  // rows of that group's last result in one stripe
};

namespace detail {

/// Elements of the operands that are known before the network runs, without integer constants.
constexpr std::int64_t parameters_of(const ir::graph& g, const ir::node& n, array_ref<const char> known) {
  std::int64_t elements = 0;
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || known[static_cast<std::size_t>(id)] == 0) continue;
    if (g.at(id).is != ir::kind::constant || types::floating.contains(g.at(id).desc.type))
      elements += g.at(id).desc.elements();
  }
  return elements;
}

/// Multiply-accumulates of one node.
constexpr std::int64_t macs_of(const ir::graph& g, const ir::node& n) {
  pool<tensor_desc> out;
  for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
  return n.op->macs(g.attrs_of(n), ir::operand_list(g, g.inputs_of(n)).operands, out);
}

/// For each node its last step, and for each step its group of stripes; none if there is none. A step of packing may
/// precede a node's last step.
struct steps_of_nodes {
  pool<std::int32_t> step_of, stripe_of;

  constexpr steps_of_nodes(const plan_view& plan, std::size_t nodes) {
    step_of.assign(nodes, ir::none);
    stripe_of.assign(plan.steps.size(), ir::none);
    for (std::size_t k = 0; k < plan.steps.size(); ++k)
      if (const std::int32_t node = plan.steps[k].node; node >= 0)
        step_of[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < plan.stripes.size(); ++k)
      for (std::int32_t i = 0; plan.stripes[k].rows > 0 && i < plan.stripes[k].steps.count; ++i) {
        const std::int32_t at = plan.stripes[k].steps.first + i;
        stripe_of[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(k);
      }
  }
};

/// Sets the arena offsets of the outputs of a node without a step. `first` is the offset of its first operand. Reshapes
/// and joins begin there; parts begin at a further offset.
constexpr void place_outputs(const ir::graph& g, const ir::node& n, array_ref<const char> known, std::int64_t first,
                             pool<std::int64_t>& offset_of) {
  pool<tensor_desc> out;
  for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
  const ir::operand_list operands(g, g.inputs_of(n), known);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::int64_t elements = n.op->traits.outputs_are_parts
                                      ? n.op->part_offset(g.attrs_of(n), operands.operands, out, static_cast<int>(k))
                                      : 0;
    offset_of[static_cast<std::size_t>(g.outputs_of(n)[k])] = first + elements * size_of(out[k].type);
  }
}

}  // namespace detail

/// One row for each node in execution order, without nodes that read known values only. The names point into `text`, a
/// copy of the graph's text, which may live longer.
constexpr pool<node_info> node_table(const ir::graph& optimised, const plan_view& plan, array_ref<const char> text) {
  const ir::graph& g = optimised;
  const pool<char> known = passes::known_values(g);
  pool<std::int64_t> offset_of;  // by value, in the arena
  offset_of.assign(g.values.size(), -1);
  pool<node_info> rows;
  const detail::steps_of_nodes found(plan, g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    const std::int32_t y = g.outputs_of(n)[0];
    if (known[static_cast<std::size_t>(y)] != 0) continue;
    node_info row;
    row.op = n.op->name;
    row.name = {text.data() + n.name.first, static_cast<std::size_t>(n.name.count)};
    row.output = g.at(y).desc;
    row.parameters = detail::parameters_of(g, n, known);
    row.macs = detail::macs_of(g, n);
    if (const std::int32_t at = found.step_of[i]; at != ir::none) {
      const step& s = plan.steps[static_cast<std::size_t>(at)];
      row.kernel = s.kernel;
      if (const std::int32_t stripe = found.stripe_of[static_cast<std::size_t>(at)]; stripe != ir::none)
        row.stripe = stripe, row.stripe_rows = plan.stripes[static_cast<std::size_t>(stripe)].rows;
      for (std::size_t k = 0; k < g.outputs_of(n).size(); ++k) {
        const operand_slot& slot = plan.slots[static_cast<std::size_t>(s.outputs.first) + k];
        if (slot.base == in_arena) offset_of[static_cast<std::size_t>(g.outputs_of(n)[k])] = slot.offset;
      }
    } else if (const std::int64_t first = offset_of[static_cast<std::size_t>(g.inputs_of(n)[0])]; first >= 0) {
      detail::place_outputs(g, n, known, first, offset_of);
    }
    row.arena_offset = offset_of[static_cast<std::size_t>(y)];
    rows.push_back(row);
  }
  return rows;
}

}}  // namespace nnrt::NNRT_ISA
