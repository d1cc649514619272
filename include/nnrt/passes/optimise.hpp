// optimise: the passes in their order.
// Flow: static graphs run it in constant evaluation, compile() at run time; make_plan() follows.
#pragma once

#include <nnrt/passes/eliminate.hpp>
#include <nnrt/passes/evaluate.hpp>
#include <nnrt/passes/fold.hpp>
#include <nnrt/passes/fuse.hpp>
#include <nnrt/passes/idioms.hpp>
#include <nnrt/passes/layout.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// The first passes: removes what no output needs, computes constants and merges common nodes.
constexpr bool simplify(ir::graph& g, const deadline_watch& watch = {}) {
  return remove_dead_nodes(g, watch) && evaluate_constants(g, watch) && merge_common_nodes(g, watch);
}
/// The passes after transposes were moved. Idioms are looked for again, because channels that came second may come last
/// now.
constexpr bool find_idioms_again(ir::graph& g, const idiom_operators& operators, const deadline_watch& watch = {}) {
  return merge_common_nodes(g, watch) && find_idioms(g, operators, watch);
}
/// The last passes: layers take arithmetic and activations after them.
constexpr bool join_layers(ir::graph& g, const deadline_watch& watch = {}) {
  return fold_into_weights(g, watch) && fuse_activations(g, watch) && remove_dead_nodes(g, watch);
}

/// Runs every pass. `operators` are those that passes may add to the graph in addition to its own: what
/// replaces idioms, transposes and reshapes. After the deadline it returns false and leaves the graph incomplete.
constexpr bool optimise(ir::graph& g, const deadline_watch& watch = {}, const idiom_operators& operators = {}) {
  if (!simplify(g, watch) || !find_idioms(g, operators, watch)) return false;
  const bool has_transposes = detail::transposed_bytes(g) > 0;
  if (has_transposes && !(sink_transposes(g, operators.list, watch) && find_idioms_again(g, operators, watch)))
    return false;
  return join_layers(g, watch);
}

}}}  // namespace nnrt::NNRT_ISA::passes
