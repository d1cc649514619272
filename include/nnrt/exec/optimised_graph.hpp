// optimised_graph: the passes on a static graph, in several evaluations if it is large.
// Flow: static_graph.hpp plans the result. clang allows an evaluation a million steps, and all passes on two hundred
// nodes take more.
#pragma once

#include <nnrt/exec/frozen.hpp>
#include <nnrt/exec/idiom_operators.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/passes/optimise.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Graphs with at most this number of nodes, without idioms and transposes, are optimised in one evaluation.
inline constexpr std::size_t nodes_in_evaluation = 64;

/// The result of a stage. Stage::make() is the graph, Stage::room its estimated sizes.
template <class Stage> struct stored_stage {
  static constexpr oversized<frozen_graph<Stage::room>> roomy{Stage::make()};
  static constexpr graph_sizes sizes = roomy.sizes;

  /// In arrays of exact size, if the estimated sizes were too small.
  template <class = void> struct exact {
    static constexpr frozen_graph<sizes> held{Stage::make()};
  };
  static constexpr ir::graph thaw() {
    if constexpr (roomy.holds_all()) return roomy.held.thaw(sizes);
    else return exact<>::held.thaw();
  }
};

/// The operators that passes add to static graphs.
template <class List> struct with_moves;
template <class... Ops> struct with_moves<ops::type_list<Ops...>> {
  using list = ops::type_list<Ops..., ops::transpose, ops::reshape>;
};
using added_operators = operators_of_list<with_moves<idiom_results>::list>;

/// Operators that passes need and the graph does not have. Without those beyond the first 64, idioms and transposes
/// stay.
struct wanted_operators {
  std::array<typed_operator, 64> all{};
  std::size_t size = 0;

  constexpr void add(typed_operator one) {
    for (std::size_t i = 0; i < size; ++i)
      if (all[i] == one) return;
    if (size < all.size()) all[size++] = one;
  }
};
/// Those that replace idioms, and transposes and reshapes of each dtype if there is a transpose.
constexpr wanted_operators wanted_in(ir::graph g) {
  wanted_operators wanted;
  if (passes::detail::transposed_bytes(g) > 0)
    for (const ir::value& v : g.values) {
      if (v.is != ir::kind::result && v.is != ir::kind::weight) continue;
      wanted.add({ops::transpose::code, v.desc.type});
      wanted.add({ops::reshape::code, v.desc.type});
    }
  if (!passes::detail::may_need_operators(g)) return wanted;
  pool<typed_operator> for_idioms;
  const passes::idiom_operators finding{{}, &for_idioms};
  passes::find_idioms(g, finding);
  for (const typed_operator& one : for_idioms) wanted.add(one);
  return wanted;
}
/// The operators that a stage's graph needs, as a static graph has them.
template <class Stage> struct further_operators {
  static constexpr wanted_operators wanted = wanted_in(stored_stage<Stage>::thaw());
  static constexpr auto list = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<const operator_info*, sizeof...(I)>{
        added_operators::for_static_graph<wanted.all[I].code, wanted.all[I].type>()...};
  }(std::make_index_sequence<wanted.size>());
};

/// The passes in stages, each of which continues the one before.
template <const auto& Written> struct simplified {
  static constexpr graph_sizes room = Written.sizes;
  static constexpr ir::graph make() {
    ir::graph g = Written.thaw();
    passes::simplify(g);
    return g;
  }
};
/// A pass on the graph of the stage before, with the operators that the graph of stage `Needs` wants.
template <class Before, class Needs, auto Pass> struct next_stage {
  static constexpr graph_sizes room = room_to_optimise(stored_stage<Before>::sizes);
  static constexpr ir::graph make() {
    ir::graph g = stored_stage<Before>::thaw();
    Pass(g, {further_operators<Needs>::list});
    return g;
  }
};
inline constexpr auto idioms_pass = [](ir::graph& g, const passes::idiom_operators& more) {
  passes::find_idioms(g, more);
};
inline constexpr auto layout_pass = [](ir::graph& g, const passes::idiom_operators& more) {
  passes::sink_transposes(g, more.list);
};
inline constexpr auto idioms_again_pass = [](ir::graph& g, const passes::idiom_operators& more) {
  passes::find_idioms_again(g, more);
};
template <const auto& Written> using with_idioms = next_stage<simplified<Written>, simplified<Written>, idioms_pass>;
template <const auto& Written>
using with_moved_transposes = next_stage<with_idioms<Written>, simplified<Written>, layout_pass>;
template <const auto& Written>
using with_idioms_again = next_stage<with_moved_transposes<Written>, with_moved_transposes<Written>, idioms_again_pass>;
template <const auto& Written> constexpr ir::graph optimised_in_stages() {
  ir::graph g = stored_stage<with_idioms_again<Written>>::thaw();
  passes::join_layers(g);
  return g;
}
template <const auto& Written> constexpr ir::graph optimised_at_once() {
  ir::graph g = Written.thaw();
  passes::optimise(g);
  return g;
}
/// Whether one evaluation is enough, without further operators.
template <const auto& Written>
inline constexpr bool is_optimised_at_once = [] {
  if (Written.nodes.size() > nodes_in_evaluation) return false;
  const ir::graph g = Written.thaw();
  return passes::detail::transposed_bytes(g) == 0 && !passes::detail::may_need_operators(g);
}();
template <const auto& Written> constexpr ir::graph optimised_graph() {
  if constexpr (is_optimised_at_once<Written>) return optimised_at_once<Written>();
  else return optimised_in_stages<Written>();
}

/// The further operators of both stages, for plans of a static graph that are made at run time.
template <const auto& Written> array_ref<const operator_info* const> idiom_operators_at_run_time() {
  if constexpr (is_optimised_at_once<Written>) {
    return {};
  } else {
    using first = further_operators<simplified<Written>>;
    using second = further_operators<with_moved_transposes<Written>>;
    return []<std::size_t... I, std::size_t... K>(std::index_sequence<I...>, std::index_sequence<K...>) {
      static constexpr std::array<const operator_info*, sizeof...(I) + sizeof...(K)> all{
          &nnrt::at_run_time<first::list[I]>..., &nnrt::at_run_time<second::list[K]>...};
      return array_ref<const operator_info* const>(all);
    }(std::make_index_sequence<first::list.size()>(), std::make_index_sequence<second::list.size()>());
  }
}

}}}  // namespace nnrt::NNRT_ISA::detail
