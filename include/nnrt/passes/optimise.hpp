// optimise: the passes in their order.
// Flow: static graphs run it in constant evaluation, compile() at run time; make_plan() follows.
#pragma once

#include <nnrt/passes/eliminate.hpp>
#include <nnrt/passes/evaluate.hpp>
#include <nnrt/passes/fold.hpp>
#include <nnrt/passes/fuse.hpp>

namespace nnrt::inline NNRT_ISA::passes {

/// Every pass, each where it finds most to do, as long as `go_on()`, which is asked between them. Whether all have run.
template <class GoOn> constexpr bool optimise_while(ir::graph& g, GoOn go_on) {
  remove_dead_nodes(g);
  if (!go_on()) return false;
  evaluate_constants(g);
  if (!go_on()) return false;
  merge_common_nodes(g);
  if (!go_on()) return false;
  fold_into_weights(g);
  if (!go_on()) return false;
  fuse_activations(g);
  remove_dead_nodes(g);
  return true;
}

/// Every pass.
constexpr void optimise(ir::graph& g) {
  (void)optimise_while(g, [] { return true; });
}

}  // namespace nnrt::inline NNRT_ISA::passes
