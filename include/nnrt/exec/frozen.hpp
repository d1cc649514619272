// frozen: graphs and plans as arrays of exact size, so that constant evaluation can store them.
// Flow: static_graph.hpp evaluates each stage into oversized arrays and keeps arrays of exact size.
#pragma once

#include <nnrt/exec/frozen_members.hpp>
#include <nnrt/exec/plan.hpp>
#include <nnrt/exec/plan_sizes.hpp>
#include <nnrt/passes/plan_memory.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// An ir::graph as arrays.
template <graph_sizes N> struct frozen_graph {
  static constexpr graph_sizes sizes = N;
  std::array<ir::value, N.values> values{};
  std::array<ir::node, N.nodes> nodes{};
  std::array<std::int32_t, N.inputs> inputs{};
  std::array<ir::output, N.outputs> outputs{};
  std::array<ir::state, N.states> states{};
  std::array<std::int32_t, N.operands> operands{};
  std::array<word, N.words> words{};
  std::array<char, N.text> text{};
  std::array<std::byte, N.bytes> bytes{};
  std::array<ir::event, N.log> log{};

  /// From an ir::graph or a larger frozen graph.
  template <class Graph> constexpr explicit frozen_graph(const Graph& g) {
    copy(g.values, values);
    copy(g.nodes, nodes);
    copy(g.inputs, inputs);
    copy(g.outputs, outputs);
    copy(g.states, states);
    copy(g.operands, operands);
    copy(g.words, words);
    copy(g.text, text);
    copy(g.bytes, bytes);
    copy(g.log, log);
  }

  /// The graph with its pools as vectors again, for the next pass.
  constexpr ir::graph thaw() const { return thaw(N); }
  /// As above, for arrays of which only the first elements are used.
  constexpr ir::graph thaw(const graph_sizes& used) const {
    ir::graph g;
    g.values.insert(values.begin(), values.begin() + used.values);
    g.nodes.insert(nodes.begin(), nodes.begin() + used.nodes);
    g.inputs.insert(inputs.begin(), inputs.begin() + used.inputs);
    g.outputs.insert(outputs.begin(), outputs.begin() + used.outputs);
    g.states.insert(states.begin(), states.begin() + used.states);
    g.operands.insert(operands.begin(), operands.begin() + used.operands);
    g.words.insert(words.begin(), words.begin() + used.words);
    g.text.insert(text.begin(), text.begin() + used.text);
    g.bytes.insert(bytes.begin(), bytes.begin() + used.bytes);
    g.log.insert(log.begin(), log.begin() + used.log);
    return g;
  }
};

/// A plan as arrays, which are stored in .rodata.
template <plan_sizes N> struct frozen_plan {
  static constexpr plan_sizes sizes = N;
  std::array<step, N.steps> steps{};
  std::array<step, N.prepare> prepare{};
  std::array<stripe_group, N.stripes> stripes{};
  std::array<row_window, N.windows> windows{};
  std::array<operand_slot, N.slots> slots{};
  std::array<tensor_desc, N.descs> descs{};
  std::array<word, N.words> words{};
  std::array<port, N.inputs> inputs{};
  std::array<port, N.outputs> outputs{};
  std::array<port, N.weights> weights{};
  std::array<state_port, N.states> states{};
  std::array<fallible_node, N.fallible> fallible{};
  std::array<char, N.text> text{};
  alignas(passes::arena_alignment) std::array<std::byte, N.constants> constants{};
  std::int64_t arena_bytes, arena_lower_bound, prepared_bytes, prepare_scratch_bytes, part_scratch_bytes,
      steps_before_states;

  /// From a plan or a larger frozen plan.
  template <class Plan>
  constexpr explicit frozen_plan(const Plan& p)
      : arena_bytes(p.arena_bytes),
        arena_lower_bound(p.arena_lower_bound),
        prepared_bytes(p.prepared_bytes),
        prepare_scratch_bytes(p.prepare_scratch_bytes),
        part_scratch_bytes(p.part_scratch_bytes),
        steps_before_states(p.steps_before_states) {
    copy(p.steps, steps);
    copy(p.prepare, prepare);
    copy(p.stripes, stripes);
    copy(p.windows, windows);
    copy(p.slots, slots);
    copy(p.descs, descs);
    copy(p.words, words);
    copy(p.inputs, inputs);
    copy(p.outputs, outputs);
    copy(p.weights, weights);
    copy(p.states, states);
    copy(p.fallible, fallible);
    copy(p.text, text);
    copy(p.constants, constants);
  }
};

/// A graph or plan in oversized arrays together with its sizes, so that one evaluation gives both.
template <class Frozen> struct oversized {
  std::remove_const_t<decltype(Frozen::sizes)> sizes;
  Frozen held;

  template <class Whole> constexpr explicit oversized(const Whole& from) : sizes(sizes_of(from)), held(from) {}
  constexpr bool holds_all() const { return fits(sizes, Frozen::sizes); }
};

}}}  // namespace nnrt::NNRT_ISA::detail
