// random_states: a random graph some of whose inputs are states, which become anything that they can.
// Flow: property tests of the memory planner, of sessions and of stored programs.
#pragma once

#include "support/random_graph.hpp"

#include <string>
#include <vector>

namespace nnrt_test {

/// The graph of a seed with a state in place of most inputs. One input at least is left where there are several. What a
/// state becomes is any value of its shape: a result, itself, another state, an input, a weight, a constant.
inline ir::graph with_random_states(std::uint32_t seed) {
  ir::graph g = random_graph(seed).made();
  std::uint32_t number = seed * 747796405U + 2891336453U;
  const auto below = [&](std::size_t n) {
    number = number * 1664525U + 1013904223U;
    return static_cast<std::size_t>(number >> 10U) % n;
  };
  const pool<std::int32_t> declared = g.inputs;
  g.inputs.clear();
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (i > 0 && below(4) == 0) g.inputs.push_back(declared[i]);
    else g.at(declared[i]).is = ir::kind::state, g.states.push_back({declared[i], ir::none, ir::none});
  }
  for (int further = static_cast<int>(below(4)); further > 0; --further) {  // of a shape that results have, too
    const tensor_desc desc = g.at(g.outputs_of(g.nodes[below(g.nodes.size())])[0]).desc;
    const std::int32_t id =
        g.add_value({desc, ir::kind::state, g.add_text("s" + std::to_string(further)), 0, ir::none});
    g.states.push_back({id, ir::none, ir::none});
    if (below(2) == 0) g.outputs.push_back({id, g.add_text("of s" + std::to_string(further))});
  }
  for (ir::state& s : g.states) {
    std::vector<std::int32_t> alike, known;
    for (std::size_t id = 0; id < g.values.size(); ++id) {
      if (!(g.values[id].desc == g.at(s.value).desc)) continue;
      alike.push_back(static_cast<std::int32_t>(id));
      if (g.values[id].is == ir::kind::constant || g.values[id].is == ir::kind::weight) known.push_back(alike.back());
    }
    s.next = below(3) == 0 ? alike[below(alike.size())] : alike[alike.size() - 1 - below(alike.size()) / 2];
    if (!known.empty() && below(2) == 0) s.initial = known[below(known.size())];
  }
  return g;
}

}  // namespace nnrt_test
