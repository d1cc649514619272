// plan_memory: blocks of memory for computed values and states - shared, in place or joined - in one arena.
// Flow: last pass over the graph; the plan turns its result into operand addresses.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/ir/graph.hpp>
#include <nnrt/passes/arena_layout.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Location of a value: a block and an offset in it. Without a block: the value is not computed at run time, or aliases
/// such a value.
struct location {
  std::int32_t block = ir::none;
  std::int64_t offset = 0;
  std::int32_t same_as = ir::none;  // the input, weight or constant whose bytes the value shares
};

/// Blocks and locations of a graph. The index of a node is its step.
struct memory_plan {
  pool<block> blocks;
  pool<location> of;              // for each value
  pool<char> elided;              // for each node: whether its results need no work
  std::int32_t state_blocks = 0;  // the first blocks, one for each state; in use in every step
  std::int64_t arena_bytes = 0;
  std::int64_t lower_bound = 0;  // largest sum, over the steps, of the bytes in use

  constexpr location& at(std::int32_t id) { return of[static_cast<std::size_t>(id)]; }
  constexpr const location& at(std::int32_t id) const { return of[static_cast<std::size_t>(id)]; }
  constexpr block& block_at(std::int32_t id) { return blocks[static_cast<std::size_t>(id)]; }
  /// The state in whose memory a value is; none: not in a state's memory.
  constexpr std::int32_t state_of(std::int32_t id) const {
    const std::int32_t outermost = resolve(at(id)).block;
    return outermost < state_blocks ? outermost : ir::none;
  }

  constexpr std::int32_t add_block(std::int64_t bytes, std::int32_t first, std::int32_t last) {
    blocks.push_back({bytes, first, last});
    return static_cast<std::int32_t>(blocks.size()) - 1;
  }
  /// Replaces a part's parent by the parent's parent, if there is one.
  constexpr void skip_parent(block& part) {
    const block& outer = block_at(part.parent);
    if (outer.parent != ir::none) part.offset_in_parent += outer.offset_in_parent, part.parent = outer.parent;
  }
  /// The location in the outermost block.
  constexpr location resolve(location l) const {
    while (l.block != ir::none && blocks[static_cast<std::size_t>(l.block)].parent != ir::none) {
      const block& inner = blocks[static_cast<std::size_t>(l.block)];
      l.offset += inner.offset_in_parent;
      l.block = inner.parent;
    }
    return l;
  }
  /// Offset in the arena; only after place().
  constexpr std::int64_t address(std::int32_t id) const {
    const location l = resolve(at(id));
    return blocks[static_cast<std::size_t>(l.block)].offset + l.offset;
  }
};

namespace detail {

/// Assigns blocks to the values of one graph, node by node.
struct block_assigner {
  const ir::graph& g;
  array_ref<const char> known;  // values that are known before the network runs
  memory_plan plan;
  pool<std::int32_t>
      last_use;  // last step that reads a value; one past the last step for outputs and next values of states
  pool<std::int32_t> reads;         // number of reads of each value by nodes, if the graph has states
  std::int32_t last_fallible = -1;  // the last step that may reject its values
  bool has_joined = false;

  constexpr block_assigner(const ir::graph& graph, array_ref<const char> known_before) : g(graph), known(known_before) {
    plan.of.assign(g.values.size(), {});
    plan.elided.assign(g.nodes.size(), 0);
    last_use.assign(g.values.size(), -1);
    const auto steps = static_cast<std::int32_t>(g.nodes.size());
    for (std::int32_t i = 0; i < steps; ++i)
      for (const std::int32_t id : g.inputs_of(g.nodes[static_cast<std::size_t>(i)]))
        if (id != ir::none) last_use[static_cast<std::size_t>(id)] = i;
    for (const ir::output& out : g.outputs) last_use[static_cast<std::size_t>(out.value)] = steps;
    if (!g.states.empty()) add_states();
  }
  constexpr void add_states() {
    const auto steps = static_cast<std::int32_t>(g.nodes.size());
    for (const ir::state& s : g.states) last_use[static_cast<std::size_t>(s.next)] = steps;
    for (const ir::state& s : g.states)
      plan.at(s.value) = {plan.add_block(g.at(s.value).desc.bytes(), 0, last_of(s.value)), 0, ir::none};
    plan.state_blocks = static_cast<std::int32_t>(g.states.size());
    reads.assign(g.values.size(), 0);
    for (std::int32_t i = 0; i < steps; ++i) {
      const ir::node& n = g.nodes[static_cast<std::size_t>(i)];
      if (n.op->traits.may_fail && !is_known(g.outputs_of(n)[0])) last_fallible = i;
      for (const std::int32_t id : g.inputs_of(n))
        if (id != ir::none) ++reads[static_cast<std::size_t>(id)];
    }
  }

  constexpr bool is_known(std::int32_t id) const { return known[static_cast<std::size_t>(id)] != 0; }
  constexpr std::int32_t last_of(std::int32_t id) const { return last_use[static_cast<std::size_t>(id)]; }

  /// As plan.resolve(), and shortens the path for the next call: each block becomes part of its parent's parent.
  constexpr location resolve(location l) {
    while (l.block != ir::none && plan.block_at(l.block).parent != ir::none) {
      block& inner = plan.block_at(l.block);
      plan.skip_parent(inner);
      l.offset += inner.offset_in_parent;
      l.block = inner.parent;
    }
    return l;
  }
  /// The outermost block of a computed value; nullptr for others.
  constexpr block* block_of(std::int32_t id) {
    if (id == ir::none || plan.at(id).block == ir::none) return nullptr;
    return &plan.block_at(resolve(plan.at(id)).block);
  }

  /// Places `to` at the location of `from` plus `offset` bytes.
  constexpr void share(std::int32_t from, std::int32_t to, std::int64_t offset) {
    plan.at(to) = plan.at(from);
    if (block* const shared = block_of(from)) {
      plan.at(to).offset += offset;
      shared->last = std::max(shared->last, last_of(to));
    } else {
      plan.at(to).same_as = plan.at(from).same_as == ir::none ? from : plan.at(from).same_as;
      plan.at(to).offset += offset;
    }
  }

  /// Whether writing over `id` would spoil another operand that overlaps with it. An operand with exactly the same
  /// bytes is not spoilt.
  constexpr bool spoils_another(const ir::node& n, std::int32_t id) {
    const location mine = resolve(plan.at(id));
    const std::int64_t my_bytes = g.at(id).desc.bytes();
    for (const std::int32_t other : g.inputs_of(n)) {
      if (other == ir::none || other == id || plan.at(other).block == ir::none) continue;
      const location its = resolve(plan.at(other));
      const std::int64_t its_bytes = g.at(other).desc.bytes();
      if (its.block != mine.block || its.offset >= mine.offset + my_bytes || mine.offset >= its.offset + its_bytes)
        continue;
      if (its.offset != mine.offset || its_bytes != my_bytes) return true;
    }
    return false;
  }

  /// Whether step i may write over a state that no later step reads. Its result must be the next value of the state, or
  /// become it through nodes that work in place. After a failed run states must be unchanged, so it is false up to the
  /// last step that may reject its values.
  constexpr bool may_overwrite_state(const block& of, const ir::node& n, std::int32_t i) const {
    const std::int32_t wanted = g.states[static_cast<std::size_t>(&of - plan.blocks.data())].next;
    if (i <= last_fallible) return false;
    std::int32_t made = g.outputs_of(n)[0];
    for (int steps_left = 8; made != wanted && steps_left > 0; --steps_left) {
      const std::int32_t reader = last_of(made);
      if (reads[static_cast<std::size_t>(made)] != 1 || reader >= static_cast<std::int32_t>(g.nodes.size()))
        return false;
      const ir::node& next = g.nodes[static_cast<std::size_t>(reader)];
      if (next.op->traits.result != storage::in_place && next.op->traits.result != storage::alias_of_input)
        return false;
      if (g.at(g.outputs_of(next)[0]).desc.bytes() != of.bytes) return false;
      made = g.outputs_of(next)[0];
    }
    return made == wanted && g.at(made).desc.bytes() == of.bytes;
  }
  /// Whether a block belongs to a state.
  constexpr bool is_of_state(const block& b) const { return &b - plan.blocks.data() < plan.state_blocks; }

  /// An operand of the node's result size that no step after i reads; none if there is none. A state is preferred if
  /// the result becomes its next value. Otherwise it is the operand that was made last, which is still in the cache.
  /// That operand may also be made in stripes (exec/find_stripes.hpp), which read older operands.
  constexpr std::int32_t operand_to_overwrite(const ir::node& n, std::int32_t i) {
    const tensor_desc& y = g.at(g.outputs_of(n)[0]).desc;
    std::int32_t newest = ir::none;
    for (const std::int32_t id : g.inputs_of(n)) {
      block* const b = block_of(id);
      if (b == nullptr || b->last != i || g.at(id).desc.bytes() != y.bytes() || g.at(id).desc.type != y.type ||
          spoils_another(n, id))
        continue;
      if (is_of_state(*b)) {
        if (may_overwrite_state(*b, n, i)) return id;
      } else if (newest == ir::none || block_of(newest)->first < b->first) {
        newest = id;
      }
    }
    return newest;
  }

  /// Whether the part is contiguous in the whole: its extent is 1 on every axis before the last axis that is cut.
  static constexpr bool is_one_piece(const tensor_desc& whole, const tensor_desc& part) {
    int cut = whole.rank() - 1;
    while (cut >= 0 && whole.shape[cut] == part.shape[cut]) --cut;
    for (int axis = 0; axis < cut; ++axis)
      if (part.shape[axis] != 1) return false;
    return true;
  }

  /// Whether concat's operands can be written directly into its result. Each must fill a block that has no parent, and
  /// be given once. Then these blocks get a parent, which join() makes.
  constexpr bool can_join(const ir::node& n) {
    const array_ref<const std::int32_t> ids = g.inputs_of(n);
    const tensor_desc& whole = g.at(g.outputs_of(n)[0]).desc;
    std::size_t joined = 0;
    while (joined < ids.size() && give_away(ids[joined], whole)) ++joined;
    if (joined == ids.size()) return true;
    while (joined > 0) plan.block_at(plan.at(ids[--joined]).block).parent = ir::none;
    return false;
  }
  constexpr bool give_away(std::int32_t id, const tensor_desc& whole) {
    constexpr std::int32_t to_come = -2;
    const location at = plan.at(id);
    if (at.block == ir::none || at.block < plan.state_blocks || at.offset != 0) return false;
    if (g.at(id).desc.quantised != whole.quantised) return false;  // quantised values would change on the way
    block& b = plan.block_at(at.block);
    if (b.parent != ir::none || b.bytes != g.at(id).desc.bytes() || b.bytes == 0 || !is_one_piece(whole, g.at(id).desc))
      return false;
    b.parent = to_come;
    return true;
  }
  constexpr void join(const ir::node& n, std::int32_t i) {
    const std::int32_t y = g.outputs_of(n)[0];
    const std::int32_t whole = plan.add_block(g.at(y).desc.bytes(), i, std::max(i, last_of(y)));
    plan.at(y) = {whole, 0, ir::none};
    has_joined = true;
    std::int64_t offset = 0;
    for (const std::int32_t id : g.inputs_of(n)) {
      block& part = plan.block_at(plan.at(id).block);
      part.parent = whole;
      part.offset_in_parent = offset;
      offset += part.bytes;
      plan.block_at(whole).first = std::min(plan.block_at(whole).first, part.first);
      plan.block_at(whole).last = std::max(plan.block_at(whole).last, part.last);
    }
  }

  constexpr bool can_view(const ir::node& n) const {
    if (!n.op->traits.outputs_are_parts) return false;
    for (const std::int32_t id : g.outputs_of(n))
      if (!is_one_piece(g.at(g.inputs_of(n)[0]).desc, g.at(id).desc)) return false;
    return true;
  }
  constexpr void view(const ir::node& n) {
    const ir::operand_list operands(g, g.inputs_of(n), known);
    pool<tensor_desc> descs;
    for (const std::int32_t id : g.outputs_of(n)) descs.push_back(g.at(id).desc);
    for (std::size_t i = 0; i < descs.size(); ++i) {
      const std::int64_t offset = n.op->part_offset(g.attrs_of(n), operands.operands, descs, static_cast<int>(i));
      share(g.inputs_of(n)[0], g.outputs_of(n)[i], offset * size_of(descs[i].type));
    }
  }

  /// Places the results of node i over its operands if they need no work; true if that was possible.
  constexpr bool elide(const ir::node& n, std::int32_t i) {
    if (n.op->traits.result == storage::alias_of_input) return share(g.inputs_of(n)[0], g.outputs_of(n)[0], 0), true;
    if (can_view(n)) return view(n), true;
    if (n.op->traits.joins_inputs && !is_known(g.outputs_of(n)[0]) && can_join(n)) return join(n, i), true;
    return false;
  }

  constexpr void assign(const ir::node& n, std::int32_t i) {
    if (n.op->traits.result == storage::in_place) {
      const std::int32_t overwritten = operand_to_overwrite(n, i);
      if (overwritten != ir::none) return share(overwritten, g.outputs_of(n)[0], 0);
    }
    for (const std::int32_t id : g.outputs_of(n))
      plan.at(id) = {plan.add_block(g.at(id).desc.bytes(), i, std::max(i, last_of(id))), 0, ir::none};
  }

  /// Runs after all assignments: places the next value of a state in the state's memory, if no step reads the state by
  /// then.
  constexpr void put_states_in_place() {
    for (std::int32_t k = 0; k < plan.state_blocks; ++k) {
      const location next = resolve(plan.at(g.states[static_cast<std::size_t>(k)].next));
      if (next.block < plan.state_blocks || next.offset != 0)
        continue;  // already in place, another state, or a value that no node makes at run time
      block& made = plan.block_at(next.block);
      if (made.bytes != plan.block_at(k).bytes || made.first <= plan.block_at(k).last || made.first <= last_fallible)
        continue;
      made.parent = k, made.offset_in_parent = 0;
      has_joined = true;
    }
    for (std::int32_t k = 0; k < plan.state_blocks; ++k)
      plan.block_at(k).last = static_cast<std::int32_t>(g.nodes.size());
  }
};

}  // namespace detail

/// Makes blocks for the states and the values that are computed at run time. place_blocks() sets offsets, once scratch
/// memory is added. After the deadline, the remaining nodes are skipped.
constexpr memory_plan assign_blocks(const ir::graph& g, array_ref<const char> known, const deadline_watch& watch = {}) {
  detail::block_assigner assigner(g, known);
  for (std::size_t i = 0; i < g.nodes.size() && (i % 16 != 0 || !watch.is_over()); ++i) {
    const ir::node& n = g.nodes[i];
    if (assigner.elide(n, static_cast<std::int32_t>(i))) assigner.plan.elided[i] = 1;
    // known values are in other memory
    else if (!assigner.is_known(g.outputs_of(n)[0])) assigner.assign(n, static_cast<std::int32_t>(i));
  }
  assigner.put_states_in_place();
  if (assigner.has_joined)
    for (std::size_t i = assigner.plan.blocks.size(); i-- > 0;)  // parents have higher indices than their parts
      if (block& part = assigner.plan.blocks[i]; part.parent != ir::none) assigner.plan.skip_parent(part);
  return static_cast<memory_plan&&>(assigner.plan);
}

/// For networks that run in nanoseconds, before place_blocks(): if all blocks fit into one page, they share no memory.
/// Otherwise the first vector store of a run may overlap a scalar that the last run stored at the end, and its loads
/// stall. Measured: a quarter of the time of MLP 8-16-16-1 on Zen 4.
constexpr void keep_apart(memory_plan& plan, std::size_t steps) {
  constexpr std::int64_t page = 4096;
  std::int64_t bytes = 0;
  for (const block& b : plan.blocks)
    if (b.parent == ir::none) bytes += aligned(b.bytes);
  if (bytes > page) return;
  for (block& b : plan.blocks) b.last = static_cast<std::int32_t>(steps);
}

/// Sets the offsets of the blocks; `steps` is the number of nodes of the graph. After the deadline, offsets are
/// invalid.
constexpr void place_blocks(memory_plan& plan, std::size_t steps, const deadline_watch& watch = {}) {
  pool<std::int32_t> outermost;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (plan.blocks[i].parent == ir::none && plan.blocks[i].bytes > 0)
      outermost.push_back(static_cast<std::int32_t>(i));
  plan.lower_bound = detail::max_bytes_in_use(plan.blocks, outermost, static_cast<std::int32_t>(steps));
  plan.arena_bytes = detail::place(plan.blocks, static_cast<pool<std::int32_t>&&>(outermost),
                                   static_cast<std::int32_t>(steps), plan.lower_bound, watch);
}

}}}  // namespace nnrt::NNRT_ISA::passes
