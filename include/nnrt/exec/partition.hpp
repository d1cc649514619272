// partition: where each node of a static network runs under a policy, why, and whether the policy runs all of them.
// Flow: supports<Policy, graph<f>> and partition<Policy, graph<f>> are constant expressions; text() and
// graph<f>::dot<Policy>() print.
#pragma once

#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/policy/bpu.hpp>
#include <nnrt/policy/refusal.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The operator of a refused node, letter by letter.
template <char... Letters> struct of_operator;

/// A node of a partition.
struct placed_node {
  std::string_view name;  // empty: the node has no name
  std::string_view op;
  node_place place = node_place::accelerator;
  std::int32_t segment = -1;   // -1: it runs before the network
  accelerator_verdict reason;  // for a node on the processor: the limit that it breaks
};

/// Consecutive work in one place.
struct segment {
  node_place place = node_place::accelerator;
  std::int32_t nodes = 0;
};

namespace detail {

template <class Policy> inline constexpr bool has_limits = false;
template <class Architecture, class... Options> inline constexpr bool has_limits<bpu<Architecture, Options...>> = true;

template <class G> struct function_of;
template <auto Function> struct function_of<graph<Function>> {
  static constexpr auto value = Function;
};

/// The placement of a graph by a policy. A policy without limits has all nodes in one place.
template <class Policy> constexpr graph_placement place_by(const ir::graph& g) {
  if constexpr (has_limits<Policy>) return Policy::place(g);
  else {
    graph_placement made;
    const graph_facts about(g);
    for (const ir::node& n : g.nodes) {
      const bool is_early = about.is_prepared(g, n);
      made.nodes.push_back({is_early ? node_place::before_the_network : node_place::processor, is_early ? -1 : 0, {}});
      if (!is_early && made.segments.empty()) made.segments.push_back(node_place::processor);
    }
    return made;
  }
}

/// The first node that breaks a limit of the policy; node -1: none.
struct first_refusal {
  int node = -1;
  accelerator_verdict reason;
  std::size_t name_letters = 0, op_letters = 0;
};
template <class Policy, auto Function>
inline constexpr first_refusal refusal_by = [] {
  first_refusal found;
  if constexpr (has_limits<Policy>) {
    const ir::graph g = graph_optimised<Function>.thaw();
    const graph_facts about(g);
    for (std::size_t i = 0; i < g.nodes.size() && found.node < 0; ++i) {
      if (about.is_prepared(g, g.nodes[i])) continue;
      const accelerator_verdict v = Policy::check(g, g.nodes[i], about);
      if (!v)
        found = {static_cast<int>(i), v, static_cast<std::size_t>(g.nodes[i].name.count),
                 g.nodes[i].label->name.size()};
    }
  }
  return found;
}();

/// The compiler's error about that node: rule, values, name, operator, number.
template <class Policy, auto Function, class Name, class Op> struct refusal_in_words;
template <class Policy, auto Function, std::size_t... I, std::size_t... J>
struct refusal_in_words<Policy, Function, std::index_sequence<I...>, std::index_sequence<J...>> {
  static constexpr const first_refusal& at = refusal_by<Policy, Function>;
  static constexpr auto letters = [] {
    const ir::graph g = graph_optimised<Function>.thaw();
    const ir::node& n = g.nodes[static_cast<std::size_t>(at.node)];
    [[maybe_unused]] const std::string_view name = g.name_of(n.name), op = n.label->name;
    return std::pair<std::array<char, sizeof...(I) + 1>, std::array<char, sizeof...(J) + 1>>({name[I]..., '\0'},
                                                                                             {op[J]..., '\0'});
  }();
  using type = typename dsl::rejection<static_cast<accelerator_rule>(at.reason.rule), at.reason.counted,
                                       at.reason.actual, at.reason.expected, named<letters.first[I]...>,
                                       of_operator<letters.second[J]...>, nnrt::at_node<at.node>>::type;
};

/// No node is refused.
struct everything_is_taken {};
template <class Policy, auto Function, bool IsRefused> struct refusal_type {
  using type = everything_is_taken;
};
template <class Policy, auto Function> struct refusal_type<Policy, Function, true> {
  using type =
      typename refusal_in_words<Policy, Function, std::make_index_sequence<refusal_by<Policy, Function>.name_letters>,
                                std::make_index_sequence<refusal_by<Policy, Function>.op_letters>>::type;
};
template <class Policy, class G>
using refusal_of =
    typename refusal_type<Policy, function_of<G>::value, (refusal_by<Policy, function_of<G>::value>.node >= 0)>::type;

template <class Refusal> inline constexpr bool is_nothing = false;
template <> inline constexpr bool is_nothing<everything_is_taken> = true;
/// The compiler prints its argument if an assertion about a policy fails.
template <class Refusal>
concept nothing_refused = is_nothing<Refusal>;

template <class Policy, auto Function>
inline constexpr std::size_t segment_count = place_by<Policy>(graph_optimised<Function>.thaw()).segments.size();

}  // namespace detail

/// Whether the policy's accelerator can run every node of a network, including operators that it runs on request only.
/// If `static_assert(supports<bpu<bayes>, graph<f>>)` fails, the compiler prints the first refused node, the rule, the
/// value and the limit.
template <class Policy, class G>
concept supports = detail::nothing_refused<detail::refusal_of<Policy, G>>;

namespace detail {

/// Whether a node has this name once the passes have run.
template <auto Function, fixed_string Name>
inline constexpr bool has_node = [] {
  const ir::graph g = graph_optimised<Function>.thaw();
  for (const ir::node& n : g.nodes)
    if (g.name_of(n.name) == Name.view()) return true;
  return false;
}();
template <auto Function, fixed_string Name> constexpr void require_node() {
  static_assert(has_node<Function, Name>, "nnrt: on_processor names a node that the network does not have");
}
template <auto Function, class Option> constexpr void require_nodes(Option) {}
template <auto Function, fixed_string... Names> constexpr void require_nodes(on_processor<Names...>) {
  (require_node<Function, Names>(), ...);
}
template <auto Function, class Policy> inline constexpr int names_of_policy = 0;
template <auto Function, class Architecture, class... Options>
inline constexpr int names_of_policy<Function, bpu<Architecture, Options...>> =
    (require_nodes<Function>(Options{}), ..., 0);

template <class Policy, class G> struct partition_of {
  static constexpr auto function = function_of<G>::value;
  static constexpr const auto& optimised = graph_optimised<function>;
  static constexpr std::size_t node_count = optimised.nodes.size();

  /// The nodes after the passes, in execution order.
  std::array<placed_node, node_count> nodes{};
  /// In execution order.
  std::array<segment, segment_count<Policy, function>> segments{};
  int on_accelerator = 0, on_processor = 0;

  constexpr partition_of() {
    (void)names_of_policy<function, Policy>;
    if constexpr (requires { Policy::is_strict; })
      if constexpr (Policy::is_strict && !supports<Policy, G>) (void)sizeof(decltype(refusal_of<Policy, G>::report()));
    const graph_placement placed = place_by<Policy>(optimised.thaw());
    for (std::size_t i = 0; i < segments.size(); ++i) segments[i].place = placed.segments[i];
    for (std::size_t i = 0; i < node_count; ++i) {
      const node_placement& at = placed.nodes[i];
      const ir::range name = optimised.nodes[i].name;
      nodes[i] = {{text_optimised<function>.data() + name.first, static_cast<std::size_t>(name.count)},
                  optimised.nodes[i].label->name,
                  at.place,
                  at.segment,
                  at.reason};
      if (at.segment >= 0) ++segments[static_cast<std::size_t>(at.segment)].nodes;
      on_accelerator += at.place == node_place::accelerator ? 1 : 0;
      on_processor += at.place == node_place::processor ? 1 : 0;
    }
  }

  /// A line for each node: its segment, where it runs, and the limit that keeps it off the accelerator.
  [[gnu::cold]] std::string text() const {
    std::string out;
    for (const placed_node& n : nodes) {
      constexpr std::string_view places[] = {"accelerator", "processor", "before the network"};
      out += n.segment < 0 ? "-" : std::to_string(n.segment);
      append(out, {"  ", places[static_cast<int>(n.place)], "  "});
      if (n.reason)
        append(out, {n.op, n.name.empty() ? "" : " ", n.name.empty() ? piece("") : piece::in_quotes(n.name)});
      else out += to_string(n.reason, n.op, n.name);
      out += '\n';
    }
    return out;
  }
};

}  // namespace detail

/// The placement of a network under a policy: nodes, segments, and text() for people. If a strict policy refuses a
/// node, it is a compile error with the first node, the rule, the value and the limit.
template <class Policy, class G> inline constexpr detail::partition_of<Policy, G> partition{};

/// For `graph<f>::dot<Policy>()`: a colour for each node after the passes; neighbouring segments of one place differ.
template <class Policy, class G> array_ref<const std::string_view> colours_of_segments(Policy, const G*) {
  static constexpr auto colours = [] {
    constexpr std::string_view greens[] = {"#d7f0d2", "#a9dba0"}, oranges[] = {"#fde3c0", "#f8c68a"};
    constexpr const auto& placed = partition<Policy, G>;
    std::array<std::string_view, placed.nodes.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t shade = placed.nodes[i].segment / 2 % 2 == 1 ? 1 : 0;
      list[i] = placed.nodes[i].segment < 0                        ? std::string_view("#f6f6f6")
                : placed.nodes[i].place == node_place::accelerator ? greens[shade]
                                                                   : oranges[shade];
    }
    return list;
  }();
  return colours;
}

}}  // namespace nnrt::NNRT_ISA
