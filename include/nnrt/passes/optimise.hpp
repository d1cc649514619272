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

/// Replaces idioms before and after transposes are moved: channels that come second may come last then.
constexpr bool find_idioms_and_sink_transposes(ir::graph& g, const deadline_watch& watch,
                                               const idiom_operators* operators) {
  const bool has_transposes = detail::transposed_bytes(g) > 0;
  if (operators != nullptr && !find_idioms(g, *operators, watch)) return false;
  if (!has_transposes) return true;
  if (!sink_transposes(g, watch) || !merge_common_nodes(g, watch)) return false;
  return operators == nullptr || find_idioms(g, *operators, watch);
}

/// Runs every pass. Idioms are replaced by these operators and those of the graph; nullptr: they stay. After the
/// deadline it returns false and leaves the graph incomplete.
constexpr bool optimise(ir::graph& g, const deadline_watch& watch = {}, const idiom_operators* operators = nullptr) {
  return remove_dead_nodes(g, watch) && evaluate_constants(g, watch) && merge_common_nodes(g, watch) &&
         find_idioms_and_sink_transposes(g, watch, operators) && fold_into_weights(g, watch) &&
         fuse_activations(g, watch) && remove_dead_nodes(g, watch);
}

/// The operators that the idioms of a graph need. No idiom is replaced.
constexpr pool<typed_operator> wanted_for_idioms(ir::graph g) {
  pool<typed_operator> wanted;
  if (!detail::may_need_operators(g)) return wanted;
  remove_dead_nodes(g), evaluate_constants(g), merge_common_nodes(g);
  const idiom_operators finding{{}, &wanted};
  find_idioms_and_sink_transposes(g, {}, &finding);
  return wanted;
}

}}}  // namespace nnrt::NNRT_ISA::passes
