// node_table: a planned network node by node, as data - what each makes, costs, runs on, and where its result lies.
// Flow: graph<f>::table() and program::table() answer with it; dump_plan.hpp writes the same for people.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/exec/plan_view.hpp>
#include <nnrt/passes/fold.hpp>

namespace nnrt::inline NNRT_ISA {

/// One node of an optimised network that has a part in every inference.
struct node_info {
  std::string_view op;             // "conv2d"
  std::string_view name;           // what its weights are called: "conv1" for "conv1.weight"; empty without weights
  std::string_view kernel;         // "reference" when no fast one fits; empty: nothing runs, the result is bytes that are there already
  tensor_desc output;              // of its first output
  std::int64_t parameters = 0;     // elements of the weights and floating constants that it reads
  std::int64_t macs = 0;           // multiply-accumulates of one inference
  std::int64_t arena_offset = -1;  // of its first output, in bytes; -1: not in the arena, or some rows of it alone
  std::int32_t band = -1;          // of the groups that run in bands of rows, the one that it belongs to; -1: none, it runs as a whole
  std::int64_t band_rows = 0;      // of that group's last result
};

namespace detail {

/// Elements of the operands that are known before the network runs.
constexpr std::int64_t parameters_of(const ir::graph& g, const ir::node& n, array_ref<const char> known) {
  std::int64_t elements = 0;
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || known[static_cast<std::size_t>(id)] == 0) continue;
    if (g.at(id).is != ir::kind::constant || types::floating.contains(g.at(id).desc.type)) elements += g.at(id).desc.elements();
  }
  return elements;
}

/// Multiply-accumulates of one node.
constexpr std::int64_t macs_of(const ir::graph& g, const ir::node& n) {
  pool<tensor_desc> out;
  for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
  return n.op->macs(g.attrs_of(n), ir::operand_list(g, g.inputs_of(n)).operands, out);
}

/// Index of the step that runs node i; the number of steps when none does. The last one: packing may stand before it.
constexpr std::size_t step_of(const plan_view& plan, std::size_t i) {
  for (std::size_t k = plan.steps.size(); k-- > 0;)
    if (plan.steps[k].node == static_cast<std::int32_t>(i)) return k;
  return plan.steps.size();
}

/// Bytes between the first operand of a node without a step and its output k: reshapes and joins begin where it does, parts further on.
constexpr std::int64_t offset_in_operand(const ir::graph& g, const ir::node& n, array_ref<const char> known, std::size_t k) {
  if (!n.op->traits.outputs_are_parts) return 0;
  pool<tensor_desc> out;
  for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
  const ir::operand_list operands(g, g.inputs_of(n), known);
  return n.op->part_offset(g.attrs_of(n), operands.operands, out, static_cast<int>(k)) * size_of(out[k].type);
}

}  // namespace detail

/// A row for each node, in the order in which they run; nodes on weights alone, which run once, have none. The names lie in `text`, which has
/// the same content as the graph's own and may live longer.
constexpr pool<node_info> node_table(const ir::graph& optimised, const plan_view& plan, array_ref<const char> text) {
  const ir::graph& g = optimised;
  const pool<char> known = passes::known_values(g);
  pool<std::int64_t> offset_of;  // of values in the arena
  offset_of.assign(g.values.size(), -1);
  pool<node_info> rows;
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
    if (const std::size_t at = detail::step_of(plan, i); at < plan.steps.size()) {
      const step& s = plan.steps[at];
      row.kernel = s.kernel;
      for (std::size_t k = 0; k < plan.bands.size(); ++k) {
        const band_group& group = plan.bands[k];
        const std::int64_t place = static_cast<std::int64_t>(at) - group.steps.first;
        if (group.rows > 0 && place >= 0 && place < group.steps.count) row.band = static_cast<std::int32_t>(k), row.band_rows = group.rows;
      }
      for (std::size_t k = 0; k < g.outputs_of(n).size(); ++k) {
        const operand_slot& slot = plan.slots[static_cast<std::size_t>(s.outputs.first) + k];
        if (slot.base == in_arena) offset_of[static_cast<std::size_t>(g.outputs_of(n)[k])] = slot.offset;
      }
    } else if (const std::int64_t first = offset_of[static_cast<std::size_t>(g.inputs_of(n)[0])]; first >= 0) {
      for (std::size_t k = 0; k < g.outputs_of(n).size(); ++k) offset_of[static_cast<std::size_t>(g.outputs_of(n)[k])] = first + detail::offset_in_operand(g, n, known, k);
    }
    row.arena_offset = offset_of[static_cast<std::size_t>(y)];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace nnrt::inline NNRT_ISA
