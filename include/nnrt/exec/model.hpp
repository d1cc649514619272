// model: a network at run time, before it is compiled - a graph and the weights that it names.
// Flow: readers and to_model<graph<f>>() make it, compile() checks it and turns it into a program.
#pragma once

// First: the list of operators is instantiated below, and must find its kernels.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/result.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/ir/graph.hpp>
#include <nnrt/ops/registry.hpp>

namespace nnrt::inline NNRT_ISA {

/// A graph with its weights. Plain data: readers fill it, users may look at it and change it; compile() checks everything.
struct model {
  ir::graph graph;
  nnrt::weights weights;
};

/// The network of a static graph as a model, for compile(), saving and tools. `file` has the weights that it names; compile() binds them.
/// Error: not_supported, naming an operator that is not in the list (a user's own).
template <class G> result<model> to_model(const weights& file = {}) {
  model made{G::ir(), file};
  for (ir::node& n : made.graph.nodes) {
    // A static graph's operator knows one dtype and no texts; the list's knows all.
    const operator_info* const listed = ops::find(n.op->code);
    if (listed == nullptr) return fail(error_code::not_supported, "operator " + std::string(n.op->name) + " is not in the list of operators");
    n.op = listed;
    n.label = listed->label;
  }
  return made;
}

}  // namespace nnrt::inline NNRT_ISA
