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

/// A copy at the end of a run, for a state.
struct state_copy {
  std::int32_t state = ir::none;
  std::int32_t saved = ir::none;  // block with the saved value of the state that holds `next`; none: not saved
  bool is_saving = false;         // saves the state into that block, and does not update it yet
};

/// Copies of next values that were not made in place. The order ensures that a state is overwritten only after all its
/// readers, since a state may become another state's old value. In a cycle of such states, one state is saved first.
class state_copies {
 public:
  pool<state_copy> in_order;

  constexpr state_copies(const ir::graph& g, passes::memory_plan& memory) {
    const auto count = static_cast<std::int32_t>(g.states.size());
    states_.assign(g.states.size(), {});
    for (std::int32_t k = 0; k < count; ++k) {
      waiting& of = at(k);
      of.read = memory.state_of(g.states[static_cast<std::size_t>(k)].next);
      of.is_waiting = of.read != k;  // otherwise it is in place or unchanged
      if (of.is_waiting && of.read != ir::none) ++at(of.read).readers, at(of.read).reader += k;
    }
    for (std::int32_t k = 0; k < count; ++k)
      if (at(k).readers == 0) add(k);
    for (std::int32_t k = 0; k < count; ++k) {
      if (!at(k).is_waiting) continue;
      // Only cycles are left, in which each state has one reader.
      const std::int64_t bytes = g.at(g.states[static_cast<std::size_t>(k)].value).desc.bytes();
      const auto end = static_cast<std::int32_t>(g.nodes.size());
      const std::int32_t saved = memory.add_block(bytes, end, end), reader = static_cast<std::int32_t>(at(k).reader);
      in_order.push_back({k, saved, true});
      at(reader).read = ir::none;
      at(reader).saved = saved;
      add(k);
    }
  }

 private:
  struct waiting {
    bool is_waiting = false;
    std::int32_t read = ir::none;   // the state whose memory holds the next value; none: not in a state
    std::int32_t saved = ir::none;  // where that state was saved
    std::int32_t readers = 0;  // number of waiting readers; `reader` is the sum of their indices, or the last one's
    std::int64_t reader = 0;
  };
  constexpr waiting& at(std::int32_t k) { return states_[static_cast<std::size_t>(k)]; }
  /// Adds the copy of a state, then those of states whose last reader this was.
  constexpr void add(std::int32_t k) {
    while (k != ir::none && at(k).is_waiting) {
      at(k).is_waiting = false;
      in_order.push_back({k, at(k).saved, false});
      const std::int32_t read = at(k).read;
      if (read == ir::none) return;
      at(read).reader -= k;
      k = --at(read).readers == 0 ? read : ir::none;
    }
  }

  pool<waiting> states_;
};

/// Kernels and memory of a graph: what the planner continues with. Plain data that constant evaluation can store.
struct placed_nodes : passes::memory_plan {
  pool<char> known;
  pool<planned_node> nodes;
  pool<std::int64_t> kept_of;  // by value: offset of its kept rows in the scratch memory of its group; -1: none
  pool<stripe_group> stripes;
  pool<row_window> windows;
  std::int64_t part_scratch_bytes = 0;
  pool<std::int32_t> copies;       // by output: the block into which it is copied, or none
  pool<state_copy> state_updates;  // copies of states' next values, in order
};

/// Chooses kernels for one graph; the planner continues with its result.
struct kernel_chooser : placed_nodes {
  const ir::graph& g;
  plan_options options;
  const deadline_watch& watch;  // after the deadline, the rest is skipped

  constexpr kernel_chooser(const ir::graph& graph, plan_options opts, const deadline_watch& deadline)
      : g(graph), options(opts), watch(deadline) {}

  constexpr passes::memory_plan& memory() { return *this; }

  /// Chooses kernels and places all blocks. False after the deadline.
  constexpr bool place() {
    if (!choose_all()) return false;
    state_updates = state_copies(g, memory()).in_order;
    pool<char> is_copied;  // by state
    is_copied.assign(g.states.size(), 0);
    for (const state_copy& c : state_updates) is_copied[static_cast<std::size_t>(c.state)] = 1;
    const auto end = static_cast<std::int32_t>(g.nodes.size());
    for (const ir::output& out : g.outputs) {
      const std::int32_t state = state_of(out.value);
      const bool stays =
          at(out.value).block != ir::none && (state == ir::none || is_copied[static_cast<std::size_t>(state)] == 0);
      copies.push_back(stays ? ir::none : add_block(g.at(out.value).desc.bytes(), end, end));
    }
    if (options.unrolled) passes::keep_apart(memory(), g.nodes.size());
    passes::place_blocks(memory(), g.nodes.size(), watch);
    return !watch.is_over();
  }
  /// Chooses for all nodes; afterwards blocks may be added and placed. False after the deadline.
  constexpr bool choose_all() {
    nodes.reserve(g.nodes.size());
    known = passes::known_values(g);
    memory() = passes::assign_blocks(g, known, watch);
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
    p.needs_step = elided[static_cast<std::size_t>(i)] == 0;
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
      if (!p.packs_before || p.is_halved) p.packed_block = add_block(p.choice.packed_bytes, i, i);
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
      p.scratch_block = add_block(p.choice.scratch_bytes, static_cast<std::int32_t>(i), static_cast<std::int32_t>(i));
      part_scratch_bytes = std::max(part_scratch_bytes, passes::aligned(p.choice.scratch_bytes));
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
    const stripe_finder finder(g, *this, candidates, options.stripes);
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
    group.first_window = static_cast<std::int32_t>(windows.size());
    group.rows = found.rows;
    const std::int32_t first_node = finder.at(found.first).node, last_node = finder.at(found.last).node;
    for (std::int32_t c = found.first; c <= found.last; ++c) {
      group.scratch_bytes =
          std::max(group.scratch_bytes, passes::aligned(node_at(finder.at(c).node).choice.scratch_bytes));
      windows.push_back(finder.at(c).rows);
    }
    const bool is_whole = found.rows == 0;
    std::int64_t rows = is_whole ? finder.desc_of(found.last).shape[1] : found.rows;
    for (std::int32_t c = found.last; c >= found.first; --c) {
      planned_node& p = node_at(finder.at(c).node);
      p.group = static_cast<std::int32_t>(stripes.size());
      p.choice = chosen_for(finder.node_of(c), rows);
      group.parts = parts_of(group.parts + p.choice.parts - 1);
      if (is_whole)
        extend(finder.block_of(finder.result_of(c)), first_node, last_node, true),
            extend(finder.block_of(finder.result_of(c)), first_node, last_node, false);
      else if (c < found.last && !finder.is_in_place(c, found.last)) {
        kept_of[static_cast<std::size_t>(finder.result_of(c))] = take(group.scratch_bytes, rows * finder.row_bytes(c));
        block_at(finder.block_of(finder.result_of(c))).bytes = 0;
      }
      for (const std::int32_t id : g.inputs_of(finder.node_of(c)))
        if (id != ir::none && at(id).block != ir::none) extend(finder.block_of(id), first_node, last_node, false);
      if (c > found.first) rows = finder.rows_before(c, rows);
    }
    extend(finder.block_of(finder.result_of(found.last)), first_node, last_node, true);
    const std::int32_t scratch =
        group.scratch_bytes > 0 ? add_block(group.scratch_bytes, first_node, last_node) : ir::none;
    for (std::int32_t c = is_whole ? found.first : found.last; c <= found.last; ++c)
      node_at(finder.at(c).node).scratch_block = scratch;
    part_scratch_bytes = std::max(part_scratch_bytes, group.scratch_bytes);
    stripes.push_back(group);
  }
  /// Extends lifetimes in a group: results are in use from its first step on, operands until its last step.
  constexpr void extend(std::int32_t block, std::int32_t first, std::int32_t last, bool is_result) {
    passes::block& b = block_at(block);
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
