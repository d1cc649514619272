// plan_sizes: sizes of the lists of graphs and plans, and estimates of the sizes after the next stage.
// Flow: make_plan.hpp reserves these sizes; frozen.hpp makes arrays of them, to evaluate each stage only once.
#pragma once

#include <nnrt/exec/plan.hpp>
#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Sizes of all pools of a graph.
struct graph_sizes {
  std::size_t values, nodes, inputs, outputs, states, operands, words, text, bytes, log;
};

template <class Graph> constexpr graph_sizes sizes_of(const Graph& g) {
  return {g.values.size(),   g.nodes.size(), g.inputs.size(), g.outputs.size(), g.states.size(),
          g.operands.size(), g.words.size(), g.text.size(),   g.bytes.size(),   g.log.size()};
}

constexpr bool fits(const graph_sizes& n, const graph_sizes& room) {
  return n.values <= room.values && n.nodes <= room.nodes && n.inputs <= room.inputs && n.outputs <= room.outputs &&
         n.states <= room.states && n.operands <= room.operands && n.words <= room.words && n.text <= room.text &&
         n.bytes <= room.bytes && n.log <= room.log;
}

/// Sizes of all lists of a plan.
struct plan_sizes {
  std::size_t steps, prepare, stripes, windows, slots, descs, words, inputs, outputs, weights, states, fallible, text,
      constants;
};

constexpr plan_sizes sizes_of(const plan& p) {
  return {p.steps.size(),  p.prepare.size(),  p.stripes.size(), p.windows.size(),  p.slots.size(),
          p.descs.size(),  p.words.size(),    p.inputs.size(),  p.outputs.size(),  p.weights.size(),
          p.states.size(), p.fallible.size(), p.text.size(),    p.constants.size()};
}

constexpr bool fits(const plan_sizes& n, const plan_sizes& room) {
  return n.steps <= room.steps && n.prepare <= room.prepare && n.stripes <= room.stripes && n.windows <= room.windows &&
         n.slots <= room.slots && n.descs <= room.descs && n.words <= room.words && n.inputs <= room.inputs &&
         n.outputs <= room.outputs && n.weights <= room.weights && n.states <= room.states &&
         n.fallible <= room.fallible && n.text <= room.text && n.constants <= room.constants;
}

/// Estimated sizes of an optimised graph: passes add prepared weights and log entries.
constexpr graph_sizes room_to_optimise(graph_sizes n) {
  n.words += n.values / 4;
  n.values += n.values / 4;
  n.operands += n.operands + n.nodes;
  n.bytes += 40 * n.nodes;  // folded numbers and lists of axes
  n.log += n.nodes;
  return n;
}
/// Estimated sizes of a plan.
constexpr plan_sizes room_to_plan(const graph_sizes& n) {
  return {.steps = n.nodes + n.states,
          .prepare = n.nodes,
          .stripes = n.nodes / 2,
          .windows = n.nodes,
          .slots = 2 * n.operands + 4 * n.nodes + 4 * n.states + 16,
          .descs = n.values + 8,
          .words = n.words + kernel_plan::max_words * n.nodes,
          .inputs = n.inputs,
          .outputs = n.outputs,
          .weights = n.values > n.nodes ? n.values - n.nodes : 0,
          .states = n.states,
          .fallible = n.nodes / 4,
          .text = n.text,
          .constants = n.bytes};
}

}}}  // namespace nnrt::NNRT_ISA::detail
