// optimise: the passes in their order.
// Flow: static graphs run it in constant evaluation, compile() at run time; make_plan() follows.
#pragma once

#include <nnrt/passes/eliminate.hpp>
#include <nnrt/passes/evaluate.hpp>
#include <nnrt/passes/fold.hpp>
#include <nnrt/passes/fuse.hpp>
#include <nnrt/passes/layout.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Runs every pass. After the deadline it returns false and leaves the graph incomplete.
constexpr bool optimise(ir::graph& g, const deadline_watch& watch = {}) {
  return remove_dead_nodes(g, watch) && evaluate_constants(g, watch) && merge_common_nodes(g, watch) &&
         sink_transposes(g, watch) && merge_common_nodes(g, watch) && fold_into_weights(g, watch) &&
         fuse_activations(g, watch) && remove_dead_nodes(g, watch);
}

}}}  // namespace nnrt::NNRT_ISA::passes
