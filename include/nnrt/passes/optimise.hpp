// optimise: the passes in their order.
// Flow: static graphs run it in constant evaluation, compile() at run time; make_plan() follows.
#pragma once

#include <nnrt/passes/eliminate.hpp>
#include <nnrt/passes/evaluate.hpp>
#include <nnrt/passes/fold.hpp>
#include <nnrt/passes/fuse.hpp>

namespace nnrt::inline NNRT_ISA::passes {

/// Every pass, each where it finds most to do.
constexpr void optimise(ir::graph& g) {
  remove_dead_nodes(g);
  evaluate_constants(g);
  merge_common_nodes(g);
  fold_into_weights(g);
  fuse_activations(g);
  remove_dead_nodes(g);
}

}  // namespace nnrt::inline NNRT_ISA::passes
