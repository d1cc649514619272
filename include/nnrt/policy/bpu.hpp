// bpu: the policy that runs a graph as an int8 accelerator would - the nodes that it runs, and where the rest runs.
// Flow: supports, partition and dot() ask it in constant evaluation; dynamic_bpu answers at run time.
#pragma once

#include <nnrt/core/fixed_string.hpp>
#include <nnrt/passes/partition.hpp>
#include <nnrt/policy/alignment.hpp>
#include <nnrt/policy/check_node.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// An option of a policy: a graph that needs the processor does not compile.
struct strict {};

/// An option of a policy: nodes of these names run on the processor, even if the accelerator could run them. A name
/// that no node has is a compile error of partition and calibrate().
template <fixed_string... Names> struct on_processor {};

/// Where a node runs. `before_the_network`: its operands are known, so it runs once before the network does.
enum class node_place { accelerator, processor, before_the_network };

/// The placement of one node.
struct node_placement {
  node_place place = node_place::accelerator;
  std::int32_t segment = -1;   // -1: none, since it runs before the network
  accelerator_verdict reason;  // why it runs on the processor
};

/// The placement of all nodes of a graph.
struct graph_placement {
  pool<node_placement> nodes;
  pool<node_place> segments;  // in execution order
};

/// An architecture: a type with a table of its operators and limits.
template <class T>
concept accelerator_architecture = requires { static_cast<const accelerator&>(T::table); };

/// Says where nodes run, like `bpu<…>`, for an architecture that is chosen at run time.
struct dynamic_bpu {
  const accelerator* table = nullptr;
  bool is_strict = false;
  // names of nodes that run on the processor, even if the accelerator could run them
  array_ref<const std::string_view> on_processor = {};

  /// The first limit that a node breaks. Operators that run on request only are not reported.
  constexpr accelerator_verdict check(const ir::graph& g, const ir::node& n, const detail::graph_facts& about) const {
    for (const std::string_view name : on_processor)
      if (!name.empty() && name == g.name_of(n.name))
        return detail::broken_limit(accelerator_rule::node_must_be_wanted_on_the_accelerator, 0, 1);
    return check_node(*table, g, n, about);
  }

  /// The placement of each node of an optimised graph, and why some run on the processor. Operators that the
  /// architecture runs on request only are on the processor, unless the policy is strict.
  constexpr graph_placement place(const ir::graph& g) const {
    graph_placement made;
    pool<int> places;
    const detail::graph_facts about(g);
    for (const ir::node& n : g.nodes) {
      node_placement at;
      if (about.is_prepared(g, n)) at.place = node_place::before_the_network;
      else at.reason = check_or_defer(g, n, about);
      if (!at.reason) at.place = node_place::processor;
      made.nodes.push_back(at);
      places.push_back(at.place == node_place::before_the_network ? passes::no_place
                       : at.place == node_place::processor        ? 1
                                                                  : 0);
    }
    const passes::segmentation cut = passes::cut_into_segments(g, places);
    for (std::size_t i = 0; i < made.nodes.size(); ++i) made.nodes[i].segment = cut.segment_of[i];
    for (const int at : cut.place_of_segment)
      made.segments.push_back(at == 0 ? node_place::accelerator : node_place::processor);
    return made;
  }

 private:
  constexpr accelerator_verdict check_or_defer(const ir::graph& g, const ir::node& n,
                                               const detail::graph_facts& about) const {
    const accelerator_verdict v = check(g, n, about);
    if (!v || is_strict) return v;
    const std::size_t row = detail::row_for(*table, detail::name_in_table(detail::node_facts(g, n, about)));
    return table->operators[row].runs == placement::if_asked
               ? detail::broken_limit(accelerator_rule::operator_must_be_asked_for, 0, 1)
               : v;
  }
};

namespace detail {
template <class Option> constexpr void add_names(Option, pool<std::string_view>&) {}
template <fixed_string... Names> constexpr void add_names(on_processor<Names...>, pool<std::string_view>& all) {
  (all.push_back(Names.view()), ...);
}

template <class T> inline constexpr bool is_policy_option = std::is_same_v<T, strict>;
template <fixed_string... Names> inline constexpr bool is_policy_option<on_processor<Names...>> = true;
}  // namespace detail

/// An option of `bpu<…>`: strict, or `on_processor<"name", …>`.
template <class T>
concept policy_option = detail::is_policy_option<T>;

/// The policy of an architecture with options: `bpu<bayes>`, `bpu<bernoulli2, strict>`,
/// `bpu<bayes, on_processor<"head">>`.
template <accelerator_architecture Architecture, policy_option... Options> struct bpu {
  using architecture = Architecture;
  static constexpr const accelerator& table = Architecture::table;
  static constexpr bool is_strict = (std::is_same_v<Options, strict> || ...);

  /// As dynamic_bpu's.
  static constexpr accelerator_verdict check(const ir::graph& g, const ir::node& n, const detail::graph_facts& about) {
    const pool<std::string_view> kept = names();
    return dynamic_bpu{&table, is_strict, kept}.check(g, n, about);
  }
  static constexpr graph_placement place(const ir::graph& g) {
    const pool<std::string_view> kept = names();
    return dynamic_bpu{&table, is_strict, kept}.place(g);
  }

 private:
  static constexpr pool<std::string_view> names() {
    pool<std::string_view> all;
    (detail::add_names(Options{}, all), ...);
    return all;
  }
};

}}  // namespace nnrt::NNRT_ISA
