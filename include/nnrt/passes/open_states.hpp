// open_states: a network's states as inputs and outputs, for callers who have no place for what lives from run to run.
// Flow: models of the C functions and of hbDNN's are made so; there the caller hands each output to the next run.
#pragma once

#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Makes of each state an input and an output of its name, after the others and in order of declaration: a run gets the
/// state, and gives what it becomes. What states begin with is for the caller to know.
constexpr void open_states(ir::graph& g) {
  for (const ir::state& s : g.states) {
    g.at(s.value).is = ir::kind::input;
    g.inputs.push_back(s.value);
    g.outputs.push_back({s.next, g.at(s.value).name});
  }
  g.states.clear();
}

}}}  // namespace nnrt::NNRT_ISA::passes
