// open_states: turns a network's states into inputs and outputs, for callers that store them between runs.
// Flow: used for models of the C functions and of hbDNN; their callers pass each output to the next run.
#pragma once

#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Makes of each state an input and an output of its name, after the others and in order of declaration. The input is
/// the state's value, the output its next value. The caller must supply the initial values.
constexpr void open_states(ir::graph& g) {
  for (const ir::state& s : g.states) {
    g.at(s.value).is = ir::kind::input;
    g.inputs.push_back(s.value);
    g.outputs.push_back({s.next, g.at(s.value).name});
  }
  g.states.clear();
}

}}}  // namespace nnrt::NNRT_ISA::passes
