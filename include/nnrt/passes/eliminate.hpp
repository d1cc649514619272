// eliminate: removes nodes whose results are not used, and nodes that compute the same as an earlier one.
// Flow: optimise() runs dead-node removal first and last, and merges common nodes in between.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/deadline.hpp>
#include <nnrt/core/hash.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes {

/// Removes every node whose outputs are not read. It visits the last nodes first, so that one sweep removes chains.
/// Like all passes below, it returns false after the deadline and leaves the graph incomplete.
constexpr bool remove_dead_nodes(ir::graph& g, const deadline_watch& watch = {}) {
  use_table table(g);
  for (std::size_t i = g.nodes.size(); i-- > 0;) {
    if (watch.is_over()) return false;
    ir::node& n = g.nodes[i];
    bool needed = false;
    for (const std::int32_t id : g.outputs_of(n)) needed = needed || table.uses_of(id) > 0;
    if (needed) continue;
    for (const std::int32_t id : g.inputs_of(n))
      if (id != ir::none) --table.uses[static_cast<std::size_t>(id)];
    g.log.push_back({ir::change::removed, n.label, nullptr, n.name});
    n.removed = true;
  }
  compact(g);
  return true;
}

namespace detail {

/// Hash of the operator, its operands, its attributes and the quantisation of its result, which a front end may choose.
constexpr std::uint64_t hash_of(const ir::graph& g, const ir::node& n) {
  using nnrt::detail::mix;
  std::uint64_t hash = mix(nnrt::detail::no_hash, static_cast<std::uint64_t>(n.op->code));
  for (const std::int32_t id : g.inputs_of(n)) hash = mix(hash, static_cast<std::uint64_t>(id));
  for (const word w : g.attrs_of(n)) hash = mix(hash, static_cast<std::uint64_t>(w));
  if (const quantisation& q = g.at(g.outputs_of(n)[0]).desc.quantised)
    hash = mix(mix(hash, std::bit_cast<std::uint32_t>(q.scale)), static_cast<std::uint64_t>(q.zero_point));
  return hash;
}

template <class T> constexpr bool equal(array_ref<const T> a, array_ref<const T> b) {
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  return same == a.size() && same == b.size();
}

/// Whether both nodes have results of equal descs. Front ends may choose different quantisations for equal nodes.
constexpr bool same_results(const ir::graph& g, const ir::node& a, const ir::node& b) {
  if (a.outputs.count != b.outputs.count) return false;
  for (std::size_t i = 0; i < g.outputs_of(a).size(); ++i)
    if (const ir::value &of_a = g.at(g.outputs_of(a)[i]), &of_b = g.at(g.outputs_of(b)[i]);
        of_a.desc != of_b.desc || of_a.scales != of_b.scales)
      return false;
  return true;
}

constexpr bool same_work(const ir::graph& g, const ir::node& a, const ir::node& b) {
  return a.op->code == b.op->code && equal(g.inputs_of(a), g.inputs_of(b)) && equal(g.attrs_of(a), g.attrs_of(b)) &&
         same_results(g, a, b);
}

}  // namespace detail

/// Of nodes with equal operator, operands and attributes, keeps only the first.
constexpr bool merge_common_nodes(ir::graph& g, const deadline_watch& watch = {}) {
  int bits = 4;
  while (std::size_t{1} << bits < 2 * g.nodes.size()) ++bits;
  const std::size_t slots = std::size_t{1} << bits;
  pool<std::int32_t> first_with;  // open addressing: node index or none
  first_with.assign(slots, ir::none);
  pool<std::int32_t> to = identity_of(g);
  bool changed = false;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (watch.is_over()) return false;
    ir::node& n = g.nodes[i];
    for (std::int32_t& id : g.inputs_of(n))
      if (id != ir::none) id = to[static_cast<std::size_t>(id)];
    std::size_t slot = nnrt::detail::slot_of(detail::hash_of(g, n), bits);
    while (first_with[slot] != ir::none &&
           !detail::same_work(g, g.nodes[static_cast<std::size_t>(first_with[slot])], n))
      slot = (slot + 1) & (slots - 1);
    if (first_with[slot] == ir::none) {
      first_with[slot] = static_cast<std::int32_t>(i);
      continue;
    }
    const ir::node& kept = g.nodes[static_cast<std::size_t>(first_with[slot])];
    for (std::int32_t k = 0; k < n.outputs.count; ++k)
      to[static_cast<std::size_t>(g.outputs_of(n)[static_cast<std::size_t>(k)])] =
          g.outputs_of(kept)[static_cast<std::size_t>(k)];
    g.log.push_back({ir::change::merged, n.label, kept.label, kept.name});
    n.removed = true;
    changed = true;
  }
  if (!changed) return true;
  compact(g);
  redirect(g, to);
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::passes
