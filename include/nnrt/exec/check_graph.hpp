// check_graph: whether a graph that arrived at run time is what the passes rely on, and what its operators' rules say.
// Flow: compile() calls it first; static graphs have been through the same rules in the compiler.
#pragma once

#include <nnrt/exec/diagnose.hpp>
#include <nnrt/passes/uses.hpp>

namespace nnrt::inline NNRT_ISA {

namespace detail {

inline error broken_graph(const std::string& what) { return {error_code::invalid_argument, "graph: " + what}; }

inline bool lies_in(ir::range at, std::size_t pool) {
  return at.first >= 0 && at.count >= 0 && static_cast<std::size_t>(at.first) + static_cast<std::size_t>(at.count) <= pool;
}

/// Ranges and ids of node i lie in their pools.
inline result<void> check_node_ranges(const ir::graph& g, std::size_t i) {
  const ir::node& n = g.nodes[i];
  const std::string where = "node " + std::to_string(i);
  if (n.op == nullptr) return fail(broken_graph(where + " has no operator"));
  if (!lies_in(n.attrs, g.words.size()) || !lies_in(n.inputs, g.operands.size()) || !lies_in(n.outputs, g.operands.size()) || !lies_in(n.name, g.text.size()))
    return fail(broken_graph(where + " (" + std::string(n.op->name) + ") points outside the graph's pools"));
  const auto count = static_cast<std::int32_t>(g.values.size());
  for (const std::int32_t id : g.inputs_of(n))
    if (id != ir::none && (id < 0 || id >= count))
      return fail(broken_graph(where + " (" + std::string(n.op->name) + ") reads value " + std::to_string(id) + " of " + std::to_string(count)));
  for (const std::int32_t id : g.outputs_of(n))
    if (id < 0 || id >= count)
      return fail(broken_graph(where + " (" + std::string(n.op->name) + ") writes value " + std::to_string(id) + " of " + std::to_string(count)));
  if (n.outputs.count < 1) return fail(broken_graph(where + " (" + std::string(n.op->name) + ") has no output"));
  return {};
}

inline result<void> check_values(const ir::graph& g) {
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    const ir::value& v = g.values[id];
    const std::string where = "value " + std::to_string(id);
    if (v.desc.shape.rank < 0 || v.desc.shape.rank > max_rank) return fail(broken_graph(where + " has rank " + std::to_string(v.desc.shape.rank) + ", expected 0 to 8"));
    if (v.desc.type == dtype::none) return fail(broken_graph(where + " has no dtype"));
    if (v.desc.elements() < 0) return fail(broken_graph(where + " has unknown extents, or more elements than memory can hold"));
    if (!lies_in(v.name, g.text.size())) return fail(broken_graph(where + " has a name outside the graph's text"));
    if (v.is == ir::kind::constant && (v.first_byte < 0 || v.first_byte + v.desc.bytes() > static_cast<std::int64_t>(g.bytes.size())))
      return fail(broken_graph(where + " is a constant outside the graph's bytes"));
  }
  return {};
}

/// Every value is made once, before it is read, by a node or as an input, weight or constant.
inline result<void> check_order(const ir::graph& g) {
  std::vector<char> made(g.values.size(), 0);
  for (std::size_t id = 0; id < g.values.size(); ++id) made[id] = g.values[id].is != ir::kind::result ? 1 : 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const std::string where = "node " + std::to_string(i) + " (" + std::string(g.nodes[i].op->name) + ")";
    for (const std::int32_t id : g.inputs_of(g.nodes[i]))
      if (id != ir::none && made[static_cast<std::size_t>(id)] == 0) return fail(broken_graph(where + " reads value " + std::to_string(id) + " before it is made"));
    for (const std::int32_t id : g.outputs_of(g.nodes[i])) {
      if (made[static_cast<std::size_t>(id)] != 0) return fail(broken_graph(where + " makes value " + std::to_string(id) + ", which is made already"));
      made[static_cast<std::size_t>(id)] = 1;
    }
  }
  for (const ir::output& out : g.outputs)
    if (out.value < 0 || static_cast<std::size_t>(out.value) >= g.values.size() || made[static_cast<std::size_t>(out.value)] == 0)
      return fail(broken_graph("output \"" + std::string(g.name_of(out.name)) + "\" is not made by any node"));
  return {};
}

/// What the operators' own rules say of node i and of the descs that its outputs declare.
inline result<void> check_rules(const ir::graph& g, const ir::node& n) {
  std::vector<tensor_desc> declared;
  for (const std::int32_t id : g.outputs_of(n)) declared.push_back(g.at(id).desc);
  const ir::operand_list operands(g, g.inputs_of(n));
  const verdict inferred = n.op->infer(g.attrs_of(n), operands.operands, declared);
  verdict broken = inferred ? verdict{} : inferred;
  if (broken) broken = require(signature_rule::output_count_must_match, std::int64_t{n.outputs.count}, static_cast<std::int64_t>(inferred.outputs.size()));
  for (std::size_t k = 0; k < declared.size() && broken; ++k)
    broken = require(signature_rule::declared_output_rank_must_match, std::int64_t{declared[k].rank()}, std::int64_t{inferred.outputs[k].rank()});
  if (!broken) return fail(error_code::rule_broken, to_string(broken, *n.op, g.name_of(n.name)));
  return {};
}

}  // namespace detail

/// Checks ids, order, sizes and every operator's rules. Errors: invalid_argument (a graph that no builder could have made), rule_broken.
inline result<void> check_graph(const ir::graph& g) {
  if (g.outputs.empty()) return fail(detail::broken_graph("has no output"));
  if (auto ok = detail::check_values(g); !ok) return ok;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (auto ok = detail::check_node_ranges(g, i); !ok) return ok;
  if (auto ok = detail::check_order(g); !ok) return ok;
  for (const ir::node& n : g.nodes)
    if (auto ok = detail::check_rules(g, n); !ok) return ok;
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
