// choose_kernels: the first half of planning - kernels of nodes, groups of stripes, and the memory that these need.
// Flow: make_plan.hpp places that memory and lays out the steps.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/exec/find_stripes.hpp>
#include <nnrt/exec/plan.hpp>
#include <nnrt/passes/fold.hpp>
#include <nnrt/passes/plan_memory.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Options of the planner.
struct plan_options {
  bool fast_kernels = true;  // false: every step is its operator's reference
  bool unrolled = false;     // choose kernels that can be unrolled if there are any, and no stripes
  nnrt::winograd winograd = nnrt::winograd::automatic;
  stripe_options stripes = {};
  /// Packed float weights that have at least this many bytes are stored as f16. Before each run of their step they
  /// are widened to f32 in memory that other steps share. `narrow` and `widen` convert. -1: no weights are stored as
  /// f16.
  std::int64_t halves_from = -1;
  kernel_function narrow = nullptr;
  kernel_function widen = nullptr;
};

namespace detail {

/// Planning state of one node.
struct planned_node {
  kernel_choice choice;
  std::int32_t packed_block = ir::none;
  std::int32_t scratch_block = ir::none;
  bool known = false;         // runs before the network does
  bool packs_before = false;  // pack() runs before the network does
  bool is_halved = false;     // its packed weights are stored as f16
  bool needs_step = true;
  std::int32_t group = -1;  // of stripes
};

/// Chooses kernels for one graph; the planner continues with its result.
struct kernel_chooser {
  const ir::graph& g;
  plan_options options;
  const deadline_watch& watch;  // after the deadline, the rest is skipped
  pool<char> known;
  passes::memory_plan memory;
  pool<planned_node> nodes;
  pool<std::int64_t> kept_of;  // by value: offset of its kept rows in the scratch memory of its group; -1: none
  plan made;                   // its stripes, with their windows, and part_scratch_bytes

  constexpr kernel_chooser(const ir::graph& graph, plan_options opts, const deadline_watch& deadline)
      : g(graph),
        options(opts),
        watch(deadline),
        known(passes::known_values(graph)),
        memory(passes::assign_blocks(graph, known, watch)) {}

  /// Chooses for all nodes; afterwards blocks may be added and placed. False after the deadline.
  constexpr bool choose_all() {
    for (std::size_t i = 0; i < g.nodes.size() && (i % 16 != 0 || !watch.is_over()); ++i)
      choose(static_cast<std::int32_t>(i));
    if (nodes.size() < g.nodes.size() || watch.is_over()) return false;
    kept_of.assign(g.values.size(), -1);
    if (may_have_stripes()) add_stripes();
    add_scratch();
    return true;
  }

  constexpr bool is_known(std::int32_t id) const { return known[static_cast<std::size_t>(id)] != 0; }

  constexpr pool<tensor_desc> output_descs(const ir::node& n) const {
    pool<tensor_desc> descs;
    descs.reserve(g.outputs_of(n).size());
    for (const std::int32_t id : g.outputs_of(n)) descs.push_back(g.at(id).desc);
    return descs;
  }

  constexpr void choose(std::int32_t i) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(i)];
    nodes.push_back({});
    planned_node& p = nodes.back();
    p.known = is_known(g.outputs_of(n)[0]);
    p.needs_step = memory.elided[static_cast<std::size_t>(i)] == 0;
    if (!p.needs_step) return;
    if (options.fast_kernels && !p.known) p.choice = chosen_for(n, 0);
    // Codes of kernels are only for plans that the compiler makes and completes, not for plans made at run time.
    if (!std::is_constant_evaluated() && is_in_codes(p.choice)) p.choice = {};
    if (!p.choice) p.choice.run = n.op->run_reference, p.choice.name = "reference";
    if (p.choice.has_pack()) {
      p.packs_before = true;
      for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k)
        if (is_packed(p, k) && g.inputs_of(n)[k] != ir::none && !is_known(g.inputs_of(n)[k])) p.packs_before = false;
      p.is_halved = p.packs_before && options.halves_from >= 0 && p.choice.packed_bytes >= options.halves_from &&
                    packs_floats(n, p);
      if (!p.packs_before || p.is_halved) p.packed_block = memory.add_block(p.choice.packed_bytes, i, i);
    }
  }
  /// Whether a node's packed weights are f32.
  constexpr bool packs_floats(const ir::node& n, const planned_node& p) const {
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k)
      if (is_packed(p, k) && g.inputs_of(n)[k] != ir::none && g.at(g.inputs_of(n)[k]).desc.type != f32) return false;
    return p.choice.packs != 0 && p.choice.packed_bytes % size_of(f32) == 0;
  }
  constexpr kernel_choice chosen_for(const ir::node& n, std::int64_t stripe_rows) const {
    const ir::operand_list operands(g, g.inputs_of(n), known);
    const pool<tensor_desc> descs = output_descs(n);
    return n.op->select({g.attrs_of(n), operands.operands, descs, options.unrolled, options.winograd, stripe_rows,
                         options.halves_from >= 0});
  }
  constexpr void add_scratch() {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      planned_node& p = nodes[i];
      if (p.choice.scratch_bytes == 0 || p.group >= 0) continue;
      p.scratch_block =
          memory.add_block(p.choice.scratch_bytes, static_cast<std::int32_t>(i), static_cast<std::int32_t>(i));
      made.part_scratch_bytes = std::max(made.part_scratch_bytes, passes::aligned(p.choice.scratch_bytes));
    }
  }

  /// Whether a search for stripes is worthwhile: some tensor is large, or two consecutive steps both work by rows.
  constexpr bool may_have_stripes() const {
    if (!options.stripes.enabled || options.unrolled) return false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].choice.rows) continue;
      if (options.stripes.rows > 0 || g.at(g.outputs_of(g.nodes[i])[0]).desc.bytes() >= l2_bytes) return true;
      if (i + 1 < nodes.size() && keeps_rows(nodes[i + 1].choice.rows)) return true;
    }
    return false;
  }
  constexpr void add_stripes() {
    pool<stripe_candidate> candidates;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const planned_node& p = nodes[i];
      if (p.known || !p.needs_step) continue;
      const bool packs_each_time = p.choice.has_pack() && (!p.packs_before || p.is_halved);
      candidates.push_back({static_cast<std::int32_t>(i), packs_each_time ? row_window{} : p.choice.rows,
                            p.choice.packed_bytes, p.choice.parts});
    }
    const stripe_finder finder(g, memory, candidates, options.stripes);
    for (const found_group& found : finder.find()) {
      add_group(finder, found);
      for (std::int32_t c = found.first; c <= found.last; ++c) candidates[static_cast<std::size_t>(c)].has_group = true;
    }
    if (options.stripes.rows > 0) return;
    for (const found_group& found : finder.find_joined()) add_group(finder, found);
  }
  /// Allocates memory for the rows that a group keeps instead of whole tensors between its steps.
  constexpr void add_group(const stripe_finder& finder, const found_group& found) {
    stripe_group group;
    group.first_window = static_cast<std::int32_t>(made.windows.size());
    group.rows = found.rows;
    const std::int32_t first_node = finder.at(found.first).node, last_node = finder.at(found.last).node;
    for (std::int32_t c = found.first; c <= found.last; ++c) {
      group.scratch_bytes =
          std::max(group.scratch_bytes, passes::aligned(node_at(finder.at(c).node).choice.scratch_bytes));
      made.windows.push_back(finder.at(c).rows);
    }
    const bool is_whole = found.rows == 0;
    std::int64_t rows = is_whole ? finder.desc_of(found.last).shape[1] : found.rows;
    for (std::int32_t c = found.last; c >= found.first; --c) {
      planned_node& p = node_at(finder.at(c).node);
      p.group = static_cast<std::int32_t>(made.stripes.size());
      p.choice = chosen_for(finder.node_of(c), rows);
      group.parts = parts_of(group.parts + p.choice.parts - 1);
      if (is_whole)
        extend(finder.block_of(finder.result_of(c)), first_node, last_node, true),
            extend(finder.block_of(finder.result_of(c)), first_node, last_node, false);
      else if (c < found.last && !finder.is_in_place(c, found.last)) {
        kept_of[static_cast<std::size_t>(finder.result_of(c))] = take(group.scratch_bytes, rows * finder.row_bytes(c));
        memory.block_at(finder.block_of(finder.result_of(c))).bytes = 0;
      }
      for (const std::int32_t id : g.inputs_of(finder.node_of(c)))
        if (id != ir::none && memory.at(id).block != ir::none)
          extend(finder.block_of(id), first_node, last_node, false);
      if (c > found.first) rows = finder.rows_before(c, rows);
    }
    extend(finder.block_of(finder.result_of(found.last)), first_node, last_node, true);
    const std::int32_t scratch =
        group.scratch_bytes > 0 ? memory.add_block(group.scratch_bytes, first_node, last_node) : ir::none;
    for (std::int32_t c = is_whole ? found.first : found.last; c <= found.last; ++c)
      node_at(finder.at(c).node).scratch_block = scratch;
    made.part_scratch_bytes = std::max(made.part_scratch_bytes, group.scratch_bytes);
    made.stripes.push_back(group);
  }
  /// Extends lifetimes in a group: results are in use from its first step on, operands until its last step.
  constexpr void extend(std::int32_t block, std::int32_t first, std::int32_t last, bool is_result) {
    passes::block& b = memory.block_at(block);
    if (is_result) b.first = std::min(b.first, first);
    else b.last = std::max(b.last, last);
  }
  constexpr planned_node& node_at(std::int32_t i) { return nodes[static_cast<std::size_t>(i)]; }

  /// Whether a choice is given by a code instead of functions. In constant evaluation that is so whenever there is a
  /// code: with sanitizers, g++ cannot compare functions with null there.
  static constexpr bool is_in_codes(const kernel_choice& choice) {
    if (std::is_constant_evaluated()) return static_cast<bool>(choice.code);
    return choice.code && choice.run == nullptr;
  }
  static constexpr bool is_packed(const planned_node& p, std::size_t operand) {
    return names_operand(p.choice.packs, operand);
  }
  /// Reserves `bytes` at the end of a region; returns their offset.
  static constexpr std::int64_t take(std::int64_t& region, std::int64_t bytes) {
    const std::int64_t at = region;
    region += passes::aligned(bytes);
    return at;
  }
};

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
