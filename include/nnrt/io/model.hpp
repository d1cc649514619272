// model: a network at run time, before it is compiled - a graph and the weights that it names.
// Flow: readers and to_model<graph<f>>() make it, compile() checks it and turns it into a program.
#pragma once

// First: operators must find their kernels wherever they are named, and alike in all units of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/result.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/ir/graph.hpp>

namespace nnrt::inline NNRT_ISA {

/// A graph with its weights. Plain data: readers fill it, users may look at it and change it; compile() checks everything.
struct model {
  ir::graph graph;
  nnrt::weights weights;
};

/// The network of a static graph as a model, for compile(), saving and tools. `file` has the weights that it names; compile() binds them.
/// Its operators compute on the dtypes that the network gave them: who changes the dtypes of the model's values also puts dynamic_operator<Op>,
/// or what ops::find(code) finds, into its nodes. (Doing so here would compile every operator for every dtype into each program.)
template <class G> result<model> to_model(const weights& file = {}) { return model{G::ir(), file}; }

}  // namespace nnrt::inline NNRT_ISA
